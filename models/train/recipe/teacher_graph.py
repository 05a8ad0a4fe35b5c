"""Kokoro's graph as float32, with its duration predictor as an output. Runs in the teacher's environment.

    python teacher_graph.py kokoro-v1.0.int8.onnx OUT.onnx

The export quantises products at run time. Here every such product becomes a plain one with dequantised weights, and
ONNX Runtime's fused operators become standard ones. The new output `durations` holds each token's length in units of
600 samples at 24 kHz; their sum is the length of the audio."""

import sys

import numpy as np
import onnx
from onnx import helper, numpy_helper

DURATIONS = "/encoder/Clip_output_0"
OPSET = 20
HIDDEN = 256  # of the quantised LSTMs, per direction


class Rewriter:
    """Replaces nodes of a graph. A rule returns the nodes that stand in for one, and names others that end with it."""

    def __init__(self, graph):
        self.graph = graph
        self.weights = {i.name: i for i in graph.initializer}
        self.maker = {output: node for node in graph.node for output in node.output}
        self.users = {}
        for node in graph.node:
            for name in node.input:
                self.users.setdefault(name, []).append(node)
        self.made, self.replaced, self.ended = {}, {}, set()

    def value(self, name):
        return numpy_helper.to_array(self.weights[name]).astype(np.float32)

    def add(self, name, value):
        self.made[name] = numpy_helper.from_array(np.ascontiguousarray(value, np.float32), name)
        return name

    def only_user(self, name):
        (node,) = self.users[name]
        return node

    def replace(self, node, nodes, *others):
        self.replaced[id(node)] = nodes
        self.ended.update(id(n) for n in (node, *others))

    # -- rules -------------------------------------------------------------------------------------------------------

    def product(self, node):
        """[Dynamic]QuantizeLinear -> MatMulInteger or ConvInteger (-> Add of a bias) -> Cast -> Mul by both scales."""
        x, chain, bias = self.maker[node.input[0]].input[0], [node], None
        after = self.only_user(node.output[0])
        if after.op_type == "Add":
            other = after.input[1] if after.input[0] == node.output[0] else after.input[0]
            while other not in self.weights:  # the bias before it was quantised
                other = self.maker[other].input[0]
            bias = other
            chain.append(after)
            after = self.only_user(after.output[0])
        scaled = self.only_user(after.output[0])
        scales = scaled.input[1] if scaled.input[0] == after.output[0] else scaled.input[0]
        (scale,) = [self.value(i) for i in self.maker[scales].input if i in self.weights]
        zero, weight = self.value(node.input[3]), self.value(node.input[1])
        if node.op_type == "ConvInteger":
            zero, scale = (v.reshape(-1, *[1] * (weight.ndim - 1)) if v.size > 1 else v for v in (zero, scale))
        inputs = [x, self.add(node.input[1] + "_float", (weight - zero) * scale)]
        if bias:
            inputs.append(self.add(bias + "_flat", self.value(bias).reshape(-1)))
        kind = {"ConvInteger": "Conv", "MatMulInteger": "MatMul"}[node.op_type]
        self.replace(scaled, [helper.make_node(kind, inputs, [scaled.output[0]], **attributes(node))], *chain, after)

    def lstm(self, node):
        """DynamicQuantizeLSTM: x, W, R, bias, lengths, h, c, P, scale and zero of W, scale and zero of R."""
        i = node.input
        weights = []
        for q, scale, zero in ((i[1], i[8], i[9]), (i[2], i[10], i[11])):
            scale, zero = self.value(scale).reshape(-1, 1, 1), self.value(zero).reshape(-1, 1, 1)
            weights.append(self.add(q + "_float", ((self.value(q) - zero) * scale).transpose(0, 2, 1)))
        self.replace(node, [helper.make_node("LSTM", [i[0], *weights, i[3], "", i[5], i[6]], list(node.output),
                                             direction="bidirectional", hidden_size=HIDDEN)])

    def gelu(self, node):
        x, nodes = node.input[0], []
        if len(node.input) > 1 and node.input[1]:
            x = node.output[0] + "/biased"
            nodes.append(helper.make_node("Add", list(node.input), [x]))
        self.replace(node, [*nodes, helper.make_node("Gelu", [x], list(node.output), approximate="tanh")])

    def skip_norm(self, node):
        x, skip, gamma, beta, bias = (list(node.input) + [""] * 5)[:5]
        total, nodes = node.output[0] + "/sum", []
        nodes.append(helper.make_node("Add", [x, skip], [total]))
        if bias:
            nodes.append(helper.make_node("Add", [total, bias], [total + "/biased"]))
            total += "/biased"
        epsilon = attributes(node).get("epsilon", 1e-12)
        nodes.append(helper.make_node("LayerNormalization", [total, gamma, beta], [node.output[0]], axis=-1,
                                      epsilon=epsilon))
        self.replace(node, nodes)

    def turned_product(self, node):
        turned = node.output[0] + "/turned"
        self.replace(node, [helper.make_node("Transpose", [node.input[0]], [turned], perm=[0, 2, 1]),
                            helper.make_node("MatMul", [turned, node.input[1]], list(node.output))])

    def table(self, node):
        """DequantizeLinear of rows that Gather takes from a quantised table."""
        gather = self.maker.get(node.input[0])
        if gather is None:
            return
        name = gather.input[0]
        rows = (self.value(name) - self.value(node.input[2])) * self.value(node.input[1])
        self.replace(node, [helper.make_node("Gather", [self.add(name + "_float", rows), gather.input[1]],
                                             list(node.output), **attributes(gather))])

    def run(self):
        rules = {"MatMulInteger": self.product, "ConvInteger": self.product, "DynamicQuantizeLSTM": self.lstm,
                 "FastGelu": self.gelu, "SkipLayerNormalization": self.skip_norm, "FusedMatMul": self.turned_product,
                 "DequantizeLinear": self.table}
        for node in self.graph.node:
            if node.op_type in rules:
                rules[node.op_type](node)
        nodes = []
        for node in self.graph.node:
            nodes += self.replaced.get(id(node), [] if id(node) in self.ended else [node])
        return nodes


def attributes(node):
    return {a.name: helper.get_attribute_value(a) for a in node.attribute}


def needed(nodes, outputs):
    """The nodes that the outputs depend on, in topological order."""
    maker = {output: node for node in nodes for output in node.output}
    order, seen, stack = [], set(), [(maker[o], False) for o in reversed(outputs)]
    while stack:
        node, ready = stack.pop()
        if ready:
            order.append(node)
        elif id(node) not in seen:
            seen.add(id(node))
            stack.append((node, True))
            stack += [(maker[i], False) for i in node.input if i in maker]
    return order


def main():
    model = onnx.load(sys.argv[1])
    graph = model.graph
    rewriter = Rewriter(graph)
    nodes = rewriter.run() + [helper.make_node("Identity", [DURATIONS], ["durations"])]
    graph.output.append(helper.make_tensor_value_info("durations", onnx.TensorProto.FLOAT, None))
    nodes = needed(nodes, [o.name for o in graph.output])
    used = {name for node in nodes for name in node.input}
    weights = [w for w in [*graph.initializer, *rewriter.made.values()] if w.name in used]
    for field, values in ((graph.node, nodes), (graph.initializer, weights), (graph.value_info, []),
                          (model.opset_import, [helper.make_opsetid("", OPSET)])):
        del field[:]
        field.extend(values)
    onnx.save(model, sys.argv[2])


if __name__ == "__main__":
    main()
