"""One module a project. Each has NAME, PROJECT (for a person), matches(found) and
export(found, options, report) -> Voice."""

from . import coqui, dle, espnet, mozilla, nemo, nvidia, speechbrain, torchaudio

# The first that matches is taken: the projects that only a bare name tells come last.
ALL = (torchaudio, nemo, dle, speechbrain, nvidia, mozilla, coqui, espnet)
BY_NAME = {layout.NAME: layout for layout in ALL}
