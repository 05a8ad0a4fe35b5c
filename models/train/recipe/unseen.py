"""Symbols that the corpus never has: each is given the embedding of the nearest symbol that it has, so that a text
which holds one is not read with a vector that nothing was ever learned for."""

PAUSES = ("-", "(", ")")


def nearest(symbol, seen):
    """The symbol of the set `seen` that sounds most like this one, or None. ARPAbet and pauses only."""
    if symbol in PAUSES:
        return "," if "," in seen else None
    base = symbol.rstrip("012")
    others = [base + "0", base + "1"] if base == "AH" else [base + "1", base + "0"]
    return next((s for s in [*others, base] if s in seen and s != symbol), None)


def fill(state, items, table):
    """Changes the embedding of a state_dict; items: [(mel, ids, frames)]. Returns {symbol: the one that it sounds as}."""
    seen = {table[i] for _, ids, _ in items for i in ids}
    filled = {}
    for i, symbol in enumerate(table):
        other = None if symbol in seen else nearest(symbol, seen)
        if other is not None:
            state["embedding.weight"][i] = state["embedding.weight"][table.index(other)]
            filled[symbol] = other
    return filled
