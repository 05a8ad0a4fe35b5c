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

def encode(voice, ids, speaker=0):
    """Memory [T, M]: embedding, convolutions with ReLU, a bidirectional LSTM, the speaker."""
    model = voice.model
    x = voice["embedding.weight"][ids]
    for i in range(model["encoder_n_convolutions"]):
        name = f"encoder.convolutions.{i}"
        y = np.maximum(convolve(x, voice[name + ".weight"], voice[name + ".bias"]), 0)
        x = x + y if model.get("encoder_residual") else y
    halves = []
    for name, order in (("encoder.lstm", 1), ("encoder.lstm_reverse", -1)):
        h = c = np.zeros(model["encoder_lstm_dim"])
        outputs = []
        for x_t in x[::order]:
            h, c = lstm_cell(x_t, h, c, *voice.lstm(name))
            outputs.append(h)
        halves.append(np.array(outputs)[::order])
    memory = np.concatenate(halves, 1)
    mode = model.get("speaker_mode", "none")
    if mode != "none":
        row = voice["speaker_embedding.weight"][speaker]
        memory = (memory + row if mode == "add" else
                  np.concatenate([memory, np.tile(row, (len(memory), 1))], 1))
    return memory


# -- attention ------------------------------------------------------------------------------

class LocationAttention:
    """Types `location` and `forward`: additive energies with location features."""

    def __init__(self, voice, memory):
        self.voice, self.memory, self.rule = voice, memory, voice.model["attention"]
        self.w = {name: voice.get("decoder.attention." + name) for name in
                  ("query_layer.weight", "v.weight", "v.bias", "location_conv.weight",
                   "location_dense.weight", "transition_agent.weight", "transition_agent.bias")}
        self.processed = memory @ voice["decoder.attention.memory_layer.weight"].T
        if self.rule.get("memory_bias"):
            self.processed = self.processed + voice["decoder.attention.memory_layer.bias"]
        n = len(memory)
        start = {"zeros": np.zeros(n), "uniform": np.full(n, 1 / n), "one_hot": np.eye(n)[0]}[
            self.rule.get("start", "zeros")]
        self.previous, self.total, self.first = start, np.zeros(n), True
        self.window_at = -1 if self.rule.get("window") == "coqui" else 0
        self.alpha = np.where(np.arange(n) == 0, 1.0, 1e-7)  # forward, coqui
        self.u = 0.5

    def energies(self, query):
        """e_j = v . tanh(W_q q + W_m m_j + W_loc f_j)."""
        e = self.processed + self.w["query_layer.weight"] @ query
        if self.rule["location_n_filters"] > 0:
            total = self.total
            if self.first and self.rule.get("start") == "uniform":
                total = self.previous
            channels = {"prev": self.previous, "cum": total}
            seen = np.stack([channels[name] for name in self.rule["location_channels"]], 1)
            features = convolve(seen, self.w["location_conv.weight"])
            e = e + features @ self.w["location_dense.weight"].T
        e = np.tanh(e) @ self.w["v.weight"]
        return e + self.w["v.bias"][0] if self.rule.get("v_bias") else e

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

    def step(self, query, frame):
        """Weights [T] and context [M]; frame: the last frame of the step before (ESPnet's agent)."""
        e = self.windowed(self.energies(query))
        if self.rule.get("normaliser", "softmax") == "sigmoid":
            p = sigmoid(e) / sigmoid(e).sum()
        else:
            p = softmax(e)
        w = p
        if self.rule["type"] == "forward":
            w = self.forward_coqui(p) if self.rule["forward_rule"] == "coqui" else self.forward_espnet(p)
        # Coqui's forward attention sums the weights from before its recursion.
        self.total = self.total + (p if self.rule.get("forward_rule") == "coqui" else w)
        self.previous, self.first = w, False
        if self.rule.get("window") == "espnet":
            self.window_at = int(w.argmax())
        context = w @ self.memory
        if self.rule.get("transition_agent"):
            seen = [context, query] if self.rule["forward_rule"] == "coqui" else [context, frame, query]
            self.u = sigmoid(self.w["transition_agent.weight"][0] @ np.concatenate(seen)
                             + self.w["transition_agent.bias"][0])
        return w, context

    def forward_coqui(self, p):
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

    def forward_espnet(self, p):
        """w_j = max((u a_j + (1 - u) a_(j-1)) p_j, 1e-6), normalised; without an agent u and 1 - u are 1."""
        shifted = np.concatenate([[0], self.previous[:-1]])
        stay, move = ((self.u, 1 - self.u) if self.rule.get("transition_agent") else (1, 1))
        w = np.maximum((stay * self.previous + move * shifted) * p, 1e-6)
        return w / w.sum()


class GmmAttention:
    """Graves 2013, as Coqui and Mozilla have it: K components that move on by softplus."""

    def __init__(self, voice, memory):
        self.memory = memory
        self.w = [voice[f"decoder.attention.gmm.{name}"] for name in
                  ("0.weight", "0.bias", "1.weight", "1.bias")]
        self.mu = np.zeros(voice.model["attention"]["gmm_components"])

    def step(self, query, _):
        w0, b0, w1, b1 = self.w
        g, b, k = np.split(w1 @ np.maximum(w0 @ query + b0, 0) + b1, 3)
        sigma, g = softplus(b) + 1e-5, softmax(g) + 1e-5
        self.mu = self.mu + softplus(k)
        j = np.arange(len(self.memory) + 1) + 0.5
        f = (g[:, None] / (1 + sigmoid((self.mu[:, None] - j) / sigma[:, None]))).sum(0)
        w = np.diff(f)
        w[w == 0] = 1e-8
        return w, w @ self.memory


class DynamicConvolutionAttention:
    """Battenberg et al. 2020: static and dynamic filters over the weights before, and a prior."""

    def __init__(self, voice, memory):
        self.memory, self.rule = memory, voice.model["attention"]
        self.w = {name: voice["decoder.attention." + name] for name in
                  ("query_layer.weight", "query_layer.bias", "key_layer.weight", "static_conv.weight",
                   "static_layer.weight", "dynamic_layer.weight", "dynamic_layer.bias", "v.weight",
                   "prior")}
        self.previous = np.eye(len(memory))[0]

    def step(self, query, _):
        w, before = self.w, self.previous[:, None]
        n, kernel = self.rule["dynamic_n_filters"], self.rule["dynamic_kernel_size"]
        filters = (w["key_layer.weight"] @ np.tanh(w["query_layer.weight"] @ query
                                                   + w["query_layer.bias"])).reshape(n, 1, kernel)
        dynamic = convolve(before, filters) @ w["dynamic_layer.weight"].T + w["dynamic_layer.bias"]
        static = convolve(before, w["static_conv.weight"][:, None]) @ w["static_layer.weight"].T
        length = self.rule["prior_length"]
        padded = np.concatenate([np.zeros(length - 1), self.previous])
        prior = np.array([w["prior"] @ padded[j:j + length] for j in range(len(self.memory))])
        e = np.tanh(static + dynamic) @ w["v.weight"] + np.log(np.maximum(prior, 1e-6))
        self.previous = softmax(e)
        return self.previous, self.previous @ self.memory


ATTENTIONS = {"location": LocationAttention, "forward": LocationAttention, "gmm": GmmAttention,
              "dynamic_convolution": DynamicConvolutionAttention}


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


def decode(voice, memory, masks, max_steps):
    """Frames [steps * r, n_mels], stop logits [steps, gate_dim], alignments [steps, T], whether the gate
    has fired."""
    model = voice.model
    r, n_mels, z = model["n_frames_per_step"], model["n_mels"], model.get("zoneout", 0.0)
    attention = ATTENTIONS[model["attention"]["type"]](voice, memory)
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


def speak(voice, ids, masks, max_steps=10000):
    """Every stage as the golden data has it, and stop_frames, the frames that are speech."""
    model = voice.model
    memory = encode(voice, ids)
    mel, gates, alignments, fired = decode(voice, memory, masks, max_steps)
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
