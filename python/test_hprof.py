# SPDX-License-Identifier: MIT
"""Tests of the package; HPROF_DUMP is the dump of shop_id8.recipe, HPROF_OTHER that of
standard_id8, HPROF_LEAK one with a cache of 40 large arrays, HPROF_MANUAL man/."""

import ast
import importlib.util
import inspect
import json
import os
import re
import signal
import sys
import tempfile
import threading
import time
import unittest

import hprof
from hprof import _tables

try:
    import pyarrow
    import pyarrow.parquet
except ImportError:
    pyarrow = None

DUMP = os.environ["HPROF_DUMP"]
OTHER, LEAK = os.environ["HPROF_OTHER"], os.environ["HPROF_LEAK"]


def has(*names):
    return all(importlib.util.find_spec(name) for name in names)


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

    def test_numbers_are_not_cut(self):
        for name, wrong in (("first", -1), ("end", 1 << 64), ("batch_rows", -1)):
            with self.assertRaisesRegex(hprof.UsageError, name):
                self.dump.table("object", **{name: wrong})
        with self.assertRaisesRegex(hprof.UsageError, "address"):
            self.dump.object(address=self.dump.object(0).address + (1 << 64))
        for how in ({"threads": -1}, {"dump": 1 << 32}, {"path": DUMP + "\0.none"}):
            with self.assertRaises(hprof.UsageError):
                hprof.open(**{"path": DUMP, **how})
        with self.assertRaisesRegex(hprof.UsageError, "list"):
            self.dump.table("object", "id")
        for first, end in ((1 << 63, 0), (5, 3), (len(self.dump), 0)):
            self.assertEqual(list(self.dump.table("object", first=first, end=end)), [])

    def test_nothing_of_a_closed_dump(self):
        table, of = self.dump.table("object"), self.dump.classes["java.lang.String"]
        one, fields = next(iter(of)), of.table()
        half = iter(self.dump.table("object", batch_rows=1))
        next(half)
        self.dump.close()
        for use in (lambda: list(table), lambda: list(fields), lambda: list(of),
                    lambda: len(of), lambda: repr(one), lambda: one.text,
                    lambda: one.retained, one.path, one.fields, self.dump.histogram,
                    self.dump.suspects, self.dump.diagnostics,
                    lambda: self.dump.sql("SELECT 1"), lambda: self.dump.tables):
            with self.assertRaisesRegex(ValueError, "closed"):
                use()
        self.assertGreater(len(list(half)), 1)  # it was begun before
        self.dump.close()

    def heed_interrupts(self):
        # A job in the background of a shell is started with SIGINT ignored.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, before)

    def test_interrupted(self):
        def progress(*_):
            raise KeyboardInterrupt
        with self.assertRaises(KeyboardInterrupt):
            hprof.open(DUMP, progress=progress)

    def test_tables_are_those_of_the_manual(self):
        with open(os.path.join(os.environ["HPROF_MANUAL"], "hprof-tables.7"),
                  encoding="utf-8") as manual:
            text = manual.read()
        text = text[text.index(".Ss Tables"):text.index(".Ss Views")]
        parts = re.split(r"^\.It Sy (\w+)$", text, flags=re.M)[1:]
        self.assertEqual(sorted(parts[::2]), sorted(hprof.TABLES))
        for name, said in zip(parts[::2], parts[1::2]):
            words = set(re.findall(r"\w+", said))
            self.assertLessEqual(set(_tables.documented(name)), words, name)
            self.assertEqual(self.dump.table(name).columns,
                             tuple(_tables.columns(name)))

    def test_fields_of_classes(self):
        fields = 0
        for name, of in self.dump.classes.items():
            table = of.table(retained=True)
            self.assertEqual(table.columns[:6], ("object", "class", "class_name",
                                                 "shallow", "length", "retained"))
            rows = list(table.dicts())
            self.assertEqual([row["object"] for row in rows], [o.id for o in of])
            for row in rows:
                o = self.dump.object(row["object"])
                self.assertEqual((row["class_name"], row["shallow"]),
                                 (name, o.shallow))
                for field, value in o.fields().items():
                    if isinstance(value, hprof.JavaObject):
                        value = value.id
                    elif isinstance(value, str):
                        continue  # a text here, the number of an object there
                    self.assertEqual(row[field], value, (name, field))
                    fields += 1
        self.assertGreater(fields, 5)
        half = self.dump.classes["java.lang.String"].table(["object"], first=1, end=2)
        self.assertEqual(len(list(half)), 1)
        with self.assertRaisesRegex(hprof.UsageError, "columns"):
            self.dump.classes["java.lang.String"].table(["nothing"])

    def test_diff(self):
        self.assertEqual(self.dump.diff(self.dump), [])
        with hprof.open(OTHER) as other:
            rows = self.dump.diff(other)
            back = {row.name: row for row in other.diff(self.dump)}
            self.assertTrue(rows)
            self.assertEqual(rows, sorted(rows, key=lambda r: (-r.growth, r.name)))
            for row in rows:
                self.assertEqual(back[row.name].growth, -row.growth)
                self.assertIsNone(row.retained)
            known = {row.name: row for row in other.histogram()}
            for row in rows:
                if "$" not in row.name and row.instances[1]:
                    self.assertEqual(row.shallow[1], known[row.name].shallow)
            kept = self.dump.diff(other, retained=True)
            self.assertTrue(any(row.retained[0] != row.retained[1] for row in kept))

    def test_suspects(self):
        self.assertEqual(self.dump.suspects(), [])
        with hprof.open(LEAK) as dump:
            one, = dump.suspects()
            self.assertEqual(one.item_class, "byte[]")
            self.assertEqual(one.items, 40)
            self.assertGreater(one.retained, 2 << 20)
            self.assertEqual(one.point.retained, one.retained)
            self.assertEqual(one.path[-1].object, one.point)
            self.assertIn("acme.Cache.entries", str(one))
            self.assertEqual((one.owner_class, one.field), ("acme.Cache", "entries"))

    @unittest.skipUnless("LIBHPROF_SQLITE" in os.environ, "no extension of SQLite")
    def test_sql(self):
        rows = self.dump.sql('SELECT c.name AS class, count(*), sum(o.shallow) FROM '
                             'object o JOIN class c ON c.id = o.class GROUP BY c.id '
                             'HAVING count(*) > ?', (1,))
        self.assertEqual(rows.columns, ("class", "count(*)", "sum(o.shallow)"))
        self.assertGreater(len(rows), 1)
        known = {row.name: row for row in self.dump.histogram()}
        for name, count, shallow in rows:
            self.assertEqual((known[name].instances, known[name].shallow),
                             (count, shallow))
        self.assertEqual(self.dump.sql("SELECT 1.5, NULL, 'a', ?, x'00ff'", ("\u00e4",)),
                         [(1.5, None, "a", "\u00e4", b"\0\xff")])
        with hprof.open(OTHER) as other:
            for dumps in ({"old": other}, {"old": other}):
                (count, mine), = self.dump.sql(
                    "SELECT (SELECT count(*) FROM old.object), count(*) FROM object",
                    **dumps)
                self.assertEqual((count, mine), (len(other), len(self.dump)))
            with self.assertRaisesRegex(hprof.UsageError, "another"):
                self.dump.sql("SELECT 1", old=self.dump)
        for wrong in ("SELEC", "SELECT x FROM object", "SELECT 1; SELECT 2", ""):
            with self.assertRaises(hprof.SqlError):
                self.dump.sql(wrong)
        with self.assertRaises(hprof.UsageError):
            self.dump.sql("SELECT ?")

    @unittest.skipUnless("LIBHPROF_SQLITE" in os.environ, "no extension of SQLite")
    def test_sql_only_reads(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "file")
            for wrong in (f"ATTACH '{file}' AS x", f"VACUUM INTO '{file}'",
                          "DROP TABLE object", 'DROP TABLE "java.lang.String"',
                          "INSERT INTO object VALUES (1)", "UPDATE object SET id = 1",
                          "CREATE TEMP TABLE t AS SELECT 1", "DELETE FROM object",
                          "CREATE TABLE t(a)", "PRAGMA writable_schema = 1",
                          "SELECT load_extension('/x')", "BEGIN",
                          f"SELECT hprof_open('{OTHER}', 'other')"):
                with self.assertRaises(hprof.SqlError, msg=wrong):
                    self.dump.sql(wrong)
            self.assertEqual(os.listdir(folder), [])
        (count,), = self.dump.sql("SELECT count(*) FROM object")
        self.assertEqual(count, len(self.dump))
        for right in ("PRAGMA table_info(object)", 'SELECT * FROM "java.lang.String"',
                      "SELECT name FROM pragma_table_info('object')"):
            self.assertTrue(self.dump.sql(right), right)
        for wrong in (1 << 63, -1 - (1 << 63), b"", []):
            with self.assertRaises(hprof.UsageError):
                self.dump.sql("SELECT ?", (wrong,))

    @unittest.skipUnless("LIBHPROF_SQLITE" in os.environ, "no extension of SQLite")
    def test_sql_is_interrupted(self):
        # Ctrl-C ends a statement, which otherwise would not end.
        self.heed_interrupts()
        self.dump.sql("SELECT 1")
        main = threading.main_thread().ident
        timer = threading.Timer(0.2, signal.pthread_kill, (main, signal.SIGINT))
        timer.start()
        try:
            with self.assertRaises(KeyboardInterrupt):
                self.dump.sql("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL "
                              "SELECT i + 1 FROM n) SELECT count(*) FROM n")
        finally:
            timer.join()
        self.assertEqual(self.dump.sql("SELECT 2"), [(2,)])

    def test_signals_while_the_library_works(self):
        self.heed_interrupts()
        # The first look at progress comes after the signal, and ends the work.
        seen = []

        def progress(*_):
            seen.append(1)
            signal.raise_signal(signal.SIGINT)
        with self.assertRaises(KeyboardInterrupt):
            hprof.open(DUMP, progress=progress)
        self.assertEqual(len(seen), 1)
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)

    def raising(self):
        """A dump whose progress function says that SIGINT came, once it is open."""
        def progress(*_):
            if opened:
                signal.raise_signal(signal.SIGINT)
        opened = []
        dump = hprof.open(LEAK, progress=progress)
        self.addCleanup(dump.close)
        opened.append(1)
        return dump

    def test_streams_are_interrupted(self):
        self.heed_interrupts()
        dump = self.raising()
        for table in ("object", "retained"):
            with self.assertRaises(KeyboardInterrupt):
                list(dump.table(table))
            self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)

    @needs_pyarrow
    def test_readers_of_streams_are_interrupted(self):
        self.heed_interrupts()
        dump = self.raising()
        with self.assertRaises(KeyboardInterrupt):
            dump.table("object").to_arrow()
        with self.assertRaises(KeyboardInterrupt):
            list(dump.table("object").batches())
        def failing(*_):
            raise ZeroDivisionError
        dump._user_progress = failing
        with self.assertRaises(ZeroDivisionError):
            dump.table("object").to_arrow()

    @needs_pyarrow
    def test_no_interrupt_is_lost(self):
        # At whatever moment it comes while another program reads streams.
        self.heed_interrupts()
        lost = []
        self.addCleanup(setattr, sys, "unraisablehook", sys.unraisablehook)
        sys.unraisablehook = lost.append
        main = threading.main_thread().ident
        for wait in range(20):
            sent = threading.Event()

            def send():
                time.sleep(wait / 5000)
                signal.pthread_kill(main, signal.SIGINT)
                sent.set()
            thread = threading.Thread(target=send)
            with self.assertRaises(KeyboardInterrupt):
                thread.start()
                while not sent.is_set():
                    pyarrow.table(self.dump.table("reference", batch_rows=1))
                pyarrow.table(self.dump.table("object"))
            thread.join()
        self.assertEqual(lost, [])

    @unittest.skipUnless(has("duckdb", "matplotlib"), "no duckdb and matplotlib")
    def test_notebook(self):
        # All cells run one after the other, and leave a picture.
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "heap.ipynb")
        with open(path, encoding="utf-8") as file:
            cells = json.load(file)["cells"]
        here, names = os.getcwd(), {"__name__": "notebook"}
        os.environ["MPLBACKEND"] = "Agg"
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                for cell in cells:
                    if cell["cell_type"] == "code":
                        code = compile("".join(cell["source"]), cell["id"], "exec")
                        exec(code, names)  # pylint: disable=exec-used
                with open("packages.png", "rb") as picture:
                    self.assertEqual(picture.read(4), b"\x89PNG")
            finally:
                os.chdir(here)
        known = {row.name: (row.instances, row.shallow) for row in self.dump.histogram()}
        self.assertGreater(len(names["by_class"]), 3)
        for name, objects, shallow in names["by_class"]:
            if name in known:  # class objects are no instances that are counted
                self.assertEqual(known[name], (objects, shallow))
        names["d"].close()

    @unittest.skipUnless(has("pandas", "polars", "duckdb", "pyarrow"), "not all are here")
    def test_programs_take_streams(self):
        import duckdb
        import pandas
        import polars
        for name, table in self.dump.tables.items():
            count = sum(1 for _ in table)
            self.assertEqual(polars.DataFrame(table).height, count, name)
            self.assertEqual(len(pandas.DataFrame.from_arrow(table)), count, name)
            (counted,), = duckdb.sql('SELECT count(*) FROM "table"').fetchall()
            self.assertEqual(counted, count, name)

    @unittest.skipUnless(has("mypy"), "no mypy")
    def test_types(self):
        import mypy.api
        package = os.path.dirname(os.path.abspath(hprof.__file__))
        with tempfile.TemporaryDirectory() as folder:
            text, wrong, status = mypy.api.run(
                ["--check-untyped-defs", "--ignore-missing-imports",
                 "--cache-dir", folder, package])
        self.assertEqual(status, 0, text + wrong)

    def test_docstrings(self):
        # Of each public name, and types of each public function.
        names = {name: getattr(hprof, name) for name in hprof.__all__}
        for name, of in list(names.items()):
            if inspect.isclass(of):
                names.update((f"{name}.{member}", value)
                             for member, value in vars(of).items()
                             if not member.startswith("_") and
                             (inspect.isfunction(value) or isinstance(value, property)))
        self.assertIn("JavaObject.retained", names)
        for name, of in names.items():
            if name == "TABLES":
                continue
            text = vars(of).get("__doc__") if inspect.isclass(of) else of.__doc__
            # What namedtuple writes begins so.
            self.assertTrue(text and not text.startswith(name + "("), name)
            function = of.fget if isinstance(of, property) else of
            if inspect.isfunction(function):
                said = inspect.signature(function)
                types = [value.annotation for key, value in said.parameters.items()
                         if key != "self"] + [said.return_annotation]
                self.assertNotIn(inspect.Signature.empty, types, name)

    def test_docstrings_of_modules(self):
        # Those that need something else, by their sources.
        package = os.path.dirname(os.path.abspath(hprof.__file__))
        for file in sorted(os.listdir(package)):
            if not file.endswith(".py"):
                continue
            with open(os.path.join(package, file), encoding="utf-8") as source:
                module = ast.parse(source.read())
            self.assertTrue(ast.get_docstring(module), file)
            if file.startswith("_") and file != "__main__.py":
                continue
            for node in ast.walk(module):
                if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and \
                        not node.name.startswith("_"):
                    self.assertTrue(ast.get_docstring(node), f"{file}: {node.name}")

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
