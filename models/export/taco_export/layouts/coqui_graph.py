"""What Coqui TTS and Mozilla TTS have in common: graph, attentions, configuration, audio, speakers."""

import json
import os

import numpy as np

from .. import audio, checkpoint
from ..normal_form import Folder, Graph
from ..report import ExportError
from ..state import State

RENAMES = (
    (r"\.linear_layer\.(weight|bias)$", r".\1"),
    (r"^(encoder|postnet)\.convolutions\.(\d+)\.(convolution1d|net\.0)\.", r"\1.convolutions.\2.0."),
    (r"^(encoder|postnet)\.convolutions\.(\d+)\.(batch_normalization|net\.1)\.",
     r"\1.convolutions.\2.1."),
    (r"^decoder\.prenet\.linear_layers\.(\d+)\.batch_normalization\.",
     r"decoder.prenet.layers.\1.batch_norm."),
    (r"^decoder\.prenet\.linear_layers\.", "decoder.prenet.layers."),
    (r"^decoder\.attention\.", "decoder.attention_layer."),
    (r"^decoder\.attention_layer\.inputs_layer\.", "decoder.attention_layer.memory_layer."),
    (r"^decoder\.attention_layer\.ta\.", "decoder.attention_layer.transition_agent."),
    (r"^decoder\.attention_layer\.N_a\.0\.", "decoder.attention_layer.gmm.0."),
    (r"^decoder\.attention_layer\.N_a\.2\.", "decoder.attention_layer.gmm.1."),
    (r"\.location_conv1d\.", ".location_conv."),
    (r"^decoder\.attention_layer\.static_filter_conv\.", "decoder.attention_layer.static_conv."),
    (r"^decoder\.attention_layer\.(static|dynamic)_filter_layer\.",
     r"decoder.attention_layer.\1_layer."),
    (r"^decoder\.stopnet\.1\.", "decoder.stopnet."),
)

# Training only: double decoder consistency, the backward decoder.
TRAINING_ONLY = r"(coarse_decoder|decoder_backward)\."


def matches(found):
    return "decoder.stopnet.1.linear_layer.weight" in found.state


def fold(found, config, r, options, report, *, window_key, dropout_at_inference):
    """(model section, tensors, speaker names or None)."""
    if config.get("model", "Tacotron2").lower().replace("_", "") != "tacotron2":
        raise ExportError(f"the configuration's model is {config['model']!r}, not Tacotron 2")
    state = State(found.state, RENAMES)
    n = state.drop(TRAINING_ONLY)
    if n:
        report.left_out(f"{n} tensors of the coarse or backward decoder (training only)")
    if state.drop(r"capacitron_vae_layer\.") or config.get("use_capacitron_vae"):
        raise ExportError("Capacitron VAE (capacitron_vae_layer): tacod does not run it")
    if "encoder._language_embedding.weight" in state:
        raise ExportError("language embedding (encoder._language_embedding): tacod does not run it")
    n_mels = state.shape("postnet.convolutions.0.0.weight")[1]
    r_init = state.shape("decoder.linear_projection.weight")[0] // n_mels
    if type(r) is not int or not 1 <= r <= max(r_init, 1):
        raise ExportError(f"r is {r}, and the projection makes {r_init} frames")
    zero_memory = _style_columns(state, config, report)
    graph = Graph(n_mels=n_mels, n_frames_per_step=r, min_steps=2, firing_frame="keep",
                  prenet_dropout=0.5 if dropout_at_inference else 0.0, zero_memory=zero_memory,
                  attention=_attention(state, config, window_key))
    speakers = _speakers(state, found, config, options, report)
    model, tensors = Folder(state, graph).fold(speakers and ("concat", speakers[1]))
    state.check_all_used()
    return model, tensors, speakers and speakers[0]


def _attention(state, config, window_key):
    kind = config.get("attention_type", "original")
    if kind == "graves":
        return {"type": "gmm"}
    if kind == "dynamic_convolution":
        return {"type": "dynamic_convolution"}
    if kind != "original":
        raise ExportError(f"attention_type {kind!r}: original, graves and dynamic_convolution are "
                          "known here")
    normaliser = config.get("attention_norm", "sigmoid")
    if normaliser not in ("softmax", "sigmoid"):
        raise ExportError(f"attention_norm {normaliser!r}: expected softmax or sigmoid")
    section = {"type": "location", "location_channels": ["prev", "cum"], "normaliser": normaliser}
    if config.get("use_forward_attn", False):
        section.update(type="forward", forward_rule="coqui",
                       forward_mask=bool(config.get("forward_attn_mask", False)),
                       transition_agent=bool(config.get("transition_agent", False)))
    elif config.get("transition_agent", False):
        # The agent exists and is trained by nothing; without forward attention it is not asked.
        state.drop(r"decoder\.attention_layer\.transition_agent\.")
    if config.get(window_key, False):
        section.update(window="coqui", window_back=2, window_forward=6)
    return section


def _style_columns(state, config, report):
    """Global style tokens: without a style the projects put zeros behind the encoder's output."""
    if not state.drop(r"gst_layer\."):
        return None
    gst = config.get("gst") or {}
    width = gst.get("gst_embedding_dim", 256)
    encoder = 2 * state.shape("encoder.lstm.weight_hh_l0")[1]
    report.left_out("global style tokens (gst_layer): spoken without a style, a vector of "
                    f"{width} zeros, as the project does when none is given")
    return encoder, encoder + width


# -- speakers -----------------------------------------------------------------------------------

def _speakers(state, found, config, options, report):
    """(names, table [n, dim]) or None. A chosen speaker is a table of one."""
    if "speaker_embedding.weight" in state:
        table = state.take("speaker_embedding.weight", None, None)
        names = _speaker_names(len(table), found, config, options, report)
    elif options.d_vectors:
        names, table = _d_vectors(options.d_vectors)
    elif config.get("use_d_vector_file") or config.get("use_external_speaker_embedding_file"):
        raise ExportError("speaker vectors from outside (use_d_vector_file): give the project's "
                          "speakers file with --d-vectors FILE")
    else:
        if options.speaker:
            raise ExportError("--speaker: this checkpoint has one speaker")
        return None
    return choose_speaker(names, table, options.speaker)


def choose_speaker(names, table, wanted):
    if wanted in (None, "all"):
        return names, table
    if wanted in names:
        i = names.index(wanted)
    elif wanted.isdigit() and int(wanted) < len(names):
        i = int(wanted)
    else:
        some = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
        raise ExportError(f"--speaker {wanted}: there are {len(names)}: {some}")
    return [names[i]], table[i:i + 1]


def _speaker_names(n, found, config, options, report):
    path = options.speakers or next(
        filter(None, map(found.beside, ("speakers.json", "speakers.pth", "speaker_ids.json",
                                        "speaker_ids.pth"))), None)
    if path is None:
        report.assumed(f"names of the {n} speakers: their numbers (no speakers.json beside the file)")
        return [str(i) for i in range(n)]
    ids = read_speakers(path)
    # Mozilla's file may hold its speakers' d-vectors as well; here it is a map of names to numbers.
    names = {i: name for name, i in ids.items() if type(i) is int}
    if set(names) != set(range(n)):
        raise ExportError(f"{path}: names for numbers 0 to {n - 1} expected, found {len(names)}")
    return [names[i] for i in range(n)]


def read_speakers(path):
    if path.endswith((".pth", ".pt")):
        value = checkpoint.load(path)
    else:
        try:
            with open(path, encoding="utf-8") as f:
                value = json.load(f)
        except (OSError, ValueError) as e:
            raise ExportError(f"{path}: {e}") from e
    if not isinstance(value, dict) or not value:
        raise ExportError(f"{path}: expected a map of speakers")
    return value


def _d_vectors(path):
    """Mean vector of each speaker's clips: {clip: {"name": ..., "embedding": [...]}}."""
    clips = {}
    for clip, entry in read_speakers(path).items():
        try:
            name, vector = str(entry["name"]), np.array(entry["embedding"], np.float64).reshape(-1)
        except (TypeError, KeyError, ValueError) as e:
            raise ExportError(f"{path}: {clip}: expected a name and an embedding") from e
        if not np.isfinite(vector).all():
            raise ExportError(f"{path}: {clip}: values that are not finite")
        clips.setdefault(name, []).append(vector)
    if len({len(v) for vectors in clips.values() for v in vectors}) != 1:
        raise ExportError(f"{path}: embeddings of different sizes")
    names = sorted(clips)
    return names, np.stack([np.mean(clips[name], 0) for name in names])


# -- audio --------------------------------------------------------------------------------------

# What the projects' AudioProcessor does when a setting is not in the configuration.
DEFAULTS = {"sample_rate": 22050, "fft_size": 1024, "win_length": 1024, "hop_length": 256,
            "num_mels": 80, "mel_fmin": 0.0, "mel_fmax": None, "spec_gain": 20,
            "signal_norm": True, "min_level_db": -100, "ref_level_db": 20, "symmetric_norm": True,
            "max_norm": 4.0, "clip_norm": True, "preemphasis": 0.0, "stft_pad_mode": "reflect"}


def audio_section(found, config, n_mels, options, report, *, log_floor):
    """(section, {tensor name: values}) from the configuration's "audio" object."""
    a = {key: value for key, value in (config.get("audio") or {}).items() if value is not None}
    missing = [key for key in DEFAULTS if key not in a and DEFAULTS[key] is not None]
    frames_in_ms = "hop_length" not in a and a.get("frame_shift_ms")
    if frames_in_ms:
        missing = [key for key in missing if key not in ("hop_length", "win_length")]
    if missing:
        report.assumed("audio: " + ", ".join(f"{key} {DEFAULTS[key]}" for key in missing)
                       + " (the project's defaults)")
    a = {**DEFAULTS, **a}
    if frames_in_ms:
        a["hop_length"] = int(a["frame_shift_ms"] / 1000 * a["sample_rate"])
        a["win_length"] = int(a["hop_length"] * (a["frame_length_ms"] / a["frame_shift_ms"]))
    if a["num_mels"] != n_mels:
        raise ExportError(f"audio: num_mels {a['num_mels']}, the tensors {n_mels}")
    if a.get("do_amp_to_db_mel") is False:
        raise ExportError("audio: do_amp_to_db_mel false (mels without a logarithm): tacod does not "
                          "run that")
    function = a.get("log_func", "np.log10")
    if function not in ("np.log", "np.log10"):
        raise ExportError(f"audio: log_func {function!r}: np.log and np.log10 are known here")
    section = audio.section(
        a["sample_rate"], a["fft_size"], a["win_length"], a["hop_length"], n_mels,
        a["mel_fmin"], a["mel_fmax"] or a["sample_rate"] / 2,
        log="ln" if function == "np.log" else "log10", log_gain=a["spec_gain"],
        log_floor=log_floor, pad_mode=a["stft_pad_mode"], preemphasis=a["preemphasis"])
    tensors = {}
    if options.stats or a.get("stats_path"):
        tensors.update(_mean_std(found, a, options, n_mels))
        section["mean_std"] = True
    elif a["signal_norm"]:
        section["range"] = {"ref_level_db": a["ref_level_db"], "min_level_db": a["min_level_db"],
                            "max_norm": a["max_norm"], "symmetric": bool(a["symmetric_norm"]),
                            "clip": bool(a["clip_norm"])}
    return section, tensors


def _mean_std(found, a, options, n_mels):
    """scale_stats.npy: a NumPy file of one pickled dict."""
    name = os.path.basename(str(a.get("stats_path") or ""))
    path = options.stats or found.beside(name) or found.beside("scale_stats.npy")
    if path is None:
        raise ExportError(f"{name}: the configuration takes mean and deviation from it, and it is "
                          "not beside the checkpoint: --stats FILE")
    stats = checkpoint.load_npy_dict(path)
    result = {}
    for key, tensor in (("mel_mean", "audio.mean"), ("mel_std", "audio.std")):
        values = stats.get(key)
        if not isinstance(values, np.ndarray) or values.shape != (n_mels,):
            raise ExportError(f"{path}: {key}: expected {n_mels} numbers")
        result[tensor] = values.astype(np.float64)
    if not np.isfinite(result["audio.mean"]).all() or not (result["audio.std"] > 0).all():
        raise ExportError(f"{path}: means or deviations that make no sense")
    return result


def language(config, report):
    """The configuration's language as BCP 47: en-us becomes en-US."""
    found = config.get("phoneme_language")
    if not isinstance(found, str) or not found:
        report.assumed("language: en-US (--language)")
        return "en-US"
    first, *rest = found.split("-")
    return "-".join([first.lower(), *(part.upper() if len(part) == 2 else part for part in rest)])


def front_end(config, options):
    """(front end, further settings) that the configuration's text settings ask for."""
    if options.front_end:
        return options.front_end, {}
    if not config.get("use_phonemes", False):
        # Its tables have no ARPAbet: with this prefix a capital B is a letter and not the phone.
        return "characters", {"arpabet_prefix": "@"}
    phonemizer = config.get("phonemizer") or "espeak"
    if phonemizer not in ("espeak", "gruut", "multi_phonemizer"):
        raise ExportError(f"phonemizer {phonemizer!r}: tacod's ipa front end is eSpeak NG; "
                          "--front-end ipa exports it nevertheless")
    return "ipa", {"espeak_voice": config.get("phoneme_language") or "en-us"}
