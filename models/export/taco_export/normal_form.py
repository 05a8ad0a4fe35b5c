"""From the common names to the engine's normal form (models/FORMAT.md, "Tensors").

Everything that can be folded is folded here, in double precision: batch normalisation into the
convolution (or linear layer) before it, the two biases of an LSTM into one, rows and columns into
the engine's order. Sizes are read off the tensors; what a project's rules add comes in a Graph.
"""

from dataclasses import dataclass, field

import numpy as np

from .report import ExportError


@dataclass
class Graph:
    """What the tensors alone do not tell. The names are those of FORMAT.md."""

    n_mels: int
    n_frames_per_step: int = 1
    batch_norm_eps: float = 1e-5
    encoder_residual: bool = False
    prenet_dropout: float = 0.5
    prenet_all_frames: bool = False
    attention_first: bool = False
    decoder_rnn_context: bool = True
    zoneout: float = 0.0
    gate_threshold: float = 0.5
    gate_inclusive: bool = False
    min_steps: int = 0
    firing_frame: str = "keep"
    attention: dict = field(default_factory=dict)
    # How the checkpoint orders things that the engine has in one order.
    context_first: bool = False  # columns of attention_rnn: [context, prenet]
    bands_first: bool = False    # rows of linear_projection: d * r + k
    v_scale: float = 1.0         # a factor on the energies, folded into v
    # Columns of the memory that are zero at inference, (begin, end), and so are cut out.
    zero_memory: tuple = None


class Folder:
    """Walks through a State once and collects normal-form tensors and the model section."""

    def __init__(self, state, graph):
        self.state, self.graph = state, graph
        self.tensors = {}

    def fold(self, speakers=None):
        """(model section, tensors). speakers: (mode, table [n, dim]) or None."""
        model = {"n_mels": self.graph.n_mels, "n_frames_per_step": self.graph.n_frames_per_step}
        model.update(self._encoder())
        self.memory_dim = 2 * model["encoder_lstm_dim"]
        if speakers is not None:
            mode, table = speakers
            model.update(speaker_mode=mode, speaker_embedding_dim=int(table.shape[1]))
            self._put("speaker_embedding.weight", table)
            self.memory_dim += table.shape[1] if mode == "concat" else 0
        model.update(self._decoder())
        model.update(self._postnet())
        return model, self.tensors

    # -- parts -----------------------------------------------------------------------------

    def _encoder(self):
        embedding = self.state.take("embedding.weight", None, None)
        self._put("embedding.weight", embedding)
        n = self.state.count("encoder.convolutions.{i}.0.weight")
        width, kernel = embedding.shape[1], 1
        for i in range(n):
            weight, bias = self._convolution(f"encoder.convolutions.{i}", width)
            if i > 0 and weight.shape[2] != kernel:
                raise ExportError("encoder convolutions of different kernel sizes")
            width, kernel = weight.shape[0], weight.shape[2]
            self._put(f"encoder.convolutions.{i}.weight", weight)
            self._put(f"encoder.convolutions.{i}.bias", bias)
        if "encoder.lstm.weight_ih_l1" in self.state:
            raise ExportError("an encoder with more than one LSTM layer")
        for suffix, name in (("", "lstm"), ("_reverse", "lstm_reverse")):
            hidden = self._lstm("encoder.lstm", "_l0" + suffix, "encoder." + name, width)
        return {"n_symbols": int(embedding.shape[0]),
                "symbols_embedding_dim": int(embedding.shape[1]),
                "encoder_n_convolutions": n, "encoder_kernel_size": int(kernel),
                "encoder_conv_dim": int(width), "encoder_residual": self.graph.encoder_residual,
                "encoder_lstm_dim": hidden}

    def _decoder(self):
        g, state, m = self.graph, self.state, self.memory_dim
        r, n_mels = g.n_frames_per_step, g.n_mels
        width, dims, bias = n_mels * (r if g.prenet_all_frames else 1), [], False
        for i in range(state.count("decoder.prenet.layers.{i}.weight")):
            weight, layer_bias = self._linear_bn(f"decoder.prenet.layers.{i}", width)
            self._put(f"decoder.prenet.{i}.weight", weight)
            if layer_bias is not None:
                bias = True
                self._put(f"decoder.prenet.{i}.bias", layer_bias)
            width = weight.shape[0]
            dims.append(int(width))
        if not dims:
            raise ExportError("a decoder without a prenet")
        prenet_dim = width

        def to_normal_form(weight):
            weight = self._cut_zero_memory(weight, 0 if g.context_first else prenet_dim)
            if g.context_first:
                weight = np.concatenate([weight[:, m:], weight[:, :m]], 1)
            return weight

        rnn = self._lstm("decoder.attention_rnn", "", "decoder.attention_rnn", prenet_dim + m,
                         to_normal_form)
        attention = self._attention(rnn)
        hidden = self._lstm("decoder.decoder_rnn", "", "decoder.decoder_rnn",
                            rnn + (m if g.decoder_rnn_context else 0),
                            lambda w: self._cut_zero_memory(w, rnn) if g.decoder_rnn_context else w)
        self._outputs(hidden)
        return {"prenet_dims": dims, "prenet_bias": bias, "prenet_dropout": g.prenet_dropout,
                "prenet_all_frames": g.prenet_all_frames, "attention_rnn_dim": rnn,
                "decoder_rnn_dim": hidden, "attention_first": g.attention_first,
                "decoder_rnn_context": g.decoder_rnn_context, "zoneout": g.zoneout,
                "attention": attention, "gate_threshold": g.gate_threshold,
                "gate_dim": int(self.tensors["decoder.gate_layer.weight"].shape[0]),
                "gate_inclusive": g.gate_inclusive, "min_steps": g.min_steps,
                "firing_frame": g.firing_frame}

    def _attention(self, query_dim):
        """Takes the tensors of the mechanism named in the graph; returns its section, sizes added."""
        section, put = dict(self.graph.attention), self._put
        source, target = "decoder.attention_layer.", "decoder.attention."
        if section["type"] == "gmm":
            hidden = self.state.take(source + "gmm.0.weight", query_dim, query_dim)
            heads = self.state.take(source + "gmm.1.weight", None, query_dim)
            if heads.shape[0] % 3:
                raise ExportError(f"{self.state.original(source + 'gmm.1.weight')}: "
                                  f"{heads.shape[0]} rows are not three a component")
            put(target + "gmm.0.weight", hidden)
            put(target + "gmm.0.bias", self.state.take(source + "gmm.0.bias", query_dim))
            put(target + "gmm.1.weight", heads)
            put(target + "gmm.1.bias", self.state.take(source + "gmm.1.bias", heads.shape[0]))
            section["gmm_components"] = heads.shape[0] // 3
            return section
        query = self.state.take(source + "query_layer.weight", None, query_dim)
        dim = int(query.shape[0])
        section["dim"] = dim
        put(target + "query_layer.weight", query)
        put(target + "v.weight", self.graph.v_scale *
            self.state.take(source + "v.weight", 1, dim).reshape(dim))
        if section["type"] == "dynamic_convolution":
            return self._dynamic_convolution(section, source, target)
        memory = self.state.take(source + "memory_layer.weight", dim, None)
        put(target + "memory_layer.weight", self._cut_zero_memory(memory, 0))
        section["memory_bias"] = source + "memory_layer.bias" in self.state
        if section["memory_bias"]:
            put(target + "memory_layer.bias", self.state.take(source + "memory_layer.bias", dim))
        if source + "v.bias" in self.state:
            # A constant added to every energy changes the sigmoid normaliser and not the softmax.
            v_bias = self.state.take(source + "v.bias", 1)
            section["v_bias"] = section.get("normaliser") == "sigmoid"
            if section["v_bias"]:
                put(target + "v.bias", v_bias)
        self._location(section, source + "location_layer.", target)
        if section.get("transition_agent"):
            weight = self.state.take(source + "transition_agent.weight", 1, None)
            put(target + "transition_agent.weight", self._cut_zero_memory(weight, 0))
            put(target + "transition_agent.bias",
                self.state.take(source + "transition_agent.bias", 1))
        return section

    def _location(self, section, source, target):
        if source + "location_conv.weight" not in self.state:
            section["location_n_filters"] = 0
            section.pop("location_channels")
            return
        channels = section["location_channels"]
        name = source + "location_conv.weight"
        if len(self.state.shape(name)) == 4:  # ESPnet convolves an image of height one
            weight = self.state.take(name, None, len(channels), 1, None)[:, :, 0]
        else:
            weight = self.state.take(name, None, len(channels), None)
        self._put(target + "location_conv.weight", weight)
        self._put(target + "location_dense.weight",
                  self.state.take(source + "location_dense.weight", section["dim"],
                                  weight.shape[0]))
        section.update(location_n_filters=int(weight.shape[0]),
                       location_kernel_size=int(weight.shape[2]))

    def _dynamic_convolution(self, section, source, target):
        take, put, dim = self.state.take, self._put, section["dim"]
        static = take(source + "static_conv.weight", None, 1, None)[:, 0]
        n_filters, kernel = static.shape
        put(target + "query_layer.bias", take(source + "query_layer.bias", dim))
        put(target + "key_layer.weight", take(source + "key_layer.weight", n_filters * kernel, dim))
        put(target + "static_conv.weight", static)
        put(target + "static_layer.weight", take(source + "static_layer.weight", dim, n_filters))
        put(target + "dynamic_layer.weight", take(source + "dynamic_layer.weight", dim, n_filters))
        put(target + "dynamic_layer.bias", take(source + "dynamic_layer.bias", dim))
        prior = take(source + "prior", None)
        put(target + "prior", prior)
        section.update(dynamic_n_filters=int(n_filters), dynamic_kernel_size=int(kernel),
                       prior_length=int(prior.shape[0]))
        return section

    def _outputs(self, hidden):
        """linear_projection and gate_layer, both on [decoder_rnn's h, context]."""
        g, state = self.graph, self.state
        r, n_mels = g.n_frames_per_step, g.n_mels
        width = hidden + self.memory_dim
        weight, bias = self._on_h_and_context("decoder.linear_projection", hidden)
        if weight.shape[0] % n_mels or weight.shape[0] < r * n_mels:
            raise ExportError(f"{state.original('decoder.linear_projection.weight')}: "
                              f"{weight.shape[0]} rows, not {r} frames of {n_mels} bands")
        if "decoder.stopnet.weight" in state:
            # Coqui and Mozilla: the stop layer sees h and all frames that the projection makes, and
            # no context. W [h, P [h, c] + b_P] + b = (W_h + W_f P_h) h + W_f P_c c + W_f b_P + b.
            stop = state.take("decoder.stopnet.weight", 1, hidden + weight.shape[0])
            of_frames = stop[:, hidden:]
            gate = of_frames @ weight
            gate[:, :hidden] += stop[:, :hidden]
            gate_bias = state.take("decoder.stopnet.bias", 1) + of_frames @ bias
        else:
            gate, gate_bias = self._on_h_and_context("decoder.gate_layer", hidden)
            if gate.shape[0] not in (1, r):
                raise ExportError(f"{state.original('decoder.gate_layer.weight')}: "
                                  f"{gate.shape[0]} stop logits a step, expected 1 or {r}")
        weight, bias = weight[:r * n_mels], bias[:r * n_mels]
        if g.bands_first:
            order = np.arange(r * n_mels).reshape(n_mels, r).T.reshape(-1)
            weight, bias = weight[order], bias[order]
        assert weight.shape[1] == gate.shape[1] == width
        self._put("decoder.linear_projection.weight", weight)
        self._put("decoder.linear_projection.bias", bias)
        self._put("decoder.gate_layer.weight", gate)
        self._put("decoder.gate_layer.bias", gate_bias)

    def _on_h_and_context(self, name, hidden):
        """A linear layer on [h, context]; one that sees h alone gets columns of zeros."""
        weight = self.state.take(name + ".weight", None, None)
        if weight.shape[1] == hidden:
            weight = np.pad(weight, ((0, 0), (0, self.memory_dim)))
        else:
            weight = self._cut_zero_memory(weight, hidden)
        if weight.shape[1] != hidden + self.memory_dim:
            raise ExportError(f"{self.state.original(name + '.weight')}: {weight.shape[1]} columns "
                              f"for h [{hidden}] and context [{self.memory_dim}]")
        if name + ".bias" in self.state:
            return weight, self.state.take(name + ".bias", weight.shape[0])
        return weight, np.zeros(weight.shape[0])

    def _postnet(self):
        n, width = self.state.count("postnet.convolutions.{i}.0.weight"), self.graph.n_mels
        kernel, inner = 1, 1
        for i in range(n):
            weight, bias = self._convolution(f"postnet.convolutions.{i}", width)
            if i > 0 and weight.shape[2] != kernel:
                raise ExportError("postnet convolutions of different kernel sizes")
            width, kernel = weight.shape[0], weight.shape[2]
            inner = width if i == 0 else inner
            self._put(f"postnet.convolutions.{i}.weight", weight)
            self._put(f"postnet.convolutions.{i}.bias", bias)
        if width != self.graph.n_mels:
            raise ExportError(f"postnet: {width} bands come out, expected {self.graph.n_mels}")
        return {"postnet_n_convolutions": n, "postnet_kernel_size": int(kernel),
                "postnet_embedding_dim": int(inner)}

    # -- layers ----------------------------------------------------------------------------

    def _put(self, name, values):
        self.tensors[name] = np.ascontiguousarray(values)

    def _cut_zero_memory(self, weight, begin):
        """Removes the columns that meet zeros; begin is where the memory's columns start."""
        if self.graph.zero_memory is None:
            return weight
        first, last = (begin + n for n in self.graph.zero_memory)
        return np.delete(weight, np.s_[first:last], 1)

    def _batch_norm(self, name, n):
        """y = scale x + shift, from the running statistics."""
        take = self.state.take
        variance = take(name + ".running_var", n)
        if (variance + self.graph.batch_norm_eps <= 0).any():
            raise ExportError(f"{self.state.original(name + '.running_var')}: a negative variance")
        scale = take(name + ".weight", n) / np.sqrt(variance + self.graph.batch_norm_eps)
        return scale, take(name + ".bias", n) - take(name + ".running_mean", n) * scale

    def _convolution(self, name, width):
        """Weight [out, in, kernel] and bias, with the batch normalisation after it folded in."""
        weight = self.state.take(name + ".0.weight", None, width, None)
        if weight.shape[2] % 2 == 0:
            raise ExportError(f"{self.state.original(name + '.0.weight')}: kernel of even size")
        bias = np.zeros(weight.shape[0])
        if name + ".0.bias" in self.state:
            bias = self.state.take(name + ".0.bias", weight.shape[0])
        if name + ".1.running_mean" in self.state:
            scale, shift = self._batch_norm(name + ".1", weight.shape[0])
            weight, bias = weight * scale[:, None, None], bias * scale + shift
        return weight, bias

    def _linear_bn(self, name, width):
        weight = self.state.take(name + ".weight", None, width)
        bias = None
        if name + ".bias" in self.state:
            bias = self.state.take(name + ".bias", weight.shape[0])
        if name + ".batch_norm.running_mean" in self.state:
            scale, shift = self._batch_norm(name + ".batch_norm", weight.shape[0])
            bias = shift if bias is None else bias * scale + shift
            weight = weight * scale[:, None]
        return weight, bias

    def _lstm(self, source, suffix, target, width, arrange=lambda w: w):
        """PyTorch's LSTM: rows i, f, g, o; two biases, summed. Returns the number of units."""
        w_hh = self.state.take(f"{source}.weight_hh{suffix}", None, None)
        units = w_hh.shape[1]
        name = f"{source}.weight_ih{suffix}"
        w_ih = arrange(self.state.take(name, 4 * units, None))
        if w_hh.shape[0] != 4 * units:
            raise ExportError(f"{self.state.original(f'{source}.weight_hh{suffix}')}: shape "
                              f"{list(w_hh.shape)} is not [4 units, units]")
        if w_ih.shape[1] != width:
            raise ExportError(f"{self.state.original(name)}: {w_ih.shape[1]} inputs, expected "
                              f"{width}")
        bias = (self.state.take(f"{source}.bias_ih{suffix}", 4 * units)
                + self.state.take(f"{source}.bias_hh{suffix}", 4 * units))
        self._put(target + ".weight_ih", w_ih)
        self._put(target + ".weight_hh", w_hh)
        self._put(target + ".bias", bias)
        return int(units)
