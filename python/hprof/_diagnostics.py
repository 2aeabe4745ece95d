# SPDX-License-Identifier: MIT
"""What is wrong with a dump: the diagnostics of its summary."""

import ctypes as c
from typing import NamedTuple, Optional

from . import _native as n


class Diagnostic(NamedTuple):
    """Something that is wrong with a dump; hprof(5) lists the codes.

    ``severity`` is "note", "warning" or "error". ``count``, of the first one of a
    code, is how many there were; of the others it is 0. ``offset`` is None if it does
    not lie at one place.
    """

    severity: str
    code: str
    offset: Optional[int]
    count: int  # type: ignore[assignment]
    text: str


_SEVERITIES = ("note", "warning", "error")

_Header = n._struct("Header", ("version", c.c_char * 32), ("id_size", c.c_uint32),
                    ("time_ms", n.U64))
_ReaderInfo = n._struct("ReaderInfo", ("container", n.TEXT), ("member", n.TEXT),
                        ("file_size", n.U64), ("file_read", n.U64),
                        ("bytes_read", n.U64), ("dump", c.c_uint),
                        ("dump_count", c.c_uint), ("complete", c.c_bool),
                        ("truncated", c.c_bool), ("errors", n.U64),
                        ("warnings", n.U64), ("notes", n.U64))
_Convention = n._struct("Convention", ("sizes", c.c_int), ("ref_width", c.c_uint),
                        ("header", c.c_uint), ("array_header", c.c_uint),
                        ("alignment", c.c_uint), ("fill_gaps", c.c_bool),
                        ("measured", c.c_bool), ("declared", c.c_bool),
                        ("text", c.c_char * 160))
_Kept = n._struct("Kept", ("severity", c.c_int), ("number", c.c_uint32),
                  ("code", n.TEXT), ("offset", n.U64), ("text", n.TEXT),
                  ("count", n.U64))
_Summary = n._struct("Summary", ("header", _Header), ("input", _ReaderInfo),
                     ("convention", _Convention), ("totals", n.U64 * 11),
                     ("class_count", n.SIZE), ("class_rows", n.PTR),
                     ("tag_count", n.SIZE), ("tag_rows", n.PTR),
                     ("diagnostic_count", n.SIZE),
                     ("diagnostics", c.POINTER(_Kept)), ("errors", n.U64),
                     ("warnings", n.U64), ("notes", n.U64))

n._declare(c.POINTER(_Summary), "heap_summary", n.PTR)


def read(heap):
    """The diagnostics of an open heap, by offset; the first few of each code."""
    summary = n.lib.hprof_heap_summary(heap).contents
    kept = (summary.diagnostics[i] for i in range(summary.diagnostic_count))
    return [Diagnostic(_SEVERITIES[row.severity], row.code.decode(),
                       None if row.offset == n.NO_OBJECT else row.offset, row.count,
                       (row.text or b"").decode("utf-8", "replace"))
            for row in kept]
