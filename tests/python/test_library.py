"""Which libtorre.so is taken, and which are refused; orderings."""
import csv
import os
import subprocess
import sys

import diamondtorre
import numpy as np
from case import BUILD, Case
from diamondtorre import Ordering, UsageError
from diamondtorre._generated import INTERFACE, SONAME

OWN = os.path.join(BUILD, "python", "diamondtorre", "lib", SONAME)


class Library(Case):
    def changed(self, old, new):
        """A copy of the library with a text in it changed; its folder."""
        with open(os.path.realpath(OWN), "rb") as library:
            content = library.read()
        self.assertEqual(len(old), len(new))
        self.assertIn(old, content)
        with open(self.path(SONAME), "wb") as copy:
            copy.write(content.replace(old, new))
        return self.folder

    def about(self, **environment):
        """What a new Python says of its library, or the last line of its error."""
        done = subprocess.run([sys.executable, "-c", "import diamondtorre; print(diamondtorre.about())"], text=True,
                              capture_output=True, env={**os.environ, **environment,
                                                        "PYTHONPATH": os.path.join(BUILD, "python")})
        return (done.stdout or done.stderr).strip().split("\n")[-1]

    def test_its_own(self):
        self.assertTrue(self.about().endswith(f"from {OWN}"), self.about())
        self.assertIn("libtorre 0.", diamondtorre.about())

    def test_named(self):
        named = os.path.join(self.changed(b"", b""), SONAME)
        self.assertTrue(self.about(TORRE_LIBRARY=named).endswith(f"from {named}"))
        said = self.about(TORRE_LIBRARY=self.path("none.so"))
        self.assertTrue(said.startswith("ImportError: TORRE_LIBRARY: ") and "none.so" in said, said)

    def test_other_declarations(self):
        """A library of other headers is refused by name, and passed over where nobody named it."""
        folder = self.changed(INTERFACE.encode(), b"0123456789abcdef")
        said = self.about(TORRE_LIBRARY=self.path(SONAME))
        self.assertIn(f"{SONAME} has interface 0123456789abcdef, this package needs {INTERFACE}", said)
        self.assertTrue(self.about(LD_LIBRARY_PATH=folder).endswith(f"from {OWN}"))

    def test_installed(self):
        """An installed library is taken where it has CUDA."""
        if "without CUDA" not in diamondtorre.about():
            self.skipTest("this build has CUDA")
        folder = self.changed(b"without CUDA", b"with CUDA...")
        self.assertTrue(self.about(LD_LIBRARY_PATH=folder).endswith(f"from {SONAME}"))
        self.changed(b"", b"")
        self.assertTrue(self.about(LD_LIBRARY_PATH=folder).endswith(f"from {OWN}"))


class Curves(Case):
    def test_same_as_the_program(self):
        self.assertIsNone(self.program("locality", "curve", "--ordering", "hilbert", "--size", "5x3x4", "--csv", "curve.csv",
                                       "--quiet"))
        with open(self.path("curve.csv")) as lines:
            rows = [[int(value) for value in row] for row in csv.reader(lines) if row[0].isdigit()]
        curve = Ordering("hilbert", (5, 3, 4))
        path = curve.path()
        self.assertEqual(np.column_stack([np.arange(60), path]).tolist(), rows)
        for rank in range(60):
            self.assertEqual((curve.cell(rank), curve.rank(path[rank].tolist())), (tuple(path[rank]), rank))

    def test_unit_steps(self):
        path = Ordering("hilbert", (8, 8)).path()
        self.assertTrue((np.abs(np.diff(path, axis=0)).sum(axis=1) == 1).all())
        self.assertTrue(Ordering("hilbert", (8, 8)).is_exact)
        self.assertFalse(Ordering("hilbert", (8, 7)).is_exact)

    def test_refused(self):
        self.refused(UsageError, "ordering spiral: ", Ordering, "spiral", (4, 4))
        self.refused(UsageError, "size must be 2 or 3", Ordering, "hilbert", (4,))
        self.refused(UsageError, "rank must be 0 to 15", Ordering("moore", (4, 4)).cell, 16)
        self.refused(UsageError, "cell must be inside the box", Ordering("moore", (4, 4)).rank, (4, 0))
