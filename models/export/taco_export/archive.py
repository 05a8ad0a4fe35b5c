"""Reads a .nemo file: a tar, plain or compressed with gzip, of a configuration and weights."""

import tarfile

from .report import ExportError

WANTED = ("model_config.yaml", "model_weights.ckpt")
MAX_MEMBER_BYTES = 4 << 30


def read(path):
    """{member: bytes} of the two members that matter; {} when the file is no tar. Nothing is written
    anywhere: names and links inside the archive have no effect."""
    try:
        with open(path, "rb") as f:
            head = f.read(512)
    except OSError as e:
        raise ExportError(f"{path}: {e.strerror}") from e
    if head[:2] != b"\x1f\x8b" and head[257:262] != b"ustar":
        return {}
    members = {}
    try:
        with tarfile.open(path, "r:*") as archive:
            for member in archive:
                name = member.name[2:] if member.name.startswith("./") else member.name
                if name not in WANTED or not member.isfile():
                    continue
                if member.size > MAX_MEMBER_BYTES:
                    raise ExportError(f"{path}: {name} has {member.size} bytes")
                members[name] = archive.extractfile(member).read()
    except (tarfile.TarError, EOFError, OSError) as e:
        raise ExportError(f"{path}: damaged archive: {e}") from e
    if "model_weights.ckpt" not in members:
        raise ExportError(f"{path}: an archive without model_weights.ckpt: not a .nemo file")
    return members
