# SPDX-License-Identifier: MIT
"""Java heap dumps, by libhprof.

    import hprof
    with hprof.open("heap.hprof.zst") as d:
        print(d.histogram()[:10])
        for o in d.classes["java.util.HashMap"]:
            print(o.size, o["table"], o.retained, o.path())

Every table of hprof-tables(7) is an Arrow stream for pyarrow, pandas, Polars and
DuckDB: ``pyarrow.table(d.table("object"))``.
"""

from __future__ import annotations

import os
from typing import Optional, Union

from ._columns import ClassTable, Table
from ._diagnostics import Diagnostic
from ._dump import Dump, HistogramRow, JavaClass, JavaObject, PathStep, TABLES
from ._native import FormatError, HprofError, SystemCallError, UsageError
from ._native import lib as _lib
from ._dump import ProgressFunction
from ._reports import DiffRow, Suspect
from ._sql import SqlError, SqlRows

__all__ = ["ClassTable", "Diagnostic", "DiffRow", "Dump", "FormatError",
           "HistogramRow", "HprofError", "JavaClass", "JavaObject", "PathStep",
           "SqlError", "SqlRows", "Suspect", "SystemCallError", "TABLES", "Table",
           "UsageError", "open"]
__version__ = _lib.hprof_version().decode()


def open(path: Union[str, bytes, os.PathLike], dump: int = 0, threads: int = 0,
         cache: Union[str, bytes, os.PathLike, None] = None,
         progress: Optional[ProgressFunction] = None) -> Dump:
    """Opens a heap dump of any form that libhprof reads.

    ``dump`` is the number of a dump in a file with several, ``threads`` 0 means
    all processors, ``cache`` is a folder in which what was found out is kept,
    and ``progress(phase, done, total)`` is called from time to time.
    """
    return Dump(path, dump, threads, cache, progress)
