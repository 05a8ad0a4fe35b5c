"""Small checkpoints of random weights under the projects' own names, for what has no golden case."""

import json

from support import torch


def _lstm(state, name, inputs, units, suffix=""):
    state[f"{name}.weight_ih{suffix}"] = torch.randn(4 * units, inputs) * 0.3
    state[f"{name}.weight_hh{suffix}"] = torch.randn(4 * units, units) * 0.3
    state[f"{name}.bias_ih{suffix}"] = torch.randn(4 * units) * 0.1
    state[f"{name}.bias_hh{suffix}"] = torch.randn(4 * units) * 0.1


def _batch_norm(state, name, n):
    state[f"{name}.weight"] = 1 + 0.2 * torch.randn(n)
    state[f"{name}.bias"] = 0.1 * torch.randn(n)
    state[f"{name}.running_mean"] = 0.1 * torch.randn(n)
    state[f"{name}.running_var"] = 0.5 + torch.rand(n)
    state[f"{name}.num_batches_tracked"] = torch.tensor(100)


def coqui(*, n_symbols=67, memory_extra=0, attention="original", r_init=3, n_mels=8, prenet="original",
          location=True, agent=False, seed=0):
    """Coqui's and Mozilla's names; encoder 12, attention LSTM 20, decoder LSTM 16."""
    torch.manual_seed(seed)
    encoder, query, units, dim, p = 12, 20, 16, 10, 6
    memory = encoder + memory_extra
    state = {"embedding.weight": torch.randn(n_symbols, encoder)}
    for part, n, width in (("encoder", 3, encoder), ("postnet", 5, n_mels)):
        for i in range(n):
            out = encoder if part == "encoder" else n_mels if i == n - 1 else 14
            state[f"{part}.convolutions.{i}.convolution1d.weight"] = torch.randn(out, width, 5) * 0.2
            state[f"{part}.convolutions.{i}.convolution1d.bias"] = torch.randn(out) * 0.1
            _batch_norm(state, f"{part}.convolutions.{i}.batch_normalization", out)
            width = out
    _lstm(state, "encoder.lstm", encoder, encoder // 2, "_l0")
    _lstm(state, "encoder.lstm", encoder, encoder // 2, "_l0_reverse")
    for i, width in enumerate((n_mels, p)):
        name = f"decoder.prenet.linear_layers.{i}"
        state[f"{name}.linear_layer.weight"] = torch.randn(p, width) * 0.5
        if prenet == "bn":
            _batch_norm(state, f"{name}.batch_normalization", p)
    _lstm(state, "decoder.attention_rnn", p + memory, query)
    a = "decoder.attention."
    if attention == "graves":
        state[a + "N_a.0.weight"], state[a + "N_a.0.bias"] = torch.randn(query, query), torch.zeros(query)
        state[a + "N_a.2.weight"], state[a + "N_a.2.bias"] = torch.randn(15, query), torch.zeros(15)
    elif attention == "dynamic_convolution":
        shapes = {"prior": (11,), "query_layer.weight": (dim, query), "query_layer.bias": (dim,),
                  "key_layer.weight": (8 * 21, dim), "static_filter_conv.weight": (8, 1, 21),
                  "static_filter_layer.weight": (dim, 8), "dynamic_filter_layer.weight": (dim, 8),
                  "dynamic_filter_layer.bias": (dim,), "v.weight": (1, dim)}
        state.update({a + name: torch.rand(shape) for name, shape in shapes.items()})
    else:
        state[a + "query_layer.linear_layer.weight"] = torch.randn(dim, query) * 0.3
        state[a + "inputs_layer.linear_layer.weight"] = torch.randn(dim, memory) * 0.3
        state[a + "v.linear_layer.weight"] = torch.randn(1, dim)
        state[a + "v.linear_layer.bias"] = torch.randn(1)
        if location:
            state[a + "location_layer.location_conv1d.weight"] = torch.randn(4, 2, 7) * 0.3
            state[a + "location_layer.location_dense.linear_layer.weight"] = torch.randn(dim, 4)
        if agent:
            state[a + "ta.weight"], state[a + "ta.bias"] = torch.randn(1, memory + query), torch.zeros(1)
    _lstm(state, "decoder.decoder_rnn", query + memory, units)
    state["decoder.linear_projection.linear_layer.weight"] = torch.randn(n_mels * r_init, units + memory)
    state["decoder.linear_projection.linear_layer.bias"] = torch.randn(n_mels * r_init)
    state["decoder.stopnet.1.linear_layer.weight"] = torch.randn(1, units + n_mels * r_init)
    state["decoder.stopnet.1.linear_layer.bias"] = torch.randn(1)
    return state


COQUI_CONFIG = {"model": "tacotron2", "r": 3, "attention_type": "original", "attention_norm": "sigmoid",
                "attention_win": False, "use_phonemes": False,
                "audio": {"num_mels": 8, "sample_rate": 22050, "fft_size": 1024, "win_length": 1024,
                          "hop_length": 256, "signal_norm": False, "spec_gain": 1.0,
                          "log_func": "np.log", "mel_fmin": 0, "mel_fmax": 8000}}


def save_coqui(test, state, changes=None, **of_state):
    """Checkpoint and config.json in the test's folder; the checkpoint's path."""
    settings = {**COQUI_CONFIG, **(changes or {})}
    test.write("config.json", json.dumps(settings))
    torch.save({"model": state, "step": 1, **of_state}, test.path("model.pth"))
    return test.path("model.pth")
