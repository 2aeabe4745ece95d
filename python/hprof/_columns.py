# SPDX-License-Identifier: MIT
"""Tables as Arrow streams, for any program that takes those, and as rows."""

from __future__ import annotations

import ctypes as c
import errno
import struct
from typing import (TYPE_CHECKING, Any, Callable, Dict, Iterator, Optional, Sequence,
                    Tuple, TypeVar)

from . import _native as n
from . import _tables
from ._in_use import in_use

if TYPE_CHECKING:
    import pyarrow

    from ._dump import Dump

_Result = TypeVar("_Result")

_capsule = c.pythonapi.PyCapsule_New
_capsule.restype = c.py_object
_capsule.argtypes = [c.c_void_p, c.c_char_p, c.c_void_p]
_NAME = b"arrow_array_stream"


class _Streams:
    """Something that can be read as a stream, as often as it is asked for."""

    def __init__(self, dump: Dump, first: int, end: int, batch_rows: int) -> None:
        self._dump = dump
        self._range = n.unsigned("first", first), n.unsigned("end", end)
        self._batch_rows = n.unsigned("batch_rows", batch_rows)
        self.columns: Tuple[str, ...] = ()
        self._chosen: Optional[Sequence[str]] = None

    def _walk(self, **parts):
        """What streams are made of; PARTS are members of the walk."""
        dump = self._dump
        walk = n.Walk(size=c.sizeof(n.Walk), path=dump._path, heap=dump._open())
        for name, part in parts.items():
            setattr(walk, name, part.value)
        if dump._interrupts.depth:
            walk.progress = dump._progress_fn
        return walk

    def _made(self, function, walk, *arguments, keeps=()):
        """A stream and its use; what it KEEPS lives as long."""
        options = n.ArrowOptions(size=c.sizeof(n.ArrowOptions),
                                 batch_rows=self._batch_rows)
        options.first, options.end = self._range
        if self._chosen is not None:
            names = [name.encode() for name in self._chosen] + [None]
            options.columns = (n.TEXT * len(names))(*names)
        stream, error = n.ArrowStream(), n.Error()
        use = in_use.add(options, self._dump, (stream, self._dump._heap, keeps))
        status = function(c.byref(walk), *arguments, c.byref(options), c.byref(stream),
                          c.byref(error))
        if status < 0:
            in_use.drop(use)
        n.check(status, error)
        return stream, use

    def _stream(self):
        raise NotImplementedError

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The table as a PyCapsule of Arrow's C stream interface.

        While another program reads it, nothing of Python is called: Ctrl-C is heeded
        when that program looks for it, or when it is done.
        """
        stream, use = self._stream()
        use.stream, use.capsule = stream, _capsule(c.addressof(stream), _NAME, None)
        return use.capsule

    def _driven(self, call: Callable[[], _Result]) -> _Result:
        """What CALL returns, in which someone reads the stream. Ctrl-C, or what the
        program's progress function raises, comes out as it is, whatever error the
        reader makes of a stream that ends so."""
        try:
            with self._dump._interrupts:
                return call()
        except Exception:
            self._dump._reraise()
            raise

    def batches(self) -> Iterator[pyarrow.RecordBatch]:
        """The batches as those of pyarrow, one at a time; Ctrl-C ends the work."""
        import pyarrow
        reader = self._driven(lambda: pyarrow.RecordBatchReader.from_stream(self))
        while True:
            try:
                yield self._driven(reader.read_next_batch)
            except StopIteration:
                return

    def to_arrow(self) -> pyarrow.Table:
        """All rows as a table of pyarrow, like ``pyarrow.table(t)``; but Ctrl-C ends
        the work at once."""
        import pyarrow
        return self._driven(lambda: pyarrow.table(self))

    def __iter__(self) -> Iterator[Tuple[Any, ...]]:
        stream, _ = self._driven(self._stream)
        try:
            kinds = _schema(stream)
            while True:
                array = n.ArrowArray()
                self._driven(lambda: _next(stream, array))
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
            self._chosen = _names(columns)
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
        self._chosen = None if columns is None else _names(columns)
        stream, _ = self._stream()
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


def _names(columns: Sequence[str]) -> Sequence[str]:
    if isinstance(columns, str):
        raise n.UsageError(f"columns: {columns!r} is no list", -1)
    return list(columns)


def _fail(code, text):
    text = (text or b"").decode() or "error"
    if code == errno.ENOMEM:
        raise MemoryError(text)
    if code == errno.ECANCELED:
        raise n.HprofError(text, -10)
    raise n.FormatError(text, -5) if code == errno.EIO else \
        n.SystemCallError(text, -2, code)


def _next(stream, array):
    code = stream.get_next(stream, array)
    if code:
        _fail(code, stream.get_last_error(stream))


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
