"""Orderings of the cells of a box: row-major, Morton, Hilbert and others."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _arrays
from ._arrays import Array
from ._library import UsageError, check, ffi, lib, text


class Ordering:
    """
    A sequence of the cells of a box of 2 or 3 axes.

        curve = Ordering("hilbert", (16, 16))
        i, j = curve.path().T

    text: "row-major", "morton", "hilbert", "moore", "peano", "hybrid:INNER/OUTER/TILE", "pancake",
    "turtle", each with ":AXES", as torre/ordering.h says. size: 1 .. 2^20 cells along each axis.
    """

    def __init__(self, name: str, size: Sequence[int]) -> None:
        spec, why, made = ffi.new("torre_ordering_spec *"), ffi.new("const char **"), ffi.new("torre_ordering **")
        if not lib.torre_ordering_parse(name.encode(), spec, why):
            raise UsageError(f"ordering {name}: {text(why[0])}")
        if len(size) not in (2, 3):
            raise UsageError(f"size must be 2 or 3 numbers of cells (got {len(size)})")
        self.size = tuple(size)
        check(lib.torre_ordering_new(spec, len(size), list(size), made))
        self._made: Any = ffi.gc(made[0], lib.torre_ordering_free)

    @property
    def is_exact(self) -> bool:
        """Whether the box is the whole domain of the curve, so that all of its properties hold."""
        return bool(lib.torre_ordering_is_exact(self._made))

    def rank(self, cell: Sequence[int]) -> int:
        """When a cell comes, 0 .. cells - 1."""
        if len(cell) != len(self.size) or not all(0 <= c < n for c, n in zip(cell, self.size)):
            raise UsageError(f"cell must be inside the box {self.size} (got {tuple(cell)})")
        return int(lib.torre_ordering_rank(self._made, list(cell)))

    def cell(self, rank: int) -> tuple[int, ...]:
        """The cell of a rank."""
        cells = int(lib.torre_ordering_cells(self._made))
        if not 0 <= rank < cells:
            raise UsageError(f"rank must be 0 to {cells - 1} (got {rank})")
        cell = ffi.new("int64_t[]", len(self.size))
        lib.torre_ordering_cell(self._made, rank, cell)
        return tuple(cell)

    def path(self) -> Array:
        """All cells in their sequence: int64, shape (cells, axes)."""
        flat = np.empty(lib.torre_ordering_cells(self._made), np.int64)
        lib.torre_ordering_path(self._made, ffi.cast("int64_t *", _arrays.address(flat)))
        return np.stack(np.unravel_index(flat, self.size), axis=1)
