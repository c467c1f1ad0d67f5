#!/usr/bin/env python3
"""Run the tests of the Python package: run.py BUILD [unittest arguments]. Exit 77 without NumPy or cffi."""
import os
import sys
import unittest

build = os.path.realpath(sys.argv[1])
sys.path[:0] = [os.path.join(build, "python")]
os.environ["TORRE_BUILD"] = build
os.environ.pop("TORRE_LIBRARY", None)
try:
    import cffi  # noqa: F401
    import numpy  # noqa: F401
except ImportError as error:
    print(f"python: {error}: apt install python3-cffi python3-numpy")
    sys.exit(77)
here = os.path.dirname(os.path.realpath(__file__))
unittest.main(None, argv=["run.py", "discover", "-s", here, *sys.argv[2:]])
