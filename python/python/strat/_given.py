"""What users give, checked: each mistake is told with its name and value."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from os import PathLike, fspath
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Path = str | PathLike[str]
Settings = Mapping[str, Any]

#: Most learners of a row.
MOST_SEEDS = 1_000_000


def path_of(name: str, path: object, what: str = "folder") -> str:
    """A path as text."""
    found = fspath(path) if isinstance(path, PathLike) else path
    if not isinstance(found, str):
        raise TypeError(f"{name} is {path!r}, a {type(path).__name__}; should be a {what}")
    return found


def text_of(name: str, text: object) -> str:
    """A text."""
    if not isinstance(text, str):
        raise TypeError(f"{name} is {text!r}, a {type(text).__name__}; should be a text")
    return text


def whole(name: str, number: object, least: int = 1, most: int = 2**63 - 1) -> int:
    """A whole number from one to the other."""
    if isinstance(number, (bool, np.bool_)) or not isinstance(number, (int, np.integer)):
        raise TypeError(f"{name} is {number!r}, a {type(number).__name__}; should be a whole number")
    if number < least:
        raise ValueError(f"{name} is {number}, but should be at least {least}")
    if number > most:
        raise ValueError(f"{name} is {number}, but should be at most {most}")
    return int(number)


def threads_of(threads: object) -> int | None:
    """How many threads; `None` is one for each core."""
    return None if threads is None else whole("threads", threads)


def texts_of(name: str, texts: object) -> list[str]:
    """Texts in a list, not one text."""
    if isinstance(texts, (str, bytes)) or not isinstance(texts, Iterable):
        raise TypeError(f"{name} is {texts!r}, a {type(texts).__name__}; should be a list of texts")
    return [text_of(f"{name}[{i}]", text) for i, text in enumerate(texts)]


def numbers_of(name: str, array: ArrayLike) -> tuple[NDArray[np.float64], str]:
    """An array as the native part takes it, with what its numbers were."""
    if hasattr(array, "detach"):
        array = array.detach().cpu().numpy()
    if np.ma.is_masked(array):
        raise ValueError(f"array {name!r} has masked places; fill them first, as with .filled(0)")
    try:
        found = np.asarray(array)
    except ValueError as why:
        raise ValueError(f"array {name!r} is no array: {why}") from None
    if found.dtype == object:
        # Such as a column of pandas with whole numbers of any size.
        raise TypeError(f"array {name!r} holds objects; should be numbers or bools: give it a dtype, as with .astype(float)")
    kind = {"b": "bool", "i": "int", "u": "int", "f": "float"}.get(found.dtype.kind)
    if kind is None:
        raise TypeError(f"array {name!r} holds {found.dtype}; should be numbers or bools")
    # Not np.ascontiguousarray, which makes an array of one of a number.
    return np.require(found, np.float64, ["C", "A", "E"]), kind


def literal(key: str, value: Any) -> str:
    """A value in TOML."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        if not math.isfinite(value):
            raise ValueError(f"{key} is {value}, but should be finite")
        return repr(float(value))
    if isinstance(value, str):
        if not value.isprintable():
            raise ValueError(f"{key} is {value!r}, which has a character that cannot be printed")
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{k} = {literal(f'{key}.{k}', v)}" for k, v in value.items()) + " }"
    if isinstance(value, (Sequence, np.ndarray)) and not isinstance(value, (bytes, bytearray, memoryview)):
        return "[" + ", ".join(literal(key, item) for item in value) + "]"
    raise TypeError(f"{key} is {value!r}, a {type(value).__name__}; should be a number, text, bool, or a list of such")


def flat(config: Settings | None) -> list[str]:
    """`{"train": {"steps": 10}}` or `{"train.steps": 10}` as `["train.steps=10"]`."""
    if config is None:
        return []
    if not isinstance(config, Mapping):
        raise TypeError(f"config is {config!r}, a {type(config).__name__}; should be a dict such as {{'train.steps': 100}}")
    found: list[str] = []
    for key, value in config.items():
        if not isinstance(key, str):
            raise TypeError(f"config has the key {key!r}; keys are texts such as 'train.steps'")
        if not all(part.isidentifier() for part in key.split(".")):
            raise ValueError(f"config has the key {key!r}; keys are names such as 'train.steps'")
        if isinstance(value, Mapping) and key in ("model", "train", "task"):
            found += flat({f"{key}.{part}": item for part, item in value.items()})
        else:
            found.append(f"{key}={literal(key, value)}")
    return found


def seeds_of(seeds: range | Iterable[int] | int) -> str:
    """Consecutive seeds as `first..=last`; a number of learners means seeds from 1 on."""
    if isinstance(seeds, (int, np.integer)) and not isinstance(seeds, bool):
        if seeds < 1:
            raise ValueError(f"seeds is {seeds}, but there must be at least one learner")
        return f"1..={int(seeds)}"
    if isinstance(seeds, (bool, str, bytes)) or not isinstance(seeds, Iterable):
        raise TypeError(f"seeds is {seeds!r}, a {type(seeds).__name__}; should be a range such as range(1, 401), or a number of learners")
    # What never ends is not waited for.
    numbers = seeds if isinstance(seeds, range) else list(islice(seeds, MOST_SEEDS + 1))
    if not numbers:
        raise ValueError(f"seeds is {seeds!r}, which is empty")
    if isinstance(numbers, range):
        if numbers.step != 1 and numbers[0] != numbers[-1]:
            raise ValueError(f"seeds is {seeds!r}, but should be consecutive; the step is {numbers.step}")
    else:
        if len(numbers) > MOST_SEEDS:
            raise ValueError(f"seeds has more than {MOST_SEEDS} numbers, the most that a run has learners")
        for number in numbers:
            whole("a number of seeds", number, -(2**64), 2**64)
        for before, after in zip(numbers, numbers[1:]):
            if after != before + 1:
                raise ValueError(
                    f"seeds has {after} after {before}, but should be consecutive, such as range(41, 51), because a run keeps "
                    "its first and last seed"
                )
    first, last = numbers[0], numbers[-1]
    if first < 0:
        raise ValueError(f"seeds begins with {first}, but seeds are not negative")
    return f"{int(first)}..={int(last)}"
