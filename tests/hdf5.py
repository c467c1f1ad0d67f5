#!/usr/bin/env python3
"""HDF5 files of `wave` as h5py and VTK read them, against its .npy files: hdf5.py WAVE TEST, TEST a function below."""
import json
import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import readers  # noqa: E402

WAVE = os.path.abspath(sys.argv[1])
GRID = ["--size", "40x38x30", "--spacing", "10,8,5", "--dt", "1e-3", "--steps", "60", "--backend", "cpu", "--quiet"]
PLANE = ["--size", "60x50", "--spacing", "10,5", "--dt", "1e-3", "--steps", "60", "--backend", "cpu", "--quiet"]


def wave(*options):
    subprocess.run([WAVE, *options], check=True)


def npy(path):
    """Shape and values of an f32 array."""
    with open(path, "rb") as f:
        data = f.read()
    start = 10 + struct.unpack_from("<H", data, 8)[0]
    shape = eval(data[10:start].decode())["shape"]
    return shape, struct.unpack(f"<{(len(data) - start) // 4}f", data[start:])


def turned(shape, values):
    """(frames, nx, ny, nz), or (frames, nx, nz), with x fastest."""
    frames, nx, ny, nz = shape if len(shape) == 4 else (*shape[:2], 1, shape[2])
    return [values[((f * nx + x) * ny + y) * nz + z]
            for f in range(frames) for z in range(nz) for y in range(ny) for x in range(nx)]


def check_h5py(path, npy_path, spacing, every):
    import h5py
    shape, values = npy(npy_path)
    with h5py.File(path, "r") as f:
        u, steps = f["VTKHDF/PointData/u"], f["VTKHDF/Steps"]
        assert u.shape == (shape[0], *reversed(shape[1:])) and u.dtype == "f4", u
        assert u[()].ravel().tolist() == turned(shape, values)
        assert f["VTKHDF"].attrs["Type"] in (b"ImageData", "ImageData")
        assert list(f["VTKHDF"].attrs["WholeExtent"])[1::2] == [n - 1 for n in (*shape[1:], 1)[:3]]
        assert list(f["VTKHDF"].attrs["Spacing"]) == spacing and list(f["VTKHDF"].attrs["Origin"]) == [0, 0, 0]
        assert steps.attrs["NSteps"] == shape[0]
        assert list(f["step"]) == [every * i for i in range(shape[0])]
        assert all(abs(t - 1e-3 * every * i) < 1e-12 for i, t in enumerate(steps["Values"]))


def check_vtk(path, npy_path, spacing, every):
    from vtkmodules.vtkIOHDF import vtkHDFReader
    shape, values = npy(npy_path)
    expected = turned(shape, values)
    reader = vtkHDFReader()
    assert reader.CanReadFile(path)
    reader.SetFileName(path)
    reader.UpdateInformation()
    cells = len(expected) // shape[0]
    assert reader.GetNumberOfSteps() == shape[0]
    for step in range(shape[0]):
        reader.SetStep(step)
        reader.Update()
        image = reader.GetOutput()
        assert image.GetDimensions() == (*shape[1:], 1)[:3] and list(image.GetSpacing()) == spacing
        end = image.GetPoint(cells - 1)  # of a plane, along x and z
        far = [(n - 1) * h for n, h in zip(shape[1:], spacing)]
        assert all(abs(p - q) < 1e-9 for p, q in zip(end, far if len(far) == 3 else (far[0], 0, far[1]))), end
        u = image.GetPointData().GetArray("u")
        assert u.GetNumberOfTuples() == cells
        assert [u.GetValue(i) for i in range(cells)] == expected[step * cells:(step + 1) * cells], step
        assert abs(reader.GetTimeValue() - 1e-3 * every * step) < 1e-12


def test_fields(module=None):
    """All frames of a field, of three and of two dimensions."""
    if module:
        for name, spacing in (("u", [10, 8, 5]), ("p", [10, 5, 1])):
            globals()["check_" + module.split(".")[0].replace("vtkmodules", "vtk")](
                name + ".h5", name + ".npy", spacing, 7)
        return
    for name, options in (("u", GRID), ("p", PLANE)):
        for ending in (".npy", ".h5"):
            wave(*options, "--field", name + ending, "--field-every", "7", "--snapshot-every", "0")
    readers.read_by(("h5py", "vtkmodules.vtkIOHDF"), __file__, WAVE, "fields")


def test_planes(module=None):
    """A plane, which lies where its cells are."""
    if module:
        import h5py
        shape, values = npy("snapshot_000060.npy")
        with h5py.File("snapshot_000060.h5", "r") as f:
            u = f["VTKHDF/PointData/u"]
            assert u.shape == (1, shape[1], shape[0])
            assert u[()].ravel().tolist() == [values[x * shape[1] + y] for y in range(shape[1]) for x in range(shape[0])]
            assert list(f["VTKHDF"].attrs["Origin"]) == [0, 0, 35]
            assert list(f["step"]) == [60] and abs(f["VTKHDF/Steps/Values"][0] - 0.06) < 1e-12
        return
    for ending in ("npy", "h5"):
        wave(*GRID, "--snapshot-format", ending, "--snapshot-plane", "xy@7")
    readers.read_by(("h5py",), __file__, WAVE, "planes")


def test_compressed(module=None):
    """Compressed by zfp, which h5py reads with the filters of hdf5plugin: the errors that file and report state."""
    if module:
        import hdf5plugin  # noqa: F401
        import h5py
        shape, values = npy("u.npy")
        told = json.load(open("r.json"))["compressed"]
        for file, item in zip(("u.h5", "p.h5"), told):
            with h5py.File(file, "r") as f:
                u = f["VTKHDF/PointData/u"]
                assert "32013" in u._filters and item["file"] == file, u._filters
                assert u.attrs["zfp_error"] == item["error"] and u.attrs["zfp_tolerance"] == item["tolerance"]
                found = u[()].ravel().tolist()
            frames, nx, ny, nz = shape
            expected = turned(shape, values) if file == "u.h5" else \
                [values[((s * nx + x) * ny + 9) * nz + z] for s in range(frames) for z in range(nz) for x in range(nx)]
            assert len(found) == len(expected)
            error = max(abs(a - b) for a, b in zip(found, expected))
            assert 0 < error == item["error"] <= item["tolerance"], (file, error, item)
            assert item["largest_value"] == max(map(abs, expected))
        return
    wave(*GRID, "--snapshot-every", "20", "--snapshot", "u.npy,volume", "--snapshot", "u.h5,volume,zfp=1e-11",
         "--snapshot", "p.h5,zfp=2e-11,xz@9", "--json", "r.json")
    assert 3 * os.path.getsize("u.h5") < os.path.getsize("u.npy")
    done = subprocess.run([WAVE, *GRID, "--snapshot-every", "20", "--snapshot", "{step}.png,zfp=1e-9"],
                          capture_output=True, text=True)
    assert done.returncode == 2 and ".png files are not compressed by zfp; .h5 files are" in done.stderr, done.stderr
    readers.read_by(("hdf5plugin",), __file__, WAVE, "compressed")


if __name__ == "__main__":
    function = globals()["test_" + sys.argv[2]]
    if len(sys.argv) > 3:
        function(sys.argv[3])
    else:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            function()
