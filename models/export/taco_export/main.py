"""Command line of the exporter."""

import argparse
import json
import os
import sys

from . import archive, checkpoint, layouts, symbols, voice_files
from .report import ExportError, Report
from .state import is_state_dict, strip_prefixes


class Found:
    """What the given file holds: the whole object, the state_dict in it, and where it lies."""

    def __init__(self, path):
        self.path = path
        self.folder = os.path.dirname(os.path.abspath(path))
        self.members = archive.read(path)  # of a .nemo file; otherwise none
        if self.members:
            self.object = checkpoint.load(self.members["model_weights.ckpt"])
        else:
            self.object = checkpoint.load(path)
        places = [self.object]
        if isinstance(self.object, dict):
            places = [self.object.get(key) for key in ("state_dict", "model", "tacotron")] + places
        state = next(filter(is_state_dict, places), None)
        if state is None:
            raise ExportError(f"{path}: no state_dict in it")
        self.state = strip_prefixes(state)

    def beside(self, name):
        """The path of a file next to the checkpoint, or None."""
        path = os.path.join(self.folder, name)
        return path if os.path.exists(path) else None


def parse_arguments(argv):
    parser = argparse.ArgumentParser(
        prog="export", description="Converts a Tacotron 2 checkpoint into a voice of tacod.")
    parser.add_argument("checkpoint", metavar="CHECKPOINT")
    parser.add_argument("-o", "--output", required=True, metavar="VOICE.safetensors")
    parser.add_argument("--from", dest="layout", choices=sorted(layouts.BY_NAME), metavar="NAME",
                        help="the checkpoint's project: " + ", ".join(sorted(layouts.BY_NAME))
                        + " (default: told by the file)")
    parser.add_argument("--config", metavar="FILE", help="the project's configuration (default: the "
                        "checkpoint's own, or the one beside it)")
    parser.add_argument("--symbols", metavar="FILE", help="the symbol table: a JSON list, or a "
                        "symbol a line")
    parser.add_argument("--name", help="the voice's name (default: the output file's)")
    parser.add_argument("--description")
    parser.add_argument("--language", help="BCP 47, such as en-US")
    parser.add_argument("--licence")
    parser.add_argument("--source", help="where the checkpoint comes from")
    parser.add_argument("--dtype", choices=("f32", "f16", "bf16"), default="f32",
                        help="type of the stored matrices (default: f32)")
    parser.add_argument("--speaker", metavar="N|NAME|all", help="one speaker of a table, or all "
                        "(the default)")
    parser.add_argument("--speakers", metavar="FILE", help="names of the speakers: the project's "
                        "JSON or .pth (default: the one beside the checkpoint)")
    parser.add_argument("--d-vectors", metavar="FILE", help="speaker vectors from outside")
    parser.add_argument("--language-id", type=int, metavar="N", help="ESPnet: one of its languages")
    parser.add_argument("--stats", metavar="FILE", help="mean and deviation of the features "
                        "(default: the file beside the checkpoint)")
    parser.add_argument("--frames-per-step", type=int, metavar="R", help="Coqui, Mozilla: r, where "
                        "the checkpoint does not tell")
    parser.add_argument("--constraint", nargs=2, type=int, metavar=("BACK", "FORWARD"),
                        help="ESPnet: attention constraint (its use_att_constraint is 1 3)")
    parser.add_argument("--front-end", choices=("characters", "arpabet", "ipa"))
    parser.add_argument("--gate-threshold", type=float, metavar="P")
    parser.add_argument("--attention", action="append", default=[], metavar="NAME=FILE", dest="attentions",
                        help="another attention for the voice: a file of models/train/train_attention, or a "
                        "voice whose default attention is taken; CHECKPOINT may then be a voice")
    parser.add_argument("--inverter", metavar="FILE", help="a learnt mel inverter for the voice: a file of "
                        "models/train/train_inverter; CHECKPOINT may then be a voice")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", dest="settings",
                        help="one setting of the voice's config (models/FORMAT.md), such as "
                        "audio.fmax=7600 or text.front_end=characters; VALUE is JSON or plain text")
    return parser.parse_args(argv)


def find_layout(found, options):
    if options.layout:
        return layouts.BY_NAME[options.layout]
    for layout in layouts.ALL:
        if layout.matches(found):
            return layout
    if any("cbhg" in name for name in found.state):
        raise ExportError(f"{found.path}: a Tacotron of the first kind, with a CBHG encoder; tacod "
                          "runs Tacotron 2")
    raise ExportError(f"{found.path}: not a layout that is known here; the first tensors are "
                      + ", ".join(list(found.state)[:4]))


def read_symbols(path):
    try:
        with open(path, encoding="utf-8") as f:
            text = f.read()
    except (OSError, ValueError) as e:
        raise ExportError(f"{path}: {e}") from e
    if text.lstrip().startswith("["):
        try:
            return [str(s) for s in json.loads(text)]
        except ValueError as e:
            raise ExportError(f"{path}: {e}") from e
    return text.rstrip("\n").split("\n")


def apply_settings(voice, settings):
    for setting in settings:
        key, separator, value = setting.partition("=")
        *sections, last = key.split(".")
        if not separator or not sections or sections[0] not in ("model", "audio", "text"):
            raise ExportError(f"--set {setting}: expected model., audio. or text.KEY=VALUE")
        target = getattr(voice, sections[0])
        for section in sections[1:]:
            target = target.get(section) if isinstance(target, dict) else None
        if not isinstance(target, dict):
            raise ExportError(f"--set {setting}: this voice has no {'.'.join(sections)}")
        try:
            target[last] = json.loads(value)
        except ValueError:
            target[last] = value


def finish(voice, options, report):
    """What holds for every project: names, options over the checkpoint's own settings, limits."""
    for key in ("name", "description", "language", "licence", "source"):
        if getattr(options, key) is not None:
            setattr(voice, key, getattr(options, key))
    if not voice.name:
        voice.name = os.path.basename(options.output).split(".")[0]
    if not voice.licence:
        report.note("licence: not given; whoever publishes the voice needs one (--licence)")
    if options.symbols:
        voice.text.update(symbols.section(voice.text["front_end"], read_symbols(options.symbols)))
    if options.front_end:
        voice.text["front_end"] = options.front_end
    if options.gate_threshold is not None:
        voice.model["gate_threshold"] = options.gate_threshold
    voice.add_frame_limit()
    apply_settings(voice, options.settings)
    shapes_basis = ("audio.sample_rate=", "audio.n_fft=", "audio.fmin=", "audio.fmax=")
    if "audio.mel_basis" not in voice.tensors or any(s.startswith(shapes_basis)
                                                     for s in options.settings):
        voice.add_mel_basis()


def run(argv, stream=None):
    """Exports as the arguments say; raises ExportError. Returns the voice, None where one was added to."""
    options = parse_arguments(argv)
    report = Report(stream or sys.stderr)
    if voice_files.is_voice(options.checkpoint):
        if not options.attentions and not options.settings and not options.inverter:
            raise ExportError(f"{options.checkpoint}: a voice of tacod already; --attention NAME=FILE and --inverter "
                              "FILE add to it, --set changes it")
        names = voice_files.change(options.checkpoint, options.output, options.attentions,
                                   lambda voice: apply_settings(voice, options.settings), options.inverter)
        report.note(f"{options.output}: attentions " + (", ".join(names) or "as before"))
        return None
    found = Found(options.checkpoint)
    layout = find_layout(found, options)
    report.note(f"checkpoint of {layout.PROJECT}")
    voice = layout.export(found, options, report)
    finish(voice, options, report)
    voice.write(options.output, options.dtype.upper())
    n = sum(values.size for values in voice.tensors.values())
    if options.attentions or options.inverter:
        voice_files.change(options.output, options.output, options.attentions, inverter=options.inverter)
    report.note(f"{options.output}: {voice.name}, {n / 1e6:.1f} M values as {options.dtype}")
    return voice


def main():
    try:
        run(sys.argv[1:])
    except ExportError as e:
        print(f"export: {e}", file=sys.stderr)
        return 1
    except OSError as e:
        print(f"export: {e.filename or ''}: {e.strerror}", file=sys.stderr)
        return 1
    return 0
