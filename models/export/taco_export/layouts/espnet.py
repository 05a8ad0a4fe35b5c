"""ESPnet's Tacotron2, version 2 (whole-model state_dict with `tts.`, config.yaml beside it) and version 1
(model.json, features normalised by cmvn.ark)."""

import json
import os

import numpy as np

from .. import audio, configuration, kaldi, symbols
from ..normal_form import Folder, Graph
from ..report import ExportError
from ..state import State
from ..voice import Voice
from .coqui_graph import choose_speaker

NAME = "espnet"
PROJECT = "ESPnet (espnet2.tts.tacotron2, espnet.nets.pytorch_backend.e2e_tts_tacotron2)"

RENAMES = (
    (r"^tts\.", ""),
    (r"^enc\.embed\.", "embedding."),
    (r"^enc\.convs\.", "encoder.convolutions."),
    (r"^enc\.blstm\.", "encoder.lstm."),
    (r"^dec\.att\.mlp_enc\.", "decoder.attention_layer.memory_layer."),
    (r"^dec\.att\.mlp_dec\.", "decoder.attention_layer.query_layer."),
    (r"^dec\.att\.mlp_att\.", "decoder.attention_layer.location_layer.location_dense."),
    (r"^dec\.att\.loc_conv\.", "decoder.attention_layer.location_layer.location_conv."),
    (r"^dec\.att\.gvec\.", "decoder.attention_layer.v."),
    (r"^dec\.att\.mlp_ta\.", "decoder.attention_layer.transition_agent."),
    (r"^dec\.lstm\.0\.(cell\.)?", "decoder.attention_rnn."),
    (r"^dec\.lstm\.1\.(cell\.)?", "decoder.decoder_rnn."),
    (r"^dec\.prenet\.prenet\.(\d+)\.0\.", r"decoder.prenet.layers.\1."),
    (r"^dec\.postnet\.postnet\.", "postnet.convolutions."),
    (r"^dec\.feat_out\.", "decoder.linear_projection."),
    (r"^dec\.prob_out\.", "decoder.gate_layer."),
)

# The factor on AttLoc's energies before its softmax; the forward attentions have 1.
ATTLOC_SCALING = 2.0
# int(T * maxlenratio) in tts_inference, T with the end symbol.
MAX_LENGTH_RATIO = 10.0


def matches(found):
    return "tts.dec.feat_out.weight" in found.state or "dec.feat_out.weight" in found.state


def export(found, options, report):
    is_espnet2 = "tts.dec.feat_out.weight" in found.state
    settings = _read_espnet2(found, options) if is_espnet2 else _read_espnet1(found, options)
    conf = settings["conf"]
    outside = {name: tensor for name, tensor in found.state.items()
               if name.startswith(("normalize.", "feats_extract."))}
    state = State({n: t for n, t in found.state.items() if n not in outside}, RENAMES)
    state.drop(r"(taco2_loss|attn_loss)\.")
    _refuse(state, conf)
    r = conf.get("reduction_factor", 1)
    rows = state.shape("decoder.linear_projection.weight")[0]
    if type(r) is not int or r < 1 or rows % r:
        raise ExportError(f"reduction_factor {r!r}: the output has {rows} rows")
    kind = conf.get("atype", "location")
    zoneout = conf.get("zoneout_rate", 0.1)
    graph = Graph(n_mels=rows // r, n_frames_per_step=r, attention_first=True,
                  decoder_rnn_context=False, context_first=True, bands_first=True,
                  encoder_residual=bool(conf.get("use_residual", False)), zoneout=zoneout,
                  prenet_dropout=conf.get("dropout_rate", 0.5), gate_inclusive=True,
                  firing_frame="keep", attention=_attention(kind, conf, options),
                  v_scale=ATTLOC_SCALING if kind == "location" else 1.0)
    if zoneout and not any(".cell." in name for name in found.state):
        raise ExportError(f"zoneout_rate {zoneout}, but the tensors are of a decoder without zoneout "
                          "(no dec.lstm.0.cell): the wrong configuration?")
    speakers = _speakers(state, conf, options, report)
    model, tensors = Folder(state, graph).fold(speakers and speakers[2:])
    state.check_all_used()
    model.update(max_frames_per_symbol=MAX_LENGTH_RATIO, max_frames_base=0)
    section, of_audio = _audio(outside, settings, model["n_mels"], found, options, report)
    tensors.update(of_audio)
    return Voice(model, section, _text(settings, options, report), tensors,
                 speakers=speakers and speakers[0], language=settings.get("language", "en-US"))


# -- configuration ------------------------------------------------------------------------------

def _read_espnet2(found, options):
    path = options.config or found.beside("config.yaml")
    if not path:
        raise ExportError("no config.yaml beside the checkpoint (--config FILE)")
    config = configuration.read_yaml(path)
    if config.get("tts", "tacotron2") != "tacotron2":
        raise ExportError(f"{path}: tts is {config['tts']!r}, not tacotron2")
    features = config.get("feats_extract", "fbank")
    if features != "fbank":
        raise ExportError(f"{path}: feats_extract {features!r}: only fbank is known here")
    normalise = config.get("normalize", "global_mvn")
    if normalise not in ("global_mvn", None):
        raise ExportError(f"{path}: normalize {normalise!r}: only global_mvn and none are known here")
    return {"conf": config.get("tts_conf") or {}, "features": config.get("feats_extract_conf") or {},
            "normalise": normalise, "tokens": config.get("token_list"),
            "stats": (config.get("normalize_conf") or {}).get("stats_file"),
            "token_type": config.get("token_type", "phn"), "g2p": config.get("g2p")}


def _read_espnet1(found, options):
    path = options.config or found.beside("model.json")
    if not path:
        raise ExportError("no model.json beside the checkpoint (--config FILE)")
    try:
        with open(path, encoding="utf-8") as f:
            idim, odim, conf = json.load(f)
    except (OSError, ValueError, TypeError) as e:
        raise ExportError(f"{path}: expected [idim, odim, {{settings}}]: {e}") from e
    if not isinstance(conf, dict):
        raise ExportError(f"{path}: expected [idim, odim, {{settings}}]")
    return {"conf": conf, "features": None, "normalise": "cmvn", "tokens": None, "stats": None,
            "token_type": "char", "g2p": None, "idim": idim, "odim": odim}


def _refuse(state, conf):
    """Parts that the graph does not have, by the names of their settings."""
    def must(condition, message):
        if not condition:
            raise ExportError(message + ": tacod does not run that")

    must(conf.get("elayers", 1) == 1, f"elayers {conf.get('elayers')}")
    must(conf.get("dlayers", 2) == 2, f"dlayers {conf.get('dlayers')}")
    must(conf.get("prenet_layers", 2) > 0, "prenet_layers 0")
    must(not conf.get("output_activation"), f"output_activation {conf.get('output_activation')}")
    must(not conf.get("use_gst"), "global style tokens (use_gst), which need a reference recording")
    must(not conf.get("use_cbhg"), "CBHG (use_cbhg)")
    must("gst.stl.gst_embs" not in state, "global style tokens (gst)")


def _attention(kind, conf, options):
    section = {"location_channels": ["prev"]}
    if kind == "location":
        section.update(type="location", start="uniform",
                       location_channels=["cum" if conf.get("cumulate_att_w", True) else "prev"])
    elif kind in ("forward", "forward_ta"):
        section.update(type="forward", forward_rule="espnet", start="one_hot",
                       transition_agent=kind == "forward_ta")
    else:
        raise ExportError(f"atype {kind!r}: location, forward and forward_ta are known here")
    if options.constraint:
        back, forward = options.constraint
        section.update(window="espnet", window_back=back, window_forward=forward)
    return section


# -- speakers and languages -----------------------------------------------------------------------

def _speakers(state, conf, options, report):
    """(names, table, mode, table): rows that are put behind the encoder's output or added to it."""
    names, table, mode = None, None, "add"
    width = conf.get("spk_embed_dim")
    if width:
        if not options.d_vectors:
            raise ExportError(f"speaker vectors from outside (spk_embed_dim {width}): give them with "
                              "--d-vectors FILE, a .npy of one or a JSON of {name: vector}")
        names, table = _read_vectors(options.d_vectors, width)
        table = table / np.maximum(np.linalg.norm(table, axis=1, keepdims=True), 1e-12)
        mode = conf.get("spk_embed_integration_type", "concat")
        if mode == "add":
            weight = state.take("projection.weight", None, width)
            table = table @ weight.T + state.take("projection.bias", weight.shape[0])
        elif mode != "concat":
            raise ExportError(f"spk_embed_integration_type {mode!r}: expected add or concat")
    if "sid_emb.weight" in state:
        if mode == "concat":
            raise ExportError("speaker numbers (spks) and speaker vectors behind the encoder's output "
                              "together: tacod does not run that")
        ids = state.take("sid_emb.weight", None, None)
        if table is None:
            names, table = [str(i) for i in range(len(ids))], ids
        else:
            names = [f"{name}-{i}" for name in names for i in range(len(ids))]
            table = (table[:, None] + ids[None]).reshape(-1, ids.shape[1])
    if "lid_emb.weight" in state:
        if mode == "concat":
            raise ExportError("languages (langs) and speaker vectors behind the encoder's output "
                              "together: tacod does not run that")
        languages = state.take("lid_emb.weight", None, None)
        row = 0 if options.language_id is None else options.language_id
        if not 0 <= row < len(languages):
            raise ExportError(f"--language-id {row}: there are {len(languages)} languages")
        if options.language_id is None:
            report.assumed(f"language 0 of {len(languages)} (--language-id)")
        if table is None:
            names, table = ["default"], np.zeros((1, languages.shape[1]))
        table = table + languages[row]
    if table is None:
        if options.speaker:
            raise ExportError("--speaker: this checkpoint has one speaker")
        return None
    names, table = choose_speaker(names, table, options.speaker)
    return names, table, mode, table


def _read_vectors(path, width):
    try:
        if path.endswith(".npy"):
            values = np.load(path, allow_pickle=False)
            vectors = {"default": values} if values.ndim == 1 else dict(enumerate(values))
        else:
            with open(path, encoding="utf-8") as f:
                vectors = json.load(f)
        names = [str(name) for name in vectors]
        table = np.array([np.asarray(v, np.float64) for v in vectors.values()])
    except (OSError, ValueError, TypeError, AttributeError) as e:
        raise ExportError(f"{path}: {e}") from e
    if table.ndim != 2 or table.shape[1] != width or not np.isfinite(table).all():
        raise ExportError(f"{path}: expected vectors of {width} numbers")
    return names, table


# -- audio ------------------------------------------------------------------------------------------

def _hertz(value):
    """Sample rates may be written as 22050, "22050" or "24k"."""
    text = str(value).strip().lower()
    try:
        return int(float(text[:-1]) * 1000) if text.endswith("k") else int(float(text))
    except ValueError:
        raise ExportError(f"feats_extract_conf: fs {value!r} is no sample rate") from None


def _audio(outside, settings, n_mels, found, options, report):
    f = settings["features"]
    if f is None:
        report.assumed("audio: fs 22050, n_fft 1024, n_shift 256, fmin 80, fmax 7600 (ESPnet 1 keeps "
                       "them in its recipe, not in the model: --set audio.KEY=VALUE)")
        f = {}
    for key, usual in (("window", "hann"), ("center", True), ("normalized", False),
                       ("onesided", True), ("htk", False), ("log_base", 10.0)):
        if f.get(key, usual) != usual:
            raise ExportError(f"feats_extract_conf: {key} {f[key]!r}: only {usual!r} is known here")
    if f.get("n_mels", n_mels) != n_mels:
        raise ExportError(f"feats_extract_conf: n_mels {f['n_mels']}, the tensors {n_mels}")
    rate, n_fft = _hertz(f.get("fs", 22050)), f.get("n_fft", 1024)
    fmin, fmax = (f.get(key, usual) for key, usual in (("fmin", 80), ("fmax", 7600)))
    section = audio.section(rate, n_fft, f.get("win_length") or n_fft, f.get("hop_length", 256),
                            n_mels, fmin or 0, fmax or rate / 2, log="log10", log_floor=1e-10)
    state = State(outside)
    state.drop(r"feats_extract\.(stft|.*\.(window|fmin|fmax))")
    tensors = {}
    if "feats_extract.logmel.melmat" in state:
        tensors["audio.mel_basis"] = state.take("feats_extract.logmel.melmat", n_fft // 2 + 1,
                                                n_mels).T
    if "normalize.mean" in state:
        tensors["audio.mean"] = state.take("normalize.mean", n_mels)
        tensors["audio.std"] = state.take("normalize.std", n_mels)
    elif settings["normalise"] is not None:
        tensors["audio.mean"], tensors["audio.std"] = _statistics(settings, found, options, n_mels)
    if "audio.std" in tensors:
        if not (tensors["audio.std"] > 0).all():
            raise ExportError("normalize.std: deviations of zero or below")
        section["mean_std"] = True
    state.check_all_used()
    return section, tensors


def _statistics(settings, found, options, n_mels):
    """Mean and deviation from feats_stats.npz (ESPnet 2) or Kaldi's cmvn.ark (ESPnet 1)."""
    name = "cmvn.ark" if settings["normalise"] == "cmvn" else os.path.basename(
        settings["stats"] or "feats_stats.npz")
    path = options.stats or found.beside(name)
    if path is None:
        raise ExportError(f"{name}: mean and deviation of the features are neither in the checkpoint "
                          "nor beside it: --stats FILE")
    try:
        if path.endswith(".npz"):
            stats = np.load(path, allow_pickle=False)
            count, total, squares = (stats[k] for k in ("count", "sum", "sum_square"))
        else:
            matrix = kaldi.read_matrix(path)
            count, total, squares = matrix[0, -1], matrix[0, :-1], matrix[1, :-1]
        mean = np.asarray(total, np.float64) / count
        deviation = np.sqrt(np.maximum(np.asarray(squares, np.float64) / count - mean ** 2, 1e-20))
    except (OSError, ValueError, KeyError, IndexError) as e:
        raise ExportError(f"{path}: not the statistics of features: {e}") from e
    if mean.shape != (n_mels,) or not np.isfinite(mean).all() or not np.isfinite(deviation).all():
        raise ExportError(f"{path}: expected statistics of {n_mels} bands")
    return mean, deviation


# -- text -------------------------------------------------------------------------------------------

def _text(settings, options, report):
    """The end symbol, the last of the table, follows every text."""
    tokens = settings["tokens"]
    if tokens is None:
        if not options.symbols:
            raise ExportError("ESPnet 1 keeps its symbols in the recipe's ..._units.txt: give it with "
                              "--symbols FILE")
        tokens = _units(options.symbols, settings["idim"])
        options.symbols = None
    tokens = [str(token) for token in tokens]
    eos = tokens[-1]
    table = [" " if token == "<space>" else token for token in tokens]
    kind, others = _front_end(table, settings, options, report)
    if kind == "characters" and not any(len(t) == 1 and t.islower() for t in table):
        # Its cleaner writes capitals; the engine's front end small letters.
        table = [t.lower() if len(t) == 1 else t for t in table]
    return symbols.section(kind, symbols.distinct(table), eos=eos, **others)


def _front_end(table, settings, options, report):
    if options.front_end:
        return options.front_end, {}
    if settings["token_type"] == "char":
        return "characters", {}
    g2p = settings["g2p"]
    if "AH0" in table or (g2p or "").startswith("g2p_en"):
        return "arpabet", {"word_separator": " " if " " in table else ""}
    if (g2p or "").startswith("espeak_ng_"):
        voice = {"english_us_vits": "en-us"}.get(g2p[len("espeak_ng_"):])
        if voice is None:
            voice = g2p[len("espeak_ng_"):]
            report.assumed(f"eSpeak NG's voice for {g2p}: {voice} (--set text.espeak_voice=...)")
        return "ipa", {"espeak_voice": voice}
    raise ExportError(f"g2p {g2p!r}: tacod has no such front end; --front-end NAME exports it "
                      "nevertheless")


def _units(path, idim):
    """Lines of a symbol and its number, from 1; number 0 is the padding and the last one the end."""
    try:
        with open(path, encoding="utf-8") as f:
            units = [line.split() for line in f if line.strip()]
        table = {int(number): symbol for symbol, number in units}
    except (OSError, ValueError) as e:
        raise ExportError(f"{path}: expected lines of a symbol and its number: {e}") from e
    if sorted(table) != list(range(1, idim - 1)):
        raise ExportError(f"{path}: numbers 1 to {idim - 2} expected, found {len(table)} symbols")
    return ["<blank>"] + [table[i] for i in range(1, idim - 1)] + ["<eos>"]
