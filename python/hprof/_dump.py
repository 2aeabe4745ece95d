# SPDX-License-Identifier: MIT
"""A dump: its tables, classes and objects."""

from __future__ import annotations

import ctypes as c
import os
import weakref
from typing import (Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional,
                    Sequence, Union)

from . import _diagnostics
from . import _native as n
from . import _reports, _sql, _tables
from ._columns import ClassTable, Table
from ._in_use import in_use

class HistogramRow(NamedTuple):
    """The direct instances of the classes of one name, in bytes as the JVM has them."""

    name: str
    instances: int
    shallow: int
    largest: int


class PathStep(NamedTuple):
    """An object on a path, and how the object before refers to it."""

    object: "JavaObject"
    class_name: Optional[str]
    field: Optional[str]
    index: Optional[int]  # type: ignore[assignment]


ProgressFunction = Callable[[str, int, int], Any]
TABLES = _tables.TABLES


class Dump:
    """An open heap dump; ``hprof.open`` makes it.

    It can be used in a ``with`` statement. It belongs to one thread at a time.
    """

    def __init__(self, path: Union[str, bytes, os.PathLike], dump: int = 0,
                 threads: int = 0, cache: Union[str, bytes, os.PathLike, None] = None,
                 progress: Optional[ProgressFunction] = None) -> None:
        self._raised: Optional[BaseException] = None
        self._interrupts = n.Interrupts()
        self._user_progress = progress
        this = weakref.ref(self)
        self._progress_fn = n.Progress(lambda user, phase, done, total:
                                       _on_progress(this, phase, done, total))
        self._path = n.file_name(path)
        self._dump_number = n.unsigned("dump", dump, 32)
        self._parts: Dict[str, _Handle] = {}
        self._connection: Optional[_sql.Connection] = None
        self._attached: Dict[str, Dump] = {}
        self._classes: Optional[Classes] = None
        self._names: Optional[List[str]] = None
        self._index: Optional[_Handle] = None
        self._cursor: Optional[_Handle] = None
        self._heap: Optional[_Handle] = None
        given = n.Input(size=c.sizeof(n.Input), path=self._path, dump=dump,
                        threads=n.unsigned("threads", threads, 32), progress=self._progress_fn)
        how = n.HeapOptions(size=c.sizeof(n.HeapOptions),
                            cache=n.file_name(cache) if cache else None)
        self._heap = self._make(n.lib.hprof_heap_open, n.lib.hprof_heap_close,
                                given, how)

    def _make(self, function, free, *arguments):
        made, error = n.PTR(), n.Error()
        pointers = [a if a is None or isinstance(a, (int, n.PTR)) else c.byref(a)
                    for a in arguments]
        with self._interrupts:
            status = function(*pointers, c.byref(made), c.byref(error))
        if status < 0:
            self._reraise()
        n.check(status, error)
        return _Handle(made.value, free, self._heap)

    def _reraise(self):
        raised, self._raised = self._raised, None
        if raised is not None:
            raise raised

    def _open(self):
        if self._heap is None:
            raise ValueError("the dump is closed")
        return self._heap.value

    def close(self) -> None:
        """Ends the use of the dump. Streams that were taken go on working."""
        if self._connection is not None:
            self._connection.close()
        self._parts, self._attached = {}, {}
        self._connection = self._index = self._cursor = self._heap = None
        in_use.closed(self)

    def __enter__(self) -> Dump:
        return self

    def __exit__(self, *unused: Any) -> None:
        self.close()

    def __len__(self) -> int:
        return n.lib.hprof_heap_count(self._open())

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"<hprof.Dump {os.fsdecode(self._path)!r}>"

    # -- tables --------------------------------------------------------------

    def _part(self, name):
        """What tables are made of: a graph, suspects and the like; made once."""
        if name not in self._parts:
            self._parts[name] = _tables.MAKERS[name](self)
        return self._parts[name]

    def table(self, name: str, columns: Optional[Sequence[str]] = None, first: int = 0,
              end: int = 0, batch_rows: int = 0) -> Table:
        """A table of hprof-tables(7), or some columns of it.

        ``first`` and ``end`` choose objects, or rows of tables that do not go
        by object. A row of classes has its name beside it: ``class`` and
        ``class_name``.
        """
        if name not in TABLES:
            raise KeyError(name)
        return Table(self, name, columns, first, end, batch_rows)

    @property
    def tables(self) -> Dict[str, Table]:
        """All tables by name."""
        return {name: self.table(name) for name in TABLES}

    def histogram(self) -> List[HistogramRow]:
        """Classes by bytes; those of one name are one row."""
        rows: Dict[str, Any] = {}
        for name, instances, shallow, largest in self.table(
                "class", ["name", "instances", "shallow", "largest"]):
            known = rows.get(name, (0, 0, 0))
            rows[name] = (known[0] + instances, known[1] + shallow,
                          max(known[2], largest))
        found = [HistogramRow(name, *row) for name, row in rows.items() if row[0]]
        return sorted(found, key=lambda row: (-row.shallow, row.name))

    def diagnostics(self) -> List[_diagnostics.Diagnostic]:
        """What is wrong with the dump, as the library says it; [] if nothing is."""
        return _diagnostics.read(self._open())

    # -- reports -------------------------------------------------------------

    def suspects(self) -> List[_reports.Suspect]:
        """What may leak, largest first, and work that the JVM has not done."""
        return _reports.suspects(self)

    def diff(self, other: Dump, retained: bool = False) -> List[_reports.DiffRow]:
        """What grew from this dump to the other one, by class, and what shrank.

        Classes are matched by name, without what is unique to a run. ``retained``
        also compares what their objects keep alive, which builds both graphs.
        """
        return _reports.diff(self, other, retained)

    def sql(self, statement: str, parameters: Sequence[Any] = (),
            **others: Dump) -> _sql.SqlRows:
        """The rows of a statement, as hprof-query(1) answers it.

        Other dumps are schemas by the names they are given here:
        ``d.sql("SELECT count(*) FROM old.object", old=other)``. Needs SQLite and the
        extension libhprof-sqlite, which opens the dump once more.
        """
        self._open()
        if self._connection is None:
            self._connection = _sql.Connection()
            self._attach("temp", self)
        for name, other in others.items():
            if self._attached.get(name, other) is not other:
                raise n.UsageError(f"{name!r} is another dump already", -1)
            if name not in self._attached:
                self._attach(name, other)
        return self._connection.execute(statement, parameters)

    def _attach(self, schema: str, dump: Dump) -> None:
        assert self._connection is not None
        if dump._dump_number:
            raise n.UsageError("sql reads the first dump of a file", -1)
        self._connection.open(dump._path, schema)
        if dump is not self:
            self._attached[schema] = dump

    # -- classes and objects -------------------------------------------------

    @property
    def classes(self) -> Classes:
        """Classes by name; a name that no class has is a KeyError."""
        if self._classes is None:
            self._classes = Classes(self)
        return self._classes

    def object(self, number: Optional[int] = None,
               address: Optional[int] = None) -> JavaObject:
        """The object with a number, or an address (its id in the dump)."""
        if address is not None:
            number = n.lib.hprof_heap_find(self._open(),
                                           n.unsigned("address", address))
        if number is None or not 0 <= number < len(self):
            raise KeyError(number if address is None else hex(address))
        return JavaObject(self, number)

    def _get_graph(self):
        return self._part("graph").value

    def _get_index(self):
        if self._index is None:
            self._index = self._make(n.lib.hprof_class_index_build,
                                     n.lib.hprof_class_index_free, self._open())
        assert self._index is not None
        return self._index.value

    def _at(self, number):
        """The cursor, moved to an object, and what it says of that."""
        if self._cursor is None:
            self._cursor = self._make(n.lib.hprof_cursor_new,
                                      n.lib.hprof_cursor_free, self._open())
        found = n.Object()
        assert self._cursor is not None
        self._checked(n.lib.hprof_cursor_seek(self._cursor.value, number,
                                              c.byref(found)))
        return self._cursor.value, found

    def _class_name(self, row):
        if self._names is None:
            self._names = [name for name, in self.table("class", ["name"])]
        return self._names[row] if row < len(self._names) else None

    def _checked(self, status):
        assert self._cursor is not None
        return n.check(status, n.lib.hprof_cursor_error(self._cursor.value).contents
                       if status < 0 else None)

    def _value(self, cursor, kind, bits):
        value = n.Value()
        self._checked(n.lib.hprof_cursor_value(cursor, kind, bits, 0, c.byref(value)))
        if value.kind == 0:
            return None
        if value.kind == 1:
            return bool(value.integer)
        if value.kind == 2:
            return chr(value.integer)
        if value.kind == 3:
            return value.integer
        if value.kind == 4:
            return value.real
        if value.kind == 5:
            return value.text.decode("utf-8", "replace")
        return None if value.object == n.NO_OBJECT else JavaObject(self, value.object)


class _Handle:
    """What the library made, freed when nothing uses it any more."""

    def __init__(self, value, free, owner):
        self.value, self._free, self._owner = value, free, owner

    def __del__(self):
        self._free(self.value)


def _on_progress(reference, phase, done, total):
    """False cancels: for Ctrl-C, or if the program's function raises."""
    dump = reference()
    try:
        if dump is not None and dump._user_progress:
            dump._user_progress(phase.decode(), done, total)
        return dump is None or dump._interrupts.noted is None
    except BaseException as raised:  # pylint: disable=broad-except
        if dump is not None:
            dump._raised = raised
        return False


class Classes(Mapping[str, "JavaClass"]):
    """The classes of a dump by name."""

    def __init__(self, dump: Dump) -> None:
        self._dump = dump
        self._rows: Dict[str, Any] = {}
        for row in dump.table("class", ["id", "name", "instances", "shallow"]):
            self._rows.setdefault(row[1], row)

    def __getitem__(self, name: str) -> JavaClass:
        return JavaClass(self._dump, *self._rows[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


class JavaClass:
    """A class; a loop over it gives its objects, without those of subclasses."""

    def __init__(self, dump: Dump, row: int, name: str, instances: int,
                 shallow: int) -> None:
        self._dump, self._row = dump, row
        self.name, self.instances, self.shallow = name, instances, shallow

    def __len__(self) -> int:
        return n.lib.hprof_class_index_count(self._dump._get_index(), self._row, False)

    def __bool__(self) -> bool:
        return True

    def objects(self, subclasses: bool = False) -> Iterator[JavaObject]:
        """Its objects, with ``subclasses`` also those of all subclasses."""
        index, at = self._dump._get_index(), 0
        while True:
            number = n.lib.hprof_class_index_object(index, self._row, subclasses, at)
            if number == n.NO_OBJECT:
                return
            yield JavaObject(self._dump, number)
            at += 1

    def __iter__(self) -> Iterator[JavaObject]:
        return self.objects()

    def table(self, columns: Optional[Sequence[str]] = None, subclasses: bool = False,
              retained: bool = False, first: int = 0, end: int = 0,
              batch_rows: int = 0) -> ClassTable:
        """Its objects with a column for each field, as a stream.

        Numbers are int64, a boolean 0 or 1, a char its code, numbers with a fraction
        double; a reference is the number of the object. ``retained`` adds a column
        of that name and builds the graph. ``first`` and ``end`` choose a part.
        """
        return ClassTable(self._dump, self._row, self.name, subclasses, retained,
                          columns, first, end, batch_rows)

    def __repr__(self) -> str:
        return f"<hprof.JavaClass {self.name}: {self.instances} instances>"


class JavaObject:
    """An object. Its fields are attributes, ``o.size``, unless the name is one
    of this class; ``o['size']`` always is the field, ``o[3]`` an element."""

    def __init__(self, dump: Dump, number: int) -> None:
        self._dump, self.id = dump, number

    def __eq__(self, other: object) -> bool:
        return isinstance(other, JavaObject) and self.id == other.id and \
            self._dump is other._dump

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        return f"<{self.class_name} {self.address:#x}>"

    @property
    def address(self) -> int:
        """Its identifier in the dump."""
        return self._dump._at(self.id)[1].id

    @property
    def shallow(self) -> int:
        """Its own bytes."""
        return self._dump._at(self.id)[1].shallow

    @property
    def retained(self) -> int:
        """The bytes that would be freed together with it; builds the graph."""
        return n.lib.hprof_graph_retained(self._dump._get_graph(), self.id)

    @property
    def class_name(self) -> Optional[str]:
        """The name of its class."""
        found = self._dump._at(self.id)[1]
        if found.kind == 3:
            return "java.lang.Class"
        return self._dump._class_name(found.class_row)

    @property
    def text(self) -> Optional[str]:
        """The text of a String or the like, else None."""
        text = n.TEXT()
        status = self._dump._checked(n.lib.hprof_cursor_text(
            self._dump._at(self.id)[0], 0, c.byref(text), None))
        return (text.value or b"").decode("utf-8", "replace") if status == 0 else None

    def __len__(self) -> int:
        return self._dump._at(self.id)[1].length

    def __bool__(self) -> bool:
        return True

    def fields(self) -> Dict[str, Any]:
        """Its fields by name, of a class its statics; the first of one name."""
        dump, at = self._dump, 0
        found: Dict[str, Any] = {}
        cursor, _ = dump._at(self.id)
        while True:
            field = n.Field()
            if dump._checked(n.lib.hprof_cursor_field(cursor, at, c.byref(field))):
                return found
            name = (field.name or b"").decode("utf-8", "replace")
            found.setdefault(name, dump._value(cursor, field.type, field.value))
            at += 1

    def __getitem__(self, key: Union[str, int]) -> Any:
        if isinstance(key, str):
            return self.fields()[key]
        cursor, found = self._dump._at(self.id)
        at = int(key)
        if at < 0:
            at += found.length
        if found.kind not in (1, 2) or not 0 <= at < found.length:
            raise IndexError(key)
        bits, count = n.U64(), n.SIZE()
        self._dump._checked(n.lib.hprof_cursor_elements(
            cursor, at, 1, c.byref(bits), c.byref(count)))
        if not count.value:
            raise IndexError(key)
        return self._dump._value(cursor, found.type, bits.value)

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("__"):
            fields = self.fields()
            if name in fields:
                return fields[name]
        raise AttributeError(name)

    def path(self) -> List[PathStep]:
        """Why it is alive: steps from a root to it; empty if nothing holds it."""
        table, error = c.POINTER(n.PathTable)(), n.Error()
        n.check(n.lib.hprof_paths_read(self._dump._get_graph(), self.id, None,
                                       c.byref(table), c.byref(error)), error)
        try:
            if not table.contents.count:
                return []
            path = table.contents.paths[0]
            return [self._step(path.steps[i]) for i in range(path.count)]
        finally:
            n.lib.hprof_path_table_free(table)

    def _step(self, step) -> PathStep:
        def name(text):
            return text.decode("utf-8", "replace") if text else None

        return PathStep(JavaObject(self._dump, step.held.object),
                        name(step.held.class_name), name(step.field),
                        step.number if step.edge == 1 else None)
