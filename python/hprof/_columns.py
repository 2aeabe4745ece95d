# SPDX-License-Identifier: MIT
"""Tables as Arrow streams, for any program that takes those, and as rows."""

import ctypes as c
import errno
import struct

from . import _native as n

_capsule = c.pythonapi.PyCapsule_New
_capsule.restype = c.py_object
_capsule.argtypes = [c.c_void_p, c.c_char_p, c.c_void_p]
_capsule_pointer = c.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype = c.c_void_p
_capsule_pointer.argtypes = [c.py_object, c.c_char_p]
_NAME = b"arrow_array_stream"

# What streams use, by a number, until they are released: a consumer may keep
# a stream longer than the program keeps its dump.
_in_use = {}


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
_memory = {}  # the structs of capsules, by address


class Table:
    """A table of hprof-tables(7), nothing of which is read before it is used.

    ``pyarrow.table(t)``, ``polars.DataFrame(t)``, ``duckdb.sql("... FROM t")``
    and the like take it without a copy, as often as they want; a loop over it
    gives tuples.
    """

    def __init__(self, dump, name, columns=None, first=0, end=0, batch_rows=0):
        self._dump, self.name = dump, name
        self._columns = list(columns) if columns is not None else None
        self._range, self._batch_rows = (first, end), batch_rows
        self._number = n.lib.hprof_table_named(name.encode())
        stream = self._stream()
        try:
            self.columns = tuple(name for name, _, _ in _schema(stream))
        finally:
            stream.release(stream)

    def __repr__(self):
        return f"<hprof.Table {self.name}: {', '.join(self.columns)}>"

    def _stream(self):
        dump = self._dump
        needs = dump._needs(self.name)
        walk = n.Walk(size=c.sizeof(n.Walk), path=dump._path, heap=dump._open(),
                      graph=needs, leaks=dump._leaks_for(self.name))
        if dump._progress_fn:
            walk.progress = dump._progress_fn
        options = n.ArrowOptions(size=c.sizeof(n.ArrowOptions),
                                 batch_rows=self._batch_rows, released=_released)
        options.first, options.end = self._range
        if self._columns is not None:
            names = [name.encode() for name in self._columns] + [None]
            options.columns = (n.TEXT * len(names))(*names)
        stream, error = n.ArrowStream(), n.Error()
        token = options.released_user = id(stream)
        n.check(n.lib.hprof_arrow_table(c.byref(walk), self._number,
                                        c.byref(options), c.byref(stream),
                                        c.byref(error)), error)
        _in_use[token] = (dump, dump._heap, dump._graph, dump._leaks, stream)
        return stream

    def __arrow_c_stream__(self, requested_schema=None):
        """The table as a PyCapsule of Arrow's C stream interface."""
        stream = self._stream()
        _memory[c.addressof(stream)] = stream
        return _capsule(c.addressof(stream), _NAME,
                        c.cast(_free_capsule, c.c_void_p))

    def __iter__(self):
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

    def dicts(self):
        """The rows as dictionaries."""
        for row in self:
            yield dict(zip(self.columns, row))


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
