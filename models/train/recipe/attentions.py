"""Attention mechanisms in torch, as models/FORMAT.md has them, and their training on a voice's states.

Nothing recurrent is unrolled: the weights of the step before, and their sum, are the voice's own ("forced
attention"), so every step of a sentence is computed at once."""

import copy
import math
import random
import time

import numpy as np
import torch
import torch.nn.functional as F

from taco_export import schema

D = 128
_FEATURES = {"location_n_filters": 32, "location_kernel_size": 31, "location_channels": ["prev", "cum"]}
_HEADS = {"type": "multi_head", "n_heads": 4, "dim": 32, "value_dim": 64}

SETTINGS = {
    "additive": {"type": "additive", "dim": D},
    "location_only": {"type": "location_only", "dim": D, **_FEATURES},
    "dot": {"type": "dot", "dim": D},
    "scaled_dot": {"type": "scaled_dot", "dim": D},
    "general": {"type": "general"},
    "concat": {"type": "concat", "dim": D},
    "cosine": {"type": "cosine", "dim": D},
    "multi_head": {**_HEADS, "head_score": "scaled_dot"},
    "multi_head_location": {**_HEADS, "head_score": "location", "location_n_filters": 16,
                            "location_kernel_size": 31},
    "local_m": {"type": "local_m", "dim": D, "local_width": 6, "pace_learnt": True},
    "local_p": {"type": "local_p", "dim": D, "local_width": 6},
    "hierarchical": {"type": "hierarchical", "dim": D},
    "hard": {"type": "hard", "dim": D, **_FEATURES},
    "monotonic": {"type": "monotonic", "dim": D, **_FEATURES, "v_bias": True},
    "stepwise": {"type": "stepwise", "dim": D, **_FEATURES, "v_bias": True},
    "static": {"type": "static", "dim": 16},
    "coverage": {"type": "coverage", "dim": D},
    "forward": {"type": "forward", "dim": D, **_FEATURES, "forward_rule": "coqui"},
    "gmm": {"type": "gmm", "gmm_components": 5, "gmm_normalised": True},
    "dynamic_convolution": {"type": "dynamic_convolution", "dim": D, "dynamic_n_filters": 8,
                            "dynamic_kernel_size": 21, "prior_length": 11},
}


def settings(mechanism, model, text):
    """The recipe's; heads share out the memory's width, and words end where the voice's text says so."""
    chosen = dict(SETTINGS[mechanism])
    if "n_heads" in chosen:
        chosen["value_dim"] = schema.memory_width(model) // chosen["n_heads"]
    if mechanism == "hierarchical":
        ends = {text.get("word_separator"), *text.get("punctuation", "")}
        chosen["word_ends"] = [i for i, symbol in enumerate(text["symbols"]) if symbol in ends]
    return chosen


def read_states(path):
    """Of every sentence: memory [T, M], queries [S, A], alignment [S, T]."""
    data, at, items = np.fromfile(path, np.float32), 0, []
    while at < len(data):
        t, s, m, a = (int(x) for x in data[at:at + 4].view(np.int32))
        ids = data[at + 4:at + 4 + t].view(np.int32)
        at += 4 + t
        arrays = []
        for rows, columns in ((t, m), (s, a), (s, t)):
            arrays.append(torch.from_numpy(data[at:at + rows * columns].reshape(rows, columns).copy()))
            at += rows * columns
        items.append(Sentence(ids, *arrays))
    return items


class Sentence:
    def __init__(self, ids, memory, queries, target):
        self.ids = ids
        self.memory, self.queries, self.target = memory, queries, target
        zero = torch.zeros(1, target.shape[1])
        self.prev = torch.cat([zero, target[:-1]])  # weights of the step before
        self.cum = self.prev.cumsum(0)
        path = torch.cummax(target.argmax(1), 0)[0]
        for s in range(len(path)):  # at most one symbol a step, from the first symbol on
            path[s] = min(int(path[s]), int(path[s - 1]) + 1 if s else 1)
        self.path, self.before = path, torch.cat([torch.zeros(1, dtype=torch.long), path[:-1]])

    def hardened(self):
        """The same with weights of one symbol a step, as mechanisms that choose one see them."""
        item = copy.copy(self)
        item.prev = F.one_hot(self.before, self.target.shape[1]).float()
        item.prev[0] = 0
        item.cum = item.prev.cumsum(0)
        item.target = F.one_hot(self.path, self.target.shape[1]).float()
        return item


def start(settings_, model, voice, generator):
    """Tensors to begin with: the voice's own where a name has the same shape, else random."""
    shapes = schema.attention_shapes(settings_, model["attention_rnn_dim"], schema.memory_width(model),
                                     model["n_mels"])
    own = {name[18:]: x for name, x in voice.items() if name.startswith("decoder.attention.")}
    p = {}
    for name, shape in shapes.items():
        if name in own and own[name].shape == shape:
            p[name] = torch.tensor(own[name])
        elif name.endswith("bias"):
            p[name] = torch.zeros(shape)
        else:
            p[name] = torch.randn(shape, generator=generator) / math.sqrt(shape[-1])
    if settings_["type"] == "multi_head":
        # Each head hands on its slice of the memory; together they hand on all of it.
        p["value_layer.weight"] = torch.eye(shapes["value_layer.weight"][1])
        p["output_layer.weight"] = torch.eye(shapes["output_layer.weight"][0])
    if settings_["type"] == "cosine":
        p["log_beta"] = torch.tensor([3.0])
    if settings_.get("pace_learnt"):  # about 1/6 of a symbol a step
        p["pace_layer.bias"] = torch.tensor([-1.7])
    if settings_["type"] == "gmm":  # means that move by about 1/6 of a symbol a step
        k = settings_["gmm_components"]
        p["gmm.1.bias"] = torch.cat([torch.zeros(2 * k), torch.full((k,), -1.7)])
    if settings_["type"] == "dynamic_convolution":
        p["prior"] = prior(settings_["prior_length"])
    return {name: x.float().requires_grad_(name != "prior") for name, x in p.items()}


def prior(length, alpha=0.1, beta=0.9):
    """Battenberg et al.'s beta-binomial filter, turned round as the file has it."""
    n = length - 1

    def log_beta(a, b):
        return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)

    values = [math.exp(math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
                       + log_beta(k + alpha, n - k + beta) - log_beta(alpha, beta)) for k in range(length)]
    return torch.tensor(values[::-1])


# -- energies [S, T] -----------------------------------------------------------------------------

def convolve(x, weight):
    """x [S, channels, T], weight [F, channels, K] -> [S, T, F]."""
    return F.conv1d(x, weight, padding=weight.shape[2] // 2).transpose(1, 2)


def additive(p, rule, item):
    kind, keys = rule["type"], None
    if kind == "concat":
        width = item.queries.shape[1]
        query = item.queries @ p["concat_layer.weight"][:, :width].T
        keys = item.memory @ p["concat_layer.weight"][:, width:].T
    else:
        keys = F.linear(item.memory, p["memory_layer.weight"], p.get("memory_layer.bias"))
        query = (p["query"][None] if kind == "static" else torch.zeros(1, len(p["v.weight"]))
                 if kind == "location_only" else item.queries @ p["query_layer.weight"].T)
    x = query[:, None] + keys[None]
    if rule.get("location_n_filters"):
        seen = torch.stack([{"prev": item.prev, "cum": item.cum}[c] for c in rule["location_channels"]], 1)
        x = x + convolve(seen, p["location_conv.weight"]) @ p["location_dense.weight"].T
    if kind == "coverage":
        x = x + item.cum[:, :, None] * p["coverage_layer.weight"]
    e = torch.tanh(x) @ p["v.weight"]
    return e + p["v.bias"] if "v.bias" in p else e


def products(p, rule, item):
    kind = rule["type"]
    keys = F.linear(item.memory, p["memory_layer.weight"], p.get("memory_layer.bias"))
    if kind == "general":
        return item.queries @ keys.T
    query = F.linear(item.queries, p["query_layer.weight"], p.get("query_layer.bias"))
    if kind == "cosine":
        return p["log_beta"].exp() * (F.normalize(query, dim=1) @ F.normalize(keys, dim=1).T)
    return query @ keys.T / (math.sqrt(rule["dim"]) if kind == "scaled_dot" else 1)


def dynamic(p, rule, item):
    prev = item.prev.clone()
    prev[0, 0] = 1
    s, n, kernel = len(prev), rule["dynamic_n_filters"], rule["dynamic_kernel_size"]
    filters = torch.tanh(F.linear(item.queries, p["query_layer.weight"], p["query_layer.bias"]))
    filters = (filters @ p["key_layer.weight"].T).reshape(s * n, 1, kernel)
    moved = F.conv1d(prev[None], filters, padding=kernel // 2, groups=s)[0].reshape(s, n, -1).transpose(1, 2)
    x = F.linear(moved, p["dynamic_layer.weight"], p["dynamic_layer.bias"])
    x = x + convolve(prev[:, None], p["static_conv.weight"][:, None]) @ p["static_layer.weight"].T
    ahead = F.conv1d(F.pad(prev[:, None], (rule["prior_length"] - 1, 0)), p["prior"][None, None])[:, 0]
    return torch.tanh(x) @ p["v.weight"] + ahead.clamp(min=1e-6).log()


# -- losses ----------------------------------------------------------------------------------------

def cross_entropy(target, log_weights):
    return -(target * log_weights).sum(1).mean()


def heads(p, rule, item):
    n, dim = rule["n_heads"], rule["dim"]
    query = F.linear(item.queries, p["query_layer.weight"], p.get("query_layer.bias")).reshape(-1, n, dim)
    keys = F.linear(item.memory, p["memory_layer.weight"], p.get("memory_layer.bias")).reshape(-1, n, dim)
    values = F.linear(item.memory, p["value_layer.weight"]).reshape(len(keys), n, -1)
    if rule["head_score"] == "location":
        x = query.transpose(0, 1)[:, :, None] + keys.transpose(0, 1)[:, None]
        x = x + torch.stack([convolve(item.prev[:, None], c[:, None]) @ d.T for c, d in
                             zip(p["location_conv.weight"], p["location_dense.weight"])])
        e = (torch.tanh(x) * p["v.weight"][:, None, None]).sum(3)
    else:
        e = torch.einsum("snd,tnd->nst", query, keys) / math.sqrt(dim)
    log_weights = torch.log_softmax(e, 2)
    context = torch.einsum("nst,tnv->snv", log_weights.exp(), values).flatten(1) @ p["output_layer.weight"].T
    wanted = item.target @ item.memory
    return (sum(cross_entropy(item.target, w) for w in log_weights) / n
            + ((context - wanted) ** 2).mean() / (wanted ** 2).mean())


def mixture(p, rule, item):
    g, b, k = F.linear(torch.relu(F.linear(item.queries, p["gmm.0.weight"], p["gmm.0.bias"])),
                       p["gmm.1.weight"], p["gmm.1.bias"]).chunk(3, 1)
    sigma, g, mu = F.softplus(b) + 1e-5, torch.softmax(g, 1) + 1e-5, F.softplus(k).cumsum(0)
    x = torch.arange(item.target.shape[1] + 1) + 0.5
    f = (g[:, :, None] / (1 + torch.sigmoid((mu[:, :, None] - x) / sigma[:, :, None]))).sum(1)
    w = (f[:, 1:] - f[:, :-1]).clamp(min=1e-8)
    return cross_entropy(item.target, (w / w.sum(1, keepdim=True)).log())


def local(p, rule, item):
    n = item.target.shape[1]
    place = n * torch.sigmoid(torch.tanh(item.queries @ p["position_layer.weight"].T) @ p["position_v.weight"])
    distance = torch.arange(n)[None] - place[:, None]
    # Outside its window a wrong place has no gradient; the wanted place is learnt beside.
    wanted = item.target @ torch.arange(n, dtype=torch.float32)
    e = additive(p, rule, item) - 0.5 * (distance / (rule["local_width"] / 2)) ** 2
    return cross_entropy(item.target, torch.log_softmax(e, 1)) + 0.05 * (place - wanted).abs().mean()


def moving(p, rule, item):
    """The place is a sum of paces, each from its query alone; the window is learnt where it should be."""
    places = torch.arange(item.target.shape[1], dtype=torch.float32)
    place = F.softplus(F.linear(item.queries, p["pace_layer.weight"], p["pace_layer.bias"]))[:, 0].cumsum(0)
    wanted = item.target @ places
    outside = (places[None] - wanted[:, None]).abs() > rule["local_width"]
    log_weights = torch.log_softmax(additive(p, rule, item).masked_fill(outside, -1e4), 1)
    return cross_entropy(item.target, log_weights) + 0.05 * (place - wanted).abs().mean()


def word_of(ids, ends):
    """Index of each symbol's word, from 0: what ends a word belongs to it, several ends in a row as well."""
    words, word = [], 0
    for j, symbol in enumerate(ids):
        if j and ids[j - 1] in ends and symbol not in ends:
            word += 1
        words.append(word)
    return torch.tensor(words)


def layers(p, rule, item):
    """Log weights of words plus log weights of the symbols of each word."""
    words = word_of([int(i) for i in item.ids], set(rule["word_ends"]))
    member = F.one_hot(words).float()  # [T, words]
    means = member.T @ item.memory / member.sum(0)[:, None]
    of_words = torch.tanh((item.queries @ p["word_query_layer.weight"].T)[:, None]
                          + (means @ p["word_memory_layer.weight"].T)[None]) @ p["word_v.weight"]
    e = additive(p, rule, item)
    within = e.exp() @ member + 1e-20
    log_weights = torch.log_softmax(of_words, 1)[:, words] + e - within.log()[:, words]
    return cross_entropy(item.target, log_weights)


def steps(p, rule, item):
    """To stay or to move on at the place before; monotonic: to pass over what lies between."""
    e, at = additive(p, rule, item), torch.arange(item.target.shape[1])[None]
    if rule["type"] == "stepwise":
        seen = at == item.before[:, None]
        chosen = (item.path == item.before)[:, None] & seen
    else:
        seen = (at >= item.before[:, None]) & (at <= item.path[:, None])
        chosen = at == item.path[:, None]
    return F.binary_cross_entropy_with_logits(e[seen], chosen[seen].float())


def loss_of(p, rule, item):
    kind = rule["type"]
    special = {"multi_head": heads, "gmm": mixture, "local_p": local, "local_m": moving, "hierarchical": layers,
               "monotonic": steps, "stepwise": steps}
    if kind in special:
        return special[kind](p, rule, item)
    energies = {"dynamic_convolution": dynamic, "dot": products, "scaled_dot": products, "general": products,
                "cosine": products}.get(kind, additive)
    return cross_entropy(item.target, torch.log_softmax(rule.get("scale", 1.0) * energies(p, rule, item), 1))


def train(rule, model, voice, items, epochs, batch=4, rate=3e-3):
    """{name: trained values}. The last twentieth of the sentences is held out and measured."""
    torch.set_num_threads(1)
    generator, order = torch.Generator().manual_seed(1), random.Random(1)
    p = start(rule, model, voice, generator)
    learnt = [x for x in p.values() if x.requires_grad]
    if rule["type"] in ("hard", "monotonic", "stepwise"):
        items = [item.hardened() for item in items]
    held = max(1, len(items) // 20)
    items, tests = items[:-held] or items, items[-held:]
    total, done, began = epochs * max(1, len(items) // batch), 0, time.time()
    optimiser = torch.optim.Adam(learnt, lr=rate)
    for epoch in range(epochs):
        order.shuffle(items)
        losses = []
        for i in range(0, len(items) - batch + 1 or 1, batch):
            for group in optimiser.param_groups:
                group["lr"] = rate * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * done / total)))
            chosen = items[i:i + batch]
            loss = sum(loss_of(p, rule, item) for item in chosen) / len(chosen)
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(learnt, 1.0)
            optimiser.step()
            losses.append(float(loss.detach()))
            done += 1
        with torch.no_grad():
            test = sum(float(loss_of(p, rule, item)) for item in tests) / len(tests)
        print(f"{rule['type']}: epoch {epoch + 1} of {epochs}: loss {np.mean(losses):.4f}, held out {test:.4f}, "
              f"{time.time() - began:.0f} s", flush=True)
    return {name: x.detach().numpy() for name, x in p.items()}
