"""Tables of pandas, polars, Arrow and NumPy as columns of numbers or texts, as a file would have them."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: A column with its name.
Column = tuple[str, "NDArray[np.float64] | list[str]"]

#: Words that mean a missing cell, for whoever reads a table.
MISSING = ("?", "na", "nan", "null", "none", "n/a", "-")


def is_frame(X: Any) -> bool:
    """Whether it is a table with columns of their own kinds: of pandas, polars or Arrow."""
    return hasattr(X, "iloc") and hasattr(X, "columns") or hasattr(X, "get_columns") or hasattr(X, "column_names")


def text_of_cell(cell: Any) -> str:
    """A cell as a file would have it; what is missing is empty."""
    if isinstance(cell, str):
        return cell
    # pandas.NA is neither equal nor unequal to itself.
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return ""
    if isinstance(cell, (bool, np.bool_)):
        return "true" if cell else "false"
    if isinstance(cell, numbers.Integral):
        return str(int(cell))
    if isinstance(cell, numbers.Real):
        number = float(cell)
        if np.isinf(number):
            raise ValueError(f"Input X contains infinity: {cell!r}")
        return "" if np.isnan(number) else repr(number)
    if isinstance(cell, np.datetime64):
        return _texts(np.asarray([cell]))[0]
    if isinstance(cell, (complex, np.complexfloating)):
        raise ValueError(f"Complex data not supported: {cell!r}")
    if isinstance(cell, (list, dict, tuple, set, np.ndarray)):
        # In the words that scikit-learn's own checks look for.
        raise TypeError(f"argument must be a string or a number: a cell of X is {cell!r}, a {type(cell).__name__}")
    return str(cell)


def _texts(array: NDArray[Any]) -> list[str]:
    """The cells of an array, one by one."""
    if array.dtype.kind == "M":
        # As Python's own times, which pandas and polars show alike; of numbers nobody would know what they count.
        array = array.astype("datetime64[us]")
    elif array.dtype.kind == "m":
        array = array.astype("timedelta64[us]")
    return [text_of_cell(cell) for cell in array.tolist()]


def _cells(array: NDArray[Any]) -> NDArray[np.float64] | list[str]:
    """A column: numbers stay numbers."""
    if array.dtype.kind in "iuf":
        if np.isinf(array).any():
            raise ValueError("Input X contains infinity or a value too large for dtype('float64').")
        return np.ascontiguousarray(array, dtype=np.float64)
    return _texts(array)


def _of_pandas(column: Any) -> NDArray[np.float64] | list[str]:
    if column.dtype.kind in "iuf":
        return _cells(column.to_numpy(dtype=np.float64, na_value=np.nan))
    return _texts(column.astype(object).to_numpy())


def _of_other(column: Any) -> NDArray[np.float64] | list[str]:
    """A column of polars or Arrow."""
    kind = str(getattr(column, "dtype", None) or column.type).lower()
    if kind.startswith(("int", "uint", "float", "double", "halffloat")):
        return _cells(np.asarray(column.to_numpy(), dtype=np.float64))
    listed = column.to_pylist() if hasattr(column, "to_pylist") else column.to_list()
    return [text_of_cell(cell) for cell in listed]


def columns_of(X: Any, names: Sequence[str]) -> list[Column]:
    """The columns of whatever X is, with these names."""
    found: Iterable[NDArray[np.float64] | list[str]]
    if not is_frame(X):
        found = (_cells(X[:, i]) for i in range(len(names)))
    elif hasattr(X, "iloc"):
        found = (_of_pandas(X.iloc[:, i]) for i in range(len(names)))
    else:
        found = map(_of_other, X.get_columns() if hasattr(X, "get_columns") else X.columns)
    return list(zip(names, found))


def rows_of(columns: Sequence[Column], kept: NDArray[np.bool_]) -> list[Column]:
    """Some rows of columns."""
    places = np.flatnonzero(kept)
    return [(name, cells[kept] if isinstance(cells, np.ndarray) else [cells[i] for i in places]) for name, cells in columns]


def unused(name: str, names: Sequence[str]) -> str:
    """A name that no column has."""
    while name in names:
        name += "_"
    return name


def labels_of(classes: NDArray[Any]) -> list[str]:
    """Names for classes that a table leaves as they are: their own, if that is possible."""

    def is_plain(label: str) -> bool:
        return 0 < len(label) < 100 and label == label.strip() and label.isprintable() and label.lower() not in MISSING

    labels = [text_of_cell(label) for label in classes.tolist()]
    if len(set(labels)) == len(labels) and all(map(is_plain, labels)):
        return labels
    return [f"class {i}" for i in range(len(labels))]
