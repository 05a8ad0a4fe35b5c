/* The attention mechanisms: score or rule, and what to look for. s is the query, h_j the memory,
 * a the weights of the step before and S their sum, f_j features of both; models/MODEL.md has the
 * details. */

const KNOWN = {
    location: ["e_j = v · tanh(W s + U h_j + V f_j + b), f = conv([a, S])",
               "Content and place together: an even diagonal, also where words repeat."],
    additive: ["e_j = v · tanh(W s + U h_j + b)",
               "Content alone: look for jumps between words that sound alike."],
    location_only: ["e_j = v · tanh(U h_j + V f_j + b)",
                    "No query: it walks on, whatever the decoder has said."],
    dot: ["e_j = (W s) · (U h_j)", "Content by a product: sharp, and easily lost in repeats."],
    scaled_dot: ["e_j = (W s) · (U h_j) / √d", "The product, tempered by the dimension: a softer line."],
    general: ["e_j = sᵀ W h_j", "One matrix between query and memory."],
    concat: ["e_j = v · tanh(W [s; h_j])", "The same family as additive, with one matrix."],
    cosine: ["e_j = β cos(W s, U h_j)", "Only the direction counts; β decides how sharp it looks."],
    multi_head: ["H heads, contexts side by side through W⁰",
                 "Heads may divide the work: one may walk while another looks ahead."],
    local_m: ["softmax inside [p − D, p + D], p by pace", "A window that moves on by itself."],
    local_p: ["p = T σ(v · tanh(W s)), weights × exp(−(j − p)² / 2σ²)", "The window's place is predicted anew in each step."],
    hard: ["one symbol: argmax, or drawn from the softmax", "No half tones: a step has one symbol."],
    monotonic: ["from the last place on, the first j with σ(e_j) ≥ ½", "It never goes back; it may run ahead."],
    stepwise: ["stay or move by one", "It never goes back and never leaves one out."],
    static: ["one query for the whole text", "It cannot move: kept to be seen failing."],
    coverage: ["e_j = v · tanh(W s + U h_j + w S_j + b)", "It knows what has been read, not where it is."],
    hierarchical: ["weights over words × weights over the symbols of a word", "First the word, then the symbol in it."],
    forward: ["α_j ∝ (α′_j + α′_{j−1}) softmax(e)_j", "Only staying or one step ahead is likely."],
    gmm: ["w_j = Σ_k π_k N(j; μ_k, σ_k), μ only grows", "Bells that move forwards: smooth, no content."],
    dynamic_convolution: ["e_j = v · tanh(U f_j + T g_j + b) + prior", "Place alone, by filters that the query makes."],
};

/* {equation, sentence} of a mechanism: the server's own summary wins. */
export function describeMechanism({ name, type = name, summary } = {}) {
    const [equation = "", sentence = ""] = KNOWN[type] || KNOWN[name] || [];
    return { equation, sentence: sentence || summary || "", summary: summary || "" };
}
