"""One module a project. Each has NAME, PROJECT (for a person), matches(found) and
export(found, options, report) -> Voice."""

from . import torchaudio

ALL = (torchaudio,)
BY_NAME = {layout.NAME: layout for layout in ALL}
