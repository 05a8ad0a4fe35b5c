"""torchaudio's own Tacotron2, given the weights of a voice file."""

import os
import sys

import numpy as np
import torch
import torchaudio

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../models/export"))


def module(config, tensors, max_steps=10000):
    """A torchaudio Tacotron2 in evaluation mode that computes what the voice's graph describes; the
    voice must be of torchaudio's graph. tensors: {name: float32 values} in normal form."""
    m = config["model"]
    attention = m["attention"]
    net = torchaudio.models.Tacotron2(
        n_symbol=m["n_symbols"], n_mels=m["n_mels"], n_frames_per_step=m["n_frames_per_step"],
        symbol_embedding_dim=m["symbols_embedding_dim"],
        encoder_embedding_dim=m["encoder_conv_dim"],
        encoder_n_convolution=m["encoder_n_convolutions"],
        encoder_kernel_size=m["encoder_kernel_size"], decoder_rnn_dim=m["decoder_rnn_dim"],
        decoder_max_step=max_steps, attention_rnn_dim=m["attention_rnn_dim"],
        attention_hidden_dim=attention["dim"],
        attention_location_n_filter=attention["location_n_filters"],
        attention_location_kernel_size=attention["location_kernel_size"],
        prenet_dim=m["prenet_dims"][0], postnet_n_convolution=m["postnet_n_convolutions"],
        postnet_kernel_size=m["postnet_kernel_size"],
        postnet_embedding_dim=m["postnet_embedding_dim"], gate_threshold=m["gate_threshold"])
    # The voice's convolutions carry the batch normalisation already.
    for part in (net.encoder, net.postnet):
        for sequence in part.convolutions:
            sequence[1] = torch.nn.Identity()
    state = {}
    for name, values in tensors.items():
        values = torch.from_numpy(np.array(values, np.float32))
        if name.startswith("audio."):
            continue
        name = name.replace("decoder.prenet.", "decoder.prenet.layers.")
        name = name.replace("decoder.attention.location_", "decoder.attention_layer.location_layer."
                            "location_").replace("decoder.attention.", "decoder.attention_layer.")
        parts = name.split(".")
        if parts[1] == "convolutions":
            name = f"{parts[0]}.convolutions.{parts[2]}.0.{parts[3]}"
        suffix = ""
        if parts[1].startswith("lstm"):
            suffix = "_l0" + ("_reverse" if parts[1] == "lstm_reverse" else "")
            name = "encoder.lstm." + parts[2]
        if name.endswith("attention_layer.v.weight"):
            values = values[None]
        if parts[1] in ("lstm", "lstm_reverse", "attention_rnn", "decoder_rnn"):
            if name.endswith("bias"):
                state[name + "_ih" + suffix] = values
                state[name + "_hh" + suffix] = torch.zeros_like(values)
                continue
            name += suffix
        state[name] = values
    net.load_state_dict(state)
    return net.eval()


def speak(net, ids, masks=None):
    """Runs the encoder, the decoder until its gate fires, and the postnet. masks: two arrays [steps, dim] of
    dropout factors; with None they are drawn, and returned. Returns a dict of arrays, frame-major."""
    n = len(ids)
    calls, drawn = [0], ([], [])

    def dropout(x, p=0.5, training=True, inplace=False):
        if not training:
            return x
        layer, step = calls[0] % 2, calls[0] // 2
        calls[0] += 1
        if masks is not None:
            factor = torch.from_numpy(masks[layer][step:step + 1])
        else:
            factor = torch.bernoulli(torch.full_like(x, 1 - p)) / (1 - p)
        drawn[layer].append(factor.numpy().copy())
        return x * factor

    functional = torchaudio.models.tacotron2.F
    original = functional.dropout
    functional.dropout = dropout
    try:
        with torch.inference_mode():
            length = torch.tensor([n])
            memory = net.encoder(net.embedding(torch.tensor([ids])).transpose(1, 2), length)
            before, lengths, gates, alignments = net.decoder.infer(memory, length)
            after = before + net.postnet(before)
    finally:
        functional.dropout = original
    return {"memory": memory[0].numpy(), "mel_before": before[0].T.numpy(),
            "mel_after": after[0].T.numpy(), "gate_logits": gates[0].numpy(),
            "alignments": alignments.T.numpy().copy(), "stop_frames": int(lengths[0]),
            "masks": tuple(np.concatenate(d) for d in drawn)}
