#!/usr/bin/env python3
"""Make of the public headers what the package diamondtorre is bound by.

    generate.py INCLUDE CC INTERFACE SONAME OUTPUT

OUTPUT/_abi.py        the declarations, for cffi (ABI mode: no compiler, any libtorre.so of that interface)
OUTPUT/_generated.py  the same for people and type checkers: a TypedDict of each struct that callers fill
                      in, a NamedTuple of each that they get, whose docstrings are the headers' own words

A member that is new in a header is a keyword, or a field, of the package from the next build on.
"""
import os
import re
import subprocess
import sys
import tempfile

import cffi

# Structs that callers fill in, and what their members are called besides; None: nothing of theirs.
PATH = "str | os.PathLike[str] | None"
POINTS = PATH + " | npt.ArrayLike"
FIELD = "npt.NDArray[np.floating[Any]]"
VECTORS = "npt.NDArray[np.float64]"
WISHES = {
    "torre_wave_spec": ("WaveOptions", {
        "velocity": "float | str | os.PathLike[str] | " + FIELD,
        "density": "float | str | os.PathLike[str] | None | " + FIELD,
        "source": POINTS,
        "receivers": POINTS,
        "wavelet": PATH + " | npt.ArrayLike",
        "initial": PATH + f" | {FIELD} | tuple[{FIELD}, {FIELD}]",
        **dict.fromkeys(["size_of_file", "source_count", "wavelet_count", "receiver_count"]),
        # read by programs alone
        **dict.fromkeys(["traces", "field", "field_every", "snapshot_every", "snapshot", "snapshot_format",
                         "picture_style", "snapshot_plane", "snapshot_stride", "snapshot_scale", "output"]),
    }),
    "torre_lj": ("LJOptions", {"position": VECTORS, "velocity": VECTORS, "count": None}),
    "torre_granular": ("GranularOptions", {}),
    "torre_fluid_dam": ("DamOptions", {  # boxes and gate: of Dam itself
        **dict.fromkeys(["water", "waters", "obstacle", "obstacles", "gate"]),
    }),
    "torre_md_plan": ("ParticlePlanOptions", {}),
}
# Structs that callers get.
RESULTS = {
    "torre_wave_plan": "WavePlan",
    "torre_wave_info": "WaveInfo",
    "torre_wave_norms": "WaveNorms",
    "torre_wave_progress": "WaveProgress",
    "torre_md_plan": "ParticlePlan",
    "torre_md_info": "ParticleInfo",
    "torre_md_thermo": "ThermoRow",
    "torre_mps_row": "FluidRow",
}


def declarations(include, compiler):
    """The headers without comments, macros and what other headers declare."""
    with tempfile.TemporaryDirectory() as empty:
        for name in ("stdbool.h", "stddef.h", "stdint.h"):
            open(os.path.join(empty, name), "w").close()
        command = [compiler, "-E", "-P", "-U__GNUC__", "-nostdinc", "-I", empty, "-I", include,
                   os.path.join(include, "torre", "torre.h")]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return "\n".join(line for line in text.splitlines() if not line.startswith("#"))


def written(include):
    """How each struct is written in its header, with the comments."""
    found = {}
    for name in sorted(os.listdir(os.path.join(include, "torre"))):
        with open(os.path.join(include, "torre", name)) as header:
            for match in re.finditer(r"(?:/\*(?:(?!\*/).)*\*/\n)?typedef struct (\w+) \{.*?^\} \1;",
                                     header.read(), re.S | re.M):
                found[match[1]] = match[0]
    return found


def words(kind):
    """Enumerators as users say them: without what all have in common, 'f32', 'reference'."""
    value = kind.relements
    names = sorted(value, key=lambda name: value[name])
    if names[-1].endswith("KINDS"):  # says how many there are
        names.pop()
    start = len(os.path.commonprefix(names).rpartition("_")[0]) + 1
    return {name[start:].lower().replace("_", "-"): value[name] for name in names}


def is_text(kind):
    return kind.kind in ("pointer", "array") and kind.item.kind == "primitive" and kind.item.cname == "char"


def number(kind):
    return {"_Bool": "bool", "double": "float"}.get(kind.cname, "int")


def wish(kind):
    """What callers may give for a member; None: nothing, it is set by other keywords."""
    if is_text(kind):
        return PATH
    if kind.kind == "enum":
        return "Literal[%s]" % ", ".join(repr(word) for word in words(kind))
    if kind.kind == "primitive":
        return number(kind)
    if kind.kind == "array" and kind.item.kind == "primitive":
        return "%s | Sequence[%s]" % (number(kind.item), number(kind.item))
    return "str" if kind.cname == "torre_ordering_spec" else None


def wishes(kind, others):
    """Keywords and types of a struct, with those of the structs in it."""
    for name, field in kind.fields:
        if name in others:
            if others[name]:
                yield name, others[name]
        elif field.type.kind == "struct" and field.type.cname != "torre_ordering_spec":
            yield from wishes(field.type, others)
        elif wish(field.type):
            yield name, wish(field.type)


def result(kind):
    if is_text(kind) or kind.kind == "enum" or kind.cname == "torre_ordering_spec":
        return "str"
    if kind.kind == "primitive":
        return number(kind)
    if kind.kind == "array":
        return "tuple[%s, ...]" % number(kind.item)
    return RESULTS[kind.cname]


def classes(ffi, include):
    """Text of the module _generated."""
    text = written(include)
    yield "from __future__ import annotations\n\nimport os\nfrom collections.abc import Sequence"
    yield "from typing import Any, Literal, NamedTuple, TypedDict\n\nimport numpy as np\nimport numpy.typing as npt"

    def made(name, base, struct, members):
        yield f'\n\nclass {name}({base}):\n    r"""{struct}, in C:\n'
        yield "\n".join("    " + line if line else "" for line in text[struct].splitlines()) + '\n    """\n'
        yield from (f"    {member}: {kind}" for member, kind in members)

    for struct, (name, others) in WISHES.items():
        yield from made(name, "TypedDict, total=False", struct, wishes(ffi.typeof(struct), others))
    for struct, name in RESULTS.items():
        yield from made(name, "NamedTuple", struct,
                        ((member, result(field.type)) for member, field in ffi.typeof(struct).fields))
    yield "\n\nRESULTS: dict[str, Any] = {"
    yield from (f'    "{struct}": {name},' for struct, name in RESULTS.items())
    yield "}\n\n# What enumerators are called.\nWORDS: dict[str, dict[str, int]] = {"
    enums = (name for name in ffi.list_types()[0] if ffi.typeof(name).kind == "enum")
    yield from (f'    "{name}": {words(ffi.typeof(name))!r},' for name in enums)
    yield "}"


def main():
    include, compiler, interface, soname, output = sys.argv[1:]
    ffi = cffi.FFI()
    ffi.cdef(declarations(include, compiler))
    ffi.set_source("diamondtorre._abi", None)
    ffi.emit_python_code(os.path.join(output, "_abi.py"))
    os.utime(os.path.join(output, "_abi.py"))  # which it leaves alone where nothing changes
    with open(os.path.join(output, "_generated.py"), "w") as module:
        module.write('"""Made by src/python/generate.py of the headers include/torre."""\n')
        module.write("\n".join(classes(ffi, include)))
        module.write(f'\n\nINTERFACE = "{interface}"\nSONAME = "{soname}"\n')


main()
