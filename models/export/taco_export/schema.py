"""models/FORMAT.md as tables: what a config may hold, and which tensors with which shapes follow.

The engine checks the same when it opens a voice; here it is checked first, so that a wrong option or a
wrong layout is told to the person who exports.
"""

import re
import struct

from .report import ExportError

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
LANGUAGE = re.compile(r"[A-Za-z0-9-]{0,35}")


def _whole(low, high):
    return lambda v: type(v) is int and low <= v <= high


def _stored(v):
    """v as the engine holds it: 0.99999999999 is not below 1."""
    return struct.unpack("<f", struct.pack("<f", v))[0]


def _real(low, high, open_low=False, open_high=False):
    def check(v):
        return (type(v) in (int, float) and low <= v <= high and not (open_low and _stored(v) <= low)
                and not (open_high and _stored(v) >= high))
    return check


def _odd(high):
    return lambda v: type(v) is int and 1 <= v <= high and v % 2 == 1


def _one_of(*names):
    return lambda v: type(v) is not bool and v in names


def _list_of(check, low, high):
    return lambda v: isinstance(v, list) and low <= len(v) <= high and all(map(check, v))


def _text(v):
    return isinstance(v, str) and "\0" not in v


def _bytes(low, high):
    return lambda v: _text(v) and low <= len(v.encode()) <= high


def _flag(v):
    return isinstance(v, bool)


SIZE = _whole(1, 8192)

# key: (check, required)
TOP = {"name": (lambda v: isinstance(v, str) and NAME.fullmatch(v), True),
       "description": (_text, True),
       "language": (lambda v: isinstance(v, str) and LANGUAGE.fullmatch(v), True),
       "licence": (_text, True), "source": (_text, True), "model": (lambda v: isinstance(v, dict), True),
       "audio": (lambda v: isinstance(v, dict), True),
       "text": (lambda v: isinstance(v, dict), True),
       "speakers": (_list_of(_bytes(1, 128), 1, 65536), False),
       "inverter": (lambda v: isinstance(v, dict), False)}

MODEL = {"n_symbols": (_whole(1, 65536), True), "n_mels": (_whole(1, 512), True),
         "n_frames_per_step": (_whole(1, 16), True), "symbols_embedding_dim": (SIZE, True),
         "encoder_n_convolutions": (_whole(0, 16), True), "encoder_kernel_size": (_odd(63), True),
         "encoder_conv_dim": (SIZE, True), "encoder_residual": (_flag, False),
         "encoder_lstm_dim": (SIZE, True), "encoder_lstm": (_flag, False),
         "encoder_attention_layers": (_whole(0, 8), False), "encoder_attention_heads": (_whole(1, 32), False),
         "encoder_attention_dim": (SIZE, False), "encoder_attention_causal": (_flag, False), "speaker_mode": (_one_of("none", "concat", "add"), False),
         "speaker_embedding_dim": (SIZE, False), "prenet_dims": (_list_of(SIZE, 1, 4), True),
         "prenet_bias": (_flag, False), "prenet_dropout": (_real(0, 1, open_high=True), True),
         "prenet_all_frames": (_flag, False), "attention_rnn_dim": (SIZE, True),
         "decoder_rnn_dim": (SIZE, True), "attention_first": (_flag, False),
         "decoder_rnn_context": (_flag, False), "zoneout": (_real(0, 1, open_high=True), False),
         "attention": (lambda v: isinstance(v, dict), True),
         "attentions": (lambda v: isinstance(v, dict) and len(v) < 24, False), "gate_dim": (_whole(1, 16), False),
         "gate_threshold": (_real(0, 1, True, True), True), "gate_inclusive": (_flag, False),
         "min_steps": (_whole(0, 1000), False),
         "firing_frame": (_one_of("keep", "exclude", "drop"), True),
         "max_frames_per_symbol": (_real(0, 1000), True), "max_frames_base": (_whole(0, 20000), True),
         "frames_per_symbol": (_real(0, 1000), False),
         "postnet_n_convolutions": (_whole(0, 16), True), "postnet_kernel_size": (_odd(63), True),
         "postnet_embedding_dim": (SIZE, True), "precision": (_one_of("auto", "f32", "bf16", "int8"), False)}

# Groups of settings that mechanisms share.
_TYPE = {"type": (_text, True), "scale": (_real(0.001, 1000), False)}
_DIM = {"dim": (SIZE, True)}
_NORMALISER = {"normaliser": (_one_of("softmax", "sigmoid"), False)}
_MEMORY_BIAS = {"memory_bias": (_flag, False)}
_BIASES = {**_MEMORY_BIAS, "v_bias": (_flag, False)}
_START = {"start": (_one_of("zeros", "uniform", "one_hot"), False), "start_in_sum": (_flag, False)}
_FEATURES = {"location_n_filters": (_whole(0, 1024), True), "location_kernel_size": (_odd(255), False),
             "location_channels": (_one_of(["prev"], ["cum"], ["prev", "cum"]), False), **_START}
_WINDOW = {"window": (_one_of("none", "coqui", "espnet"), False),
           "window_back": (_whole(0, 1000), False), "window_forward": (_whole(0, 1000), False)}
_SCORED = {**_TYPE, **_NORMALISER, **_WINDOW}
_ADDITIVE = {**_SCORED, **_DIM, **_BIASES}
_WIDTH = {"local_width": (_whole(1, 1000), True)}
ATTENTION = {
    "location": {**_ADDITIVE, **_FEATURES},
    "forward": {**_ADDITIVE, **_FEATURES, "forward_rule": (_one_of("coqui", "espnet"), True),
                "forward_mask": (_flag, False), "transition_agent": (_flag, False)},
    "gmm": {"type": (_text, True), "gmm_components": (_whole(1, 64), True),
            "gmm_normalised": (_flag, False)},
    "dynamic_convolution": {"type": (_text, True), **_DIM, "dynamic_n_filters": (_whole(1, 256), True),
                            "dynamic_kernel_size": (_odd(255), True),
                            "prior_length": (_whole(1, 255), True)},
    "additive": _ADDITIVE,
    "location_only": {**_ADDITIVE, **_FEATURES},
    "dot": {**_SCORED, "dim": (SIZE, False), "matrices": (_flag, False), "query_bias": (_flag, False),
            **_MEMORY_BIAS, "tanh": (_flag, False)},
    "scaled_dot": {**_SCORED, **_DIM, "query_bias": (_flag, False), **_MEMORY_BIAS},
    "general": _SCORED,
    "concat": {**_SCORED, **_DIM},
    "cosine": {**_SCORED, **_DIM},
    "multi_head": {**_TYPE, **_DIM, "n_heads": (_whole(1, 32), True),
                   "head_score": (_one_of("dot", "scaled_dot", "additive", "location"), True),
                   "value_dim": (SIZE, True), "query_bias": (_flag, False), **_MEMORY_BIAS,
                   "value_bias": (_flag, False), "output_bias": (_flag, False), "tanh": (_flag, False),
                   "location_n_filters": (_whole(1, 1024), False),
                   "location_kernel_size": (_odd(255), False), "start": _START["start"]},
    "local_m": {**_TYPE, **_DIM, **_BIASES, **_WIDTH, "pace_learnt": (_flag, False),
                "pace": (_real(0, 16), False)},
    "local_p": {**_TYPE, **_DIM, **_BIASES, **_WIDTH},
    "hard": {**_ADDITIVE, **_FEATURES, "draw": (_flag, False)},
    "monotonic": {**_TYPE, **_DIM, **_BIASES, **_FEATURES},
    "stepwise": {**_TYPE, **_DIM, **_BIASES, **_FEATURES},
    "static": {**_TYPE, **_DIM, **_NORMALISER, **_BIASES},
    "coverage": {**_ADDITIVE, **_START},
    "hierarchical": {**_TYPE, **_DIM, "word_ends": (_list_of(_whole(0, 65535), 1, 64), True)},
}
ATTENTION_NAME = re.compile(r"[a-z0-9_]{1,31}")

AUDIO = {"sample_rate": (_whole(4000, 96000), True), "n_fft": (_whole(32, 16384), True),
         "win_length": (_whole(16, 16384), True), "hop_length": (_whole(1, 8192), True),
         "n_mels": (_whole(1, 512), True), "fmin": (_real(0, 48000), True),
         "fmax": (_real(0, 48000), True), "window_periodic": (_flag, False), "center": (_flag, False),
         "pad_mode": (_one_of("reflect", "constant"), False), "mel_power": (_one_of(1, 2), False),
         "log": (_one_of("ln", "log10"), True), "log_gain": (_real(1e-6, 1e6), False),
         "log_floor": (_real(1e-30, 1), True), "range": (lambda v: isinstance(v, dict), False),
         "mean_std": (_flag, False), "preemphasis": (_real(0, 1, open_high=True), False)}

INVERTER = {"n_convolutions": (_whole(1, 8), True), "kernel_size": (_odd(15), True),
            "channels": (_whole(1, 4096), True), "offset": (_real(-100, 100), True), "gain": (_real(1e-3, 1e3), True)}

RANGE = {"ref_level_db": (_real(-1000, 1000), True), "min_level_db": (_real(-1000, -1e-3), True),
         "max_norm": (_real(1e-6, 1e6), True), "symmetric": (_flag, True), "clip": (_flag, True)}

TEXT = {"front_end": (_one_of("characters", "arpabet", "ipa"), True),
        "symbols": (_list_of(_bytes(1, 1 << 20), 1, 65536), True), "case": (_one_of("lower", "keep"), False),
        "arpabet_prefix": (_bytes(0, 32), False), "word_separator": (_text, False), "bos": (_text, False),
        "eos": (_text, False), "blank": (_text, False), "pad_ends": (_text, False),
        "punctuation": (_text, False), "final_punctuation": (_text, False),
        "conventions": (_one_of("cmu", "flite"), False), "espeak_voice": (_text, False)}


def _check_keys(section, values, table):
    for key, value in values.items():
        if key not in table:
            raise ExportError(f"config: {section}{key}: no such setting in a voice")
        if not table[key][0](value):
            raise ExportError(f"config: {section}{key}: {str(value)[:60]!r} is out of range or of "
                              "the wrong type (models/FORMAT.md)")
    for key, (_, required) in table.items():
        if required and key not in values:
            raise ExportError(f"config: {section}{key} is missing")


def _check_companions(section, values, keys, apply):
    """Keys that stand if and only if another setting asks for them."""
    for key in keys:
        if apply and key not in values:
            raise ExportError(f"config: {section}{key} is missing")
        if not apply and key in values:
            raise ExportError(f"config: {section}{key} means nothing beside the other settings")


def _must(condition, message):
    if not condition:
        raise ExportError("config: " + message)


def check_audio(audio):
    """Raises ExportError unless the "audio" object is what FORMAT.md allows."""
    _check_keys("audio.", audio, AUDIO)
    if "range" in audio:
        _check_keys("audio.range.", audio["range"], RANGE)
    _must(audio["n_fft"] % 2 == 0, "audio.n_fft is odd")
    _must(audio["win_length"] <= audio["n_fft"], "audio.win_length is above n_fft")
    _must(audio["hop_length"] <= audio["win_length"] // 2, "audio.hop_length is above win_length / 2")
    _must(32 * audio["hop_length"] >= audio["win_length"], "audio.hop_length is below win_length / 32")
    _must(audio["fmin"] < audio["fmax"] <= audio["sample_rate"] / 2,
          f"audio.fmin {audio['fmin']}, fmax {audio['fmax']}: not within half the sample rate")
    _must(not ("range" in audio and audio.get("mean_std")), "audio.range and mean_std "
          "exclude one another")


def memory_width(model):
    """M: the width of what the decoder attends to."""
    concat = model.get("speaker_mode", "none") == "concat"
    return 2 * model["encoder_lstm_dim"] + (model["speaker_embedding_dim"] if concat else 0)


def check_attention(section, attention, model):
    """Raises ExportError unless one attention object is what FORMAT.md allows. section: "model.attention."."""
    kind = attention.get("type") if isinstance(attention, dict) else None
    _must(kind in ATTENTION, f"{section}type: {kind!r} is not an attention that tacod runs; it runs "
          + ", ".join(ATTENTION))
    table = ATTENTION[kind]
    _check_keys(section, attention, table)
    if "location_channels" in table:
        _check_companions(section, attention, ("location_kernel_size", "location_channels"),
                          attention["location_n_filters"] > 0)
    if "window" in table:
        _check_companions(section, attention, ("window_back", "window_forward"),
                          attention.get("window", "none") != "none")
    if kind == "forward":
        _must(attention["forward_rule"] == "coqui" or "forward_mask" not in attention,
              section + "forward_mask is Coqui's alone")
    elif kind == "dot":
        matrices = attention.get("matrices", True)
        _check_companions(section, attention, ("dim",), matrices)
        _must(matrices or not {"query_bias", "memory_bias", "tanh"} & set(attention),
              section + "query_bias, memory_bias and tanh mean nothing without matrices")
        _must(matrices or model["attention_rnn_dim"] == memory_width(model),
              section + "matrices may be false only where attention_rnn_dim is the memory's width")
    elif kind == "local_m":
        _check_companions(section, attention, ("pace",), not attention.get("pace_learnt", False))
    elif kind == "multi_head":
        location = attention["head_score"] == "location"
        _check_companions(section, attention, ("location_n_filters", "location_kernel_size"), location)
        _must(location or "start" not in attention, section + "start is for location heads alone")
        _must("dot" in attention["head_score"] or "tanh" not in attention,
              section + "tanh is for dot products alone")


def check_config(config):
    """Raises ExportError unless the config is what FORMAT.md allows."""
    _check_keys("", config, TOP)
    model, audio, text = config["model"], config["audio"], config["text"]
    _check_keys("model.", model, MODEL)
    check_attention("model.attention.", model["attention"], model)
    for name, attention in model.get("attentions", {}).items():
        _must(ATTENTION_NAME.fullmatch(name) and name != model["attention"]["type"],
              f"model.attentions: {name!r} is not 1 to 31 of a-z, 0-9 and _, or is the default's name")
        check_attention(f"model.attentions.{name}.", attention, model)
    _check_companions("model.", model, ("speaker_embedding_dim",),
                      model.get("speaker_mode", "none") != "none")
    layers, width = model.get("encoder_attention_layers", 0), 2 * model["encoder_lstm_dim"]
    _check_companions("model.", model, ("encoder_attention_heads", "encoder_attention_dim"), layers > 0)
    _must(layers > 0 or not {"encoder_lstm", "encoder_attention_causal"} & set(model),
          "model.encoder_lstm and encoder_attention_causal mean nothing without encoder_attention_layers")
    _must(layers == 0 or width % model["encoder_attention_heads"] == 0,
          "model.encoder_attention_heads does not divide twice encoder_lstm_dim")
    _must(model.get("encoder_lstm", True) or model["encoder_conv_dim"] == width,
          "model.encoder_lstm may be false only where encoder_conv_dim is twice encoder_lstm_dim")
    same = model["encoder_conv_dim"] == model["symbols_embedding_dim"]
    _must(same or (model["encoder_n_convolutions"] > 0 and not model.get("encoder_residual")),
          "model.encoder_conv_dim is not symbols_embedding_dim")
    _must(model.get("speaker_mode") != "add"
          or model["speaker_embedding_dim"] == 2 * model["encoder_lstm_dim"],
          "model.speaker_embedding_dim is not 2 encoder_lstm_dim")
    _must(model.get("gate_dim", 1) in (1, model["n_frames_per_step"]),
          "model.gate_dim is neither 1 nor n_frames_per_step")
    check_audio(audio)
    if "inverter" in config:
        _check_keys("inverter.", config["inverter"], INVERTER)
        _must(audio.get("mel_power", 1) == 1, "inverter and audio.mel_power 2 exclude one another")
    _check_keys("text.", text, TEXT)
    _must(audio["n_mels"] == model["n_mels"], "audio.n_mels is not model.n_mels")
    symbols = text["symbols"]
    _must(len(symbols) == model["n_symbols"],
         f"text.symbols has {len(symbols)} symbols, the embedding {model['n_symbols']} rows")
    _must(len(set(symbols)) == len(symbols), "text.symbols holds a symbol twice")
    for key in ("word_separator", "bos", "eos", "blank", "pad_ends", "final_punctuation"):
        value = text.get(key, "")
        _must(value == "" or value in symbols, f"text.{key}: {value!r} is not in the symbol table")
    missing = [sign for sign in text.get("punctuation", "") if sign not in symbols]
    _must(not missing, f"text.punctuation: {''.join(missing)!r} is not in the symbol table")
    names = config.get("speakers", [])
    _must(len(set(names)) == len(names), "speakers: a name stands twice")
    has_speakers = model.get("speaker_mode", "none") != "none"
    _must(has_speakers == ("speakers" in config), "speakers stand if and only if speaker_mode does")


def tensor_shapes(config):
    """{name: shape} of exactly the tensors that a voice with this config holds."""
    model, audio = config["model"], config["audio"]
    attention, r, n_mels = model["attention"], model["n_frames_per_step"], model["n_mels"]
    hidden, query, units = model["encoder_lstm_dim"], model["attention_rnn_dim"], model["decoder_rnn_dim"]
    mode = model.get("speaker_mode", "none")
    memory = memory_width(model)
    shapes = {"embedding.weight": (model["n_symbols"], model["symbols_embedding_dim"])}

    def lstm(name, inputs, n):
        shapes[name + ".weight_ih"] = (4 * n, inputs)
        shapes[name + ".weight_hh"] = (4 * n, n)
        shapes[name + ".bias"] = (4 * n,)

    def convolutions(name, n, widths, kernel):
        for i in range(n):
            shapes[f"{name}.convolutions.{i}.weight"] = (widths[i + 1], widths[i], kernel)
            shapes[f"{name}.convolutions.{i}.bias"] = (widths[i + 1],)

    n = model["encoder_n_convolutions"]
    convolutions("encoder", n, [model["symbols_embedding_dim"]] + [model["encoder_conv_dim"]] * n,
                 model["encoder_kernel_size"])
    if model.get("encoder_lstm", True):
        lstm("encoder.lstm", model["encoder_conv_dim"], hidden)
        lstm("encoder.lstm_reverse", model["encoder_conv_dim"], hidden)
    for i in range(model.get("encoder_attention_layers", 0)):
        wide, inner = 2 * hidden, model["encoder_attention_dim"]
        for name, shape in (("in_proj", (3 * wide, wide)), ("out_proj", (wide, wide)),
                            ("linear1", (inner, wide)), ("linear2", (wide, inner))):
            shapes[f"encoder.self_attention.{i}.{name}.weight"] = shape
            shapes[f"encoder.self_attention.{i}.{name}.bias"] = shape[:1]
        for name in ("norm1", "norm2"):
            shapes[f"encoder.self_attention.{i}.{name}.weight"] = (wide,)
            shapes[f"encoder.self_attention.{i}.{name}.bias"] = (wide,)
    if mode != "none":
        shapes["speaker_embedding.weight"] = (len(config["speakers"]), model["speaker_embedding_dim"])
    width = n_mels * (r if model.get("prenet_all_frames") else 1)
    for i, dim in enumerate(model["prenet_dims"]):
        shapes[f"decoder.prenet.{i}.weight"] = (dim, width)
        if model.get("prenet_bias"):
            shapes[f"decoder.prenet.{i}.bias"] = (dim,)
        width = dim
    lstm("decoder.attention_rnn", width + memory, query)
    for name, shape in attention_shapes(attention, query, memory, n_mels).items():
        shapes["decoder.attention." + name] = shape
    for other, settings in model.get("attentions", {}).items():
        for name, shape in attention_shapes(settings, query, memory, n_mels).items():
            shapes[f"attention.{other}.{name}"] = shape
    lstm("decoder.decoder_rnn", query + (memory if model.get("decoder_rnn_context", True) else 0), units)
    for name, rows in (("linear_projection", r * n_mels), ("gate_layer", model.get("gate_dim", 1))):
        shapes[f"decoder.{name}.weight"] = (rows, units + memory)
        shapes[f"decoder.{name}.bias"] = (rows,)
    n = model["postnet_n_convolutions"]
    convolutions("postnet", n, [n_mels] + [model["postnet_embedding_dim"]] * (n - 1) + [n_mels],
                 model["postnet_kernel_size"])
    shapes["audio.mel_basis"] = (n_mels, audio["n_fft"] // 2 + 1)
    if audio.get("mean_std"):
        shapes["audio.mean"] = shapes["audio.std"] = (n_mels,)
    if "inverter" in config:
        inverter, n_bins = config["inverter"], audio["n_fft"] // 2 + 1
        width = inverter["channels"]
        for i in range(inverter["n_convolutions"]):
            shapes[f"inverter.conv.{i}.weight"] = (width, width if i else n_mels, inverter["kernel_size"])
            shapes[f"inverter.conv.{i}.bias"] = (width,)
        shapes["inverter.out.weight"] = (n_bins, width + n_mels)
        shapes["inverter.out.bias"] = (n_bins,)
    return shapes


def attention_shapes(attention, query, memory, n_mels):
    """{name: shape} of the tensors of one attention, without their prefix."""
    kind, dim = attention["type"], attention.get("dim")

    def has(name, shape, key):
        return {name: shape} if attention.get(key) else {}

    def layer(name, rows, columns, bias=None):
        return {name + ".weight": (rows, columns), **has(name + ".bias", (rows,), bias)}

    def keys():
        return {**layer("memory_layer", dim, memory, "memory_bias"), "v.weight": (dim,),
                **has("v.bias", (1,), "v_bias")}

    def features():
        n = attention.get("location_n_filters", 0)
        if n == 0:
            return {}
        return {"location_conv.weight": (n, len(attention["location_channels"]),
                                         attention["location_kernel_size"]),
                "location_dense.weight": (dim, n)}

    if kind == "gmm":
        n = 3 * attention["gmm_components"]
        return {"gmm.0.weight": (query, query), "gmm.0.bias": (query,),
                "gmm.1.weight": (n, query), "gmm.1.bias": (n,)}
    if kind == "dynamic_convolution":
        n, kernel = attention["dynamic_n_filters"], attention["dynamic_kernel_size"]
        return {"query_layer.weight": (dim, query), "query_layer.bias": (dim,), "v.weight": (dim,),
                "key_layer.weight": (n * kernel, dim), "static_conv.weight": (n, kernel),
                "static_layer.weight": (dim, n), "dynamic_layer.weight": (dim, n),
                "dynamic_layer.bias": (dim,), "prior": (attention["prior_length"],)}
    if kind == "general":
        return layer("memory_layer", query, memory)
    if kind == "concat":
        return {"concat_layer.weight": (dim, query + memory), "v.weight": (dim,)}
    if kind in ("dot", "scaled_dot", "cosine"):
        if not attention.get("matrices", True):
            return {}
        shapes = {**layer("query_layer", dim, query, "query_bias"),
                  **layer("memory_layer", dim, memory, "memory_bias")}
        return {**shapes, "log_beta": (1,)} if kind == "cosine" else shapes
    if kind == "multi_head":
        heads, width = attention["n_heads"], attention["n_heads"] * attention["value_dim"]
        shapes = {**layer("query_layer", heads * dim, query, "query_bias"),
                  **layer("memory_layer", heads * dim, memory, "memory_bias"),
                  **layer("value_layer", width, memory, "value_bias"),
                  **layer("output_layer", memory, width, "output_bias")}
        if "dot" not in attention["head_score"]:
            shapes["v.weight"] = (heads, dim)
        if attention["head_score"] == "location":
            n = attention["location_n_filters"]
            shapes["location_conv.weight"] = (heads, n, attention["location_kernel_size"])
            shapes["location_dense.weight"] = (heads, dim, n)
        return shapes
    if kind == "location_only":
        return {**keys(), **features()}
    if kind == "static":
        return {"query": (dim,), **keys()}
    shapes = {**layer("query_layer", dim, query), **keys(), **features()}
    if kind == "coverage":
        shapes["coverage_layer.weight"] = (dim,)
    elif kind == "local_p":
        shapes.update({"position_layer.weight": (dim, query), "position_v.weight": (dim,)})
    elif kind == "local_m" and attention.get("pace_learnt"):
        shapes.update({"pace_layer.weight": (1, query), "pace_layer.bias": (1,)})
    elif kind == "hierarchical":
        shapes.update({"word_query_layer.weight": (dim, query),
                       "word_memory_layer.weight": (dim, memory), "word_v.weight": (dim,)})
    if attention.get("transition_agent"):
        frame = n_mels if attention["forward_rule"] == "espnet" else 0
        shapes.update(layer("transition_agent", 1, memory + frame + query))
        shapes["transition_agent.bias"] = (1,)
    return shapes


def check_tensors(config, tensors):
    """Every tensor there, none too many, each of its shape."""
    shapes = tensor_shapes(config)
    for name, shape in shapes.items():
        if name not in tensors:
            raise ExportError(f"{name}: missing from the voice")
        if tuple(tensors[name].shape) != shape:
            raise ExportError(f"{name}: expected shape {list(shape)}, "
                              f"found {list(tensors[name].shape)}")
    for name in tensors:
        if name not in shapes:
            raise ExportError(f"{name}: not a tensor of this voice")
