"""torchaudio's Tacotron 2, trained with forced attention.

The alignment is known, so the context of every step is known before the step is made: both decoder LSTMs run
over whole sequences at once. The attention layer is trained beside them to give that alignment from the
LSTM's state and the forced history."""

import os
import random

import torch
import torchaudio
from torch.nn import functional

ENCODER_DROPOUT = POSTNET_DROPOUT = PRENET_DROPOUT = 0.5
LSTM_DROPOUT = 0.1
# The attention is scored at every fourth step: enough to train it.
ATTENTION_STRIDE = 4


def create(constructor):
    """constructor: the "model" object of the voice's JSON."""
    net = torchaudio.models.Tacotron2(mask_padding=True, **constructor)
    net.embedding.weight.data.uniform_(-0.1, 0.1)
    return net


def save(value, path):
    """torch.save, whole or not at all."""
    torch.save(value, path + ".partial")
    os.replace(path + ".partial", path)


class Dropout:
    """Dropout from a pool of random numbers drawn once: drawing afresh takes longer than all else here."""

    def __init__(self, pool_size=1 << 24):
        self.pool = torch.rand(pool_size)

    def __call__(self, x, p):
        begin = random.randrange(len(self.pool) - x.numel())
        kept = self.pool[begin:begin + x.numel()] >= p
        return x * (kept.view(x.shape) * (1 / (1 - p)))


class Forced:
    """Outputs of a batch under its own alignment. bf16: convolutions and attention in bfloat16."""

    def __init__(self, net, recurrence, *, bf16):
        self.net, self.recurrence, self.bf16 = net, recurrence, bf16
        self.dropout = Dropout()

    def __call__(self, batch):
        """(mel before the postnet, after it, stop logits [B, T], attention loss)."""
        decoder, alignment, mel = self.net.decoder, batch.alignment, batch.mel
        memory = self._encode(batch)
        x = functional.pad(mel[:, :-1], (0, 0, 1, 0))
        for layer in decoder.prenet.layers:
            x = self.dropout(functional.relu(self._fast(layer, x)), PRENET_DROPOUT)
        context = torch.bmm(alignment, memory)
        before = functional.pad(context[:, :-1], (0, 0, 1, 0))
        h1 = self._decoder_lstm(decoder.attention_rnn, torch.cat([x, before], -1))
        attention_loss = self._attention_loss(h1, memory, batch)
        h2 = self._decoder_lstm(decoder.decoder_rnn, torch.cat([h1, context], -1))
        y = torch.cat([h2, context], -1)
        out = decoder.linear_projection(y)
        return out, out + self._postnet(out), decoder.gate_layer(y).squeeze(-1), attention_loss

    def _fast(self, layer, x):
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=self.bf16):
            return layer(x).float()

    def _train_dropout(self, x, p):
        return self.dropout(x, p) if self.net.training else x

    def _lstm(self, weights, x):
        return self.recurrence(weights, x.transpose(0, 1)).transpose(0, 1)

    def _decoder_lstm(self, cell, x):
        weights = (cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh)
        return self._train_dropout(self._lstm(weights, x), LSTM_DROPOUT)

    def _encode(self, batch):
        """Memory [B, N, M], zero behind each text's end. The backward LSTM reads each text from its own end."""
        x = self.net.embedding(batch.ids).transpose(1, 2)
        for convolution, norm in self.net.encoder.convolutions:
            x = functional.relu(norm(self._fast(convolution, x)))
            x = self._train_dropout(x, ENCODER_DROPOUT)
        x, lstm = x.transpose(1, 2), self.net.encoder.lstm
        position = torch.arange(x.shape[1])[None]
        lengths = batch.n_symbols[:, None]
        turned = torch.where(position < lengths, lengths - 1 - position, position)
        halves = []
        for suffix in ("", "_reverse"):
            weights = tuple(getattr(lstm, name + "_l0" + suffix) for name in
                            ("weight_ih", "weight_hh", "bias_ih", "bias_hh"))
            h = self._turn(x, turned) if suffix else x
            h = self._lstm(weights, h)
            halves.append(self._turn(h, turned) if suffix else h)
        return torch.cat(halves, -1) * (position < lengths)[..., None]

    @staticmethod
    def _turn(x, order):
        return x.gather(1, order[..., None].expand_as(x))

    def _postnet(self, mel):
        x, n = mel.transpose(1, 2), len(self.net.postnet.convolutions)
        for i, (convolution, norm) in enumerate(self.net.postnet.convolutions):
            x = norm(self._fast(convolution, x))
            x = self._train_dropout(torch.tanh(x) if i < n - 1 else x, POSTNET_DROPOUT)
        return x.transpose(1, 2)

    def _attention_loss(self, h1, memory, batch):
        """Cross-entropy between the alignment and what the attention layer makes of the forced history."""
        layer, wanted = self.net.decoder.attention_layer, batch.alignment
        n_rows, n_steps, n_symbols = wanted.shape
        steps = torch.arange(random.randrange(ATTENTION_STRIDE), n_steps, ATTENTION_STRIDE)
        before = functional.pad(wanted[:, :-1], (0, 0, 1, 0))
        history = torch.stack([before[:, steps], before.cumsum(1)[:, steps]], 2)
        location = self._fast(layer.location_layer.location_conv, history.reshape(-1, 2, n_symbols))
        location = self._fast(layer.location_layer.location_dense, location.transpose(1, 2))
        energies = layer.v(torch.tanh(
            self._fast(layer.query_layer, h1[:, steps]).unsqueeze(2)
            + location.view(n_rows, len(steps), n_symbols, -1)
            + self._fast(layer.memory_layer, memory).unsqueeze(1))).squeeze(-1)
        beyond = torch.arange(n_symbols)[None] >= batch.n_symbols[:, None]
        log_weights = functional.log_softmax(energies.masked_fill(beyond[:, None], -1e9), -1)
        entropy = -(wanted[:, steps] * log_weights).sum(-1)
        heard = (steps[None] < batch.n_frames[:, None]).float()
        return (entropy * heard).sum() / heard.sum()
