"""A fluid of moving particles with a free surface: Dam, the collapse of a water column in a tank."""
from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _arrays
from ._arrays import Array
from ._generated import DamOptions, FluidRow, ParticlePlanOptions
from ._library import UsageError, check, ffi, fill, lib, read
from ._run import Run, tells

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

# Two corners, x, y[, z] in m from the tank's inner corner.
Box = tuple[Sequence[float], Sequence[float]]


def _corner(name: str, corner: Sequence[float], dims: int) -> list[float]:
    if len(corner) not in (dims, 3):
        raise UsageError(f"{name}: a corner has {dims} numbers (got {len(corner)})")
    return [*(float(x) for x in corner), 0.0][:3]


def _place(to: Any, name: str, boxes: Sequence[Box], dims: int) -> int:
    """Boxes into an array of torre_mps_box; returns how many."""
    if len(boxes) > len(to):
        raise UsageError(f"{name}: at most {len(to)} boxes (got {len(boxes)})")
    for k, (low, high) in enumerate(boxes):
        to[k].low, to[k].high = _corner(name, low, dims), _corner(name, high, dims)
    return len(boxes)


class Dam(Run):
    """
    A column of water in a closed tank; SI units, x along the tank, y up, z across it.

        dam = Dam(dims=2, spacing=0.002, column=(0.1, 0.2), size=(0.4, 0.4), gravity=9.81)
        dam.advance(1000)
        x, y, _ = dam.positions()

    Keywords are the members of torre_fluid_dam and of its tank (help(DamOptions)), and
        water     boxes of water instead of the column, each by two corners in m from the tank's
        obstacle  boxes that are as solid as walls
        gate      (x, opens, speed) of a wall across the tank that is lifted: its left side, m; when, s; m/s
    Particles are known by their ids: those of the fluid come first (`moving` of them), then walls. Their
    positions count from the corner of the box, which lies `origin` outside the tank's.
    """

    def __init__(self, *, water: Sequence[Box] = (), obstacle: Sequence[Box] = (),
                 gate: tuple[float, float, float] | None = None, **options: Unpack[DamOptions]) -> None:
        super().__init__()
        keep: list[Any] = []
        dam = ffi.new("torre_fluid_dam *")
        fill(dam, options, list(DamOptions.__annotations__), keep)
        tank = dam.tank
        tank.waters = _place(tank.water, "water", water, tank.dims)
        tank.obstacles = _place(tank.obstacle, "obstacle", obstacle, tank.dims)
        if gate is not None:
            tank.gate.x, tank.gate.opens, tank.gate.speed = gate
        made = ffi.new("torre_fluid **")
        check(lib.torre_fluid_new(dam, made))
        self._made = ffi.gc(made[0], lib.torre_fluid_free)

    @property
    def count(self) -> int:
        """Particles: all of them."""
        return int(lib.torre_fluid_count(self._made))

    @property
    def moving(self) -> int:
        """Particles of the fluid, whose ids come first."""
        return int(lib.torre_fluid_moving(self._made))

    @property
    def dt(self) -> float:
        """The time step, s."""
        return float(lib.torre_fluid_dt(self._made))

    @property
    def origin(self) -> tuple[float, float, float]:
        """The tank's inner corner in the box, m."""
        corner = ffi.new("double[3]")
        lib.torre_fluid_origin(self._made, corner)
        return corner[0], corner[1], corner[2]

    def start(self, backend: str = "auto", **plan: Unpack[ParticlePlanOptions]) -> Self:
        """As Particles.start, with a skin in metres."""
        keep: list[Any] = []
        chosen = ffi.new("torre_md_plan *")
        fill(chosen, plan, list(ParticlePlanOptions.__annotations__), keep)
        with self._alone():
            check(lib.torre_fluid_start(self._made, backend.encode(), chosen))
            self._started = True
        return self

    def advance(self, steps: int, *, every: int = 0, frame: Callable[[Self], object] | None = None,
                stop: Callable[[], bool] | None = None) -> None:
        """As Particles.advance. UnstableError where a particle is faster than sound or beyond a wall."""
        if not self._started:
            self.start()
        self._watched(lambda n, watch: int(lib.torre_fluid_advance(self._made, n, watch)), steps,
                      "torre_fluid_watch", stop, every=every, frame=tells(frame, self))

    @property
    def row(self) -> FluidRow:
        """What the fluid does at the step of the last row: time, front, energies, ..."""
        if not self._started:
            self.start()
        return read(lib.torre_fluid_row(self._made))  # type: ignore[no-any-return]

    @property
    def rate(self) -> float:
        """Particles times steps a second so far."""
        return float(lib.torre_fluid_rate(self._made))

    def gauge(self, *point: float) -> float:
        """Pressure (Pa) at a point of the tank, x, y[, z] in m from its inner corner."""
        if not self._started:
            self.start()
        return float(lib.torre_fluid_gauge(self._made, (point + (0.0, 0.0, 0.0))[:3]))

    def probe(self, *point: float) -> float:
        """Pressure (Pa) on the wall or obstacle at a point, m from the tank's inner corner; nan where none is near."""
        if not self._started:
            self.start()
        return float(lib.torre_fluid_probe(self._made, (point + (0.0, 0.0, 0.0))[:3]))

    def height(self, x: float, z: float = 0.0) -> float:
        """Height of the water (m) at a place of the floor, m from the tank's inner corner."""
        if not self._started:
            self.start()
        return float(lib.torre_fluid_height(self._made, x, z))

    def positions(self, out: Array | None = None) -> Array:
        """Positions of the last row, m in the box, float64, shape (3, count): into out, or new."""
        return self._get(0, out, (3, self.count))

    def velocities(self, out: Array | None = None) -> Array:
        """Velocities of the last row, m/s, float64, shape (3, count): into out, or new."""
        return self._get(1, out, (3, self.count))

    def pressures(self, out: Array | None = None) -> Array:
        """Pressures of the last row, Pa, float64, shape (count): into out, or new."""
        return self._get(2, out, (self.count,))

    def densities(self, out: Array | None = None) -> Array:
        """Number densities of the last row (sums of weights), float64, shape (count): into out, or new."""
        return self._get(3, out, (self.count,))

    def _get(self, which: int, out: Array | None, shape: tuple[int, ...]) -> Array:
        if not self._started:
            self.start()
        array = _arrays.room("out", out, np.float64, shape)
        to = [ffi.NULL] * 4
        to[which] = _arrays.axes(array) if which < 2 else ffi.cast("double *", array.ctypes.data)
        with self._alone():
            check(lib.torre_fluid_get(self._made, *to))
        return array

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the state of the last row, as Particles.save, with pressure and number density."""
        if not self._started:
            self.start()
        with self._alone():
            check(lib.torre_fluid_save(self._made, os.fsencode(path)))
