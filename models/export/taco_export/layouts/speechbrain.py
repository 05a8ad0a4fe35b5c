"""SpeechBrain's Tacotron2: a bare state_dict in model.ckpt, with NVIDIA's names, and hyperparams.yaml."""

import os

from .. import configuration
from ..report import ExportError
from ..voice import Voice
from . import nvidia_graph

NAME = "speechbrain"
PROJECT = "SpeechBrain (speechbrain.lobes.models.Tacotron2)"


def matches(found):
    return nvidia_graph.matches(found) and found.beside("hyperparams.yaml") is not None


def export(found, options, report):
    path = options.config or found.beside("hyperparams.yaml")
    config = configuration.read_yaml(path) if path else {}
    if not path:
        report.assumed("settings: SpeechBrain's defaults (no hyperparams.yaml beside the file)")
    model, tensors, state = nvidia_graph.fold(
        found.state, "exclude", gate_threshold=config.get("gate_threshold", 0.5), sizes=config)
    state.check_all_used()
    named = {"sampling_rate": config.get("sample_rate"), "filter_length": config.get("n_fft"),
             **{key: config.get(key) for key in ("win_length", "hop_length", "mel_fmin", "mel_fmax")}}
    for key, usual in (("power", 1), ("norm", "slaney"), ("mel_scale", "slaney"),
                       ("mel_normalized", False), ("min_max_energy_norm", True),
                       ("dynamic_range_compression", True)):
        if config.get(key, usual) != usual and key != "min_max_energy_norm":
            raise ExportError(f"{os.path.basename(path)}: {key} {config[key]!r}: only {usual!r} is "
                              "known here")
    section = nvidia_graph.audio_section({k: v for k, v in named.items() if v is not None},
                                         model["n_mels"], report, "SpeechBrain's LJSpeech recipe")
    return Voice(model, section, nvidia_graph.text_section(model["n_symbols"], report, options),
                 tensors, language="en-US")
