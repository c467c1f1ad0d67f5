"""What ASE, MDAnalysis and OVITO see in the trajectories of md.

Usage: md_readers.py ase|MDAnalysis|ovito, in the folder where md_readers.sh has run md. Every
reader must find what the names of the files say: particles, frames, positions, velocities, the box
and where it begins, periodic axes, identifiers, radii. Coordinates are written with nine digits;
MDAnalysis keeps them in single precision.
"""
import sys

import numpy as np

SPACING = 0.01  # of the fluid
FLUID = 10 * 20 * 8  # particles
EDGE = (4 / 0.8442) ** (1 / 3) * 5
WALLED = {"lj": [False] * 3, "gas": [False, False, True], "mps": [True, True, False]}
FRAMES = 3


def rows(name):
    """Frames of NAME.dump: low and high end of the box, columns by name, sorted by id."""
    frames = []
    with open(name + ".dump") as f:
        for line in f:
            assert line == "ITEM: TIMESTEP\n"
            step = int(next(f))
            assert next(f) == "ITEM: NUMBER OF ATOMS\n"
            count = int(next(f))
            kinds = next(f).split()[3:]
            box = np.array([next(f).split() for _ in range(3)], float)
            columns = next(f).split()[2:]
            data = np.array([next(f).split() for _ in range(count)], float)
            assert (data[:, 0] == np.arange(1, count + 1)).all()
            assert kinds == ["ff" if walled else "pp" for walled in WALLED[name]]
            frames.append((step, box, dict(zip(columns, data.T))))
    return frames


def vectors(columns, names):
    return np.array([columns[n] for n in names.split()]).T


def check(name, frame, positions, velocities=None, box=None, low=None, periodic=None, radius=None,
          ids=None, slack=2e-9):
    """One frame of a reader against the numbers in the text of the dump."""
    _, bounds, columns = rows(name)[frame]
    expected = vectors(columns, "x y z")
    scale = np.abs(bounds).max()
    assert positions.shape == expected.shape, positions.shape
    assert np.abs(positions - expected).max() <= slack * scale, np.abs(positions - expected).max()
    if velocities is not None:
        expected = vectors(columns, "vx vy vz")
        assert np.abs(velocities - expected).max() <= slack * max(1, np.abs(expected).max())
    if box is not None:
        assert np.abs(box - (bounds[:, 1] - bounds[:, 0])).max() <= slack * scale, box
    if low is not None:
        assert np.abs(low - bounds[:, 0]).max() <= slack * scale, low
    if periodic is not None:
        assert list(periodic) == [not walled for walled in WALLED[name]], periodic
    if radius is not None:
        assert np.abs(radius / columns["radius"] - 1).max() <= 1e-6
    if ids is not None:
        assert (ids == columns["id"]).all()


def check_meaning():
    """What the numbers in the text say."""
    step, box, lj = rows("lj")[2]
    assert len(rows("lj")) == FRAMES and step == 20 and len(lj["x"]) == 500
    assert np.abs(box - [[0, EDGE]] * 3).max() < 1e-9
    _, box, gas = rows("gas")[0]
    assert (gas["radius"] == 0.0005).all() and (gas["mass"] == 1.3e-6).all()
    assert gas["z"].min() >= 0 and gas["z"].max() <= box[2, 1]
    _, box, mps = rows("mps")[0]
    fluid = mps["type"] == 1
    assert fluid.sum() == FLUID and set(mps["type"]) == {1, 2, 3}
    assert (mps["radius"] == SPACING / 2).all()
    # the water stands in the corner of the tank, which is the origin; walls are around the tank
    for axis, length in zip("xyz", (0.1, 0.2, 0.08)):
        assert abs(mps[axis][fluid].min() - SPACING / 2) < 1e-9
        assert abs(mps[axis][fluid].max() - (length - SPACING / 2)) < 1e-9
    wall = mps["type"] == 2
    for k, axis in enumerate("xy"):
        assert abs(mps[axis][wall].min() + SPACING / 2) < 1e-9
        assert abs(mps[axis][wall].max() - (0.4 + SPACING / 2)) < 1e-9
        assert box[k, 0] < mps[axis].min() and mps[axis].max() < box[k, 1]


def check_ase():
    import ase.io

    for name in WALLED:
        xyz = ase.io.read(name + ".xyz", ":")
        dump = ase.io.read(name + ".dump", ":", format="lammps-dump-text")
        assert len(xyz) == len(dump) == FRAMES
        for frame in range(FRAMES):
            atoms = xyz[frame]
            radius = atoms.get_array("radius") if name != "lj" else None
            check(name, frame, atoms.positions, atoms.get_array("velo"), atoms.cell.lengths(),
                  periodic=atoms.pbc, radius=radius, ids=atoms.get_array("id"))
            assert set(atoms.get_chemical_symbols()) == {"X"}
            assert atoms.info["Step"] == rows(name)[frame][0]
            atoms = dump[frame]
            check(name, frame, atoms.positions, box=atoms.cell.lengths(), periodic=atoms.pbc)
        if name == "mps":
            kind = xyz[0].get_array("kind")
            assert (kind + 1 == rows("mps")[0][2]["type"]).all()
            pressure = xyz[2].get_array("pressure")
            assert (pressure == rows("mps")[2][2]["pressure"]).all() and pressure.max() > 0
        if name == "lj":  # momenta, and positions outside the box, which is periodic
            back = [ase.Atoms(f"Ar{len(a)}", positions=a.positions + [30, 0, -9], cell=a.cell, pbc=True)
                    for a in xyz]
            for atoms, a in zip(back, xyz):
                atoms.set_masses(np.full(len(a), 1.0))
                atoms.set_momenta(a.get_array("velo"))
            ase.io.write("from_ase.xyz", back)


def check_mdanalysis():
    import MDAnalysis

    for name in WALLED:
        columns = rows(name)[0][2]
        xyz = MDAnalysis.Universe(name + ".xyz")
        dump = MDAnalysis.Universe(name + ".dump", format="LAMMPSDUMP", topology_format="LAMMPSDUMP",
                                   atom_style="id type x y z", lammps_coordinate_convention="unscaled")
        assert xyz.trajectory.n_frames == dump.trajectory.n_frames == FRAMES
        assert set(xyz.atoms.names) == {"X"}
        assert (dump.atoms.types.astype(int) == columns["type"]).all()
        for frame in range(FRAMES):
            xyz.trajectory[frame]
            check(name, frame, xyz.atoms.positions, slack=1e-7)
            dump.trajectory[frame]
            _, bounds, _ = rows(name)[frame]
            # MDAnalysis counts from the lower corner of the box
            check(name, frame, dump.atoms.positions + bounds[:, 0], box=dump.dimensions[:3], slack=2e-7)


def check_ovito():
    from ovito.io import export_file, import_file

    for name in WALLED:
        for ending in "xyz", "dump":
            pipeline = import_file(f"{name}.{ending}")
            assert pipeline.source.num_frames == FRAMES
            for frame in range(FRAMES):
                data = pipeline.compute(frame)
                p, cell = data.particles, data.cell[...]
                radius = p["Radius"][...] if name != "lj" else None
                check(name, frame, p["Position"][...], p["Velocity"][...], np.diag(cell[:, :3]),
                      cell[:, 3], data.cell.pbc, radius, p["Particle Identifier"][...])
                if ending == "dump":
                    columns = rows(name)[frame][2]
                    assert (p["Particle Type"][...] == columns["type"]).all()
                elif name == "mps":
                    assert (p["kind"][...] + 1 == rows("mps")[frame][2]["type"]).all()
                if name == "gas":
                    assert np.abs(p["Mass"][...] / 1.3e-6 - 1).max() < 1e-6


    names = ["Particle Identifier", "Particle Type"] + [
        f"{what}.{axis}" for what in ("Position", "Velocity") for axis in "XYZ"]
    pipeline = import_file("lj.dump")
    export_file(pipeline, "from_ovito.data", "lammps/data", frame=FRAMES - 1)
    for name, kind in ("from_ovito.xyz", "xyz"), ("from_ovito.dump", "lammps/dump"):
        export_file(pipeline, name, kind, columns=names, multiple_frames=True)


check_meaning()
{"ase": check_ase, "MDAnalysis": check_mdanalysis, "ovito": check_ovito}[sys.argv[1]]()
