"""NVIDIA DeepLearningExamples, PyTorch/SpeechSynthesis/Tacotron2: {'epoch', 'config', 'state_dict', ...};
config holds the constructor's arguments."""

from .. import configuration
from ..voice import Voice
from . import nvidia_graph

NAME = "dle"
PROJECT = "NVIDIA DeepLearningExamples, PyTorch/SpeechSynthesis/Tacotron2"


def matches(found):
    return (nvidia_graph.matches(found) and isinstance(found.object, dict)
            and isinstance(found.object.get("config"), dict) and "state_dict" in found.object)


def export(found, options, report):
    constructor = found.object.get("config", {}) if isinstance(found.object, dict) else {}
    config = configuration.read_json(options.config) if options.config else {}
    model, tensors, state = nvidia_graph.fold(
        found.state, "exclude", gate_threshold=constructor.get("gate_threshold", 0.5),
        sizes=constructor)
    state.check_all_used()
    # The project's config.json nests its settings and writes them with hyphens.
    flat = {key.replace("-", "_"): value for part in [config, *config.values()]
            if isinstance(part, dict) for key, value in part.items()}
    section = nvidia_graph.audio_section(
        flat, model["n_mels"], report,
        "defaults of its train.py; the config.json that it ships says mel-fmax 7000: --config, or "
        "--set audio.fmax=7000")
    return Voice(model, section, nvidia_graph.text_section(model["n_symbols"], report, options),
                 tensors, language="en-US")
