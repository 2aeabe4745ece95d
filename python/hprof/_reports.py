# SPDX-License-Identifier: MIT
"""Reports of a dump, or of two: suspects, and what grew."""

from __future__ import annotations

import ctypes as c
from typing import TYPE_CHECKING, List, NamedTuple, Optional

from . import _native as n
from . import _tables

if TYPE_CHECKING:
    from ._dump import Dump, JavaObject, PathStep


class Suspect(NamedTuple):
    """Something that may leak; hprof-tables(7) says what the members mean."""

    kind: str
    retained: int
    objects: int
    point: "Optional[JavaObject]"
    class_name: Optional[str]
    owner: "Optional[JavaObject]"
    owner_class: Optional[str]
    field: Optional[str]
    collection: "Optional[JavaObject]"
    elements: Optional[int]
    item_class: Optional[str]
    items: Optional[int]
    member_class: Optional[str]
    members: Optional[int]
    crowd: Optional[str]
    local_class: Optional[str]
    local_field: Optional[str]
    local_threads: Optional[int]
    local_of_threads: Optional[int]
    local_values: Optional[int]
    local_retained: Optional[int]
    path: "List[PathStep]"

    def __str__(self) -> str:
        holder = self.owner_class or self.class_name or self.crowd or \
            self.member_class or self.kind
        field = f".{self.field}" if self.field and self.owner_class else ""
        items = f", {self.items} {self.item_class}" if self.items else ""
        return f"{holder}{field}: {self.retained} bytes{items}"


class DiffRow(NamedTuple):
    """A class in two dumps: first in the older one, then in the newer one.

    Names are without what is unique to a run, such as numbers of hidden classes.
    ``retained`` is None unless it was asked for.
    """

    name: str
    instances: "tuple[int, int]"
    shallow: "tuple[int, int]"
    retained: "Optional[tuple[int, int]]"

    @property
    def growth(self) -> int:
        """Bytes gained: retained ones if they were asked for, else shallow ones."""
        before, after = self.retained or self.shallow
        return after - before


# ---- suspects ----------------------------------------------------------------

def suspects(dump: "Dump") -> List[Suspect]:
    """The rows of the tables suspect and suspect_path as objects."""
    from ._dump import PathStep

    def at(number):
        return None if number is None else dump.object(number)

    paths: "dict[int, list[PathStep]]" = {}
    for row in dump.table("suspect_path").dicts():
        paths.setdefault(row["suspect"], []).append(
            PathStep(at(row["object"]), row["class_name"], row["field"],
                     row["element"]))
    found = []
    for row in dump.table("suspect").dicts():
        for name in ("point", "owner", "collection"):
            row[name] = at(row[name])
        row["owner_class"] = row["owner_class_name"]
        row["path"] = paths.get(row["id"], [])
        found.append(Suspect(**{name: row[name] for name in Suspect._fields}))
    return found


# ---- differences -------------------------------------------------------------

_Item = n._struct("DiffItem", ("name", n.TEXT), ("loader", n.TEXT),
                  ("instances", n.U64), ("bytes", n.U64), ("retained", n.U64))
_Side = n._struct("DiffSide", ("count", n.SIZE), ("items", c.POINTER(_Item)))
_Cell = n._struct("DiffCell", ("items", n.U64), ("values", n.U64 * 3))
_Row = n._struct("DiffRow", ("name", n.TEXT), ("loader", n.TEXT),
                 ("differs", c.c_bool), ("grows", c.c_bool * 3),
                 ("cells", c.POINTER(_Cell)))
_Table = n._struct("DiffTable", ("side_count", n.SIZE), ("count", n.SIZE),
                   ("rows", c.POINTER(_Row)), ("totals", c.POINTER(_Cell)),
                   ("impl", n.PTR))

n._declare(c.c_int, "diff_match", n.PTR, n.SIZE, c.POINTER(c.POINTER(_Table)), n.PTR)
n._declare(None, "diff_table_free", c.POINTER(_Table))


def _retained(dump):
    """Bytes that the objects of each class retain together, by row."""
    table = c.cast(dump._part("retained").value,
                   c.POINTER(_tables.RetainedTable)).contents
    return {table.classes[i].class_row: table.classes[i].retained
            for i in range(table.class_count)}


def _side(dump, retained):
    """The classes of a dump that have instances."""
    of = _retained(dump) if retained else {}
    rows = [row for row in dump.table("class", ["id", "name", "instances", "shallow"])
            if row[2]]
    items = (_Item * max(len(rows), 1))()
    for item, (number, name, instances, shallow) in zip(items, rows):
        item.name, item.instances, item.bytes = name.encode(), instances, shallow
        item.retained = of.get(number, 0)
    return _Side(len(rows), items)


def diff(older: "Dump", newer: "Dump", retained: bool) -> List[DiffRow]:
    """Classes whose numbers differ, by growth."""
    sides = (_Side * 2)(_side(older, retained), _side(newer, retained))
    table, error = c.POINTER(_Table)(), n.Error()
    n.check(n.lib.hprof_diff_match(sides, 2, c.byref(table), c.byref(error)), error)
    try:
        found = []
        for i in range(table.contents.count):
            row = table.contents.rows[i]
            if not row.differs:
                continue
            pairs = [(row.cells[0].values[k], row.cells[1].values[k])
                     for k in range(3)]
            found.append(DiffRow(row.name.decode("utf-8", "replace"), pairs[0],
                                 pairs[1], pairs[2] if retained else None))
    finally:
        n.lib.hprof_diff_table_free(table)
    return sorted(found, key=lambda row: (-row.growth, row.name))
