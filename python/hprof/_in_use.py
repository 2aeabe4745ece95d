# SPDX-License-Identifier: MIT
"""What streams use until they are released, which may be long after the program closed
its dump.

No function of Python is called for that by those who read streams: Python heeds Ctrl-C
when a function begins, and what is raised in one that C calls is lost. So release is
told by a semaphore; that nobody has the capsule of a stream any more, by its references.
"""

from __future__ import annotations

import ctypes as c
import sys
import threading
from typing import Any, Dict

from . import _native as n

_libc = c.CDLL(None)


class _Use:
    def __init__(self, dump: Any, things: Any) -> None:
        self.told = c.create_string_buffer(64)  # a sem_t, which is smaller
        self.dump, self.things = dump, things
        # Whoever has the capsule takes the stream, or does not.
        self.stream: Any = None
        self.capsule: Any = None
        _libc.sem_init(self.told, 0, 0)

    def is_over(self) -> bool:
        """True once the stream is released; releases one that nobody took."""
        if self.capsule is not None and sys.getrefcount(self.capsule) <= 2:
            if self.stream.release:
                self.stream.release(self.stream)
            self.capsule = None
        return _libc.sem_trywait(self.told) == 0


class _InUse:
    def __init__(self) -> None:
        self._uses: Dict[int, _Use] = {}

    def add(self, options: Any, dump: Any, things: Any) -> _Use:
        """THINGS, which are of DUMP, are used by the stream that OPTIONS are for."""
        self.sweep()
        use = _Use(dump, things)
        options.released = c.cast(_libc.sem_post, n.Released)
        options.released_user = c.addressof(use.told)
        self._uses[id(use)] = use
        return use

    def drop(self, use: _Use) -> None:
        """The stream could not be made, or is released."""
        self._uses.pop(id(use), None)

    def sweep(self) -> None:
        """Forgets streams that were released."""
        for use in list(self._uses.values()):
            if use.is_over():
                self.drop(use)

    def closed(self, dump: Any) -> None:
        """DUMP may not be heard of again: what reads it still is waited for."""
        self.sweep()
        for use in list(self._uses.values()):
            if use.dump is dump:
                threading.Thread(target=self._wait, args=(use,), daemon=True).start()

    def _wait(self, use: _Use) -> None:
        while _libc.sem_wait(use.told):
            pass  # a signal came
        self.drop(use)


in_use = _InUse()
