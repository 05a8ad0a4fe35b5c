"""Runs the engine's runners (run.c, vocode.c) and reads what they leave."""

import os
import subprocess
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "../..")
sys.path.insert(0, os.path.join(ROOT, "models/export"))

from taco_export import safetensors  # noqa: E402

STAGES = ("memory", "gate_logits", "alignments", "mel_before", "mel_after", "mel_ln_amp")
# Steps that a run may go beyond the original's: then it has missed the stop.
MORE_STEPS = 25


class Failure(Exception):
    """A runner, or what is to be run, failed; the message says why."""


def add_build_option(parser):
    parser.add_argument("--build", default=os.environ.get("BUILD", os.path.join(ROOT, "build")),
                        help="where the runners were built (default: $BUILD, build)")


def program(build, name):
    return [os.path.join(build, "tests/golden", name)]


def run(command, voice, inputs, folder):
    """({array: values} of every .npy that the runner left, {word: number} that it printed). inputs:
    {name: (dtype, values)}."""
    path, out = os.path.join(folder, "inputs.safetensors"), os.path.join(folder, "out")
    safetensors.write(path, inputs, {})
    os.makedirs(out, exist_ok=True)
    try:
        result = subprocess.run([*command, voice, path, out], capture_output=True, text=True, check=False)
    except OSError as e:
        raise Failure(f"{command[0]}: {e.strerror} (not built?)") from e
    if result.returncode:
        raise Failure(f"{command[-1]}: {(result.stderr.strip() or 'failed').splitlines()[-1]}")
    printed = {word: int(number) for word, number in map(str.split, result.stdout.splitlines())}
    arrays = {name[:-4]: np.load(os.path.join(out, name)) for name in os.listdir(out)}
    return arrays, printed


def with_more_steps(mask, more=MORE_STEPS):
    """Dropout factors for some steps more than the original made."""
    return np.concatenate([mask, np.repeat(mask[-1:], more, 0)]).astype(np.float32)


def compare(name, got, wanted, tolerance):
    """Prints a line; returns 1 when out of tolerance, else 0. Arrays of one column may stand for vectors."""
    largest = float(np.abs(wanted).max()) if wanted.size else 0.0
    if got is not None and got.size == wanted.size:
        got = got.reshape(wanted.shape)
    if got is None or got.shape != wanted.shape:
        shape = "nothing" if got is None else list(got.shape)
        print(f"  {name:12} shape {shape}, expected {list(wanted.shape)}: OUT")
        return 1
    error = float(np.abs(got.astype(np.float64) - wanted).max()) if wanted.size else 0.0
    good = error <= tolerance  # false for NaN, too
    print(f"  {name:12} max abs error {error:.3g}  largest {largest:.4g}  tolerance {tolerance:.3g}: "
          f"{'ok' if good else 'OUT'}")
    return int(not good)


def compare_count(name, got, wanted):
    print(f"  {name:12} {got}, expected {wanted}: {'ok' if got == wanted else 'OUT'}")
    return int(got != wanted)
