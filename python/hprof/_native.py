# SPDX-License-Identifier: MIT
"""The C interface of libhprof, by ctypes: structs, functions, failures."""

from __future__ import annotations

import ctypes as c
import ctypes.util
import operator
import os
import pathlib
import signal
import threading
from typing import Any

U64, I64, SIZE, TEXT, PTR = c.c_uint64, c.c_int64, c.c_size_t, c.c_char_p, c.c_void_p
NO_OBJECT = (1 << 64) - 1
NO_ROW = SIZE(-1).value


class HprofError(Exception):
    """A failure of the library, with its text. ``status`` is its number."""

    def __init__(self, text: str, status: int) -> None:
        super().__init__(text)
        self.status = status


class UsageError(HprofError, ValueError):
    """A wrong argument."""


class FormatError(HprofError):
    """The file is not a heap dump, or so damaged that it cannot be used."""


class SystemCallError(HprofError, OSError):
    """A system call failed; ``errno`` says how."""

    def __init__(self, text, status, number):
        HprofError.__init__(self, text, status)
        self.errno = number

    def __str__(self):
        return self.args[0]


def _struct(name, *fields):
    return type(name, (c.Structure,), {"_fields_": list(fields)})


Error = _struct("Error", ("status", c.c_int), ("sys_errno", c.c_int),
                ("offset", U64), ("text", c.c_char * 1024))
Progress = c.CFUNCTYPE(c.c_bool, PTR, TEXT, U64, U64)
Input = _struct("Input", ("size", SIZE), ("kind", c.c_int), ("fd", c.c_int),
                ("dump", c.c_uint), ("threads", c.c_uint), ("path", TEXT),
                ("byte_count", U64), ("bytes", PTR), ("read", PTR),
                ("read_user", PTR), ("member", TEXT), ("progress", Progress),
                ("progress_user", PTR), ("no_copy", c.c_bool),
                ("reserved", c.c_ubyte * 7))
Object = _struct("Object", ("index", U64), ("id", U64), ("kind", c.c_int),
                 ("type", c.c_uint), ("class_row", SIZE), ("length", U64),
                 ("data", U64), ("shallow", U64), ("offset", U64),
                 ("trace_serial", c.c_uint32))
Field = _struct("Field", ("name", TEXT), ("class_row", SIZE), ("type", c.c_uint),
                ("is_static", c.c_bool), ("offset", c.c_uint32), ("value", U64))
Value = _struct("Value", ("kind", c.c_int), ("type", c.c_uint), ("integer", I64),
                ("real", c.c_double), ("object_id", U64), ("object", U64),
                ("text", TEXT), ("text_length", U64), ("boxed", U64))
Walk = _struct("Walk", ("size", SIZE), ("path", TEXT), ("heap", PTR),
               ("graph", PTR), ("waste", PTR), ("loaders", PTR), ("leaks", PTR),
               ("allocations", PTR), ("row", PTR),
               ("user", PTR), ("progress", Progress), ("progress_user", PTR),
               ("wanted", c.c_bool * 64))
Released = c.CFUNCTYPE(None, PTR)
ArrowOptions = _struct("ArrowOptions", ("size", SIZE), ("columns", c.POINTER(TEXT)),
                       ("first", U64), ("end", U64), ("batch_rows", SIZE),
                       ("released", Released), ("released_user", PTR),
                       ("reserved", U64 * 2))


class ArrowSchema(c.Structure):
    pass


class ArrowArray(c.Structure):
    pass


class ArrowStream(c.Structure):
    pass


ArrowSchema._fields_ = [
    ("format", TEXT), ("name", TEXT), ("metadata", TEXT), ("flags", I64),
    ("n_children", I64), ("children", c.POINTER(c.POINTER(ArrowSchema))),
    ("dictionary", c.POINTER(ArrowSchema)),
    ("release", c.CFUNCTYPE(None, c.POINTER(ArrowSchema))), ("private", PTR)]
ArrowArray._fields_ = [
    ("length", I64), ("null_count", I64), ("offset", I64), ("n_buffers", I64),
    ("n_children", I64), ("buffers", c.POINTER(PTR)),
    ("children", c.POINTER(c.POINTER(ArrowArray))),
    ("dictionary", c.POINTER(ArrowArray)),
    ("release", c.CFUNCTYPE(None, c.POINTER(ArrowArray))), ("private", PTR)]
ArrowStream._fields_ = [
    ("get_schema", c.CFUNCTYPE(c.c_int, c.POINTER(ArrowStream), c.POINTER(ArrowSchema))),
    ("get_next", c.CFUNCTYPE(c.c_int, c.POINTER(ArrowStream), c.POINTER(ArrowArray))),
    ("get_last_error", c.CFUNCTYPE(TEXT, c.POINTER(ArrowStream))),
    ("release", c.CFUNCTYPE(None, c.POINTER(ArrowStream))), ("private", PTR)]


def folder() -> pathlib.Path:
    """Where the package has its own shared libraries."""
    return pathlib.Path(__file__).parent / "lib"


def _load():
    names = [os.environ.get("LIBHPROF"), str(folder() / "libhprof.so.0"),
             ctypes.util.find_library("hprof"), "libhprof.so.0"]
    for name in names:
        if name and (os.sep not in name or os.path.exists(name)):
            try:
                return c.CDLL(name)
            except OSError:
                pass
    raise ImportError("libhprof.so.0 is neither in the package nor on this "
                      "machine; LIBHPROF may name it")


lib = _load()


def _declare(result, name, *arguments):
    function = getattr(lib, "hprof_" + name)
    function.restype, function.argtypes = result, arguments


_declare(TEXT, "version")
_declare(TEXT, "status_text", c.c_int)
_declare(c.c_int, "heap_open", PTR, PTR, c.POINTER(PTR), PTR)
_declare(None, "heap_close", PTR)
_declare(U64, "heap_count", PTR)
_declare(U64, "heap_find", PTR, U64)
_declare(SIZE, "heap_class_named", PTR, TEXT, SIZE)
_declare(c.c_int, "cursor_new", PTR, c.POINTER(PTR), PTR)
_declare(None, "cursor_free", PTR)
_declare(c.POINTER(Error), "cursor_error", PTR)
_declare(c.c_int, "cursor_seek", PTR, U64, PTR)
_declare(c.c_int, "cursor_field", PTR, SIZE, PTR)
_declare(c.c_int, "cursor_elements", PTR, U64, SIZE, PTR, PTR)
_declare(c.c_int, "cursor_text", PTR, SIZE, c.POINTER(TEXT), PTR)
_declare(c.c_int, "cursor_value", PTR, c.c_uint, U64, SIZE, PTR)
_declare(c.c_int, "class_index_build", PTR, c.POINTER(PTR), PTR)
_declare(None, "class_index_free", PTR)
_declare(U64, "class_index_count", PTR, SIZE, c.c_bool)
_declare(U64, "class_index_object", PTR, SIZE, c.c_bool, U64)
_declare(c.c_int, "table_named", TEXT)
_declare(c.c_int, "arrow_table", PTR, c.c_int, PTR, PTR, PTR)
_declare(U64, "arrow_span", PTR, c.c_int)


def check(status: int, error=None) -> int:
    """Raises what a failed call says."""
    if status >= 0:
        return status
    text = error.text.decode() if error is not None and error.text else \
        lib.hprof_status_text(status).decode()
    if status == -1:
        raise UsageError(text, status)
    if status == -2:
        raise SystemCallError(text, status, error.sys_errno if error else 0)
    if status == -3:
        raise MemoryError(text)
    if status in (-4, -5, -6):
        raise FormatError(text, status)
    raise HprofError(text, status)


def unsigned(name: str, value: int, bits: int = 64) -> int:
    """An argument that C has in so many bits, where ctypes would cut it."""
    value = operator.index(value)
    if not 0 <= value < 1 << bits:
        raise UsageError(f"{name}: {value} is negative or too large", -1)
    return value


def file_name(path: Any) -> bytes:
    """A path for C, where a byte 0 would end it."""
    name = os.fsencode(path)
    if b"\0" in name:
        raise UsageError(f"path: {path!r} has a byte 0", -1)
    return name


class Interrupts:
    """Ctrl-C while a call runs, in a ``with`` statement.

    An exception that a handler raises where C calls Python is lost. So the handler
    is one that takes a note; what C calls looks at ``noted`` and ends the call, and
    then the program's own handler has its turn.
    """

    def __init__(self) -> None:
        self.noted: Any = None
        self._handler: Any = None
        self.depth = 0  # a reader of a stream may have what that needs made

    def _note(self, *arguments: Any) -> None:
        self.noted = arguments

    def __enter__(self) -> Interrupts:
        self.depth += 1
        if self.depth > 1:
            return self
        self.noted = None
        handler = signal.getsignal(signal.SIGINT)
        if callable(handler) and \
                threading.current_thread() is threading.main_thread():
            self._handler = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, *unused: Any) -> None:
        self.depth -= 1
        if self.depth:
            return
        handler, self._handler = self._handler, None
        if handler is not None:
            signal.signal(signal.SIGINT, handler)
            if self.noted:
                handler(*self.noted)


GraphOptions = _struct("GraphOptions", ("size", SIZE), ("memory", U64),
                       ("progress", Progress), ("progress_user", PTR),
                       ("threads", c.c_uint), ("hold", c.c_uint),
                       ("unreachable", c.c_bool), ("dominators", c.c_bool),
                       ("edges", c.c_bool), ("referrers", c.c_bool),
                       ("strengths", c.c_bool), ("paths", c.c_bool),
                       ("reserved", c.c_ubyte * 2))
HeapOptions = _struct("HeapOptions", ("size", SIZE), ("sizes", c.c_int),
                      ("ref_width", c.c_uint), ("header", c.c_uint),
                      ("alignment", c.c_uint), ("strict", c.c_bool),
                      ("reserved", c.c_ubyte * 7), ("copying", PTR),
                      ("copying_user", PTR), ("cache", TEXT))
Info = _struct("Info", ("object", U64), ("id", U64), ("kind", c.c_int),
               ("class_row", SIZE), ("class_name", TEXT), ("length", U64),
               ("shallow", U64), ("retained", U64))
Step = _struct("Step", ("held", Info), ("edge", c.c_int), ("field", TEXT),
               ("field_class", TEXT), ("number", U64), ("weak", c.c_bool),
               ("strength", c.c_int), ("local_class", TEXT),
               ("local_field", TEXT), ("key", TEXT), ("key_is_string", c.c_bool),
               ("key_steps", SIZE))
Frame = _struct("Frame", ("class_name", TEXT), ("method", TEXT),
                ("signature", TEXT), ("source", TEXT), ("line", c.c_int32))
Root = _struct("Root", ("tag", c.c_uint), ("thread_serial", c.c_uint32),
               ("thread_id", U64), ("thread_name", TEXT), ("has_frame", c.c_bool),
               ("depth", c.c_uint32), ("frame", Frame))
Path = _struct("Path", ("root", Root), ("count", SIZE), ("steps", c.POINTER(Step)),
               ("gap", SIZE), ("left_out", U64), ("alike", U64), ("loader", Info))
PathTable = _struct("PathTable", ("count", SIZE), ("paths", c.POINTER(Path)),
                    ("others", SIZE), ("impl", PTR))

_declare(c.c_int, "graph_build", PTR, PTR, c.POINTER(PTR), PTR)
_declare(None, "graph_free", PTR)
_declare(U64, "graph_retained", PTR, U64)
_declare(c.c_int, "paths_read", PTR, U64, PTR, c.POINTER(c.POINTER(PathTable)), PTR)
_declare(None, "path_table_free", c.POINTER(PathTable))
_declare(TEXT, "root_name", c.c_uint)
