"""
diamondtorre: waves and particles by libtorre, with NumPy arrays.

    Wave(...)                  acoustic waves: advance, field, plane, traces
    LJ(...), Granular(...)     particles: advance, positions, velocities, row
    Dam(...)                   a fluid of moving particles
    Ordering(...)              space-filling curves
    radial_distribution(...)   g(r)

libtorre.so is taken, in this order, from
    1. the file that the environment variable TORRE_LIBRARY names;
    2. an installed library (LD_LIBRARY_PATH, ldconfig) that was built with CUDA, so that a GPU is used;
    3. the package itself, for CPUs;
    4. an installed library without CUDA.
A library whose declarations are not those that the package was made for is never used. about() says
which one it is.

Functions raise TorreError: UsageError (also a ValueError), InputError, ResourceError (a MemoryError),
UnstableError (an ArithmeticError), each with one line that says what is wrong and what would be right.
"""
from ._generated import (DamOptions, FluidRow, GranularOptions, LJOptions, ParticleInfo, ParticlePlan,
                         ParticlePlanOptions, ThermoRow, WaveInfo, WaveNorms, WaveOptions, WavePlan, WaveProgress)
from ._library import InputError, ResourceError, TorreError, UnstableError, UsageError, about
from .analysis import radial_distribution
from .fluid import Dam
from .ordering import Ordering
from .particles import LJ, Granular, Particles
from .wave import Wave, ricker

__all__ = [
    "Dam", "DamOptions", "FluidRow", "Granular", "GranularOptions", "InputError", "LJ", "LJOptions", "Ordering",
    "ParticleInfo", "ParticlePlan", "ParticlePlanOptions", "Particles", "ResourceError", "ThermoRow", "TorreError",
    "UnstableError", "UsageError", "Wave", "WaveInfo", "WaveNorms", "WaveOptions", "WavePlan", "WaveProgress",
    "about", "radial_distribution", "ricker",
]
