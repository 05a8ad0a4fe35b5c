#!/usr/bin/python3
"""The peer of tests/bench/bench: times of torchaudio's Tacotron2 and GriffinLim.

    torchaudio_peer.py make FILE           the full-size model, by torchaudio's constructor and a fixed seed
    torchaudio_peer.py time VOICE eager|script THREADS N_SYMBOLS N_FRAMES [ROWS...]

VOICE is a voice file of torchaudio's graph, whose weights are put into torchaudio's model (its batch normalisation
folded, as ours). Prints lines `name value`, the same names as tests/bench/speed prints.
"""
import json
import pathlib
import statistics
import sys
import time
import warnings

warnings.filterwarnings("ignore")
import torch  # noqa: E402
import torchaudio  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "golden"))
import peer  # noqa: E402
from taco_export import safetensors  # noqa: E402

REPETITIONS = 3
SEED = 20171216  # any; the day of the paper


def make(path):
    torch.manual_seed(SEED)
    torch.save(torchaudio.models.Tacotron2(n_symbol=38).state_dict(), path)


def median_seconds(work, repetitions=REPETITIONS):
    """As tests/bench/speed does: one thread is timed by its processor time, several by the clock on the wall."""
    now = time.thread_time if torch.get_num_threads() == 1 else time.perf_counter
    times = []
    for _ in range(repetitions):
        start = now()
        work()
        times.append(now() - start)
    return statistics.median(times)


def run(path, kind, threads, n_symbols, n_frames, rows):
    torch.set_num_threads(threads)
    tensors, metadata = safetensors.read(path)
    config = json.loads(metadata["config"])
    tensors["decoder.gate_layer.bias"] = tensors["decoder.gate_layer.bias"] * 0 - 1e4  # never ends early
    model = peer.module(config, tensors, max_steps=n_frames)
    if kind == "script":
        model = torch.jit.freeze(torch.jit.script(model), preserved_attrs=["infer"])
    n = config["model"]["n_symbols"]
    ids = torch.tensor([[(i * 7 + 11) % n for i in range(n_symbols)]])

    mel = None
    with torch.inference_mode():
        if kind == "eager":
            def encode():
                return model.encoder(model.embedding(ids).transpose(1, 2), torch.tensor([n_symbols]))

            encode()
            print(f"encoder_s {median_seconds(encode):.6f}")
        for count in rows:
            batch = ids.expand(count, -1).contiguous()
            lengths = torch.full((count,), n_symbols)

            def infer():
                nonlocal mel
                mel, mel_lengths, _ = model.infer(batch, lengths)
                assert mel.shape[2] == n_frames, mel.shape

            infer()
            # The whole of infer: encoder and postnet are a few per cent of it and counted on our side, too.
            print(f"infer_rows{count}_s {median_seconds(infer):.6f}")
        if kind == "eager":
            postnet = median_seconds(lambda: model.postnet(mel[:1]))
            print(f"postnet_s {postnet:.6f}")
            audio = config["audio"]
            griffin_lim = torchaudio.transforms.GriffinLim(
                n_fft=audio["n_fft"], win_length=audio["win_length"], hop_length=audio["hop_length"], power=1,
                n_iter=32, momentum=0.99)
            magnitudes = torch.rand(1, audio["n_fft"] // 2 + 1, n_frames)
            griffin_lim(magnitudes)
            print(f"griffin_lim_s {median_seconds(lambda: griffin_lim(magnitudes)):.6f}")


def main():
    if sys.argv[1:2] == ["make"]:
        make(sys.argv[2])
    elif sys.argv[1:2] == ["time"] and len(sys.argv) >= 7:
        path, kind, threads, n_symbols, n_frames, *rows = sys.argv[2:]
        run(path, kind, int(threads), int(n_symbols), int(n_frames), [int(r) for r in rows or ["1"]])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
