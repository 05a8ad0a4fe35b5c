"""Mozilla TTS's Tacotron2: {'model': state_dict, 'r': ..., ...}, config.json with comments beside it."""

from .. import configuration, symbols
from ..report import ExportError
from ..voice import Voice
from . import coqui, coqui_graph

NAME = "mozilla"
PROJECT = "Mozilla TTS (TTS.tts.models.tacotron2)"

LOG_FLOOR = 1e-5


def matches(found):
    """Coqui's later checkpoints hold their configuration or name attention_win in it."""
    if not coqui_graph.matches(found):
        return False
    if isinstance(found.object, dict) and isinstance(found.object.get("config"), dict):
        return False
    path = found.beside("config.json")
    return path is not None and "attention_win" not in configuration.read_json(path)


def export(found, options, report):
    path = options.config or found.beside("config.json")
    if not path:
        raise ExportError("no config.json beside the checkpoint (--config FILE)")
    config = configuration.read_json(path)
    r = coqui.frames_per_step(found, config, {}, options, report)
    # Its prenet's dropout follows the module's training mode: off when it speaks.
    model, tensors, speakers = coqui_graph.fold(found, config, r, options, report,
                                                window_key="windowing", dropout_at_inference=False)
    section, of_audio = coqui_graph.audio_section(found, config, model["n_mels"], options, report,
                                                  log_floor=LOG_FLOOR)
    tensors.update(of_audio)
    return Voice(model, section, _text(config, options, report), tensors, speakers=speakers,
                 language=coqui_graph.language(config, report))


def _text(config, options, report):
    front_end, others = coqui_graph.front_end(config, options)
    characters = config.get("characters") or None
    if not characters:
        report.assumed("symbols: the project's default characters" +
                       (" and phonemes" if front_end == "ipa" else ""))
    table = symbols.distinct(symbols.mozilla_table(front_end == "ipa", characters))
    if config.get("add_blank"):
        table.append("<blank>")
        others["blank"] = "<blank>"
    if config.get("enable_eos_bos_chars") and front_end == "ipa":
        others.update(bos=(characters or {}).get("bos", "^"), eos=(characters or {}).get("eos", "~"))
    return symbols.section(front_end, table, **others)
