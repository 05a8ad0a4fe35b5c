"""torchaudio.models.Tacotron2: a bare state_dict, whose names are the common ones."""

from .. import audio, configuration, symbols
from ..report import ExportError
from ..voice import Voice
from . import nvidia_graph

NAME = "torchaudio"
PROJECT = "torchaudio (torchaudio.models.Tacotron2)"


def matches(found):
    return ("decoder.attention_layer.query_layer.weight" in found.state
            and "encoder.convolutions.0.0.weight" in found.state)


def export(found, options, report):
    """options.config: a JSON object of "model" (the constructor's arguments), "audio", "symbols", "text"
    and "precision", each optional: models/train/heart.json is one."""
    config = configuration.read_json(options.config) if options.config else {}
    constructor = config.get("model", {})
    model, tensors, state = nvidia_graph.fold(
        found.state, "keep", gate_threshold=constructor.get("gate_threshold", 0.5),
        prenet_dropout=constructor.get("prenet_dropout", 0.5), sizes=constructor)
    state.check_all_used()
    if "precision" in config:
        model["precision"] = config["precision"]
    section = _audio(config, model["n_mels"], report)
    names = {key: config[key] for key in ("name", "description", "language", "licence", "source")
             if key in config}
    return Voice(model, section, _text(config, model["n_symbols"], report, options), tensors,
                 **{"language": "en-US", **names})


def _audio(config, n_mels, report):
    given = config.get("audio", {})
    if not given:
        report.assumed("audio: 22050 Hz, n_fft and window 1024, hop 256, 0-8000 Hz, Slaney mel, ln "
                       "with floor 1e-5 (torchaudio's characters and phones pipelines; those of "
                       "WaveRNN differ)")
    known = {"sample_rate": 22050, "n_fft": 1024, "win_length": 1024, "hop_length": 256,
             "n_mels": n_mels, "fmin": 0, "fmax": 8000}
    for key in given:
        if key not in known:
            raise ExportError(f"the configuration's audio.{key}: expected one of "
                              + ", ".join(known))
    return audio.section(**{**known, **given})


def _text(config, n_symbols, report, options):
    table = config.get("symbols")
    if table is None and not options.symbols:
        tables = {len(t): t for t in (symbols.TORCHAUDIO_CHARACTERS, symbols.TORCHAUDIO_PHONES)}
        if n_symbols not in tables:
            raise ExportError(f"{n_symbols} symbols; torchaudio's own tables have "
                              f"{' or '.join(map(str, sorted(tables)))}: give --symbols FILE")
        table = tables[n_symbols]
        report.assumed(f"symbols: torchaudio's table of {n_symbols}")
    others = dict(config.get("text", {}))
    front_end = others.pop("front_end", None) or ("arpabet" if "AA1" in (table or ())
                                                  else "characters")
    return symbols.section(front_end, table or [], **others)
