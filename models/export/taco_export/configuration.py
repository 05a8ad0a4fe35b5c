"""Reads the configuration files of other people's projects, which are not quite JSON or YAML."""

import json
import re

from .report import ExportError

MAX_BYTES = 16 << 20

# A string (left alone) or a comment (removed).
_COMMENT = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)


def _text(path):
    try:
        with open(path, "rb") as f:
            data = f.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise ExportError(f"{path}: over 16 MB: not a configuration")
        return data.decode("utf-8")
    except (OSError, UnicodeDecodeError) as e:
        raise ExportError(f"{path}: {e}") from e


def read_json(path):
    """A JSON object. // and /* */ comments (Mozilla) and Infinity (Coqui) are allowed."""
    try:
        value = json.loads(_COMMENT.sub(lambda m: m.group(1) or "", _text(path)))
    except ValueError as e:
        raise ExportError(f"{path}: {e}") from e
    if not isinstance(value, dict):
        raise ExportError(f"{path}: expected a JSON object")
    return value


def parse_yaml(text, what):
    """A YAML mapping. Unknown tags (SpeechBrain's !new: and !ref, Python's) are passed over, and their
    plain contents kept; `<key>` then stands for the top-level value of that name."""
    try:
        import yaml
    except ImportError:
        raise ExportError(f"{what}: python3-yaml is needed to read it") from None

    class Loader(yaml.SafeLoader):
        pass

    def plain(loader, _, node):
        if isinstance(node, yaml.MappingNode):
            return loader.construct_mapping(node, deep=True)
        if isinstance(node, yaml.SequenceNode):
            return loader.construct_sequence(node, deep=True)
        return loader.construct_scalar(node)

    Loader.add_multi_constructor("!", plain)
    Loader.add_multi_constructor("tag:yaml.org,2002:python/", plain)
    try:
        value = yaml.load(text, Loader)
    except (yaml.YAMLError, ValueError, RecursionError, TypeError) as e:
        raise ExportError(f"{what}: {str(e)[:200]}") from e
    if not isinstance(value, dict):
        raise ExportError(f"{what}: expected a YAML mapping")
    for key, item in value.items():
        if isinstance(item, str) and re.fullmatch(r"<\w+>", item):
            value[key] = value.get(item[1:-1], item)
    return value


def read_yaml(path):
    return parse_yaml(_text(path), path)


def number(config, key, default, report, what):
    """config[key], or the default, which is then an assumption about what."""
    value = config.get(key)
    if value is None:
        report.assumed(f"{what}: {key} {default}")
        return default
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ExportError(f"{what}: {key} is {value!r}, expected a number")
    return value
