# SPDX-License-Identifier: MIT
"""Heap dumps as a data source of Apache Spark, 4.0 or later.

    import hprof.spark
    hprof.spark.register(spark)
    classes = spark.read.format("hprof").option("table", "histogram") \\
        .load("/dumps/service=*/date=2026-11-2?/*.hprof.zst")

Each row has, besides the columns of its table, ``dump_path``, what folders like
``service=shop`` or the option ``pathPattern`` say, and ``diagnostics``: what is wrong
with that dump, null if nothing is. README.md of the package lists the options.
"""

import json

from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

from . import _filters, _scan
from ._pattern import Pattern, folder_values
from ._storage import Storage

__all__ = ["HprofDataSource", "HprofFilteringDataSource", "register"]

_PUSHDOWN = "spark.sql.python.filterPushdown.enabled"
_UNITS = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


def register(spark):
    """Makes ``spark.read.format("hprof")`` known to a session.

    Where Spark can pass filters on (4.1 and later), that is switched on.
    """
    if not hasattr(DataSourceReader, "pushFilters"):
        spark.dataSource.register(HprofDataSource)
        return
    spark.conf.set(_PUSHDOWN, "true")
    spark.dataSource.register(HprofFilteringDataSource)


class HprofDataSource(DataSource):
    """Dumps as a table; all filters are Spark's own."""

    @classmethod
    def name(cls):
        """The word for spark.read.format."""
        return "hprof"

    def schema(self):
        """All columns, those that tell of the dump last."""
        return ", ".join(f"`{name}` {'bigint' if kind == 'long' else kind}"
                         for name, kind in self._columns())

    def reader(self, schema):
        """A reader of some columns."""
        return HprofReader(self, schema)

    # -- options -------------------------------------------------------------

    def _option(self, name, default=None):
        return self.options.get(name, default)

    def _number(self, name, default):
        text = self._option(name, default).strip().lower().removesuffix("b")
        unit = _UNITS.get(text[-1:], 1)
        try:
            number = int(text[:-1] if unit > 1 else text) * unit
        except ValueError:
            number = -1
        if number < 0:
            raise ValueError(f"option {name}: {self._option(name)!r} is no number")
        return number

    def table(self):
        """The table that is asked for."""
        return self._option("table", "histogram").strip().lower()

    def storage(self):
        """The arguments of the file system, or None."""
        text = self._option("storageOptions")
        return json.loads(text) if text else None

    def request(self, columns):
        """What is read of each dump."""
        mode = self._option("mode", "PERMISSIVE").upper()
        if mode not in ("PERMISSIVE", "FAILFAST"):
            raise ValueError(f"option mode: {mode} is neither PERMISSIVE nor FAILFAST")
        return _scan.Request(
            self.table(), tuple(columns), mode == "FAILFAST", (),
            self._number("dump", "0"), self._number("threads", "1"),
            self._number("batchRows", "0"), self._option("cache"), self.storage())

    # -- dumps ---------------------------------------------------------------

    def dumps(self):
        """(address, bytes) of all dumps."""
        many = self._option("paths")
        addresses = json.loads(many) if many else [self._option("path")]
        if not addresses[0]:
            raise ValueError("load() needs the path of a dump or folder, or a pattern")
        return sorted({dump for address in addresses
                       for dump in Storage(address, self.storage()).dumps()})

    def path_values(self):
        """A function that says what an address tells of its dump."""
        pattern = Pattern(self._option("pathPattern"))
        return lambda address: {**folder_values(address), **pattern.values(address)}

    def path_names(self):
        """The columns that addresses tell; without a pattern dumps are listed."""
        names = Pattern(self._option("pathPattern")).names
        if not names:
            names = list(dict.fromkeys(name for address, _ in self.dumps()
                                       for name in folder_values(address)))
        return names

    def _columns(self):
        columns = _scan.columns(self.table())
        taken = {name for name, _ in columns}
        more = [_scan.PATH, *self.path_names(), _scan.DIAGNOSTICS]
        for name in more:
            if name in taken:
                raise ValueError(f"{name}: the table {self.table()} has a column of "
                                 "that name; give pathPattern another")
        columns += [(name, "string") for name in more]
        wanted = self._option("columns")
        if not wanted:
            return columns
        known = dict(columns)
        names = [name.strip() for name in wanted.split(",")]
        for name in names:
            if name not in known:
                raise ValueError(f"option columns: there is no {name}, but "
                                 + ", ".join(known))
        return [(name, known[name]) for name in names]


class HprofReader(DataSourceReader):
    """Reads the columns of ``schema``, which may be some of those that there are."""

    def __init__(self, source, schema):
        self._source = source
        self._types = {field.name: {"bigint": "long"}.get(
            field.dataType.simpleString(), field.dataType.simpleString())
            for field in schema.fields}
        known = dict(_scan.columns(source.table()))
        for name, kind in self._types.items():
            # What is no column of the table can only be told by the path.
            if known.get(name, "string") != kind:
                raise ValueError(f"column {name}: is a {known.get(name, 'string')}, "
                                 f"not a {kind}")
        self._named = [name for name in self._types if name not in known
                       and name not in (_scan.PATH, _scan.DIAGNOSTICS)]
        self._request = source.request(self._types)

    def partitions(self):
        """The parts of all dumps, without those that no filter lets through."""
        source = self._source
        part_bytes = max(1, source._number("partBytes", "1g"))
        found = _scan.parts(source.table(), source.dumps(), source.path_values(),
                            part_bytes)
        for name in self._named:
            if found and not any(name in part.values for part in found):
                raise ValueError(f"column {name}: neither the table nor a path has it")
        found = _scan.fitting(found, self._request.conditions, self._named)
        # Without any, Spark would make one of its own.
        return [InputPartition(part) for part in found] or [InputPartition(None)]

    def read(self, partition):
        """The rows of a part, as record batches."""
        if partition.value is None:
            return iter(())
        return _scan.batches(self._request, partition.value)


class HprofFilteringReader(HprofReader):
    """Also leaves out what filters leave out: whole dumps by what their paths say, and
    rows before they are passed on."""

    def pushFilters(self, filters):
        """Takes the filters that it can over, and gives the others back."""
        types = {name: kind for name, kind in self._types.items()
                 if name != _scan.DIAGNOSTICS}
        taken = []
        for one in filters:
            condition = _filters.condition(one, types)
            if condition is None:
                yield one
            else:
                taken.append(condition)
        self._request = self._request._replace(conditions=tuple(taken))


class HprofFilteringDataSource(HprofDataSource):
    """Dumps as a table that takes filters over from Spark, if its setting
    ``spark.sql.python.filterPushdown.enabled`` is true."""

    def reader(self, schema):
        """A reader that takes filters."""
        return HprofFilteringReader(self, schema)
