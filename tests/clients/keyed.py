"""A daemon that wants a key."""

import os
import subprocess
import tempfile

from daemon import PATIENCE, TACOD, Daemon


def start_with_a_key(*options):
    """(the daemon, the key that opens it)"""
    made = subprocess.run([TACOD, "new-key", "alice"], capture_output=True, text=True, check=True, timeout=PATIENCE)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "keys")
        with open(path, "w", encoding="ascii", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.write(made.stdout)
        # The file is read before the daemon listens.
        return Daemon("--keys", path, *options), made.stderr.splitlines()[1]
