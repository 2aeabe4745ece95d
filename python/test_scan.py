# SPDX-License-Identifier: MIT
"""Tests of what the data source of Spark is made of, without Spark; HPROF_DUMP is the
dump of shop_id8.recipe."""

import collections
import os
import pathlib
import sqlite3
import tempfile
import unittest

import hprof
from hprof import _filters, _scan
from hprof._pattern import Pattern, folder_values
from hprof._storage import Storage

try:
    import pyarrow
except ImportError:
    pyarrow = None

DUMP = os.environ["HPROF_DUMP"]
needs_pyarrow = unittest.skipUnless(pyarrow, "no pyarrow")


def sparks(name, *members):
    """A class like one of pyspark.sql.datasource."""
    return collections.namedtuple(name, members)


Not = sparks("Not", "child")
BINARY = {name: sparks(name, "attribute", "value") for name in (
    "EqualTo", "EqualNullSafe", "GreaterThan", "GreaterThanOrEqual", "LessThan",
    "LessThanOrEqual", "In", "StringStartsWith", "StringEndsWith", "StringContains")}
UNARY = {name: sparks(name, "attribute") for name in ("IsNull", "IsNotNull")}


class Paths(unittest.TestCase):
    def test_patterns(self):
        of = Pattern("{service}-{version}/{date}/{}.hprof.*")
        self.assertEqual(of.names, ["service", "version", "date"])
        self.assertEqual(of.values("s3a://b/x/shop-1.2/2026-11-01/h1.hprof.zst"),
                         {"service": "shop", "version": "1.2", "date": "2026-11-01"})
        self.assertEqual(of.values("/x/shop/2026-11-01/h1.hprof.zst"), {})
        self.assertEqual(Pattern("{a}.h?rof").values("/d/b.c.hprof"), {"a": "b.c"})
        self.assertEqual(Pattern().values("/d/a.hprof"), {})
        for wrong in ("{a}/{a}", "{1}", "{a b}"):
            with self.assertRaises(ValueError):
                Pattern(wrong)

    def test_folders(self):
        self.assertEqual(folder_values("/d/service=a%20b/date=1=2/x=y.hprof"),
                         {"service": "a b", "date": "1=2"})

    @needs_pyarrow
    def test_listing(self):
        with tempfile.TemporaryDirectory() as top:
            names = ["a/1/x.hprof", "a/1/x.txt", "a/2/y.hprof.zst", "b/1/z.hprof.gz",
                     "b/c/d/w.hprof"]
            for at, name in enumerate(names):
                file = pathlib.Path(top, name)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(b"x" * at)

            def found(pattern):
                return [(address[len(top) + 1:], size)
                        for address, size in Storage(pattern).dumps()]
            every = [("a/1/x.hprof", 0), ("a/2/y.hprof.zst", 2),
                     ("b/1/z.hprof.gz", 3), ("b/c/d/w.hprof", 4)]
            self.assertEqual(found(top), every)
            self.assertEqual(found(top + "/*/1/*.hprof*"), [every[0], every[2]])
            self.assertEqual(found(top + "/[b]/**/*.hprof"), [every[3]])
            self.assertEqual(found(top + "/a/1/x.txt"), [("a/1/x.txt", 1)])
            self.assertEqual(found(top + "/none/*"), [])
            self.assertEqual(Storage("file://" + top).dumps(), Storage(top).dumps())
            with self.assertRaises(FileNotFoundError):
                found(top + "/none")

    @needs_pyarrow
    def test_copies_are_removed(self):
        place = Storage(DUMP)
        place.is_local = False  # as if it were in a store
        with place.local_file() as path:
            self.assertNotEqual(path, DUMP)
            self.assertEqual(pathlib.Path(path).read_bytes(),
                             pathlib.Path(DUMP).read_bytes())
        self.assertFalse(os.path.exists(path))

    @needs_pyarrow
    def test_unknown_stores(self):
        with self.assertRaises((ImportError, ValueError)):
            Storage("nowhere://a/b")


class Filters(unittest.TestCase):
    TYPES = {"n": "long", "t": "string", "d": "double"}
    ROWS = [(1, "ab"), (2, "b"), (3, "ba"), (None, None), (-1, ""), (2, "é")]
    SQL = {"EqualTo": "{} = {}", "EqualNullSafe": "{} IS {}", "GreaterThan": "{} > {}",
           "GreaterThanOrEqual": "{} >= {}", "LessThan": "{} < {}",
           "LessThanOrEqual": "{} <= {}", "IsNull": "{} IS NULL",
           "IsNotNull": "{} IS NOT NULL", "In": "{} IN ({}, {})",
           "StringStartsWith": "{0} GLOB {1} || '*'",
           "StringEndsWith": "{0} GLOB '*' || {1}",
           "StringContains": "{0} GLOB '*' || {1} || '*'"}

    def cases(self):
        for column, values in (("n", (1, 2)), ("t", ("b", "ab"))):
            for name, of in BINARY.items():
                if name.startswith("String") and column == "n":
                    continue
                yield name, column, values, of(
                    (column,), values if name == "In" else values[0])
            for name, of in UNARY.items():
                yield name, column, (), of((column,))

    @needs_pyarrow
    def test_same_rows_as_sql(self):
        base = sqlite3.connect(":memory:")
        base.execute("CREATE TABLE r(at, n, t)")
        base.executemany("INSERT INTO r VALUES (?, ?, ?)",
                         [(at, *row) for at, row in enumerate(self.ROWS)])
        numbers, texts = (pyarrow.array(column) for column in zip(*self.ROWS))
        tried = 0
        for name, column, values, given in self.cases():
            where = self.SQL[name].format(column, *map(repr, values))
            for filter_, text in ((given, where), (Not(given), f"NOT ({where})")):
                expected = [at for at, in base.execute(
                    f"SELECT at FROM r WHERE {text} ORDER BY at")]
                wanted = _filters.condition(filter_, self.TYPES)
                for encoded in (False, True):
                    columns = {"n": numbers, "t": texts.dictionary_encode()
                               if encoded else texts}
                    mask = _filters.all_of([wanted], columns).to_pylist()
                    self.assertEqual([at for at, fits in enumerate(mask) if fits],
                                     expected, f"{text} {encoded}")
                    tried += 1
        self.assertEqual(tried, 84)

    def test_left_to_spark(self):
        equal, within = BINARY["EqualTo"], BINARY["In"]
        for given in (equal(("d",), 1.5), equal(("n",), 1 << 63), equal(("n",), True),
                      equal(("n",), "1"), equal(("t",), 1), equal(("x",), 1),
                      equal(("t", "u"), "a"), within(("n",), (1, None)),
                      BINARY["StringContains"](("n",), "1"),
                      sparks("Or", "attribute")(("n",))):
            self.assertIsNone(_filters.condition(given, self.TYPES), given)


class Scans(unittest.TestCase):
    def read(self, table, part=None, names=None, **how):
        names = names or [name for name, _ in _scan.columns(table)]
        request = _scan.Request(table, tuple(names), **how)
        rows = []
        for batch in _scan.batches(request, part or _scan.Part(DUMP, {}, 0, 1)):
            batch.validate(full=True)
            self.assertEqual(batch.schema.names, list(names))
            rows += [tuple(row.values()) for row in batch.to_pylist()]
        return rows

    def test_parts(self):
        dumps = [("/d/a.hprof", 10), ("/d/b.hprof", 25), ("/d/c.hprof", 0)]
        told = _scan.parts("object", dumps, lambda a: {"of": a[3]}, 10)
        self.assertEqual([part[1:] for part in told],
                         [({"of": "a"}, 0, 1), ({"of": "b"}, 0, 3), ({"of": "b"}, 1, 3),
                          ({"of": "b"}, 2, 3), ({"of": "c"}, 0, 1)])
        self.assertEqual(len(_scan.parts("retained", dumps, folder_values, 10)), 3)
        with self.assertRaisesRegex(ValueError, "there are histogram"):
            _scan.columns("nothing")

    @needs_pyarrow
    def test_parts_that_fit(self):
        found = [_scan.Part(f"/d/{n}.hprof", {"day": n} if n else {}, 0, 1)
                 for n in ("1", "2", "", "3")]

        def days(*filters):
            kept = _scan.fitting(found, [_filters.condition(one, types)
                                         for one in filters], ["day"])
            return [part.values.get("day") for part in kept]
        types = {"day": "string", "name": "string", _scan.PATH: "string"}
        greater, equal = BINARY["GreaterThan"], BINARY["EqualTo"]
        self.assertEqual(days(greater(("day",), "1")), ["2", "3"])
        self.assertEqual(days(greater(("day",), "1"), equal((_scan.PATH,), "/d/3.hprof")),
                         ["3"])
        self.assertEqual(days(UNARY["IsNull"](("day",))), [None])
        self.assertEqual(days(equal(("name",), "x")), ["1", "2", None, "3"])

    @needs_pyarrow
    def test_rows_are_those_of_the_tables(self):
        bits = lambda v: v - (1 << 64) if isinstance(v, int) and v >= 1 << 63 else v
        with hprof.open(DUMP) as dump:
            for table in hprof.TABLES:
                rows = [tuple(map(bits, row)) for row in dump.table(table)]
                self.assertEqual(repr(self.read(table)), repr(rows), table)
            self.assertEqual(self.read("histogram"), list(map(tuple, dump.histogram())))
        self.assertEqual(self.read("diagnostic"), [])

    @needs_pyarrow
    def test_columns_and_what_is_known(self):
        part = _scan.Part(DUMP, {"service": "shop"}, 0, 1)
        rows = self.read("object", part, ["service", "shallow", "diagnostics",
                                          "dump_path", "version"])
        with hprof.open(DUMP) as dump:
            self.assertEqual(rows, [("shop", shallow, None, DUMP, None)
                                    for shallow, in dump.table("object", ["shallow"])])
            self.assertEqual(self.read("object", part, ["service"]),
                             [("shop",)] * len(dump))

    @needs_pyarrow
    def test_parts_add_up(self):
        for table in ("object", "reference", "string"):
            whole = self.read(table)
            for count in (2, 3, 100):
                rows = [row for number in range(count)
                        for row in self.read(table, _scan.Part(DUMP, {}, number, count))]
                self.assertEqual(rows, whole)

    @needs_pyarrow
    def test_conditions_on_rows(self):
        wanted = _filters.Condition("class_name", "equal", "java.lang.String", False)
        rows = self.read("object", None, ["id"], conditions=(wanted,))
        with hprof.open(DUMP) as dump:
            self.assertEqual([number for number, in rows],
                             [o.id for o in dump.classes["java.lang.String"]])
        few = _filters.Condition("instances", "less", 3, False)
        self.assertEqual([row for row in self.read("histogram") if row[1] < 3],
                         self.read("histogram", conditions=(few,)))

    @needs_pyarrow
    def test_damaged_dumps(self):
        whole = pathlib.Path(DUMP).read_bytes()
        names = ["id", "diagnostics"]
        with tempfile.TemporaryDirectory() as folder:
            cut = os.path.join(folder, "cut.hprof")
            pathlib.Path(cut).write_bytes(whole[:len(whole) - 60])
            part = _scan.Part(cut, {}, 0, 1)
            rows = self.read("object", part, names)
            self.assertTrue(0 < len(rows) < len(self.read("object")))
            self.assertIn("[truncated]", rows[0][1])
            (told,) = self.read("diagnostic", part, ["code", "count"])
            self.assertEqual(told, ("truncated", 1))
            with self.assertRaisesRegex(hprof.FormatError, "cut.hprof: .*truncated"):
                self.read("object", part, failfast=True)

    @needs_pyarrow
    def test_unreadable_dumps(self):
        with tempfile.TemporaryDirectory() as folder:
            none = os.path.join(folder, "none.hprof")
            empty = os.path.join(folder, "empty.hprof")
            pathlib.Path(empty).touch()
            for file in (__file__, none, empty):
                part = _scan.Part(file, {"a": "b"}, 0, 1)
                self.assertEqual(self.read("object", part), [])
                ((objects, a, text),) = self.read("dump", part,
                                                  ["objects", "a", "diagnostics"])
                self.assertEqual((objects, a), (None, "b"))
                self.assertTrue(text)
                (row,) = self.read("diagnostic", part, ["code", "text"])
                self.assertEqual(row, ("unreadable", text))
                with self.assertRaises((hprof.FormatError, OSError)):
                    self.read("object", part, failfast=True)
            with self.assertRaises(OSError):  # not the dump's fault: try it again
                self.read("object", _scan.Part(folder, {}, 0, 1))


if __name__ == "__main__":
    unittest.main()
