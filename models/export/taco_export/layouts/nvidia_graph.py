"""What NVIDIA/tacotron2, DeepLearningExamples, SpeechBrain, NeMo and torchaudio have in common: one
graph, and names that differ little."""

from .. import audio, symbols
from ..normal_form import Folder, Graph
from ..report import ExportError
from ..state import State

RENAMES = ((r"\.(conv|linear_layer)\.(weight|bias)$", r".\2"), (r"^text_embedding\.", "embedding."))

# What the projects' configurations call a size, and what the voice does.
SIZES = {"n_symbols": "n_symbols", "n_symbol": "n_symbols", "n_mel_channels": "n_mels",
         "n_mels": "n_mels", "n_frames_per_step": "n_frames_per_step",
         "symbols_embedding_dim": "symbols_embedding_dim",
         "symbol_embedding_dim": "symbols_embedding_dim",
         "encoder_kernel_size": "encoder_kernel_size",
         "encoder_n_convolutions": "encoder_n_convolutions",
         "encoder_n_convolution": "encoder_n_convolutions",
         "encoder_embedding_dim": "encoder_conv_dim", "attention_rnn_dim": "attention_rnn_dim",
         "decoder_rnn_dim": "decoder_rnn_dim", "postnet_embedding_dim": "postnet_embedding_dim",
         "postnet_kernel_size": "postnet_kernel_size",
         "postnet_n_convolutions": "postnet_n_convolutions",
         "postnet_n_convolution": "postnet_n_convolutions"}


def matches(found):
    """NVIDIA's own names; which of the projects it is, its module tells."""
    return "decoder.attention_layer.query_layer.linear_layer.weight" in found.state


def fold(tensors, firing_frame, *, gate_threshold=0.5, prenet_dropout=0.5, min_steps=0, sizes=None):
    """(model section, tensors, state). sizes: a configuration whose sizes must agree."""
    state = State(tensors, RENAMES)
    _refuse_old_graph(state)
    n_mels = _n_mels(state)
    rows = state.shape("decoder.linear_projection.weight")[0]
    if rows % n_mels:
        raise ExportError(f"{state.original('decoder.linear_projection.weight')}: {rows} rows are "
                          f"not whole frames of {n_mels} bands")
    r = rows // n_mels
    graph = Graph(n_mels=n_mels, n_frames_per_step=r, prenet_all_frames=r > 1,
                  prenet_dropout=prenet_dropout, gate_threshold=gate_threshold,
                  firing_frame=firing_frame, min_steps=min_steps,
                  attention={"type": "location", "location_channels": ["prev", "cum"]})
    model, folded = Folder(state, graph).fold()
    check_sizes(sizes or {}, model)
    return model, folded, state


def check_sizes(config, model):
    for key, name in SIZES.items():
        if config.get(key) is not None and config[key] != model[name]:
            raise ExportError(f"the configuration says {key} {config[key]}, the tensors "
                              f"{model[name]}")


def _n_mels(state):
    if "postnet.convolutions.0.0.weight" in state:
        return state.shape("postnet.convolutions.0.0.weight")[1]
    return state.shape("decoder.linear_projection.weight")[0]


def _refuse_old_graph(state):
    """Before 25 November 2018 NVIDIA's decoder was wired otherwise under the same names: attention_rnn
    saw [decoder_rnn's h, context] and decoder_rnn saw [prenet, context]."""
    needed = ("decoder.prenet.layers.1.weight", "decoder.attention_layer.memory_layer.weight",
              "decoder.attention_rnn.weight_ih", "decoder.decoder_rnn.weight_ih",
              "decoder.decoder_rnn.weight_hh")
    if any(name not in state for name in needed):
        return
    prenet, memory = (state.shape(needed[0])[0], state.shape(needed[1])[1])
    first, second = state.shape(needed[2])[1], state.shape(needed[3])[1]
    units = state.shape(needed[4])[1]
    if first == units + memory and second == prenet + memory and first != second:
        raise ExportError("a checkpoint of NVIDIA's code from before 25 November 2018: its tensors "
                          "have today's names, but attention_rnn takes decoder_rnn's state and "
                          "decoder_rnn the prenet; tacod does not run that graph")


def audio_section(config, n_mels, report, what):
    """From a configuration with NVIDIA's keys; what is missing has hparams.py's defaults."""
    defaults = {"sampling_rate": 22050, "filter_length": 1024, "win_length": 1024,
                "hop_length": 256, "mel_fmin": 0.0, "mel_fmax": 8000.0}
    values = {key: config.get(key, default) for key, default in defaults.items()}
    assumed = [key for key in defaults if key not in config]
    if assumed:
        report.assumed(f"audio: {', '.join(f'{key} {defaults[key]:g}' for key in assumed)}, Slaney "
                       f"mel, ln with floor 1e-5 ({what})")
    return audio.section(values["sampling_rate"], values["filter_length"], values["win_length"],
                         values["hop_length"], n_mels, values["mel_fmin"], values["mel_fmax"])


def text_section(n_symbols, report, options):
    """NVIDIA's 148 symbols: punctuation, letters, "@" and the CMU phones."""
    if n_symbols != len(symbols.NVIDIA) and not options.symbols:
        raise ExportError(f"{n_symbols} symbols; NVIDIA's own table has {len(symbols.NVIDIA)}: "
                          "give the table with --symbols FILE")
    if not options.symbols:
        report.assumed(f"symbols: NVIDIA's table of {len(symbols.NVIDIA)}, English")
    table = symbols.NVIDIA if n_symbols == len(symbols.NVIDIA) else []
    return symbols.section("characters", table, arpabet_prefix="@")
