"""Particles: Lennard-Jones particles (LJ) and granular gases (Granular)."""
from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _arrays
from ._arrays import Array
from ._generated import GranularOptions, LJOptions, ParticleInfo, ParticlePlanOptions, ThermoRow
from ._library import UsageError, check, ffi, fill, lib, read, word_value
from ._run import Run, tells

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack


class Particles(Run):
    """
    Particles in a rectangular periodic box, [0, Lx) x [0, Ly) x [0, Lz), known by their ids 0 .. count-1
    whatever the order in which they are stored. Made by LJ or Granular.
    """

    _made: Any

    @property
    def count(self) -> int:
        """How many there are."""
        return int(lib.torre_particles_count(self._made))

    @property
    def box(self) -> tuple[float, float, float]:
        """Edges of the box, in the lengths of the model."""
        edges = ffi.new("double[3]")
        lib.torre_particles_box(self._made, edges)
        return edges[0], edges[1], edges[2]

    def start(self, backend: str = "auto", **plan: Unpack[ParticlePlanOptions]) -> Self:
        """
        Allocate and compute the forces and the row of step 0; the first advance does so with nothing
        chosen. backend: "auto", "cpu", "cuda" or "reference"; the other keywords are the members of
        torre_md_plan (help(ParticlePlanOptions)). Once.
        """
        keep: list[Any] = []
        chosen = ffi.new("torre_md_plan *")
        fill(chosen, plan, list(ParticlePlanOptions.__annotations__), keep)
        with self._alone():
            check(lib.torre_particles_start(self._made, backend.encode(), chosen))
            self._started = True
        return self

    def advance(self, steps: int, *, every: int = 0, frame: Callable[[Self], object] | None = None,
                stop: Callable[[], bool] | None = None) -> None:
        """
        Advance by steps. frame(particles) is called, and a row computed, whenever step is a multiple of
        every, step 0 too; stop() a few times a second, it ends the run when it returns True. What they
        raise ends the run and is raised here. Other threads run meanwhile; Ctrl-C ends it, too.
        """
        if not self._started:
            self.start()
        self._watched(lambda n, watch: int(lib.torre_particles_advance(self._made, n, watch)), steps,
                      "torre_particles_watch", stop, every=every, frame=tells(frame, self))

    @property
    def step(self) -> int:
        """Steps done."""
        return int(lib.torre_particles_step(self._made))

    @property
    def row(self) -> ThermoRow:
        """The last row of the thermo table: temperature, energies per particle, pressure, ..."""
        if not self._started:
            self.start()
        return read(lib.torre_particles_row(self._made))  # type: ignore[no-any-return]

    @property
    def info(self) -> ParticleInfo:
        """What start chose: plan, device, bins, memory."""
        if not self._started:
            self.start()
        return read(lib.torre_particles_info(self._made))  # type: ignore[no-any-return]

    @property
    def rate(self) -> float:
        """Particles times steps a second so far."""
        return float(lib.torre_particles_rate(self._made))

    def positions(self, out: Array | None = None) -> Array:
        """Present positions inside the box, float64, shape (3, count): into out, or a new array."""
        return self._get(0, out)

    def velocities(self, out: Array | None = None) -> Array:
        """Present velocities, float64, shape (3, count): into out, or a new array."""
        return self._get(1, out)

    def _get(self, which: int, out: Array | None) -> Array:
        array = _arrays.room("out", out, np.float64, (3, self.count))
        to = [ffi.NULL, ffi.NULL]
        to[which] = _arrays.axes(array)
        with self._alone():
            check(lib.torre_particles_get(self._made, *to))
        return array

    def save(self, path: str | os.PathLike[str]) -> None:
        """
        Write the present state: .data (LAMMPS data), .dump or .lammpstrj (LAMMPS dump), .xyz or .extxyz
        (extended XYZ), each also .gz but for .data, .png (a picture).
        """
        with self._alone():
            check(lib.torre_particles_save(self._made, os.fsencode(path)))

    def _take(self, status: int, made: Any) -> None:
        check(status)
        self._made = ffi.gc(made[0], lib.torre_particles_free)


class LJ(Particles):
    """
    Lennard-Jones particles; lengths in sigma, energies in epsilon, masses in that of a particle, k_B = 1.

        melt = LJ(cells=10, temperature=1.44)
        melt.advance(1000)
        r, g = radial_distribution(melt.positions(), melt.box)

    Keywords are the members of torre_lj (help(LJOptions) has them all). They start from a face-centred
    cubic lattice of cells, from the file `input`, or from arrays: position, float64, shape (3, n), C
    order, within `box`, its three edges, and velocity likewise, or that of the temperature. Arrays are
    not needed afterwards.
    """

    def __init__(self, **options: Unpack[LJOptions]) -> None:
        super().__init__()
        given: dict[str, Any] = dict(options)
        keep: list[Any] = []
        system = ffi.new("torre_lj *")
        for name in ("position", "velocity"):
            if name not in given:
                continue
            array = _arrays.given(name, given.pop(name), np.float64)
            if array.ndim != 2 or array.shape[0] != 3 or array.shape[1] == 0:
                raise UsageError(f"{name} must have shape (3, n), an axis a row (got {array.shape})")
            if system.count not in (0, array.shape[1]):
                raise UsageError(f"position and {name} must have the same shape "
                                 f"(got {system.count} and {array.shape[1]} particles)")
            keep.append(array)
            system.count = array.shape[1]
            setattr(system, name, _arrays.axes(array))
        fill(system, given, list(LJOptions.__annotations__), keep)
        made = ffi.new("torre_particles **")
        self._take(lib.torre_particles_lj(system, made), made)


class Granular(Particles):
    """
    A granular gas: spheres (discs) that push each other apart while they touch and lose energy, between
    periodic sides or walls across the last axis, shaken or not. Any consistent units.

        gas = Granular(dimensions=3, size=(0.02, 0.02, 0.02), diameter=1e-3, mass=1.3e-6, stiffness=1000,
                       restitution=0.9, wall_restitution=0.9, filling=0.2, temperature=0.01, sweeps=50)

    Keywords are the members of torre_granular (help(GranularOptions)). dt 0: a fiftieth of the contact
    time; more than a twentieth is refused. precision: "f32", "f64" or "mixed".
    """

    def __init__(self, *, dt: float = 0, precision: str = "f32", **options: Unpack[GranularOptions]) -> None:
        super().__init__()
        keep: list[Any] = []
        system = ffi.new("torre_granular *")
        fill(system, options, list(GranularOptions.__annotations__), keep)
        made = ffi.new("torre_particles **")
        value = word_value("precision", "torre_md_precision", precision)
        self._take(lib.torre_particles_granular(system, dt, value, made), made)

    def radii(self, out: Array | None = None) -> Array:
        """Radii of rough grains, float64, shape (count,): into out, or a new array."""
        array = _arrays.room("out", out, np.float64, (self.count,))
        self._grains(ffi.cast("double *", array.ctypes.data), ffi.NULL)
        return array

    def angular_velocities(self, out: Array | None = None) -> Array:
        """Present angular velocities of rough grains, float64, shape (3, count): into out, or a new array."""
        array = _arrays.room("out", out, np.float64, (3, self.count))
        self._grains(ffi.NULL, _arrays.axes(array))
        return array

    def _grains(self, radius: Any, spin: Any) -> None:
        with self._alone():
            check(lib.torre_particles_get_grains(self._made, radius, spin))
