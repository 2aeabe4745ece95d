# SPDX-License-Identifier: MIT
"""Tests of the package; HPROF_DUMP is the dump of shop_id8.recipe."""

import os
import tempfile
import unittest

import hprof

try:
    import pyarrow
    import pyarrow.parquet
except ImportError:
    pyarrow = None

DUMP = os.environ["HPROF_DUMP"]
needs_pyarrow = unittest.skipUnless(pyarrow, "no pyarrow")


class Dumps(unittest.TestCase):
    def setUp(self):
        self.dump = hprof.open(DUMP)

    def tearDown(self):
        self.dump.close()

    def test_histogram_adds_up(self):
        (objects, shallow), = self.dump.table("dump", ["instances", "shallow"])
        self.assertGreater(objects, 0)
        rows = self.dump.histogram()
        total = sum(row.shallow for row in rows)
        self.assertLessEqual(total, shallow)
        self.assertGreater(total, 0)
        self.assertEqual(rows, sorted(rows, key=lambda r: (-r.shallow, r.name)))

    def test_objects_of_classes(self):
        seen = 0
        for name, of in self.dump.classes.items():
            for o in of:
                self.assertEqual(o.class_name, name)
                seen += 1
        rows = list(self.dump.table("object", ["id", "address", "shallow"]))
        self.assertEqual(len(rows), len(self.dump))
        self.assertGreater(seen, 5)
        for number, address, shallow in rows:
            o = self.dump.object(address=address)
            self.assertEqual((o.id, o.shallow), (number, shallow))
        with self.assertRaises(KeyError):
            self.dump.classes["no.such.Class"]
        with self.assertRaises(KeyError):
            self.dump.object(address=1)

    def test_fields_are_references(self):
        found = 0
        names = {row[0]: row[1] for row in self.dump.table("field", ["id", "name"])}
        for source, place, target in self.dump.table("reference"):
            o = self.dump.object(source)
            if place >= 0:
                value = o[place]
            elif names[place].startswith("<") or o.class_name == "java.lang.Class":
                continue
            else:
                value = o[names[place]]
                self.assertEqual(getattr(o, names[place]), value)
            if isinstance(value, hprof.JavaObject):
                self.assertEqual(value.id, target)
                found += 1
            elif isinstance(value, str):
                self.assertEqual(self.dump.object(target).text, value)
        self.assertGreater(found, 3)

    def test_retained_and_paths(self):
        rows = list(self.dump.table("retained"))
        self.assertGreater(len(rows), 10)
        for number, _, depth, retained in rows:
            o = self.dump.object(number)
            self.assertEqual(o.retained, retained)
            path = o.path()
            self.assertEqual(path[-1].object, o)
            self.assertGreaterEqual(depth, 1)
        with self.assertRaises(AttributeError):
            o.no_such_field

    def test_parts_and_projection(self):
        whole = list(self.dump.table("reference", ["target", "source"]))
        parts = [row for first in range(0, len(self.dump), 5)
                 for row in self.dump.table("reference", ["target", "source"],
                                            first, first + 5)]
        self.assertEqual(parts, whole)
        self.assertEqual(self.dump.table("reference", ["target"]).columns,
                         ("target",))

    def test_failures(self):
        with self.assertRaisesRegex(hprof.UsageError, "columns"):
            self.dump.table("object", ["nothing"])
        with self.assertRaises(KeyError):
            self.dump.table("nothing")
        with self.assertRaises(OSError) as caught:
            hprof.open(DUMP + ".none")
        self.assertEqual(caught.exception.errno, 2)
        with self.assertRaisesRegex(hprof.FormatError, "not an HPROF dump"):
            hprof.open(__file__)
        self.dump.close()
        with self.assertRaisesRegex(ValueError, "closed"):
            len(self.dump)

    def test_interrupted(self):
        def progress(*_):
            raise KeyboardInterrupt
        with self.assertRaises(KeyboardInterrupt):
            hprof.open(DUMP, progress=progress)

    @needs_pyarrow
    def test_arrow_has_the_same_rows(self):
        for name, table in self.dump.tables.items():
            taken = pyarrow.table(table)
            taken.validate(full=True)
            rows = [tuple(row.values()) for row in taken.to_pylist()]
            self.assertEqual(repr(list(table)), repr(rows), name)

    @needs_pyarrow
    def test_streams_outlive_the_dump(self):
        reader = pyarrow.RecordBatchReader.from_stream(
            self.dump.table("object", batch_rows=2))
        count = len(self.dump)
        batch = reader.read_next_batch()
        self.dump.close()
        self.dump = hprof.open(DUMP)
        self.assertEqual(batch.num_rows + sum(b.num_rows for b in reader), count)
        # One that nobody reads, and one that is dropped half-way.
        self.dump.table("object").__arrow_c_stream__()
        half = pyarrow.RecordBatchReader.from_stream(
            self.dump.table("object", batch_rows=2))
        half.read_next_batch()
        del half

    @needs_pyarrow
    def test_parquet(self):
        from hprof.__main__ import main
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(main(["export", "--parquet", folder, DUMP]), 0)
            table = pyarrow.parquet.read_table(os.path.join(folder, "object.parquet"))
            self.assertEqual(table.num_rows, len(self.dump))
            self.assertEqual(len(os.listdir(folder)), len(hprof.TABLES))


if __name__ == "__main__":
    unittest.main()
