# SPDX-License-Identifier: MIT
"""A table of many dumps: its columns, its parts, and the rows of each part."""

import collections
import errno

import hprof

from . import _filters
from . import _tables
from ._storage import Storage

PATH, DIAGNOSTICS = "dump_path", "diagnostics"
# Tables that the library does not have as such.
_OWN = {"histogram": (("name", "string"), ("instances", "long"),
                      ("shallow", "long"), ("largest", "long")),
        "diagnostic": (("severity", "string"), ("code", "string"),
                       ("offset", "long"), ("count", "long"), ("text", "string"))}
TABLES = tuple(_OWN) + hprof.TABLES
# Those with rows for each object, which several readers can share.
_BY_OBJECT = ("object", "reference", "dangling", "value", "string")

_NUMBER, _ADDRESS, _TEXT, _ANY = range(4)  # enum hprof_column_type

# What is read: of which table which columns, and how.
Request = collections.namedtuple(
    "Request", "table columns failfast conditions dump threads batch_rows cache "
    "storage", defaults=(False, (), 0, 1, 0, None, None))
# A dump or a part of it, number of count; values: what its path says.
Part = collections.namedtuple("Part", "address values number count")


def columns(table):
    """[(name, "long" or "string" or "double")]; an identifier is its 64 bits."""
    if table in _OWN:
        return list(_OWN[table])
    if table not in TABLES:
        raise ValueError(f"{table}: no such table; there are {', '.join(TABLES)}")
    found = []
    for column in _tables.described(table):
        found.append((column.name.decode(),
                      "string" if column.type == _TEXT else "long"))
        if column.type == _ANY:  # numbers with a fraction have a column of their own
            found.append(("real", "double"))
        if column.class_name is not None:
            found.append((column.class_name.decode(), "string"))
    return found


def parts(table, dumps, values, part_bytes):
    """A part for each dump, or several of a large one if the table allows.

    ``dumps`` are (address, bytes), ``values`` says what an address tells.
    """
    found = []
    for address, size in dumps:
        count = max(1, -(-size // part_bytes)) if table in _BY_OBJECT else 1
        found += [Part(address, values(address), number, count)
                  for number in range(count)]
    return found


def fitting(found, conditions, names):
    """The parts whose dumps fit the conditions on what is known of them before they
    are read: their path, and the columns NAMES."""
    import pyarrow as pa
    known = [one for one in conditions if one.column == PATH or one.column in names]
    if not found or not known:
        return found
    texts = {PATH: [part.address for part in found]}
    for name in names:
        texts[name] = [part.values.get(name) for part in found]
    mask = _filters.all_of(known, {name: pa.array(column, pa.string())
                                   for name, column in texts.items()})
    return [part for part, fits in zip(found, mask.to_pylist()) if fits]


def batches(request, part):
    """The rows of a part as record batches with the columns of the request.

    A damaged dump has those rows that could be read. One that cannot be read at all
    has one row in the tables ``dump`` and ``diagnostic``, else none.
    """
    try:
        with Storage(part.address, request.storage).local_file() as path, \
                hprof.open(path, request.dump, request.threads,
                           request.cache) as dump:
            known = {**part.values, PATH: part.address,
                     DIAGNOSTICS: _damage(dump.diagnostics())}
            if request.failfast and known[DIAGNOSTICS]:
                raise hprof.FormatError(f"{part.address}: {known[DIAGNOSTICS]}", -5)
            for batch in _rows(dump, request, part):
                yield from _finished(batch, request, known)
    except (hprof.FormatError, OSError) as failure:
        if request.failfast or not _is_of_dump(failure):
            raise
        known = {**part.values, PATH: part.address, DIAGNOSTICS: str(failure)}
        yield from _finished(_unreadable(request, str(failure)), request, known)


def _is_of_dump(failure):
    """Not of the machine or the network: trying again would not help."""
    return isinstance(failure, hprof.FormatError) or failure.errno == errno.ENOENT


def _damage(diagnostics):
    """What is worth a warning, as a text with a line for each; None if nothing is."""
    lines = []
    for one in diagnostics:
        if one.severity != "note":
            place = "" if one.offset is None else f"{one.offset:#x}: "
            lines.append(f"{place}{one.severity}: {one.text} [{one.code}]")
    return "\n".join(lines) or None


def _needed(request, of):
    """The columns of the table that are wanted, or that conditions are about."""
    asked = set(request.columns) | {one.column for one in request.conditions}
    return [name for name, _ in of if name in asked]


def _rows(dump, request, part):
    """Batches with the columns of the table that are needed, as they come."""
    if request.table in _OWN:
        rows = dump.histogram() if request.table == "histogram" else dump.diagnostics()
        yield _made(request.table, rows)
        return
    of = columns(request.table)
    first, end = (len(dump) * (part.number + i) // part.count for i in (0, 1))
    if part.count == 1:
        first = end = 0
    elif first == end:
        return
    # Of no column, the rows still count.
    table = dump.table(request.table, _needed(request, of) or [of[0][0]], first, end,
                       request.batch_rows)
    yield from table.batches()


def _made(table, rows):
    """A batch of a table that is made here, of rows as tuples."""
    import pyarrow as pa
    schema = _arrow_schema(_OWN[table])
    values = list(zip(*rows)) or [()] * len(schema)
    return pa.record_batch([pa.array(one, field.type)
                            for one, field in zip(values, schema)], schema)


def _unreadable(request, text):
    """What stands for a dump that could not be opened."""
    import pyarrow as pa
    if request.table == "diagnostic":
        return _made("diagnostic", [("error", "unreadable", None, 1, text)])
    schema = _arrow_schema(columns(request.table))
    count = 1 if request.table == "dump" else 0
    return pa.record_batch([pa.nulls(count, field.type) for field in schema], schema)


def _arrow_schema(named):
    import pyarrow as pa
    types = {"long": pa.int64(), "string": pa.string(), "double": pa.float64()}
    return pa.schema([(name, types[kind]) for name, kind in named])


def _finished(batch, request, known):
    """The batch with what is known of the dump, without rows that do not fit and in
    the types that Spark has; nothing if no row is left."""
    import pyarrow as pa
    mask = _filters.all_of([one for one in request.conditions
                            if one.column in batch.schema.names],
                           dict(zip(batch.schema.names, batch.columns)))
    if mask is not None:
        batch = batch.filter(mask)
    if not batch.num_rows:
        return
    arrays = []
    for name in request.columns:
        if name in batch.schema.names:
            arrays.append(_plain(batch.column(name)))
        else:
            value = pa.scalar(known.get(name), pa.string())
            arrays.append(pa.repeat(value, batch.num_rows))
    yield pa.record_batch(arrays, list(request.columns))


def _plain(array):
    import pyarrow as pa
    if pa.types.is_dictionary(array.type):
        return array.dictionary_decode()
    if array.type == pa.uint64():
        return array.view(pa.int64())
    return array.cast(pa.int64()) if pa.types.is_integer(array.type) else array
