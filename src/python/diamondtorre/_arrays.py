"""NumPy arrays as the library takes and gives them: by their memory, or refused in one line."""
from __future__ import annotations

import os
from typing import Any

import numpy as np
import numpy.typing as npt

from ._library import UsageError, ffi, shown

Array = npt.NDArray[Any]

# The types of numbers by their bytes, which is what torre_precision counts.
DTYPE: dict[int, np.dtype[Any]] = {4: np.dtype(np.float32), 8: np.dtype(np.float64)}


def _shape(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape))


def _check(name: str, array: Any, dtypes: tuple[np.dtype[Any], ...]) -> Array:
    wanted = " or ".join(str(dtype) for dtype in dtypes)
    if not isinstance(array, np.ndarray):
        raise UsageError(f"{name} must be a NumPy array of {wanted} (got {type(array).__name__})")
    if array.dtype not in dtypes:
        raise UsageError(f"{name} must be an array of {wanted}, use {name}.astype (got {array.dtype.str})")
    if not array.flags.c_contiguous:
        raise UsageError(f"{name} must be contiguous in C order, use numpy.ascontiguousarray "
                         f"(got strides {array.strides} of {_shape(array.shape)} values)")
    return array


def given(name: str, array: Any, *dtypes: Any, shape: tuple[int, ...] | None = None) -> Array:
    """An array that the library reads where it is."""
    found = _check(name, array, tuple(np.dtype(dtype) for dtype in dtypes))
    if shape is not None and found.shape != shape:
        raise UsageError(f"{name} must have shape {shape} (got {found.shape})")
    return found


def room(name: str, out: Any, dtype: Any, shape: tuple[int, ...]) -> Array:
    """An array that the library writes into: the caller's, or a new one."""
    if out is None:
        return np.empty(shape, dtype)
    array = given(name, out, dtype, shape=shape)
    if not array.flags.writeable:
        raise UsageError(f"{name} must be writeable (got a read-only array)")
    return array


def address(array: Array) -> Any:
    return ffi.cast("void *", array.ctypes.data)


def axes(array: Array | None) -> Any:
    """double *[3] of an array of shape (3, n)."""
    if array is None:
        return ffi.NULL
    return ffi.new("double *[3]", [ffi.cast("double *", row.ctypes.data) for row in array])


class _Memory:
    """Memory of the library as NumPy sees it; keeps its owner alive as long as any array on it."""

    def __init__(self, owner: Any, pointer: Any, dtype: np.dtype[Any], shape: tuple[int, ...]) -> None:
        self.owner = owner
        self.__array_interface__ = {"data": (int(ffi.cast("uintptr_t", pointer)), True), "typestr": dtype.str,
                                    "shape": shape, "version": 3}


def view(owner: Any, pointer: Any, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Array:
    """A read-only array on memory of the library's, without a copy."""
    return np.asarray(_Memory(owner, pointer, dtype, shape))


def is_text(value: Any) -> bool:
    return value is None or isinstance(value, (str, os.PathLike))


def points(name: str, value: Any, dimensions: int, amplitudes: bool) -> tuple[Any, int]:
    """torre_point[] and n of an array of shape (n, 2 or 3), with amplitudes one column more; n may be 0."""
    try:
        rows = np.atleast_2d(np.asarray(value, np.float64))
    except (TypeError, ValueError):
        rows = np.empty((0, 0))
    if rows.ndim != 2 or rows.shape[1] not in range(dimensions, dimensions + 1 + amplitudes):
        more = f", or {dimensions + 1} with amplitudes" if amplitudes else ""
        raise UsageError(f"{name} must be points in metres, an array of shape (n, {dimensions}){more} "
                         f"(got {_shape(rows.shape) if rows.size else shown(value)})")
    made = ffi.new("torre_point[]", max(len(rows), 1))  # not NULL where there are none
    axis = (0, 2) if dimensions == 2 else (0, 1, 2)
    for point, row in zip(made, rows):
        for a, at in zip(axis, row):
            point.position[a] = at
        point.amplitude = row[dimensions] if len(row) > dimensions else 1
    return made, len(rows)
