"""torchaudio.models.Tacotron2: a bare state_dict, whose names are the common ones."""

import json

from .. import audio, symbols
from ..normal_form import Folder, Graph
from ..report import ExportError
from ..state import State
from ..voice import Voice

NAME = "torchaudio"
PROJECT = "torchaudio (torchaudio.models.Tacotron2)"

RENAMES = ()


def matches(found):
    return ("decoder.attention_layer.query_layer.weight" in found.state
            and "encoder.convolutions.0.0.weight" in found.state)


def export(found, options, report):
    config = _read_config(options.config)
    state = State(found.state, RENAMES)
    constructor = config.get("model", {})
    n_frames = constructor.get("n_frames_per_step", 1)
    n_mels = state.shape("decoder.prenet.layers.0.weight")[-1] // n_frames
    graph = Graph(n_mels=n_mels, n_frames_per_step=n_frames, prenet_all_frames=n_frames > 1,
                  prenet_dropout=constructor.get("prenet_dropout", 0.5),
                  gate_threshold=constructor.get("gate_threshold", 0.5),
                  attention={"type": "location", "location_channels": ["prev", "cum"]})
    model, tensors = Folder(state, graph).fold()
    state.check_all_used()
    _check_constructor(constructor, model)
    names = {key: config[key] for key in ("name", "description", "language", "licence", "source")
             if key in config}
    voice = Voice(model, _audio(config, n_mels, report), _text(config, model, report), tensors,
                  **{"language": "en-US", **names})
    voice.tensors["audio.mel_basis"] = audio.basis_of(voice.audio)
    return voice


# What the constructor calls a size, and what the voice does.
_CONSTRUCTOR = {
    "n_symbol": "n_symbols", "n_mels": "n_mels", "symbol_embedding_dim": "symbols_embedding_dim",
    "decoder_rnn_dim": "decoder_rnn_dim", "attention_rnn_dim": "attention_rnn_dim",
    "postnet_embedding_dim": "postnet_embedding_dim",
    "encoder_n_convolution": "encoder_n_convolutions", "encoder_kernel_size": "encoder_kernel_size",
    "postnet_n_convolution": "postnet_n_convolutions", "postnet_kernel_size": "postnet_kernel_size",
}


def _read_config(path):
    if path is None:
        return {}
    try:
        with open(path, encoding="utf-8") as f:
            config = json.load(f)
    except (OSError, ValueError) as e:
        raise ExportError(f"{path}: {e}") from e
    if not isinstance(config, dict):
        raise ExportError(f"{path}: not a JSON object")
    return config


def _check_constructor(constructor, model):
    for key, name in _CONSTRUCTOR.items():
        if key in constructor and constructor[key] != model[name]:
            raise ExportError(f"the configuration says {key} {constructor[key]}, the tensors "
                              f"{model[name]}")


def _audio(config, n_mels, report):
    """The settings of the configuration's "audio" object; torchaudio's pipelines use these defaults."""
    given = config.get("audio", {})
    if not given:
        report.assumed("audio: 22050 Hz, n_fft and window 1024, hop 256, 0-8000 Hz, Slaney mel, ln "
                       "with floor 1e-5 (torchaudio's and NVIDIA's defaults)")
    if given.get("mel_scale", "slaney") != "slaney" or given.get("mel_norm", "slaney") != "slaney":
        raise ExportError("the configuration's mel_scale and mel_norm: only slaney is known here")
    if given.get("power", 1) != 1 or given.get("log", "ln(max(x,1e-5))") != "ln(max(x,1e-5))":
        raise ExportError("the configuration's power and log: only 1 and ln(max(x,1e-5)) are known "
                          "here")
    if given.get("n_mels", n_mels) != n_mels:
        raise ExportError(f"the configuration says {given['n_mels']} mels, the tensors {n_mels}")
    return audio.section(given.get("sample_rate", 22050), given.get("n_fft", 1024),
                         given.get("win_length", 1024), given.get("hop_length", 256), n_mels,
                         given.get("fmin", 0), given.get("fmax", 8000),
                         center=given.get("center", True),
                         pad_mode=given.get("pad_mode", "reflect"))


def _text(config, model, report):
    n = model["n_symbols"]
    table = config.get("symbols")
    if table is None:
        tables = {len(t): t for t in (symbols.TORCHAUDIO_CHARACTERS, symbols.TORCHAUDIO_PHONES)}
        if n not in tables:
            raise ExportError(f"{n} symbols: torchaudio's own tables have "
                              f"{' or '.join(map(str, sorted(tables)))}; give --symbols FILE")
        table = tables[n]
        report.assumed(f"symbols: torchaudio's table of {n}")
    others = {key: config["text"][key] for key in config.get("text", {})}
    front_end = others.pop("front_end", None) or ("arpabet" if "AA1" in table else "characters")
    return symbols.section(front_end, table, **others)
