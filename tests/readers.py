"""Other programs' readers of our files, in whichever Python has them: this one, that of TORRE_READERS (.ci/run makes it)
or the system's."""
import os
import subprocess
import sys


def python_with(module):
    """A Python that can import a module, or None."""
    for python in (sys.executable, os.environ.get("TORRE_READERS"), "/usr/bin/python3"):
        if python and os.path.exists(python) and \
                subprocess.run([python, "-c", "import " + module], capture_output=True).returncode == 0:
            return python
    return None


def read_by(modules, script, *words):
    """Run script WORDS... MODULE once for each module that some Python has; 77, skipped, where there is none."""
    found = [(module, python_with(module)) for module in modules]
    for module, python in found:
        if python:
            subprocess.run([python, os.path.abspath(script), *words, module], check=True)
        else:
            print("no", module, flush=True)
    if not any(python for _, python in found):
        sys.exit(77)
