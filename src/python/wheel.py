"""Build hooks of pyproject.toml: those of scikit-build-core, and a wheel that runs on other machines, too."""
import os
import shutil
import subprocess
import sys
import tempfile
from scikit_build_core import build as _build
from scikit_build_core.build import (  # noqa: F401
    build_editable, build_sdist, get_requires_for_build_editable, get_requires_for_build_sdist,
    get_requires_for_build_wheel)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """auditwheel puts libgomp, libpng and what they need into the wheel, and names the oldest Linux that it runs on."""
    with tempfile.TemporaryDirectory() as plain, tempfile.TemporaryDirectory() as repaired:
        name = _build.build_wheel(plain, config_settings, metadata_directory)
        command = [sys.executable, "-m", "auditwheel", "repair", "-w", repaired, os.path.join(plain, name)]
        if subprocess.run(command).returncode == 0:
            plain, (name,) = repaired, os.listdir(repaired)
        else:
            print(f"wheel: auditwheel failed; {name} runs on machines with the libraries of this one alone")
        shutil.move(os.path.join(plain, name), os.path.join(wheel_directory, name))
    return name
