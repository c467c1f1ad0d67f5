"""What the runs of waves, particles and fluids have in common: one thread at a time, callbacks, Ctrl-C."""
from __future__ import annotations

import operator
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ._library import UsageError, check, ffi, shown

_STOPPED = 75  # torre_status


class Run:
    """An object of the library that threads take turns with."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._advancing = False
        self._started = False

    @contextmanager
    def _alone(self) -> Iterator[None]:
        if not self._lock.acquire(blocking=False):
            raise UsageError("this run is in use by another thread: it takes one at a time")
        try:
            yield
        finally:
            self._lock.release()

    def _watched(self, advance: Callable[[int, Any], int], steps: int, watch: str,
                 stop: Callable[[], bool] | None, **wishes: Any) -> None:
        """
        Call advance(steps, watch) with a struct of that name, whose members are the wishes. The library
        asks stop a few times a second, also where the caller has none: since that runs Python, signals
        are handled then. What a callable raises ends the run at that step and is raised here.
        """
        try:
            count = operator.index(steps)
        except TypeError:
            raise UsageError(f"steps must be an integer (got {shown(steps)})") from None
        with self._alone():
            if self._advancing:
                raise UsageError("this run is advancing: a callback can look at it, not advance it")
            struct = ffi.new(watch + " *")
            failure: list[BaseException] = []
            asked = stop or (lambda: False)
            wishes["stop"] = lambda _context: bool(failure or asked())
            keep = _set_members(struct, wishes, failure)
            self._advancing = True
            try:
                status = advance(count, struct)
            finally:
                self._advancing = False
            del keep
            if failure:
                raise failure[0]
            check(status)


def _set_members(struct: Any, wishes: dict[str, Any], failure: list[BaseException]) -> list[Any]:
    """Set members of a watch, what callables raise goes to failure; returns what must live as long."""

    def caught(_type: Any, error: BaseException, _traceback: Any) -> None:
        failure.append(error)

    # what the library is told then: a status that ends the run, true to stop it
    told: dict[str, Any] = {"enum": {"error": _STOPPED}, "primitive": {"error": True}, "void": {}}
    fields = dict(ffi.typeof(struct).item.fields)
    keep = []
    for name, wish in wishes.items():
        kind = fields[name].type
        if kind.kind == "function" and wish:
            wish = ffi.callback(kind, wish, onerror=caught, **told[kind.result.kind])
            keep.append(wish)
        if wish is not None:
            setattr(struct, name, wish)
    return keep


def tells(frame: Callable[[Any], object] | None, run: Any) -> Callable[[Any, Any], int] | None:
    """The function of a watch that calls the caller's with the run."""
    if frame is None:
        return None
    wanted = frame

    def call(_context: Any, _run: Any) -> int:
        wanted(run)
        return 0

    return call
