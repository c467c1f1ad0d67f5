"""Waves from Python: the bits of the program, exact modes, arrays without copies, callbacks, Ctrl-C, threads."""
import gc
import os
import re
import signal
import threading
import time

import numpy as np
from case import Case
from diamondtorre._abi import ffi

from diamondtorre import InputError, ResourceError, UnstableError, UsageError, Wave, ricker

MODEL = np.full((60, 40), 1500, np.float32)
MODEL[:, 15:] = 2500
SHOT = {"spacing": 10, "order": 4, "steps": 90, "boundary": "absorbing,z-=free", "absorbing_width": 6,
        "frequency": 15, "threads": 2}
POINTS = np.array([[60, 20], [130, 20], [200.5, 31.25]])


def shot(**options):
    return Wave(**{"velocity": MODEL, "source": [(100, 50), (150, 60)], "receivers": POINTS, **SHOT, **options})


class SameAsTheProgram(Case):
    def test_a_plane(self):
        """Arrays in Python and files of the program: the same bits of the traces and of the field."""
        np.save(self.path("model.npy"), MODEL)
        failed = self.program(
            "wave", "--velocity", "model.npy", "--spacing", 10, "--order", 4, "--steps", 90, "--boundary",
            "absorbing,z-=free", "--absorbing-width", 6, "--frequency", 15, "--threads", 2, "--source",
            "100,50;150,0,60", "--receivers", "60,20;130,20;200.5,31.25", "--traces", "t.npy", "--field", "u.npy",
            "--snapshot-every", 0)
        self.assertIsNone(failed)
        run = shot()
        run.advance()
        self.assertGreater(np.abs(run.traces).max(axis=1).min(), 0)
        self.assertEqual(run.traces.tobytes(), np.load(self.path("t.npy")).tobytes())
        self.assertEqual(run.field().tobytes(), np.load(self.path("u.npy")).tobytes())
        run.save_traces(self.path("own.npy"))
        self.assertEqual(np.load(self.path("own.npy")).tobytes(), run.traces.tobytes())

    def test_a_box(self):
        """Three axes, f64, a wavelet and amplitudes: the same bits."""
        wavelet = np.sin(np.arange(50) / 5)
        np.save(self.path("wavelet.npy"), wavelet)
        failed = self.program(
            "wave", "--size", "30x20x25", "--spacing", "10,12,8", "--precision", "f64", "--steps", 60, "--source",
            "100,90,50,-2.5", "--wavelet", "wavelet.npy", "--receivers", "40,60,80", "--traces", "t.npy",
            "--snapshot-every", 0, "--initial", "noise", "--seed", 7, "--time-dispersion", "leave")
        self.assertIsNone(failed)
        run = Wave(size=(30, 20, 25), spacing=(10, 12, 8), precision="f64", steps=60, source=[100, 90, 50, -2.5],
                   wavelet=wavelet, receivers=[[40, 60, 80]], initial="noise", seed=7, time_dispersion="leave")
        run.advance()
        self.assertEqual(run.traces.tobytes(), np.load(self.path("t.npy")).tobytes())
        self.assertEqual(run.plane(1, 7).tobytes(), run.field()[:, 7].tobytes())

    def test_errors(self):
        """What the program says of --option, the package says of option."""
        for line, options in [
            (["--order", 5], {"order": 5}),
            (["--courant", 3], {"courant": 3}),
            (["--size", "20x20x20", "--boundary", "soft"], {"size": 20, "boundary": "soft"}),
            (["--size", "20x20x20", "--boundary", "x-=periodic"], {"size": 20, "boundary": "x-=periodic"}),
            (["--size", "20x20x20", "--source", "1,2,999"], {"size": 20, "source": [1, 2, 999]}),
            (["--size", "20x20x20", "--velocity", "none.npy"], {"size": 20, "velocity": "none.npy"}),
            (["--size", "20x20x20", "--ordering", "spiral"], {"size": 20, "ordering": "spiral"}),
            (["--size", "20x20x20", "--devices", "all"], {"size": 20, "devices": "all"}),
        ]:
            with self.subTest(options=options):
                said = self.program("wave", "--backend", "cpu", "--snapshot-every", 0, *line)
                self.assertIsNotNone(said)
                said = said.strip().split("\n")[-1].removeprefix("wave: ")
                said = re.sub(r"--([a-z-]+)", lambda word: word[1].replace("-", "_"), said)
                os.chdir(self.folder)
                self.refused((UsageError, InputError, UnstableError), said, lambda: Wave(backend="cpu", **options).start())


class Exact(Case):
    def test_standing_wave(self):
        """
        cos(k (i + 1/2)) between rigid walls is a mode of the scheme: u[n] = cos(w n dt) u[0], with
        sin(w dt / 2)^2 = (c dt / h)^2 sum_i C_i (1 - cos(i k)) / 2 ... for order 2: (c dt / h)^2 sin(k / 2)^2.
        Each step rounds by no more than 8 eps of the largest value, and an error of one step grows at most
        with the number of steps that follow: after n steps 4 n^2 eps, n = 100.
        """
        n, steps = 32, 100
        k = 2 * np.pi / n
        mode = np.cos(k * (np.arange(n) + 0.5))[:, None] * np.ones(8)
        run = Wave(size=(n, 8), spacing=1, velocity=1, order=2, courant=0.5, precision="f64", boundary="rigid",
                   steps=steps, initial=mode)
        w = 2 * np.arcsin(0.5 * np.sin(k / 2))
        for level in (10, steps):
            run.advance(level - run.step)
            error = np.abs(run.field() - np.cos(w * level) * mode).max()
            self.assertLess(error, 4 * level**2 * np.finfo(float).eps)
        before = Wave(size=(n, 8), spacing=1, velocity=1, order=2, courant=0.5, precision="f64", boundary="rigid",
                      steps=steps, initial=(mode, np.cos(w) * mode))
        before.advance()
        self.assertLess(np.abs(before.field() - run.field()).max(), 8 * steps**2 * np.finfo(float).eps)
        self.assertEqual(run.field(-1).shape, (n, 8))
        self.assertLess(np.abs(run.field(-1) - np.cos(w * (steps - 1)) * mode).max(), 4 * steps**2 * np.finfo(float).eps)

    def test_time_step(self):
        """0.9 of the limit, in two dimensions and in three."""
        self.assertAlmostEqual(Wave(size=(9, 9), spacing=1, velocity=2, order=2).dt, 0.9 / np.sqrt(2) / 2, places=14)
        self.assertAlmostEqual(Wave(size=9, spacing=1, velocity=1, order=2).dt, 0.9 / np.sqrt(3), places=14)

    def test_ricker(self):
        samples = ricker(10, 1e-3, 300, 2)
        self.assertEqual(int(samples.argmax()), 120)  # t0 = 1.2 / f
        self.assertEqual(samples[120], 2)


class Arrays(Case):
    def test_velocity_is_read_where_it_is(self):
        run = shot()
        data = int(ffi.cast("uintptr_t", run._problem.velocity_cells.data))
        self.assertEqual(data, MODEL.ctypes.data)

    def test_density(self):
        """Two densities in layers: the array and the file give the same, in pressure; a number makes no difference."""
        rho = np.full(MODEL.shape, 1000, np.float32)
        rho[:, 20:] = 2500
        np.save(self.path("density.npy"), rho)
        runs = [shot(density=d) for d in (rho, self.path("density.npy"), 1234.5, None)]
        for run in runs:
            run.advance()
        arrays = [(run.traces.tobytes(), run.field().tobytes()) for run in runs]
        self.assertEqual(arrays[0], arrays[1])
        self.assertEqual(arrays[2], arrays[3])
        self.assertNotEqual(arrays[0], arrays[2])
        self.refused(UsageError, "density must be a number of kg/m^3", shot, density=[1000])
        self.refused(InputError, "density at cell", lambda: shot(density=np.where(rho > 2000, 0, rho)))

    def test_field_into_an_array(self):
        run = shot()
        run.advance(50)
        stack = np.zeros((2, *run.shape), run.dtype)
        self.assertIs(run.field(out=stack[1]).base, stack)
        self.assertGreater(np.abs(stack[1]).max(), 0)
        self.assertEqual(np.abs(stack[0]).max(), 0)
        self.assertEqual(stack[1].tobytes(), run.field().tobytes())

    def test_traces_are_a_view(self):
        run = shot()
        traces = run.traces
        self.assertEqual((traces.shape, traces.dtype, float(np.abs(traces).max())), ((3, 91), np.float32, 0.0))
        run.advance(60)
        self.assertGreater(np.abs(traces).max(), 0)
        self.assertEqual(np.abs(traces[:, 61:]).max(), 0)
        self.assertEqual(traces.ctypes.data, run.traces.ctypes.data)
        with self.assertRaises(ValueError):
            traces[0, 0] = 1
        run.advance()
        kept = traces.copy()
        del run  # the memory stays as long as the array
        gc.collect()
        others = [shot().traces for _ in range(20)]
        self.assertEqual(traces.tobytes(), kept.tobytes())
        self.assertEqual(len(others), 20)

    def test_refused(self):
        field = np.zeros((60, 40), np.float32)
        frozen = field.copy()
        frozen.flags.writeable = False
        run = shot()
        for text, out in [("out must be an array of float32, use out.astype (got <f8)", field.astype(float)),
                          ("out must be an array of float32, use out.astype (got >f4)", field.astype(">f4")),
                          ("out must have shape (60, 40) (got (40, 60))", np.zeros((40, 60), np.float32)),
                          ("out must be contiguous in C order", np.zeros((40, 60), np.float32).T),
                          ("out must be contiguous in C order", np.zeros((60, 80), np.float32)[:, ::2]),
                          ("out must be writeable", frozen),
                          ("out must be a NumPy array of float32 (got list)", field.tolist())]:
            with self.subTest(text=text):
                self.refused(UsageError, text, run.field, out=out)
        self.refused(UsageError, "velocity must be an array of float32 or float64", shot, velocity=MODEL.astype(int))
        self.refused(UsageError, "velocity must be contiguous in C order", shot, velocity=np.asfortranarray(MODEL))
        self.refused(UsageError, "velocity must have 2 or 3 axes", shot, velocity=MODEL[0])
        self.refused(UsageError, "initial must be an array of float32", shot, initial=np.zeros((60, 40)))
        self.refused(UsageError, "initial must have shape (60, 40)", shot, initial=field[:50])
        self.refused(UsageError, "receivers must be points in metres, an array of shape (n, 2)", shot, receivers=[1, 2, 3])
        self.refused(UsageError, "wavelet must have one axis", shot, wavelet=np.ones((2, 2)), frequency=0)
        self.refused(UsageError, "no option is called velocty: did you mean velocity?", Wave, velocty=2000)
        self.refused(UsageError, "steps must be an integer in its range (got 1.5)", Wave, steps=1.5)
        self.refused(UsageError, "precision must be f32 or f64 (got 'f16')", Wave, precision="f16")
        self.refused(UsageError, "precision must be f32 or f64 (got array([[0., 0.", Wave, precision=np.zeros((2, 30)))
        self.refused(UsageError, "velocity must be a number of m/s, a file or a NumPy array", Wave, velocity=[[1500]])
        self.refused(UsageError, "steps must be an integer (got 2.5)", run.advance, 2.5)
        self.refused(UsageError, "spacing must be a number or up to 3", Wave, spacing=(1, 2, 3, 4))
        self.refused(UsageError, "index of a plane must be", run.plane, 2, 40)
        self.refused(InputError, "velocity", lambda: shot(velocity=np.where(MODEL > 2000, np.nan, MODEL)))
        self.refused(ResourceError, "memory", lambda: Wave(size=10**5, spacing=1, steps=1).start())

    def test_empty_lists(self):
        run = shot(source="none", receivers=np.empty((0, 2)), initial=np.ones((60, 40), np.float32))
        run.advance(1)
        self.assertEqual((run.traces.shape, run.sources.shape), ((0, 91), (0, 3)))

    def test_traces_that_end_early(self):
        """They are corrected in place, once, and the run is over."""
        run = shot()
        run.advance(60)
        computed = run.traces.copy()
        self.refused(UsageError, "this run is advancing", run.advance, 1, every=1, frame=lambda own: own.end_traces())
        run.end_traces()
        self.assertTrue((run.traces[:, 1:60] != computed[:, 1:60]).any())
        self.refused(UsageError, "", run.advance, 1)

    def test_none_is_not_given(self):
        """None leaves what the specification says without it."""
        options = dict.fromkeys(["boundary", "backend", "ordering", "wavelet", "velocity", "size", "initial", "dt"])
        bare, run = Wave(), Wave(**options)
        self.assertEqual((run.shape, run.dt, run.info), (bare.shape, bare.dt, bare.info))

    def test_points_come_back(self):
        self.assertEqual(shot().receivers[:, ::2].tolist(), POINTS.tolist())


class Stepping(Case):
    def test_pieces_are_the_whole(self):
        whole, pieces, seen = shot(), shot(), []
        whole.advance()
        pieces.advance(7)
        pieces.advance(83, every=20, frame=lambda run: seen.append((run.step, float(run.field()[10, 5]))))
        self.assertEqual([step for step, _ in seen], [20, 40, 60, 80])
        self.assertEqual(pieces.field().tobytes(), whole.field().tobytes())
        self.assertEqual(pieces.traces.tobytes(), whole.traces.tobytes())
        self.refused(UsageError, "step", whole.advance, 1)
        self.refused(UsageError, "step", shot().advance, -1)

    def test_callbacks_that_fail(self):
        whole, run = shot(), shot()
        whole.advance()

        def fail(_run):
            raise KeyError("mine")

        with self.assertRaisesRegex(KeyError, "mine"):
            run.advance(every=30, frame=fail)
        self.assertEqual(run.step, 30)
        endless = shot(steps=10**8, source="none", receivers=None, initial="noise")
        with self.assertRaises(KeyError):  # told after the first of many pieces
            endless.advance(progress=fail)
        self.assertLess(endless.step, 10**6)
        self.refused(UsageError, "this run is advancing", run.advance, 30, every=1, frame=lambda own: own.advance(1))
        run.advance()
        self.assertEqual(run.field().tobytes(), whole.field().tobytes())

    def test_stop_and_progress(self):
        told, run = [], shot(steps=10**6, receivers=None, wavelet=[1.0], frequency=0)
        run.advance(progress=told.append, stop=lambda: len(told) > 1)
        self.assertLess(run.step, 10**6)
        self.assertEqual([where.step for where in told][-1], run.step)

    def test_interrupt(self):
        """Ctrl-C ends a run that would take hours; it can go on from there."""
        run = shot(steps=10**8, source="none", receivers=None, initial="noise")
        run.advance(10)
        signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
        signal.signal(signal.SIGINT, signal.default_int_handler)
        with self.assertRaises(KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            run.advance()
        step = run.step
        self.assertTrue(10 <= step < 10**8, step)
        run.advance(3)
        self.assertEqual(run.step, step + 3)

    def test_other_threads_run(self):
        """During one call, the single step of a large grid, another thread goes on."""
        run = Wave(size=(200, 200, 200), engine="reference", steps=1, initial="noise", threads=1)
        run.start()
        ticks, done = [], threading.Event()

        def tick():
            while not done.wait(0.001):
                ticks.append(time.monotonic())

        thread = threading.Thread(target=tick)
        thread.start()
        try:
            start = time.monotonic()
            run.advance()
            end = time.monotonic()
        finally:
            done.set()
            thread.join()
        self.assertGreater(sum(start < t < end for t in ticks), 3)

    def test_one_thread_at_a_time(self):
        said = []

        def look(run):
            try:
                run.field()
            except UsageError as error:
                said.append(str(error))

        def frame(run):
            thread = threading.Thread(target=look, args=[run])
            thread.start()
            thread.join()

        shot().advance(30, every=30, frame=frame)
        self.assertEqual(said, ["this run is in use by another thread: it takes one at a time"])
