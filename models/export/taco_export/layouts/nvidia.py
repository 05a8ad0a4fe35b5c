"""NVIDIA/tacotron2: {'iteration', 'state_dict', 'optimizer', 'learning_rate'}; sizes and symbols are in
hparams.py and text/symbols.py, not in the file."""

from .. import configuration
from ..voice import Voice
from . import nvidia_graph

NAME = "nvidia"
PROJECT = "NVIDIA/tacotron2"


def matches(found):
    """Also a bare state_dict: the names say no more."""
    return nvidia_graph.matches(found)


def export(found, options, report):
    if not (isinstance(found.object, dict) and "iteration" in found.object) and not options.layout:
        report.assumed("NVIDIA/tacotron2: a bare state_dict with its names (DeepLearningExamples' and "
                       "SpeechBrain's have the same; --from tells)")
    config = configuration.read_json(options.config) if options.config else {}
    model, tensors, state = nvidia_graph.fold(
        found.state, "keep", gate_threshold=config.get("gate_threshold", 0.5), sizes=config)
    state.check_all_used()
    section = nvidia_graph.audio_section(config, model["n_mels"], report,
                                         "defaults of NVIDIA's hparams.py")
    return Voice(model, section, nvidia_graph.text_section(model["n_symbols"], report, options),
                 tensors, language="en-US")
