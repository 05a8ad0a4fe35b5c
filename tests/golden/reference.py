"""Tacotron 2 in NumPy and double precision, from a voice file: the runnable twin of core/tacotron2/MODEL.md.

It is written to be read beside models/FORMAT.md, in the same names and order, and is as slow as that is.
Shapes: T symbols, M memory width, P prenet, A and R the units of the two decoder LSTMs, D attention, r frames
a step. Run it as reference.py VOICE INPUTS OUT_DIR like the engine's own runner."""

import json
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../models/export"))
from taco_export import safetensors  # noqa: E402


def sigmoid(x):
    return 0.5 * (1 + np.tanh(0.5 * x))


def softplus(x):
    return np.logaddexp(0, x)


def softmax(x):
    e = np.exp(x - x.max())
    return e / e.sum()


def convolve(x, weight, bias=None):
    """x [T, in], weight [out, in, K], zero padding (K - 1) / 2: y_t = sum_k W_k x_(t + k - (K - 1) / 2)."""
    half = weight.shape[2] // 2
    padded = np.pad(x, ((half, half), (0, 0)))
    y = sum(padded[k:k + len(x)] @ weight[:, :, k].T for k in range(weight.shape[2]))
    return y if bias is None else y + bias


def lstm_cell(x, h, c, w_ih, w_hh, bias):
    """Gates in the order i, f, g, o; returns the new (h, c)."""
    i, f, g, o = np.split(w_ih @ x + w_hh @ h + bias, 4)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(c), c


class Voice:
    """The config and the tensors, the latter in float64: voice["decoder.v.weight"]."""

    def __init__(self, path):
        tensors, metadata = safetensors.read(path)
        self.config = json.loads(metadata["config"])
        self.model = self.config["model"]
        self._tensors = {name: values.astype(np.float64) for name, values in tensors.items()}

    def __getitem__(self, name):
        return self._tensors[name]

    def get(self, name):
        return self._tensors.get(name)

    def lstm(self, name):
        return self[name + ".weight_ih"], self[name + ".weight_hh"], self[name + ".bias"]


# -- encoder --------------------------------------------------------------------------------

def self_attention(voice, name, x, n_heads, causal=False):
    """A post-norm Transformer encoder layer over x [T, W]: (output, weights [heads, T, T])."""
    def linear(part, values):
        return values @ voice[f"{name}.{part}.weight"].T + voice[f"{name}.{part}.bias"]

    def norm(part, values):
        centred = values - values.mean(1, keepdims=True)
        scale = 1 / np.sqrt((centred ** 2).mean(1, keepdims=True) + 1e-5)
        return centred * scale * voice[f"{name}.{part}.weight"] + voice[f"{name}.{part}.bias"]

    n, width = x.shape
    q, k, v = (part.reshape(n, n_heads, -1).transpose(1, 0, 2) for part in np.split(linear("in_proj", x), 3, 1))
    e = q @ k.transpose(0, 2, 1) / np.sqrt(width // n_heads)
    if causal:
        e = np.where(np.tri(n, dtype=bool), e, -np.inf)
    e = np.exp(e - e.max(2, keepdims=True))
    weights = e / e.sum(2, keepdims=True)
    x = norm("norm1", x + linear("out_proj", (weights @ v).transpose(1, 0, 2).reshape(n, width)))
    return norm("norm2", x + linear("linear2", np.maximum(linear("linear1", x), 0))), weights


def encode(voice, ids, speaker=0):
    """Memory [T, M]: embedding, convolutions with ReLU, a bidirectional LSTM, the speaker."""
    model = voice.model
    x = voice["embedding.weight"][ids]
    for i in range(model["encoder_n_convolutions"]):
        name = f"encoder.convolutions.{i}"
        y = np.maximum(convolve(x, voice[name + ".weight"], voice[name + ".bias"]), 0)
        x = x + y if model.get("encoder_residual") else y
    halves = [] if model.get("encoder_lstm", True) else [x]
    for name, order in (() if halves else (("encoder.lstm", 1), ("encoder.lstm_reverse", -1))):
        h = c = np.zeros(model["encoder_lstm_dim"])
        outputs = []
        for x_t in x[::order]:
            h, c = lstm_cell(x_t, h, c, *voice.lstm(name))
            outputs.append(h)
        halves.append(np.array(outputs)[::order])
    memory = np.concatenate(halves, 1)
    for i in range(model.get("encoder_attention_layers", 0)):
        memory, _ = self_attention(voice, f"encoder.self_attention.{i}", memory, model["encoder_attention_heads"],
                                   model.get("encoder_attention_causal", False))
    mode = model.get("speaker_mode", "none")
    if mode != "none":
        row = voice["speaker_embedding.weight"][speaker]
        memory = (memory + row if mode == "add" else
                  np.concatenate([memory, np.tile(row, (len(memory), 1))], 1))
    return memory


# -- attention ------------------------------------------------------------------------------

class Attention:
    """What the mechanisms share: location energies, window, normaliser, the memory of a row. rule is the
    mechanism's settings, prefix stands before its tensors' names; ids are the text's symbols."""

    def __init__(self, voice, memory, rule, prefix, ids=None):
        self.voice, self.memory, self.rule, self.prefix, self.ids = voice, memory, rule, prefix, ids
        n = self.n = len(memory)
        self.start = {"zeros": np.zeros(n), "uniform": np.full(n, 1 / n), "one_hot": np.eye(n)[0]}[
            rule.get("start", "zeros")]
        self.previous, self.first = self.start, True
        self.total = self.start if rule.get("start_in_sum") else np.zeros(n)
        self.window_at = -1 if rule.get("window") == "coqui" else 0
        self.scale = rule.get("scale", 1.0)
        self.prepare()

    def w(self, name):
        """A tensor; 0 where it is a bias that the voice does not have."""
        values = self.voice.get(self.prefix + name)
        return 0.0 if values is None else values

    def linear(self, name, x):
        return x @ self.w(name + ".weight").T + self.w(name + ".bias")

    def prepare(self):
        self.keys = self.linear("memory_layer", self.memory)

    def query(self, query):
        return self.linear("query_layer", query)

    def features(self):
        """W_loc f_j: a convolution over the weights of the step before, their sum, or both."""
        if not self.rule.get("location_n_filters"):
            return 0.0
        total = self.total
        if self.first and self.rule["location_channels"] == ["cum"]:
            total = self.start
        channels = {"prev": self.previous, "cum": total}
        seen = np.stack([channels[name] for name in self.rule["location_channels"]], 1)
        return convolve(seen, self.w("location_conv.weight")) @ self.w("location_dense.weight").T

    def energies(self, query):
        """e_j = v . tanh(W_q q + W_m m_j + W_loc f_j) + b_v."""
        e = np.tanh(self.keys + self.query(query) + self.features()) @ self.w("v.weight")
        return e + self.w("v.bias")

    def windowed(self, e):
        rule, n = self.rule.get("window", "none"), len(e)
        if rule == "none":
            return e
        first = self.window_at - self.rule["window_back"]
        end = self.window_at + self.rule["window_forward"]
        e = e.copy()
        if first > 0:
            e[:first] = -np.inf
        e[max(end, 0):n] = -np.inf
        if rule == "coqui":
            if self.window_at == -1:
                e[0] = e.max()
            self.window_at = int(e.argmax())
        return e

    def normalised(self, e):
        e = self.windowed(e) * self.scale
        if self.rule.get("normaliser", "softmax") == "sigmoid":
            return sigmoid(e) / sigmoid(e).sum()
        return softmax(e)

    def remember(self, w):
        self.total = self.total + w
        self.keep(w)

    def keep(self, w):
        self.previous, self.first = w, False
        if self.rule.get("window") == "espnet":
            self.window_at = int(w.argmax())

    def weights(self, query):
        return self.normalised(self.energies(query))

    def step(self, query, frame):
        """Weights [T] and context [M]; frame: the last frame of the step before (ESPnet's agent)."""
        w = self.weights(query)
        self.remember(w)
        return w, w @ self.memory


class LocationOnly(Attention):
    def query(self, query):
        return 0.0


class Static(Attention):
    def query(self, query):
        return self.w("query")


class Coverage(Attention):
    def features(self):
        return self.total[:, None] * self.w("coverage_layer.weight")


class Concat(Attention):
    def prepare(self):
        self.keys = self.memory @ self.w("concat_layer.weight")[:, -self.memory.shape[1]:].T

    def query(self, query):
        return self.w("concat_layer.weight")[:, :len(query)] @ query


class Dot(Attention):
    def prepare(self):
        self.keys = self.memory
        if self.rule.get("matrices", True):
            self.keys = self.bent(self.linear("memory_layer", self.memory))

    def bent(self, x):
        return np.tanh(x) if self.rule.get("tanh") else x

    def energies(self, query):
        if self.rule.get("matrices", True):
            query = self.bent(self.linear("query_layer", query))
        return self.keys @ query


class ScaledDot(Dot):
    def energies(self, query):
        return super().energies(query) / np.sqrt(self.rule["dim"])


class General(Attention):
    def energies(self, query):
        return self.keys @ query


class Cosine(Attention):
    def energies(self, query):
        query = self.linear("query_layer", query)
        lengths = np.linalg.norm(self.keys, axis=1) * np.linalg.norm(query)
        return np.exp(self.w("log_beta")[0]) * (self.keys @ query) / lengths


class MultiHead(Attention):
    """Every head with its own rows of each layer; w are the heads' weights [H, T]."""

    def prepare(self):
        n, heads = self.n, self.rule["n_heads"]
        self.kind, self.dim = self.rule["head_score"], self.rule["dim"]
        self.keys = self.linear("memory_layer", self.memory).reshape(n, heads, self.dim)
        if self.rule.get("tanh"):
            self.keys = np.tanh(self.keys)
        self.values = self.linear("value_layer", self.memory).reshape(n, heads, -1)
        self.heads = [self.start] * heads

    def score(self, i, query):
        if "dot" in self.kind:
            query = np.tanh(query) if self.rule.get("tanh") else query
            e = self.keys[:, i] @ query
            return e / np.sqrt(self.dim) if self.kind == "scaled_dot" else e
        features = 0.0
        if self.kind == "location":
            features = convolve(self.heads[i][:, None], self.w("location_conv.weight")[i][:, None])
            features = features @ self.w("location_dense.weight")[i].T
        return np.tanh(self.keys[:, i] + query + features) @ self.w("v.weight")[i]

    def step(self, query, frame):
        queries = self.linear("query_layer", query).reshape(-1, self.dim)
        self.heads = [softmax(self.scale * self.score(i, q)) for i, q in enumerate(queries)]
        contexts = np.concatenate([w @ self.values[:, i] for i, w in enumerate(self.heads)])
        return np.mean(self.heads, 0), self.linear("output_layer", contexts)


class Local(Attention):
    """local_p and local_m: within local_width of a place p."""

    place = 0.0

    def weights(self, query):
        n, width = self.n, self.rule["local_width"]
        if self.rule["type"] == "local_p":
            hidden = np.tanh(self.w("position_layer.weight") @ query)
            self.place = n * sigmoid(self.w("position_v.weight") @ hidden)
        else:
            pace = (softplus(self.linear("pace_layer", query)[0]) if self.rule.get("pace_learnt")
                    else self.rule["pace"])
            self.place = min(self.place + pace, n - 1)
        distance = np.arange(n) - self.place
        seen = np.abs(distance) <= width
        w = np.zeros(n)
        w[seen] = softmax(self.scale * self.energies(query)[seen])
        if self.rule["type"] == "local_p":
            w = w * np.exp(-0.5 * (distance / (width / 2)) ** 2)
        return w


class Hard(Attention):
    """The arg-maximum; the draw is the engine's random numbers and has no twin."""

    def weights(self, query):
        return np.eye(self.n)[int(super().weights(query).argmax())]


class Monotonic(Attention):
    place = 0

    def weights(self, query):
        chosen = np.flatnonzero(self.energies(query)[self.place:] >= 0)
        if len(chosen) == 0:
            return np.zeros(self.n)
        self.place += int(chosen[0])
        return np.eye(self.n)[self.place]


class Stepwise(Attention):
    place = 0

    def weights(self, query):
        if self.energies(query)[self.place] < 0:
            self.place = min(self.place + 1, self.n - 1)
        return np.eye(self.n)[self.place]


class Hierarchical(Attention):
    def prepare(self):
        super().prepare()
        ends = [int(i) in self.rule["word_ends"] for i in self.ids]
        begins = [j > 0 and ends[j - 1] and not ends[j] for j in range(self.n)]
        self.words = np.cumsum(begins)
        keys = self.memory @ self.w("word_memory_layer.weight").T
        self.word_keys = np.stack([keys[self.words == k].mean(0) for k in range(self.words[-1] + 1)])

    def weights(self, query):
        e = self.scale * self.energies(query)
        of_word = self.scale * (np.tanh(self.word_keys + self.w("word_query_layer.weight") @ query)
                                @ self.w("word_v.weight"))
        word_weights, w = softmax(of_word), np.zeros(self.n)
        for k, weight in enumerate(word_weights):
            w[self.words == k] = weight * softmax(e[self.words == k])
        return w


class Forward(Attention):
    def prepare(self):
        super().prepare()
        self.alpha = np.where(np.arange(self.n) == 0, 1.0, 1e-7)  # Coqui's
        self.before = np.eye(self.n)[0]  # ESPnet's
        self.u = 0.5

    def step(self, query, frame):
        p = self.normalised(self.energies(query))
        coqui = self.rule["forward_rule"] == "coqui"
        w = self.coqui(p) if coqui else self.espnet(p)
        # Coqui's sums the weights from before its recursion.
        self.total = self.total + (p if coqui else w)
        self.keep(w)
        context = w @ self.memory
        if self.rule.get("transition_agent"):
            seen = [context, query] if coqui else [context, frame, query]
            self.u = sigmoid(self.linear("transition_agent", np.concatenate(seen))[0])
        return w, context

    def coqui(self, p):
        """Zhang et al. 2018: w_j = ((1 - u) a_j + u a_(j-1) + 1e-8) p_j, normalised."""
        shifted = np.concatenate([[0], self.alpha[:-1]])
        w = ((1 - self.u) * self.alpha + self.u * shifted + 1e-8) * p
        if self.rule.get("forward_mask"):
            n, largest = int(shifted.argmax()), w.max()
            w[n + 3:] = 0
            w[:n - 1] = 0  # as Python counts: with n = 0 all but the last
            w[(n - 2) % len(w)] = 0.01 * largest
        self.alpha = w / w.sum()
        return self.alpha

    def espnet(self, p):
        """w_j = max((u a_j + (1 - u) a_(j-1)) p_j, 1e-6), normalised; without an agent u and 1 - u are 1."""
        shifted = np.concatenate([[0], self.before[:-1]])
        stay, move = ((self.u, 1 - self.u) if self.rule.get("transition_agent") else (1, 1))
        w = np.maximum((stay * self.before + move * shifted) * p, 1e-6)
        self.before = w / w.sum()
        return self.before


class Gmm(Attention):
    """Graves 2013, as Coqui and Mozilla have it: K components that move on by softplus."""

    def prepare(self):
        self.mu = np.zeros(self.rule["gmm_components"])

    def weights(self, query):
        g, b, k = np.split(self.linear("gmm.1", np.maximum(self.linear("gmm.0", query), 0)), 3)
        sigma, g = softplus(b) + 1e-5, softmax(g) + 1e-5
        self.mu = self.mu + softplus(k)
        j = np.arange(self.n + 1) + 0.5
        f = (g[:, None] / (1 + sigmoid((self.mu[:, None] - j) / sigma[:, None]))).sum(0)
        w = np.diff(f)
        w[w == 0] = 1e-8
        return w / w.sum() if self.rule.get("gmm_normalised") else w


class DynamicConvolution(Attention):
    """Battenberg et al. 2020: static and dynamic filters over the weights before, and a prior."""

    def prepare(self):
        self.previous = np.eye(self.n)[0]

    def energies(self, query):
        before = self.previous[:, None]
        n, kernel = self.rule["dynamic_n_filters"], self.rule["dynamic_kernel_size"]
        filters = self.w("key_layer.weight") @ np.tanh(self.linear("query_layer", query))
        dynamic = self.linear("dynamic_layer", convolve(before, filters.reshape(n, 1, kernel)))
        static = self.linear("static_layer", convolve(before, self.w("static_conv.weight")[:, None]))
        length, filters = self.rule["prior_length"], self.w("prior")
        padded = np.concatenate([np.zeros(length - 1), self.previous])
        prior = np.array([filters @ padded[j:j + length] for j in range(self.n)])
        return np.tanh(static + dynamic) @ self.w("v.weight") + np.log(np.maximum(prior, 1e-6))


ATTENTIONS = {"location": Attention, "forward": Forward, "gmm": Gmm,
              "dynamic_convolution": DynamicConvolution, "additive": Attention,
              "location_only": LocationOnly, "dot": Dot, "scaled_dot": ScaledDot, "general": General,
              "concat": Concat, "cosine": Cosine, "multi_head": MultiHead, "local_m": Local,
              "local_p": Local, "hard": Hard, "monotonic": Monotonic, "stepwise": Stepwise,
              "static": Static, "coverage": Coverage, "hierarchical": Hierarchical}


def attention_of(voice, memory, ids=None, name=None):
    """The row's attention: the voice's default, or another by name."""
    rule, prefix = voice.model["attention"], "decoder.attention."
    if name is not None:
        rule, prefix = voice.model["attentions"][name], f"attention.{name}."
    return ATTENTIONS[rule["type"]](voice, memory, rule, prefix, ids)


# -- decoder ----------------------------------------------------------------------------------

def prenet(voice, x, masks):
    """ReLU layers with dropout; masks: a vector of factors a layer, or None when dropout is off."""
    for i in range(len(voice.model["prenet_dims"])):
        x = voice[f"decoder.prenet.{i}.weight"] @ x
        if voice.model.get("prenet_bias"):
            x = x + voice[f"decoder.prenet.{i}.bias"]
        x = np.maximum(x, 0)
        if masks is not None:
            x = x * masks[i]
    return x


def decode(voice, memory, masks, max_steps, ids=None, attention=None):
    """Frames [steps * r, n_mels], stop logits [steps, gate_dim], alignments [steps, T], whether the gate
    has fired."""
    model = voice.model
    r, n_mels, z = model["n_frames_per_step"], model["n_mels"], model.get("zoneout", 0.0)
    attention = attention_of(voice, memory, ids, attention)
    h1 = c1 = np.zeros(model["attention_rnn_dim"])
    h2 = c2 = np.zeros(model["decoder_rnn_dim"])
    context, last = np.zeros(memory.shape[1]), np.zeros(r * n_mels)
    fed = last if model.get("prenet_all_frames") else last[-n_mels:]
    frames, gates, alignments, fires = [], [], [], False

    def cell(name, x, h, c):
        new_h, new_c = lstm_cell(x, h, c, *voice.lstm(name))
        return z * h + (1 - z) * new_h, z * c + (1 - z) * new_c

    for t in range(max_steps):
        if model.get("attention_first"):  # ESPnet: the query is the state of the step before
            weights, context = attention.step(h1, last[-n_mels:])
        x = prenet(voice, fed, masks and [m[t] for m in masks])
        h1, c1 = cell("decoder.attention_rnn", np.concatenate([x, context]), h1, c1)
        if not model.get("attention_first"):
            weights, context = attention.step(h1, last[-n_mels:])
        x = np.concatenate([h1, context]) if model.get("decoder_rnn_context", True) else h1
        h2, c2 = cell("decoder.decoder_rnn", x, h2, c2)
        y = np.concatenate([h2, context])
        last = (voice["decoder.linear_projection.weight"] @ y
                + voice["decoder.linear_projection.bias"])
        gate = voice["decoder.gate_layer.weight"] @ y + voice["decoder.gate_layer.bias"]
        frames.append(last)
        gates.append(gate)
        alignments.append(weights)
        fed = last if model.get("prenet_all_frames") else last[-n_mels:]
        p, threshold = sigmoid(gate), model["gate_threshold"]
        fires = (p >= threshold if model.get("gate_inclusive") else p > threshold).any()
        fires = fires and t + 1 >= model.get("min_steps", 0)
        if fires:
            break
    return np.array(frames).reshape(-1, n_mels), np.array(gates), np.array(alignments), fires


def postnet(voice, mel):
    """mel + convolutions, tanh on all but the last."""
    x, n = mel, voice.model["postnet_n_convolutions"]
    for i in range(n):
        name = f"postnet.convolutions.{i}"
        x = convolve(x, voice[name + ".weight"], voice[name + ".bias"])
        x = np.tanh(x) if i < n - 1 else x
    return mel + x if n else mel


def ln_magnitude(voice, mel):
    """The natural logarithm of the linear mel magnitude: the voice's scale undone."""
    a = voice.config["audio"]
    if a.get("mean_std"):
        mel = mel * voice["audio.std"] + voice["audio.mean"]
    elif "range" in a:
        s = a["range"]
        low = -s["max_norm"] if s["symmetric"] else 0.0
        if s["clip"]:
            mel = np.clip(mel, low, s["max_norm"])
        unit = (mel - low) / (s["max_norm"] - low)
        mel = unit * -s["min_level_db"] + s["min_level_db"] + s["ref_level_db"]
    ln = mel / a.get("log_gain", 1.0) * (np.log(10) if a["log"] == "log10" else 1.0)
    return ln / a.get("mel_power", 1)


def speak(voice, ids, masks, max_steps=10000, attention=None):
    """Every stage as the golden data has it, and stop_frames, the frames that are speech."""
    model = voice.model
    memory = encode(voice, ids)
    mel, gates, alignments, fired = decode(voice, memory, masks, max_steps, ids, attention)
    r, firing = model["n_frames_per_step"], model["firing_frame"] if fired else "keep"
    stop_frames = len(mel) - (0 if firing == "keep" else r)
    if firing == "drop":
        mel, alignments = mel[:-r], alignments[:-1]
    after = postnet(voice, mel)
    return {"memory": memory, "mel_before": mel, "mel_after": after, "gate_logits": gates,
            "alignments": alignments, "mel_ln_amp": ln_magnitude(voice, after),
            "stop_frames": stop_frames, "steps": len(gates)}


def main():
    if len(sys.argv) != 4:
        sys.exit("usage: reference.py VOICE.safetensors INPUTS.safetensors OUT_DIR")
    voice = Voice(sys.argv[1])
    inputs, _ = safetensors.read(sys.argv[2])
    masks = None
    if voice.model["prenet_dropout"] > 0:
        masks = [inputs[f"prenet_mask_{i}"] for i in range(len(voice.model["prenet_dims"]))]
    steps = len(masks[0]) if masks else 10000
    result = speak(voice, inputs["ids"], masks, steps)
    for name in ("memory", "mel_before", "mel_after", "gate_logits", "alignments", "mel_ln_amp"):
        np.save(os.path.join(sys.argv[3], name + ".npy"), result[name].astype(np.float32))
    print("steps", result["steps"])
    print("stop_frames", result["stop_frames"])


if __name__ == "__main__":
    main()
