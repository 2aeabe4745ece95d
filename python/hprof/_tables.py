# SPDX-License-Identifier: MIT
"""What the tables are, as the library describes them; and what they need."""

from __future__ import annotations

import ctypes as c

from . import _native as n

_Column = n._struct("TableColumn", ("name", n.TEXT), ("type", c.c_int),
                    ("repeats", c.c_bool), ("class_name", n.TEXT))
_Info = n._struct("TableInfo", ("name", n.TEXT), ("columns", _Column * 25),
                  ("key", c.c_uint))
n._declare(c.POINTER(_Info), "table_info", c.c_int)

# Beside the heap: what is made of it before, by table.
NEEDS = {"retained": "graph", "strength": "graph", "loader": "loaders",
         "waste": "waste", "duplicate": "waste", "waste_map": "waste",
         "suspect": "leaks", "suspect_path": "leaks", "site": "allocations"}


def _all() -> tuple[str, ...]:
    found: list[str] = []
    while True:
        info = n.lib.hprof_table_info(len(found))
        if not info:
            return tuple(found)
        found.append(info.contents.name.decode())


TABLES = _all()


_TEXT, _ANY = 2, 3  # enum hprof_column_type


def described(table: str):
    """The columns, as struct hprof_table_column has them."""
    number = n.lib.hprof_table_named(table.encode())
    for column in n.lib.hprof_table_info(number).contents.columns:
        if column.name is None:
            return
        yield column


def documented(table: str) -> list[str]:
    """The columns that hprof-tables(7) names."""
    return [column.name.decode() for column in described(table)]


def columns(table: str) -> list[str]:
    """The columns of a stream: with those of numbers with a fraction, and names."""
    names: list[str] = []
    for column in described(table):
        names.append(column.name.decode())
        if column.type == _ANY:
            names.append("real")
        if column.class_name is not None:
            names.append(column.class_name.decode())
    return names


SetRow = n._struct("SetRow", ("name", n.TEXT), ("class_row", n.SIZE),
                   ("loader_id", n.U64), ("objects", n.U64), ("shallow", n.U64),
                   ("retained", n.U64))
RetainedTable = n._struct("RetainedTable", ("totals", n.U64 * 6),
                          ("big_count", n.SIZE), ("big", n.PTR),
                          ("class_count", n.SIZE), ("package_count", n.SIZE),
                          ("loader_count", n.SIZE), ("classes", c.POINTER(SetRow)),
                          ("packages", c.POINTER(SetRow)),
                          ("loaders", c.POINTER(SetRow)), ("impl", n.PTR))
WasteOptions = n._struct("WasteOptions", ("size", n.SIZE), ("memory", n.U64),
                         ("progress", n.Progress), ("progress_user", n.PTR),
                         ("top", n.SIZE), ("reserved", c.c_ubyte * 8))
CONTENTS_MOST = 100000  # as hprof-tables(7) has it

n._declare(c.c_int, "waste_read", n.PTR, n.PTR, c.POINTER(n.PTR), n.PTR)
n._declare(None, "waste_table_free", n.PTR)
n._declare(c.c_int, "loader_use_read", n.PTR, c.POINTER(n.PTR), n.PTR)
n._declare(None, "loader_use_free", n.PTR)
n._declare(c.c_int, "leaks_read", n.PTR, n.PTR, c.POINTER(n.PTR), n.PTR)
n._declare(None, "leak_table_free", n.PTR)
n._declare(c.c_int, "allocations_read", n.PTR, n.U64, c.POINTER(n.PTR), n.PTR)
n._declare(None, "allocation_table_free", n.PTR)
n._declare(c.c_int, "retained_read", n.PTR, n.PTR, c.POINTER(n.PTR), n.PTR)
n._declare(None, "retained_table_free", n.PTR)
n._declare(c.c_int, "arrow_class", n.PTR, n.PTR, n.SIZE, c.c_bool, n.PTR, n.PTR, n.PTR)


def _of_graph(dump, read, free, *arguments):
    graph = dump._part("graph")
    made = dump._make(read, free, graph.value, *arguments)
    made.graph = graph  # is freed after it
    return made


def _graph(dump):
    how = n.GraphOptions(size=c.sizeof(n.GraphOptions), dominators=True, edges=True,
                         strengths=True, progress=dump._progress_fn)
    return dump._make(n.lib.hprof_graph_build, n.lib.hprof_graph_free, dump._open(),
                      how)


def _waste(dump):
    how = WasteOptions(size=c.sizeof(WasteOptions), top=CONTENTS_MOST,
                       progress=dump._progress_fn)
    return _of_graph(dump, n.lib.hprof_waste_read, n.lib.hprof_waste_table_free, how)


def _loaders(dump):
    return _of_graph(dump, n.lib.hprof_loader_use_read, n.lib.hprof_loader_use_free)


def _leaks(dump):
    return _of_graph(dump, n.lib.hprof_leaks_read, n.lib.hprof_leak_table_free, None)


def _allocations(dump):
    return _of_graph(dump, n.lib.hprof_allocations_read,
                     n.lib.hprof_allocation_table_free, n.NO_OBJECT)


def _retained(dump):
    return _of_graph(dump, n.lib.hprof_retained_read,
                     n.lib.hprof_retained_table_free, None)


# What a dump makes when it is asked for, and keeps.
MAKERS = {"graph": _graph, "waste": _waste, "loaders": _loaders, "leaks": _leaks,
          "allocations": _allocations, "retained": _retained}
