# SPDX-License-Identifier: MIT
"""python -m hprof export --parquet DIR FILE"""

import argparse
import os
import sys

import hprof


def export(path, folder, tables):
    """Writes each table to a file FOLDER/NAME.parquet; needs pyarrow."""
    os.makedirs(folder, exist_ok=True)
    with hprof.open(path) as dump:
        for name in tables:
            _write(dump.table(name), os.path.join(folder, name + ".parquet"))


def _write(table, target):
    """A file has all rows, or its old name is as it was."""
    import pyarrow
    import pyarrow.parquet
    schema = pyarrow.RecordBatchReader.from_stream(table).schema
    part = target + ".part"
    try:
        with pyarrow.parquet.ParquetWriter(part, schema, compression="zstd") as writer:
            for batch in table.batches():
                writer.write_batch(batch)
        os.replace(part, target)
    finally:
        if os.path.exists(part):
            os.remove(part)


def main(arguments=None):
    """The command; returns its exit status."""
    parser = argparse.ArgumentParser(prog="python -m hprof")
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("export", help="write tables as files")
    command.add_argument("--parquet", metavar="DIR", required=True,
                         help="the folder for a file of each table")
    command.add_argument("--table", action="append", choices=hprof.TABLES,
                         metavar="NAME", help="only this one (may be repeated)")
    command.add_argument("file", metavar="FILE")
    given = parser.parse_args(arguments)
    try:
        export(given.file, given.parquet, given.table or hprof.TABLES)
    except (hprof.HprofError, OSError, ImportError) as failure:
        print(f"hprof: {given.file}: {failure}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
