"""Running tacod as a person does, in a folder of its own."""

import os
import pty
import subprocess
import tempfile
import unittest

TACOD = os.environ["TACOD"]
ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
PATIENCE = 600


class CommandCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_tacod(self, *arguments, code=0, stdin=b"", env=None, **options):
        """The finished process; its output is bytes."""
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        result = subprocess.run([TACOD, *arguments], input=stdin, cwd=self.folder,
                                timeout=PATIENCE, env={**os.environ, **(env or {})}, **options)
        self.assertEqual(result.returncode, code,
                         f"{arguments}: {(result.stderr or b'').decode(errors='replace')}")
        return result

    def fails(self, code, *arguments, **options):
        """What it says on standard error; standard output stays empty."""
        result = self.run_tacod(*arguments, code=code, **options)
        self.assertEqual(result.stdout or b"", b"")
        return result.stderr.decode()

    def path(self, name):
        return os.path.join(self.folder, name)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def write(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)

    def run_on_terminal(self, *arguments, stdout_too=False):
        """(exit code, what the terminal showed): standard error is a terminal."""
        terminal, end = pty.openpty()
        process = subprocess.Popen([TACOD, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL,
                                   stdout=end if stdout_too else subprocess.DEVNULL, stderr=end)
        os.close(end)
        shown = b""
        while True:
            try:
                block = os.read(terminal, 4096)
            except OSError:  # EIO: the other end is closed
                break
            if not block:
                break
            shown += block
        os.close(terminal)
        return process.wait(PATIENCE), shown.decode(errors="replace")
