"""NVIDIA NeMo: a tar (plain or gzip) of model_config.yaml and model_weights.ckpt; NVIDIA's names, and the
mel basis among the tensors."""

from .. import audio, configuration, symbols
from ..report import ExportError
from ..state import State
from ..voice import Voice
from . import nvidia_graph

NAME = "nemo"
PROJECT = "NVIDIA NeMo (nemo.collections.tts.models.tacotron2)"


def matches(found):
    return "text_embedding.weight" in found.state


def export(found, options, report):
    if options.config:
        config = configuration.read_yaml(options.config)
    elif "model_config.yaml" in found.members:
        config = configuration.parse_yaml(found.members["model_config.yaml"].decode("utf-8", "replace"),
                                          "model_config.yaml")
    else:
        raise ExportError("no model_config.yaml: export the .nemo file, or give --config FILE")
    decoder = config.get("decoder", {})
    preprocessor = config.get("preprocessor", {})
    preprocessor = preprocessor.get("params", preprocessor)  # NeMo before 1.0
    sizes = {**config.get("encoder", {}), **decoder, **config.get("postnet", {})}
    if decoder.get("early_stopping") is False:
        report.left_out("early_stopping false: tacod stops at the gate")
    featurizer = {name: tensor for name, tensor in found.state.items()
                  if name.startswith("audio_to_melspec_precessor.")}
    network = {name: tensor for name, tensor in found.state.items() if name not in featurizer}
    # The gate is not heeded at the first step: one frame is always kept.
    model, tensors, state = nvidia_graph.fold(
        network, "drop", gate_threshold=decoder.get("gate_threshold", 0.5),
        prenet_dropout=decoder.get("prenet_p_dropout", 0.5), min_steps=2, sizes=sizes)
    state.check_all_used()
    section = _audio(preprocessor, model["n_mels"])
    tensors.update(_basis(featurizer, section))
    return Voice(model, section, _text(config, report, options), tensors,
                 language="en-US")


def _audio(p, n_mels):
    """FilterbankFeatures' arguments."""
    for key, usual in (("normalize", None), ("preemph", None), ("frame_splicing", 1), ("log", True),
                       ("window", "hann"), ("mel_norm", "slaney")):
        if p.get(key, usual) not in (usual, "None" if usual is None else usual):
            raise ExportError(f"preprocessor: {key} {p[key]!r}: only {usual!r} is known here")
    if p.get("log_zero_guard_type", "add") != "clamp":
        raise ExportError("preprocessor: log_zero_guard_type "
                          f"{p.get('log_zero_guard_type', 'add')!r}: only clamp is known here")
    if p.get("mag_power", 2.0) not in (1, 2):
        raise ExportError(f"preprocessor: mag_power {p['mag_power']!r}: only 1 and 2 are known here")
    if p.get("nfilt", n_mels) != n_mels:
        raise ExportError(f"preprocessor: nfilt {p['nfilt']}, the tensors {n_mels}")
    rate, window, hop = p.get("sample_rate"), p.get("n_window_size"), p.get("n_window_stride")
    if not all(isinstance(n, int) for n in (rate, window, hop)):
        raise ExportError("preprocessor: sample_rate, n_window_size or n_window_stride is missing")
    exact = bool(p.get("exact_pad", False))
    return audio.section(rate, p.get("n_fft") or 2 ** (window - 1).bit_length(), window, hop, n_mels,
                         p.get("lowfreq", 0), p.get("highfreq") or rate / 2,
                         log_floor=p.get("log_zero_guard_value", 2 ** -24),
                         mel_power=int(p.get("mag_power", 2)), window_periodic=False,
                         center=not exact, pad_mode="constant" if exact else "reflect")


def _basis(featurizer, section):
    state = State(featurizer, ((r"^audio_to_melspec_precessor\.(featurizer\.)?", ""),))
    if "fb" not in state:
        return {}
    return {"audio.mel_basis": state.take("fb", 1, section["n_mels"], section["n_fft"] // 2 + 1)[0]}


def _text(config, report, options):
    tokenizer = config.get("text_tokenizer")
    if tokenizer is None and isinstance(config.get("labels"), list):
        # Before the tokenizers: the labels, then what stands at the beginning, the end, and the padding.
        table = symbols.distinct([str(label) for label in config["labels"]]
                                 + ["<bos>", "<eos>", "<pad>"])
        return symbols.section("characters", table, bos="<bos>", eos="<eos>")
    settings = tokenizer if isinstance(tokenizer, dict) else {}
    kind = str(settings.get("_target_", "none")).rsplit(".", 1)[-1]
    if kind not in ("EnglishPhonemesTokenizer", "EnglishCharsTokenizer"):
        if not options.symbols or not options.front_end:
            raise ExportError(f"text_tokenizer {kind}: only the English ones are known here; "
                              "--symbols FILE and --front-end NAME say what to do instead")
        return symbols.section(options.front_end, [])
    table = symbols.nemo_table(kind, settings)
    phones = kind == "EnglishPhonemesTokenizer"
    if phones and settings.get("chars"):
        report.assumed("words unknown to the CMU dictionary: spoken by letter-to-sound rules, where "
                       "NeMo spells them in letters")
    return symbols.section("arpabet" if phones else "characters", table,
                           pad_ends=" " if settings.get("pad_with_space") else "")
