"""Particles from Python: the bits of the program, lattices, arrays in and out, g(r), granular gases, a fluid."""
import numpy as np
from case import Case
from diamondtorre import (LJ, Dam, Granular, InputError, UnstableError, UsageError, radial_distribution)

GAS = {"dimensions": 3, "size": (0.012, 0.012, 0.012), "diameter": 1e-3, "mass": 1.3e-6, "stiffness": 1000,
       "restitution": 0.8, "wall_restitution": 0.8, "filling": 0.2, "temperature": 0.01, "sweeps": 10}


def melt(**options):
    return LJ(**{"cells": 5, "temperature": 1.44, "seed": 87287, "precision": "f64", **options})


class LennardJones(Case):
    def test_same_as_the_program(self):
        """The last state of the same melt, in the same file: the same bytes."""
        failed = self.program("md", "--cells", 5, "--temperature", 1.44, "--seed", 87287, "--precision", "f64", "--steps",
                              50, "--threads", 1, "--deterministic", "--dump", "program.dump", "--dump-every", 0,
                              "--picture", "none", "--quiet", "--backend", "cpu")
        self.assertIsNone(failed)
        run = melt().start("cpu", threads=1, deterministic=True)
        run.advance(50)
        run.save(self.path("own.dump"))
        with open(self.path("program.dump"), "rb") as program, open(self.path("own.dump"), "rb") as own:
            self.assertEqual(program.read(), own.read())

    def test_arrays_in_and_out(self):
        """Particles that start from the arrays of others go the same way, to the bit."""
        first, seen = melt(), []
        second = LJ(position=first.positions(), velocity=first.velocities(), box=first.box, precision="f64")
        for run in (first, second):
            run.start("cpu", threads=1, deterministic=True)
            run.advance(20, every=10, frame=lambda p: seen.append(p.row))
        self.assertEqual(first.positions().tobytes(), second.positions().tobytes())
        self.assertEqual(first.velocities().tobytes(), second.velocities().tobytes())
        # step 20 is told, and step 10; the same rows of both
        self.assertEqual([row.step for row in seen], [10, 20] * 2)
        self.assertEqual(seen[:2], seen[2:])
        out = np.zeros((2, 3, 500))
        self.assertIs(first.positions(out=out[1]).base, out)
        self.assertTrue((out[1] >= 0).all() and (out[1] < first.box[0]).all() and out[1].any() and not out[0].any())

    def test_conserved(self):
        """
        The momentum of a row is that of the arrays, and stays near 0: each of the 50 steps rounds each of
        the 500 velocities (below 8) by at most half an ulp of 8, 8.9e-16, twice.
        """
        run = melt()
        start = run.row
        run.advance(50)
        self.assertEqual(run.step, 50)
        np.testing.assert_allclose(run.velocities().sum(axis=1), run.row.momentum, rtol=0, atol=500 * 8.9e-16)
        self.assertLess(np.abs(run.row.momentum).max(), 2 * 50 * 500 * 8.9e-16)
        self.assertAlmostEqual(start.temperature, 1.44, places=13)
        # kinetic energy of the arrays, 3N - 3 degrees of freedom
        self.assertAlmostEqual((run.velocities() ** 2).sum() / (3 * 500 - 3), run.row.temperature, places=12)

    def test_refused(self):
        run = melt()
        at = run.positions()
        for text, options in [
            ("position must be an array of float64", {"position": at.astype(np.float32)}),
            ("position must be contiguous in C order", {"position": at.T.copy().T}),
            ("position must have shape (3, n)", {"position": at.T.copy()}),
            ("position and velocity must have the same shape", {"position": at, "velocity": at[:, :9].copy()}),
            ("position must be given for each axis", {"velocity": at}),
            ("box edge must be a positive number", {"position": at, "box": 0.0}),
            ("no option is called cell: did you mean cells?", {"cell": 5}),
            ("cells must be at least 1", {"cells": 0}),
            ("ensemble must be nve, langevin, berendsen, baoab, bussi, nose-hoover, fire or npt (got 'npx')",
             {"cells": 5, "ensemble": "npx"}),
        ]:
            with self.subTest(text=text):
                self.refused(UsageError, text, LJ, **{"box": run.box, **options})
        self.refused(InputError, "is outside the box", LJ, position=at + run.box[0], box=run.box)
        self.refused(UnstableError, "", LJ, position=np.zeros((3, 2)), box=10.0)
        self.refused(UsageError, "out must have shape (3, 500)", run.positions, np.zeros((500, 3)))
        self.refused(UsageError, "ordering spiral: ", run.start, ordering="spiral")
        run.start(ordering="hybrid:row-major/hilbert/4", neighbor="half")
        self.assertEqual((run.info.plan.ordering, run.info.plan.neighbor), ("hybrid:row-major/hilbert/4", "half"))
        self.refused(UsageError, "these particles have been started", run.start)
        self.refused(UsageError, "steps must be at least 0", run.advance, -1)


class RadialDistribution(Case):
    def test_shells_of_a_lattice(self):
        """A face-centred cubic crystal has 12, 6, 24, 12 neighbours at sqrt(1, 2, 3, 4) of the shortest."""
        crystal = melt(cells=6)
        near = crystal.box[0] / 6 / np.sqrt(2)
        reach, bins = 2.1 * near, 50
        r, g = radial_distribution(crystal.positions(), crystal.box, reach, bins)
        shell = np.linspace(0, reach, bins + 1)
        ideal = 4 / 3 * np.pi * np.diff(shell**3) * (864 - 1) / crystal.box[0] ** 3
        count = g * ideal
        at = [int(np.sqrt(k) * near / reach * bins) for k in (1, 2, 3, 4)]
        np.testing.assert_allclose(count[at], [12, 6, 24, 12], rtol=1e-12)
        self.assertAlmostEqual(count.sum(), 54, places=10)
        self.assertEqual(len(r), bins)

    def test_all_pairs(self):
        """With cells and without: what a plain sum over all pairs gives, in boxes of unequal edges."""
        box = np.array([7.0, 9.5, 12.0])
        at = np.random.default_rng(3).random((3, 300)) * box[:, None]
        apart = at[:, :, None] - at[:, None, :]
        apart -= box[:, None, None] * np.round(apart / box[:, None, None])
        distance = np.sqrt((apart**2).sum(axis=0))[~np.eye(300, dtype=bool)]
        for reach in (1.1, 2.0, 3.1, 3.5):
            _, g = radial_distribution(at, box, reach, 20)
            shell = np.linspace(0, reach, 21)
            ideal = 300 * 299 / box.prod() * 4 / 3 * np.pi * np.diff(shell**3)
            np.testing.assert_allclose(g, np.histogram(distance, shell)[0] / ideal, rtol=1e-12)

    def test_refused(self):
        self.refused(UsageError, "reach must be above 0 and at most 2.5", radial_distribution, np.ones((3, 4)), [5, 6, 7], 3)
        self.refused(UsageError, "positions must have shape (3, n)", radial_distribution, np.ones((4, 3)), [5, 6, 7])


class Gas(Case):
    def test_cools(self):
        gas = Granular(precision="f64", **GAS)
        start = gas.row
        gas.advance(200)
        self.assertEqual(gas.step, 200)
        self.assertLess(gas.row.total_energy, start.total_energy)
        # what is lost, and nothing else, is missing: E per particle (velocity Verlet keeps it to 1e-3)
        missing = (start.total_energy - gas.row.total_energy) * gas.count
        self.assertAlmostEqual(gas.row.lost / missing, 1, delta=0.02)

    def test_spins(self):
        gas = Granular(precision="f64", friction=0.5, sizes="two-sizes", size_ratio=0.5, **GAS)
        self.assertTrue((gas.angular_velocities() == 0).all())
        gas.advance(200)
        radius, spin = gas.radii(), gas.angular_velocities()
        self.assertEqual(sorted(set(np.round(radius / GAS["diameter"], 12))), [0.25, 0.5])
        # solid spheres of one density: what moves and turns is the energy but for that of contacts
        mass = GAS["mass"] * (2 * radius / GAS["diameter"])**3
        kinetic = (mass * (gas.velocities()**2 + 0.4 * radius**2 * spin**2)).sum() / 2 / gas.count
        self.assertGreater(abs(spin).max(), 0)
        self.assertAlmostEqual((kinetic + gas.row.pair_energy) / gas.row.total_energy, 1, delta=1e-9)

    def test_refused(self):
        self.refused(UsageError, "do not spin", Granular(**GAS).angular_velocities)
        self.refused(UnstableError, "dt", Granular, dt=1, **GAS)
        self.refused(UsageError, "restitution must be", Granular, **{**GAS, "restitution": 2})
        self.refused(UsageError, "precision must be f32, f64 or mixed", Granular, precision="half", **GAS)


class Water(Case):
    def test_same_as_the_program(self):
        failed = self.program("md", "--model", "mps", "--dimensions", 2, "--spacing", 0.01, "--precision", "f64",
                              "--steps", 60, "--threads", 1, "--dump", "program.dump", "--front", "none", "--quiet",
                              "--backend", "cpu")
        self.assertIsNone(failed)
        dam = Dam(dims=2, spacing=0.01, column=(0.1, 0.2), size=(0.4, 0.4, 0.08), gravity=9.81, viscosity=1e-6,
                  precision="f64").start("cpu", threads=1)
        dam.advance(60)
        dam.save(self.path("own.dump"))
        with open(self.path("program.dump"), "rb") as program, open(self.path("own.dump"), "rb") as own:
            self.assertEqual(program.read(), own.read())

    def test_boxes_as_in_the_program(self):
        failed = self.program("md", "--model", "mps", "--dimensions", 2, "--spacing", 0.01, "--precision", "f64",
                              "--tank", "0.4,0.3,0.08", "--water", "0,0:0.1,0.2;0.3,0:0.4,0.1", "--obstacle", "0.2,0:0.24,0.05",
                              "--gate", "0.12:0.01:2", "--height-gauges", "0.05;0.35", "--pressure-probes", "0.1,0;0.2,0.03",
                              "--steps", 60, "--thermo", 60, "--threads", 1, "--dump", "program.dump", "--front", "none",
                              "--quiet", "--backend", "cpu", "--output", ".")
        self.assertIsNone(failed)
        tank = dict(dims=2, spacing=0.01, size=(0.4, 0.3, 0.08), gravity=9.81, viscosity=1e-6, precision="f64")
        water = [((0, 0), (0.1, 0.2)), ((0.3, 0), (0.4, 0.1))]
        dam = Dam(**tank, water=water, obstacle=[((0.2, 0), (0.24, 0.05))], gate=(0.12, 0.01, 2)).start("cpu", threads=1)
        dam.advance(60)
        dam.save(self.path("own.dump"))
        with open(self.path("program.dump"), "rb") as program, open(self.path("own.dump"), "rb") as own:
            self.assertEqual(program.read(), own.read())
        for file, own in (("heights.csv", [dam.height(0.05), dam.height(0.35)]),
                          ("probes.csv", [dam.probe(0.1, 0), dam.probe(0.2, 0.03)])):
            with open(self.path(file)) as rows:
                last = [float(x) for x in rows.read().split()[-1].split(",")[1:]]
            self.assertTrue(any(last), file)
            np.testing.assert_allclose(own, last, rtol=1e-8)
        self.assertTrue(np.isnan(dam.probe(0.15, 0.15)))
        self.refused(UsageError, "water: a corner has 2 numbers (got 1)", Dam, **tank, water=[((0,), (0.1, 0.1))])
        self.refused(UsageError, "obstacle: at most 16 boxes (got 17)", Dam, **tank, obstacle=17 * water[:1])

    def test_arrays(self):
        dam = Dam(dims=2, spacing=0.01, column=(0.1, 0.2), size=(0.4, 0.4), gravity=9.81)
        dam.advance(30)
        self.assertAlmostEqual(dam.positions()[0, :dam.moving].max() + 0.005, dam.row.front, places=12)
        self.assertEqual(dam.pressures()[:dam.moving].max(), dam.row.pressure)
        speed = np.sqrt((dam.velocities()[:, :dam.moving] ** 2).sum(axis=0)).max()
        self.assertAlmostEqual(speed, dam.row.speed, places=12)
        self.assertTrue((dam.densities()[:dam.moving] > 0).all())
        self.assertGreater(dam.gauge(0.05, 0), 0)
        self.assertEqual(dam.gauge(0.35, 0.3), 0)
        self.refused(UsageError, "out must have shape", dam.pressures, np.zeros(3))
        self.refused(UsageError, "influence must be 1.5 to 4 spacings (got 9)", Dam, dims=2, spacing=0.01, column=(0.1, 0.2),
                     size=(0.4, 0.4), gravity=9.81, influence=0.09)
