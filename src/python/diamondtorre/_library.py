"""libtorre.so: which one, its errors, and the structs that go in and come out."""
from __future__ import annotations

import difflib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from . import _generated
from ._abi import ffi as _ffi

ffi: Any = _ffi
_BUNDLED = Path(__file__).parent / "lib" / _generated.SONAME


class TorreError(Exception):
    """A failure that libtorre has reported: one line with what, where, the legal range, how to mend it."""


class UsageError(TorreError, ValueError):
    """An argument, or a combination of them, is illegal."""


class InputError(TorreError):
    """A file cannot be read or written, or a file or an array holds the wrong thing."""


class ResourceError(TorreError, MemoryError):
    """Memory or device: not there, or not enough."""


class UnstableError(TorreError, ArithmeticError):
    """The computation is unstable or not finite."""


_ERRORS = {2: UsageError, 3: InputError, 4: ResourceError, 5: UnstableError}


def _open(name: str) -> Any:
    """The library of that name; ImportError with the reason where it cannot be used."""
    try:
        # for good: the threads of its OpenMP runtime outlive every call, and must not lose their code
        library = ffi.dlopen(name, ffi.RTLD_NOW | ffi.RTLD_NODELETE)
    except OSError as error:
        raise ImportError(str(error)) from None
    try:
        interface = ffi.string(library.torre_interface_text()).decode()
    except AttributeError:
        interface = "an older one"
    if interface != _generated.INTERFACE:
        raise ImportError(f"{name} has interface {interface}, this package needs {_generated.INTERFACE}: "
                          "build both from the same sources")
    return library


def _build(library: Any) -> str:
    return str(ffi.string(library.torre_build_text()).decode())


def _choose() -> tuple[Any, str]:
    """As the docstring of the package says; (library, where it is from)."""
    named = os.environ.get("TORRE_LIBRARY")
    if named:
        try:
            return _open(named), named
        except ImportError as error:
            raise ImportError(f"TORRE_LIBRARY: {error}") from None
    why = []
    usable = []
    for name in (_generated.SONAME, str(_BUNDLED)):
        try:
            library = _open(name)
        except ImportError as error:
            why.append(str(error))
            continue
        if "with CUDA" in _build(library):
            return library, name
        usable.append((library, name))
    if not usable:
        raise ImportError(f"no {_generated.SONAME} can be used, name one in TORRE_LIBRARY ({'; '.join(why)})")
    return usable[-1]


lib, _source = _choose()


def about() -> str:
    """One line: version and build of libtorre, and the file it was taken from."""
    version = ffi.string(lib.torre_version_text()).decode()
    return f"libtorre {version}, {_build(lib)}, from {_source}"


def check(status: int) -> None:
    """Raise what a function of the library has reported."""
    if status:
        raise _ERRORS.get(status, TorreError)(ffi.string(lib.torre_error_text()).decode())


def text(value: Any) -> str:
    return str(ffi.string(value).decode()) if value else ""


def _type_of(owner: Any) -> Any:
    kind = ffi.typeof(owner)
    return kind.item if kind.kind == "pointer" else kind


def _name(kind: Any) -> str:
    """Of a struct or enum, whether the compiler knows it by tag or by typedef."""
    return str(kind.cname).rpartition(" ")[2]


def shown(value: Any) -> str:
    """What a caller gave, for a message: one line, not a long one."""
    return " ".join(repr(value).split())[:80]


def _refuse_number(name: str, kind: Any, value: Any) -> UsageError:
    what = {"double": "a number", "_Bool": "True or False"}.get(kind.cname, "an integer in its range")
    return UsageError(f"{name} must be {what} (got {shown(value)})")


def word_value(name: str, enum: str, word: Any) -> Any:
    """The value of a word of an enumeration, for the option called name."""
    words = _generated.WORDS[enum]
    if isinstance(word, str) and word in words:
        return words[word]
    *first, last = words
    raise UsageError(f"{name} must be {', '.join(first)} or {last} (got {shown(word)})")


def _set_word(name: str, struct: Any, kind: Any, value: Any) -> None:
    setattr(struct, name, word_value(name, _name(kind), value))


def _set_array(name: str, struct: Any, kind: Any, value: Any) -> None:
    """A number for all, or as many as there are or fewer: the others are zero."""
    single = isinstance(value, (int, float))
    try:
        values = [value] * kind.length if single else list(value)
    except TypeError:
        values = []
    if not 1 <= len(values) <= kind.length:
        raise UsageError(f"{name} must be a number or up to {kind.length} of them (got {shown(value)})")
    array = getattr(struct, name)
    for i, one in enumerate(values + [0] * (kind.length - len(values))):
        try:
            array[i] = one
        except (TypeError, OverflowError):
            raise _refuse_number(name, kind.item, one) from None


def _set(name: str, struct: Any, kind: Any, value: Any, keep: list[Any]) -> None:
    if kind.kind == "enum":
        _set_word(name, struct, kind, value)
    elif kind.kind == "primitive":
        try:
            setattr(struct, name, value)
        except (TypeError, OverflowError):
            raise _refuse_number(name, kind, value) from None
    elif kind.kind == "array":
        _set_array(name, struct, kind, value)
    elif _name(kind) == "torre_ordering_spec":
        why = ffi.new("const char **")
        if not lib.torre_ordering_parse(str(value).encode(), ffi.addressof(struct, name), why):
            raise UsageError(f"{name} {value}: {text(why[0])}")
    elif isinstance(value, (str, os.PathLike)):
        keep.append(ffi.new("char[]", os.fsencode(value)))
        setattr(struct, name, keep[-1])
    else:
        raise UsageError(f"{name} must be a text (got {shown(value)})")


def _find(struct: Any, name: str) -> tuple[Any, Any] | None:
    """The struct, this one or one in it, that has the member, and the member's type."""
    fields = dict(_type_of(struct).fields)
    if name in fields:
        return struct, fields[name].type
    for inner, field in fields.items():
        if field.type.kind == "struct":
            found = _find(ffi.addressof(struct, inner), name)
            if found:
                return found
    return None


def fill(struct: Any, members: Mapping[str, Any], allowed: Sequence[str], keep: list[Any]) -> None:
    """
    Set members of a struct; those of structs in it by their own names. None is as if it were not given.
    keep: what must stay alive as long as the struct is used.
    """
    for name, value in members.items():
        found = _find(struct, name) if name in allowed else None
        if not found:
            near = difflib.get_close_matches(name, allowed, 1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(allowed)}"
            raise UsageError(f"no option is called {name}: {hint}")
        if value is not None:
            _set(name, *found, value, keep)


def read(value: Any) -> Any:
    """A struct that the library has made, as a NamedTuple (diamondtorre.WaveInfo, ...)."""
    kind = _type_of(value)
    members = (_member(getattr(value, name), field.type) for name, field in kind.fields)
    return _generated.RESULTS[_name(kind)](*members)


def _member(value: Any, kind: Any) -> Any:
    if kind.kind == "enum":
        return next(word for word, number in _generated.WORDS[_name(kind)].items() if number == int(value))
    if _name(kind) == "torre_ordering_spec":
        return text(lib.torre_ordering_write(ffi.addressof(value)).text)
    if kind.kind == "struct":
        return read(value)
    if kind.kind == "array":
        return text(value) if kind.item.cname == "char" else tuple(value)
    return value
