# SPDX-License-Identifier: MIT
"""A dump: its tables, classes and objects."""

import collections
import collections.abc
import ctypes as c
import os
import weakref

from . import _diagnostics
from . import _native as n
from ._columns import Table

HistogramRow = collections.namedtuple("HistogramRow", "name instances shallow largest")
PathStep = collections.namedtuple("PathStep", "object class_name field index")
_GRAPH = ("retained", "strength")
_LEAKS = ("suspect", "suspect_path")
TABLES = ("dump", "class", "field", "object", "reference", "dangling", "value",
          "string", "root", "thread", "frame") + _GRAPH + _LEAKS


class Dump:
    """An open heap dump; ``hprof.open`` makes it.

    It can be used in a ``with`` statement. It belongs to one thread at a time.
    """

    def __init__(self, path, dump=0, threads=0, cache=None, progress=None):
        self._raised = None
        self._user_progress = progress
        this = weakref.ref(self)
        self._progress_fn = n.Progress(lambda user, phase, done, total:
                                       _on_progress(this, phase, done, total))
        self._path = os.fsencode(path)
        self._graph = self._leaks = self._classes = self._index = self._cursor = None
        self._heap = self._names = None
        given = n.Input(size=c.sizeof(n.Input), path=self._path, dump=dump,
                        threads=threads, progress=self._progress_fn)
        how = n.HeapOptions(size=c.sizeof(n.HeapOptions),
                            cache=os.fsencode(cache) if cache else None)
        self._heap = self._make(n.lib.hprof_heap_open, n.lib.hprof_heap_close,
                                given, how)

    def _make(self, function, free, *arguments, of=None):
        made, error = n.PTR(), n.Error()
        pointers = [a if a is None or isinstance(a, (int, n.PTR)) else c.byref(a)
                    for a in arguments]
        status = function(*pointers, c.byref(made), c.byref(error))
        if status < 0:
            self._reraise()
        n.check(status, error)
        return _Handle(made.value, free, of or self._heap)

    def _reraise(self):
        raised, self._raised = self._raised, None
        if raised is not None:
            raise raised

    def _open(self):
        if self._heap is None:
            raise ValueError("the dump is closed")
        return self._heap.value

    def close(self):
        """Ends the use of the dump. Streams that were taken go on working."""
        self._graph = self._leaks = self._index = self._cursor = self._heap = None

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    def __len__(self):
        return n.lib.hprof_heap_count(self._open())

    def __bool__(self):
        return True

    def __repr__(self):
        return f"<hprof.Dump {os.fsdecode(self._path)!r}>"

    # -- tables --------------------------------------------------------------

    def _needs(self, table):
        return self._get_graph() if table in _GRAPH + _LEAKS else None

    def table(self, name, columns=None, first=0, end=0, batch_rows=0):
        """A table of hprof-tables(7), or some columns of it.

        ``first`` and ``end`` choose objects, or rows of tables that do not go
        by object.
        """
        if name not in TABLES:
            raise KeyError(name)
        return Table(self, name, columns, first, end, batch_rows)

    @property
    def tables(self):
        """All tables by name."""
        return {name: self.table(name) for name in TABLES}

    def histogram(self):
        """Classes by bytes; those of one name are one row."""
        rows = {}
        for name, instances, shallow, largest in self.table(
                "class", ["name", "instances", "shallow", "largest"]):
            known = rows.get(name, (0, 0, 0))
            rows[name] = (known[0] + instances, known[1] + shallow,
                          max(known[2], largest))
        found = [HistogramRow(name, *row) for name, row in rows.items() if row[0]]
        return sorted(found, key=lambda row: (-row.shallow, row.name))

    def diagnostics(self):
        """What is wrong with the dump, as the library says it; [] if nothing is."""
        return _diagnostics.read(self._open())

    # -- classes and objects -------------------------------------------------

    @property
    def classes(self):
        """Classes by name; a name that no class has is a KeyError."""
        if self._classes is None:
            self._classes = Classes(self)
        return self._classes

    def object(self, number=None, address=None):
        """The object with a number, or an address (its id in the dump)."""
        if address is not None:
            number = n.lib.hprof_heap_find(self._open(), address)
        if number is None or not 0 <= number < len(self):
            raise KeyError(number if address is None else hex(address))
        return JavaObject(self, number)

    def _get_graph(self):
        if self._graph is None:
            how = n.GraphOptions(size=c.sizeof(n.GraphOptions), dominators=True,
                                 edges=True, strengths=True,
                                 progress=self._progress_fn)
            self._graph = self._make(n.lib.hprof_graph_build, n.lib.hprof_graph_free,
                                     self._open(), how)
        return self._graph.value

    def _leaks_for(self, table):
        """What hprof-stat --leaks finds, with its threshold."""
        if table not in _LEAKS:
            return None
        if self._leaks is None:
            graph = self._get_graph()
            self._leaks = self._make(n.lib.hprof_leaks_read, n.lib.hprof_leak_table_free,
                                     graph, None, of=self._graph)
        return self._leaks.value

    def _get_index(self):
        if self._index is None:
            self._index = self._make(n.lib.hprof_class_index_build,
                                     n.lib.hprof_class_index_free, self._open())
        return self._index.value

    def _at(self, number):
        """The cursor, moved to an object, and what it says of that."""
        if self._cursor is None:
            self._cursor = self._make(n.lib.hprof_cursor_new,
                                      n.lib.hprof_cursor_free, self._open())
        found = n.Object()
        self._checked(n.lib.hprof_cursor_seek(self._cursor.value, number,
                                              c.byref(found)))
        return self._cursor.value, found

    def _class_name(self, row):
        if self._names is None:
            self._names = [name for name, in self.table("class", ["name"])]
        return self._names[row] if row < len(self._names) else None

    def _checked(self, status):
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
        return True
    except BaseException as raised:  # pylint: disable=broad-except
        if dump is not None:
            dump._raised = raised
        return False


class Classes(collections.abc.Mapping):
    """The classes of a dump by name."""

    def __init__(self, dump):
        self._dump, self._rows = dump, {}
        for row in dump.table("class", ["id", "name", "instances", "shallow"]):
            self._rows.setdefault(row[1], row)

    def __getitem__(self, name):
        return JavaClass(self._dump, *self._rows[name])

    def __iter__(self):
        return iter(self._rows)

    def __len__(self):
        return len(self._rows)


class JavaClass:
    """A class; a loop over it gives its objects, without those of subclasses."""

    def __init__(self, dump, row, name, instances, shallow):
        self._dump, self._row = dump, row
        self.name, self.instances, self.shallow = name, instances, shallow

    def __len__(self):
        return n.lib.hprof_class_index_count(self._dump._get_index(), self._row, False)

    def __bool__(self):
        return True

    def objects(self, subclasses=False):
        """Its objects, with ``subclasses`` also those of all subclasses."""
        index, at = self._dump._get_index(), 0
        while True:
            number = n.lib.hprof_class_index_object(index, self._row, subclasses, at)
            if number == n.NO_OBJECT:
                return
            yield JavaObject(self._dump, number)
            at += 1

    def __iter__(self):
        return self.objects()

    def __repr__(self):
        return f"<hprof.JavaClass {self.name}: {self.instances} instances>"


class JavaObject:
    """An object. Its fields are attributes, ``o.size``, unless the name is one
    of this class; ``o['size']`` always is the field, ``o[3]`` an element."""

    def __init__(self, dump, number):
        self._dump, self.id = dump, number

    def __eq__(self, other):
        return isinstance(other, JavaObject) and self.id == other.id and \
            self._dump is other._dump

    def __hash__(self):
        return hash(self.id)

    def __repr__(self):
        return f"<{self.class_name} {self.address:#x}>"

    @property
    def address(self):
        """Its identifier in the dump."""
        return self._dump._at(self.id)[1].id

    @property
    def shallow(self):
        """Its own bytes."""
        return self._dump._at(self.id)[1].shallow

    @property
    def retained(self):
        """The bytes that would be freed together with it; builds the graph."""
        return n.lib.hprof_graph_retained(self._dump._get_graph(), self.id)

    @property
    def class_name(self):
        found = self._dump._at(self.id)[1]
        if found.kind == 3:
            return "java.lang.Class"
        return self._dump._class_name(found.class_row)

    @property
    def text(self):
        """The text of a String or the like, else None."""
        text = n.TEXT()
        status = self._dump._checked(n.lib.hprof_cursor_text(
            self._dump._at(self.id)[0], 0, c.byref(text), None))
        return text.value.decode("utf-8", "replace") if status == 0 else None

    def __len__(self):
        return self._dump._at(self.id)[1].length

    def __bool__(self):
        return True

    def fields(self):
        """Its fields by name, of a class its statics; the first of one name."""
        dump, found, at = self._dump, {}, 0
        cursor, _ = dump._at(self.id)
        while True:
            field = n.Field()
            if dump._checked(n.lib.hprof_cursor_field(cursor, at, c.byref(field))):
                return found
            name = (field.name or b"").decode("utf-8", "replace")
            found.setdefault(name, dump._value(cursor, field.type, field.value))
            at += 1

    def __getitem__(self, key):
        if isinstance(key, str):
            return self.fields()[key]
        cursor, found = self._dump._at(self.id)
        if key < 0:
            key += found.length
        if found.kind not in (1, 2) or not 0 <= key < found.length:
            raise IndexError(key)
        bits, count = n.U64(), n.SIZE()
        self._dump._checked(n.lib.hprof_cursor_elements(
            cursor, key, 1, c.byref(bits), c.byref(count)))
        if not count.value:
            raise IndexError(key)
        return self._dump._value(cursor, found.type, bits.value)

    def __getattr__(self, name):
        if not name.startswith("__"):
            fields = self.fields()
            if name in fields:
                return fields[name]
        raise AttributeError(name)

    def path(self):
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

    def _step(self, step):
        name = lambda text: text.decode("utf-8", "replace") if text else None
        return PathStep(JavaObject(self._dump, step.held.object),
                        name(step.held.class_name), name(step.field),
                        step.number if step.edge == 1 else None)
