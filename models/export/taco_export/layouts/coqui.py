"""Coqui TTS's Tacotron2: {'model': state_dict, 'config': ..., ...} and config.json beside it."""

from .. import configuration, symbols
from ..report import ExportError
from ..voice import Voice
from . import coqui_graph

NAME = "coqui"
PROJECT = "Coqui TTS (TTS.tts.models.tacotron2)"

LOG_FLOOR = 1e-8


def matches(found):
    return coqui_graph.matches(found)


def export(found, options, report):
    in_file = found.object.get("config") if isinstance(found.object, dict) else None
    in_file = in_file if isinstance(in_file, dict) else {}
    path = options.config or found.beside("config.json")
    config = configuration.read_json(path) if path else in_file
    if not config:
        raise ExportError("no configuration: neither in the file nor config.json beside it "
                          "(--config FILE)")
    r = frames_per_step(found, config, in_file, options, report)
    model, tensors, speakers = coqui_graph.fold(
        found, config, r, options, report, window_key="attention_win",
        dropout_at_inference=(config.get("prenet_dropout", True)
                              and config.get("prenet_dropout_at_inference", False)))
    section, of_audio = coqui_graph.audio_section(found, config, model["n_mels"], options, report,
                                                  log_floor=LOG_FLOOR)
    tensors.update(of_audio)
    language = coqui_graph.language(config, report)
    return Voice(model, section, _text(config, model["n_symbols"], options), tensors,
                 speakers=speakers, language=language)


def frames_per_step(found, config, in_file, options, report):
    """r at run time: gradual training leaves it in the file, while config.json keeps the first one."""
    if options.frames_per_step:
        return options.frames_per_step
    for place in (in_file, found.object if isinstance(found.object, dict) else {}):
        if place.get("r"):
            return place["r"]
    r = config.get("r")
    if config.get("gradual_training"):
        report.assumed(f"{r} frames a step, the configuration's first value: the file does not tell "
                       "where gradual training ended (--frames-per-step)")
    return r


def _text(config, n_symbols, options):
    front_end, others = coqui_graph.front_end(config, options)
    characters = config.get("characters") or None
    table = symbols.coqui_table(n_symbols, front_end == "ipa", characters)
    if table is None and not options.symbols:
        raise ExportError(f"the embedding has {n_symbols} rows, and the configuration's characters "
                          "make another number of symbols: give the table with --symbols FILE")
    special = characters or {"pad": "<PAD>", "eos": "<EOS>", "bos": "<BOS>", "blank": "<BLNK>"}
    if config.get("enable_eos_bos_chars"):
        others.update(bos=special.get("bos") or "", eos=special.get("eos") or "")
    if config.get("add_blank"):
        others["blank"] = special.get("blank") or special.get("pad") or ""
    return symbols.section(front_end, symbols.distinct(table or []), **others)
