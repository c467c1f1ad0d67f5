"""Acoustic waves in three or two dimensions: Wave."""
from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _arrays
from ._arrays import Array
from ._generated import WaveInfo, WaveNorms, WaveOptions, WaveProgress
from ._library import UsageError, check, ffi, fill, lib, read, shown, text
from ._run import Run, tells

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Wave(Run):
    """
    A run of u_tt + 2 s u_t = c^2 lap(u) + q on a grid of cells (i, j, k) at (i hx, j hy, k hz); SI units.

        shot = Wave(velocity=model, spacing=7.5, boundary="absorbing,z-=free", source=[(3000, 30)],
                    receivers=points, frequency=9, steps=2000)
        shot.advance()
        plt.imshow(shot.traces.T, aspect="auto")

    Keywords are the members of torre_wave_spec (help(WaveOptions) has them with units and legal values),
    and what they mean is what the options of the program `wave` mean. Beside texts and files,
        velocity    a number (m/s), or an array of float32 or float64, shape (nx, nz) for a plane or
                    (nx, ny, nz), C order: read where it is, so leave it as it is while the run lives.
                    The size of the grid, unless said, is that of the array or file
        density     likewise, kg/m^3; fields, traces and sources are pressure
        source      points, metres: an array of shape (n, 2) in a plane, (n, 3) otherwise, or with
                    amplitudes in one column more
        receivers   points likewise
        wavelet     s(n dt) for n = 0, 1, ..., zero after the end: an array of one axis
        initial     u[0] (at rest), or the pair u[0], u[-1]: arrays of the shape of the grid and of the
                    precision, C order
        spacing     metres: one number, or one for each axis; size: cells of each axis

    Nothing large is allocated before `start`, which the first call that needs it makes by itself: info
    says what the run will use. Arrays are in the precision of the run, C order, z fastest. Advancing
    releases the interpreter's lock; Ctrl-C ends it within a second, at a step from which the run can go
    on. Raises UsageError, InputError, ResourceError, UnstableError.
    """

    def __init__(self, **options: Unpack[WaveOptions]) -> None:
        super().__init__()
        given: dict[str, Any] = dict(options)
        self._keep: list[Any] = []
        spec = ffi.new("torre_wave_spec *", lib.torre_wave_spec_default())
        initial = None if _arrays.is_text(given.get("initial")) else given.pop("initial")
        if initial is not None:
            given.setdefault("source", "none")
        arrays = {name: given.pop(name) for name in ("source", "receivers", "wavelet")
                  if not _arrays.is_text(given.get(name))}
        self._set_medium(spec, given, "velocity", "m/s")
        self._set_medium(spec, given, "density", "kg/m^3")
        fill(spec, given, list(WaveOptions.__annotations__), self._keep)
        self._set_arrays(spec, arrays)
        made = ffi.new("torre_wave_input **")
        check(lib.torre_wave_input_new(spec, made))
        self._input = ffi.gc(made[0], lib.torre_wave_input_free)
        self._problem = lib.torre_wave_input_problem(self._input)
        self._initial = self._fields(initial)
        run = ffi.new("torre_wave_run **")
        check(lib.torre_wave_run_new(self._problem, spec.backend, lib.torre_wave_input_plan(self._input), run))
        # freed before what it points to: the destructor holds that
        keep = (self._input, self._keep)
        self._run = ffi.gc(run[0], lambda pointer, _keep=keep: lib.torre_wave_run_free(pointer))

    def _set_medium(self, spec: Any, given: dict[str, Any], name: str, unit: str) -> None:
        value = given.get(name)
        sizes = name == "velocity"  # whether the grid is as large, unless said
        if isinstance(value, np.ndarray) and value.ndim > 0:
            cells = _arrays.given(name, given.pop(name), np.float32, np.float64)
            if cells.ndim not in (2, 3):
                raise UsageError(f"{name} must have 2 or 3 axes, (nx, nz) or (nx, ny, nz) (got {cells.ndim})")
            shape = cells.shape if cells.ndim == 3 else (cells.shape[0], 1, cells.shape[1])
            array = ffi.new("torre_array *", {"precision": cells.itemsize, "shape": shape,
                                              "data": _arrays.address(cells)})
            self._keep += [cells, array]
            setattr(spec, name + "_cells", array)
            if sizes:
                given.setdefault("size", cells.shape)
        elif isinstance(value, (str, os.PathLike)):
            if sizes:
                spec.size_of_file = "size" not in given
        elif value is not None:
            try:
                given[name] = repr(float(value))
            except (TypeError, ValueError):
                raise UsageError(f"{name} must be a number of {unit}, a file or a NumPy array (got {shown(value)})") from None

    def _set_arrays(self, spec: Any, arrays: dict[str, Any]) -> None:
        dimensions = 2 if spec.size[1] > 0 and spec.size[2] == 0 else 3
        for name, value in arrays.items():
            if name == "wavelet":
                samples = _arrays.given(name, np.asarray(value, np.float64).copy(), np.float64)
                if samples.ndim != 1:
                    raise UsageError(f"wavelet must have one axis, a value a step (got {samples.ndim})")
                self._keep.append(samples)
                spec.wavelet_samples = ffi.cast("double *", samples.ctypes.data)
                spec.wavelet_count = len(samples)
                continue
            made, count = _arrays.points(name, value, dimensions, name == "source")
            self._keep.append(made)
            setattr(spec, name.rstrip("s") + "_points", made)
            setattr(spec, name.rstrip("s") + "_count", count)

    def _fields(self, initial: Any) -> tuple[Array, Array] | None:
        """u[0] and u[-1] of the caller's arrays."""
        if initial is None:
            return None
        pair = initial if isinstance(initial, tuple) else (initial,)
        now, *others = [_arrays.given("initial", a, self.dtype, shape=self.shape) for a in pair]
        if others:
            return now, others[0]
        previous = np.empty_like(now)
        check(lib.torre_wave_rest_level(self._problem, _arrays.address(now), _arrays.address(previous)))
        return now, previous

    @property
    def shape(self) -> tuple[int, ...]:
        """Cells of the grid: (nx, nz) in a plane, (nx, ny, nz) otherwise."""
        nx, ny, nz = self._problem.size
        return (nx, nz) if np.isinf(self._problem.spacing[1]) else (nx, ny, nz)

    @property
    def spacing(self) -> tuple[float, ...]:
        """Metres between cells along each axis of shape."""
        h = tuple(self._problem.spacing)
        return (h[0], h[2]) if np.isinf(h[1]) else h

    @property
    def dtype(self) -> np.dtype[Any]:
        """Numbers of fields and traces: float32 or float64."""
        return _arrays.DTYPE[int(ffi.cast("int", self._problem.precision))]

    @property
    def dt(self) -> float:
        """The time step, s."""
        return float(self._problem.dt)

    @property
    def steps(self) -> int:
        """Steps of the whole run."""
        return int(self._problem.steps)

    @property
    def times(self) -> Array:
        """Times of the samples of traces, s: shape (steps + 1)."""
        return np.arange(self.steps + 1) * self.dt

    def _points(self, points: Any, count: int) -> Array:
        return np.array([tuple(points[i].position) for i in range(count)], np.float64).reshape(count, 3)

    @property
    def sources(self) -> Array:
        """Positions of the sources, m: shape (n, 3), y = 0 in a plane."""
        return self._points(self._problem.sources, self._problem.source_count)

    @property
    def receivers(self) -> Array:
        """Positions of the receivers, m: shape (n, 3), y = 0 in a plane."""
        return self._points(self._problem.receivers, self._problem.receiver_count)

    @property
    def cautions(self) -> list[str]:
        """Lines about what is legal but hardly meant."""
        lines: list[str] = []
        while line := lib.torre_wave_input_caution(self._input, len(lines)):
            lines.append(text(line))
        return lines

    @property
    def info(self) -> WaveInfo:
        """What the run uses: engine, tile, tower height, device, memory."""
        return read(lib.torre_wave_run_info(self._run))  # type: ignore[no-any-return]

    @property
    def backend(self) -> str:
        """"cpu" or "cuda"."""
        return text(lib.torre_wave_run_backend(self._run))

    @property
    def passed_over(self) -> str:
        """Why "auto" did not take a better backend, or ""."""
        return text(lib.torre_wave_run_passed_over(self._run))

    @property
    def step(self) -> int:
        """n of the present level u[n]."""
        return int(lib.torre_wave_run_step(self._run))

    @property
    def time(self) -> float:
        """Time of the present level, s."""
        return self.step * self.dt

    @property
    def seconds(self) -> float:
        """Seconds that the time loop alone has taken."""
        return float(lib.torre_wave_run_seconds(self._run))

    @property
    def rate(self) -> float:
        """Billions of cell updates a second so far."""
        return float(lib.torre_wave_run_rate(self._run))

    @property
    def streamed(self) -> int:
        """Bytes read from the scratch file and written to it; 0 where all is in memory."""
        return int(lib.torre_wave_run_streamed(self._run))

    @property
    def norms(self) -> WaveNorms:
        """Of the field where the last advance ended: max_abs, l2."""
        return read(lib.torre_wave_run_norms(self._run))  # type: ignore[no-any-return]

    def start(self) -> None:
        """Allocate and set the fields of step 0, unless that is done."""
        with self._alone():
            if self._started:
                return
            if self._initial:
                check(lib.torre_wave_run_start(self._run, *map(_arrays.address, self._initial)))
            else:
                check(lib.torre_wave_input_start(self._input, self._run))
            self._started, self._initial = True, None

    def advance(self, steps: int | None = None, *, every: int = 0,
                frame: Callable[[Wave], object] | None = None,
                progress: Callable[[WaveProgress], object] | None = None,
                stop: Callable[[], bool] | None = None) -> None:
        """
        Advance by steps; None: to the end of the run. Callables, all in this thread: frame(run) whenever
        step is a multiple of every; progress(where) and stop() a few times a second, which ends the run
        at the present step when it returns True. What they raise ends the run and is raised here.
        """
        self.start()
        told = None if progress is None else lambda _context, where: progress(read(where))
        self._watched(lambda n, watch: int(lib.torre_wave_run_advance(self._run, n, watch)),
                      self.steps - self.step if steps is None else steps, "torre_wave_watch",
                      stop, frame_every=[every], frame=tells(frame, self), progress=told)

    def field(self, level: int = 0, out: Array | None = None) -> Array:
        """u[step] (level 0) or u[step-1] (level -1), shape `shape`: written into out, or a new array."""
        self.start()
        cells = _arrays.room("out", out, self.dtype, self.shape)
        with self._alone():
            check(lib.torre_wave_run_field(self._run, level, _arrays.address(cells)))
        return cells

    def plane(self, axis: int, index: int, out: Array | None = None) -> Array:
        """The plane index across axis (0 x, 1 y, 2 z) of u[step]: the two other axes; into out, or new."""
        self.start()
        size = tuple(self._problem.size)
        if axis not in (0, 1, 2) or not 0 <= index < size[axis]:
            raise UsageError(f"index of a plane must be 0 to the cells of axis (0, 1, 2) less one "
                             f"(got {index}, axis {axis})")
        cells = _arrays.room("out", out, self.dtype, size[:axis] + size[axis + 1:])
        with self._alone():
            check(lib.torre_wave_run_plane(self._run, axis, index, _arrays.address(cells)))
        return cells

    @property
    def traces(self) -> Array:
        """
        Samples u(receiver, n dt): shape (receivers, steps + 1), filled up to column `step`, zero after it.
        The memory of the run itself, read-only: it fills while the run advances, and is as computed until
        the last step, or end_traces, corrects the time dispersion (option time_dispersion).
        """
        self.start()
        traces = lib.torre_wave_run_traces(self._run)
        shape = tuple(traces.shape)[:2]
        if not traces.data:
            return np.empty((0, self.steps + 1), self.dtype)
        return _arrays.view(self._run, traces.data, self.dtype, shape)

    def end_traces(self) -> None:
        """Make the traces final at the present step, for a run that ends early; it cannot advance then."""
        self.start()
        with self._alone():
            if self._advancing:
                raise UsageError("this run is advancing: its traces end after it")
            check(lib.torre_wave_run_end_traces(self._run))

    def save_traces(self, path: str | os.PathLike[str]) -> None:
        """Write the traces: .npy, .sgy or .segy (SEG-Y), .su (Seismic Unix), .png (a picture)."""
        self.start()
        with self._alone():
            check(lib.torre_wave_run_save_traces(self._run, os.fsencode(path)))

    def save_field(self, path: str | os.PathLike[str]) -> None:
        """Write u[step]: .npy."""
        self.start()
        with self._alone():
            check(lib.torre_wave_run_save_field(self._run, os.fsencode(path)))

    def save_plane(self, axis: int, index: int, path: str | os.PathLike[str]) -> None:
        """Write a plane of u[step]: .npy, .png (a picture over the velocities in grey)."""
        self.start()
        with self._alone():
            check(lib.torre_wave_run_save_plane(self._run, axis, index, os.fsencode(path)))


def ricker(frequency: float, dt: float, steps: int, amplitude: float = 1) -> Array:
    """Ricker wavelet of that peak frequency (Hz) at n dt, n = 0 .. steps - 1: float64, shape (steps)."""
    return np.array([amplitude * lib.torre_ricker(frequency, n * dt) for n in range(steps)])
