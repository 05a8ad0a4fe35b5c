"""What a typed program writes; mypy --strict reads it."""
from typing import List

import numpy as np
import tacod
from numpy.typing import NDArray


def durations(texts: List[str]) -> List[float]:
    with tacod.Engine(threads=1) as engine:
        return [engine.speak(text, seed=1, speed=1.5).duration for text in texts]


def levels(text: str) -> List[float]:
    blocks: List[NDArray[np.float32]] = list(tacod.stream(text))
    return [float(np.abs(block).max()) for block in blocks]


def first_word(text: str) -> str:
    try:
        words: List[tacod.Word] = tacod.speak(text).words
    except tacod.TextError as error:
        return f"{error.code} {error.param or ''}"
    return words[0].text
