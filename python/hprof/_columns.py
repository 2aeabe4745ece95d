# SPDX-License-Identifier: MIT
"""Tables as Arrow streams, for any program that takes those, and as rows."""

from __future__ import annotations

import ctypes as c
import errno
import struct
from typing import TYPE_CHECKING, Any, Dict, Iterator, Optional, Sequence, Tuple

from . import _native as n
from . import _tables

if TYPE_CHECKING:
    from ._dump import Dump

_capsule = c.pythonapi.PyCapsule_New
_capsule.restype = c.py_object
_capsule.argtypes = [c.c_void_p, c.c_char_p, c.c_void_p]
_capsule_pointer = c.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype = c.c_void_p
_capsule_pointer.argtypes = [c.py_object, c.c_char_p]
_NAME = b"arrow_array_stream"

# What streams use, by a number, until they are released: a consumer may keep
# a stream longer than the program keeps its dump.
_in_use: Dict[int, Any] = {}


@n.Released
def _released(token):
    _in_use.pop(token, None)


@c.PYFUNCTYPE(None, c.c_void_p)
def _free_capsule(capsule):
    stream = c.cast(_raw_pointer(capsule, _NAME), c.POINTER(n.ArrowStream))
    if stream.contents.release:
        stream.contents.release(stream)
    _memory.pop(c.addressof(stream.contents), None)


_raw_pointer = c.PYFUNCTYPE(c.c_void_p, c.c_void_p, c.c_char_p)(
    ("PyCapsule_GetPointer", c.pythonapi))
_memory: Dict[int, Any] = {}  # the structs of capsules, by address


class _Streams:
    """Something that can be read as a stream, as often as it is asked for."""

    def __init__(self, dump: Dump, first: int, end: int, batch_rows: int) -> None:
        self._dump, self._range, self._batch_rows = dump, (first, end), batch_rows
        self.columns: Tuple[str, ...] = ()
        self._chosen: Optional[Sequence[str]] = None

    def _walk(self, **parts):
        """What streams are made of; PARTS are members of the walk."""
        dump = self._dump
        walk = n.Walk(size=c.sizeof(n.Walk), path=dump._path, heap=dump._open())
        for name, part in parts.items():
            setattr(walk, name, part.value)
        if dump._progress_fn:
            walk.progress = dump._progress_fn
        return walk

    def _made(self, function, walk, *arguments, keeps=()):
        """A stream; what it KEEPS lives as long."""
        options = n.ArrowOptions(size=c.sizeof(n.ArrowOptions),
                                 batch_rows=self._batch_rows, released=_released)
        options.first, options.end = self._range
        if self._chosen is not None:
            names = [name.encode() for name in self._chosen] + [None]
            options.columns = (n.TEXT * len(names))(*names)
        stream, error = n.ArrowStream(), n.Error()
        token = options.released_user = id(stream)
        n.check(function(c.byref(walk), *arguments, c.byref(options), c.byref(stream),
                         c.byref(error)), error)
        _in_use[token] = (self._dump, self._dump._heap, keeps, stream)
        return stream

    def _stream(self):
        raise NotImplementedError

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The table as a PyCapsule of Arrow's C stream interface."""
        stream = self._stream()
        _memory[c.addressof(stream)] = stream
        return _capsule(c.addressof(stream), _NAME,
                        c.cast(_free_capsule, c.c_void_p))

    def __iter__(self) -> Iterator[Tuple[Any, ...]]:
        stream = self._stream()
        try:
            kinds = _schema(stream)
            while True:
                array = n.ArrowArray()
                code = stream.get_next(stream, array)
                if code:
                    self._dump._reraise()
                    _fail(code, stream.get_last_error(stream))
                if not array.release:
                    return
                try:
                    rows = list(zip(*(_values(array.children[i].contents, kind, words)
                                      for i, (_, kind, words) in enumerate(kinds))))
                finally:
                    array.release(array)
                yield from rows
        finally:
            stream.release(stream)

    def dicts(self) -> Iterator[Dict[str, Any]]:
        """The rows as dictionaries."""
        for row in self:
            yield dict(zip(self.columns, row))


class Table(_Streams):
    """A table of hprof-tables(7), nothing of which is read before it is used.

    ``pyarrow.table(t)``, ``polars.DataFrame(t)``, ``duckdb.sql("... FROM t")``
    and the like take it without a copy, as often as they want; a loop over it
    gives tuples. ``columns`` has their names.
    """

    def __init__(self, dump: Dump, name: str, columns: Optional[Sequence[str]] = None,
                 first: int = 0, end: int = 0, batch_rows: int = 0) -> None:
        super().__init__(dump, first, end, batch_rows)
        self.name = name
        self._number = n.lib.hprof_table_named(name.encode())
        known = _tables.columns(name)
        if columns is not None:
            self._chosen = list(columns)
            lost = [column for column in self._chosen if column not in known]
            if lost:
                raise n.UsageError(f"columns: {name} has no {lost[0]!r}", -1)
        dump._open()
        self.columns = tuple(known if columns is None else columns)

    def __repr__(self) -> str:
        return f"<hprof.Table {self.name}: {', '.join(self.columns)}>"

    def _stream(self):
        need = _tables.NEEDS.get(self.name)
        parts = {need: self._dump._part(need)} if need else {}
        return self._made(n.lib.hprof_arrow_table, self._walk(**parts), self._number,
                          keeps=parts)


class ClassTable(_Streams):
    """The objects of a class with a column for each field, like a Table."""

    def __init__(self, dump: Dump, row: int, name: str, subclasses: bool,
                 retained: bool, columns: Optional[Sequence[str]], first: int,
                 end: int, batch_rows: int) -> None:
        super().__init__(dump, first, end, batch_rows)
        self.name, self._row = name, row
        self._subclasses, self._retained = subclasses, retained
        self._chosen = None if columns is None else list(columns)
        stream = self._stream()
        try:
            self.columns = tuple(name for name, _, _ in _schema(stream))
        finally:
            stream.release(stream)

    def __repr__(self) -> str:
        return f"<hprof.ClassTable {self.name}: {', '.join(self.columns)}>"

    def _stream(self):
        dump = self._dump
        parts = {"graph": dump._part("graph")} if self._retained else {}
        index = dump._get_index()
        return self._made(n.lib.hprof_arrow_class, self._walk(**parts), index,
                          self._row, self._subclasses, keeps=(parts, dump._index))


def _fail(code, text):
    text = (text or b"").decode() or "error"
    if code == errno.ENOMEM:
        raise MemoryError(text)
    if code == errno.ECANCELED:
        raise n.HprofError(text, -10)
    raise n.FormatError(text, -5) if code == errno.EIO else \
        n.SystemCallError(text, -2, code)


def _schema(stream):
    schema = n.ArrowSchema()
    code = stream.get_schema(stream, schema)
    if code:
        _fail(code, stream.get_last_error(stream))
    try:
        children = [schema.children[i].contents for i in range(schema.n_children)]
        return [(child.name.decode(), child.format.decode(), bool(child.dictionary))
                for child in children]
    finally:
        schema.release(schema)


def _texts(array):
    count = array.length
    ends = struct.unpack(f"={count + 1}i", c.string_at(array.buffers[1], 4 * count + 4))
    data = c.string_at(array.buffers[2], ends[-1])
    return [data[ends[i]:ends[i + 1]].decode("utf-8", "replace") for i in range(count)]


def _values(array, kind, words):
    count = array.length
    if kind == "u":
        values = _texts(array)
    else:
        code = {"l": "q", "L": "Q", "g": "d", "i": "i"}[kind]
        size = struct.calcsize("=" + code)
        values = struct.unpack(f"={count}{code}",
                               c.string_at(array.buffers[1], size * count))
    if words:
        known = _texts(array.dictionary.contents) if array.dictionary.contents.length else [None]
        values = [known[value] for value in values]
    if not array.buffers[0]:
        return values
    valid = c.string_at(array.buffers[0], (count + 7) // 8)
    return [value if valid[i >> 3] >> (i & 7) & 1 else None
            for i, value in enumerate(values)]
