"""What the exporter tells a person: what stopped it, and what it had to assume."""


class ExportError(Exception):
    """The export stops here; the message says what, where, and what would be right."""


class Report:
    """Lines for a person. Everything that the checkpoint itself does not say is `assumed`."""

    def __init__(self, stream=None):
        self.lines = []
        self._stream = stream

    def assumed(self, text):
        self._add("assumed: " + text)

    def left_out(self, text):
        self._add("left out: " + text)

    def note(self, text):
        self._add(text)

    def _add(self, line):
        if line not in self.lines:
            self.lines.append(line)
            if self._stream is not None:
                print(line, file=self._stream)
