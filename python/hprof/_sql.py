# SPDX-License-Identifier: MIT
"""SQL about dumps: SQLite with the extension libhprof-sqlite, which hprof-query is.

SQLite is called by ctypes, since many builds of Python's own module sqlite3 load no
extensions.
"""

from __future__ import annotations

import ctypes as c
import ctypes.util
import os
import re
from typing import Any, List, Sequence, Tuple

from . import _native as n

_OK, _ROW, _DONE = 0, 100, 101
_INTEGER, _FLOAT, _TEXT, _BLOB = 1, 2, 3, 4
_LOAD_EXTENSION = 1005  # SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION
_TRANSIENT = c.c_void_p(-1)
_STEPS = 10000  # of SQLite's machine between two looks for Ctrl-C


class SqlError(n.HprofError):
    """A statement failed, with the text of SQLite or of the library."""


class SqlRows(List[Tuple[Any, ...]]):
    """The rows of a statement, as tuples; ``columns`` has their names."""

    columns: "tuple[str, ...]" = ()

    def dicts(self) -> "list[dict[str, Any]]":
        """The rows as dictionaries."""
        return [dict(zip(self.columns, row)) for row in self]


def _load_sqlite():
    for name in (ctypes.util.find_library("sqlite3"), "libsqlite3.so.0"):
        if name:
            try:
                return c.CDLL(name)
            except OSError:
                pass
    raise ImportError("sql needs SQLite: libsqlite3.so.0 is not on this machine")


def _extensions():
    """Where the extension may be, without what the linker adds."""
    named = os.environ.get("LIBHPROF_SQLITE")
    beside = os.path.dirname(os.environ.get("LIBHPROF", ""))
    names = [named, str(n.folder() / "libhprof-sqlite.so"),
             os.path.join(beside, "libhprof-sqlite.so") if beside else None]
    found = [name for name in names if name and os.path.exists(name)]
    return found or ["libhprof-sqlite"]


_Progress = c.CFUNCTYPE(c.c_int, c.c_void_p)
_Authorizer = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_int, c.c_char_p, c.c_char_p,
                          c.c_char_p, c.c_char_p)
_DENY = 1
_CREATE_TABLE, _INSERT, _UPDATE = 2, 18, 23
_PRAGMA, _READ, _SELECT, _FUNCTION, _RECURSIVE = 19, 20, 21, 31, 33
# What a table of the extension does when it is first used; in statements that do so
# themselves it is found later, since those do not only read.
_DECLARING = (_CREATE_TABLE, _INSERT, _UPDATE)
# What hprof-query lets through, too.
_QUESTIONS = (b"table_info", b"table_xinfo", b"table_list", b"database_list",
              b"function_list")
_DANGEROUS = (b"load_extension", b"fts3_tokenizer", b"hprof_open")


def _permission(action, first, second):
    """Whether a statement of the program may do that: it reads, and only dumps."""
    if action == _PRAGMA:
        return _OK if first.lower() in _QUESTIONS else _DENY
    if action == _FUNCTION:
        return _DENY if second.lower() in _DANGEROUS else _OK
    return _OK if action in (_READ, _SELECT, _RECURSIVE, *_DECLARING) else _DENY


class Connection:
    """A connection to a database in memory, in which dumps can be opened."""

    def __init__(self) -> None:
        self._lib = _load_sqlite()
        self._interrupts = n.Interrupts()
        interrupts = self._interrupts
        self._progress = _Progress(lambda _user: int(interrupts.noted is not None))
        self._own = True  # a statement of this class
        self._authorizer = _Authorizer(lambda _user, action, first, second, *_:
                                       _OK if self._own
                                       else _permission(action, first, second))
        self._db = c.c_void_p()
        lib = self._lib
        for name in ("errmsg", "column_name", "column_text", "column_blob"):
            getattr(lib, "sqlite3_" + name).restype = c.c_void_p
        lib.sqlite3_column_int64.restype = c.c_int64
        lib.sqlite3_column_double.restype = c.c_double
        self._checked(lib.sqlite3_open(b":memory:", c.byref(self._db)))
        lib.sqlite3_progress_handler(self._db, _STEPS, self._progress, None)
        self._load()
        lib.sqlite3_set_authorizer(self._db, self._authorizer, None)
        self._run("PRAGMA temp_store = MEMORY", ())

    def _message(self) -> str:
        text = c.string_at(self._lib.sqlite3_errmsg(self._db))
        return text.decode("utf-8", "replace")

    def _checked(self, code: int) -> int:
        if code in (_OK, _ROW, _DONE):
            return code
        raise SqlError(self._message(), -1)

    def _load(self) -> None:
        lib, text = self._lib, c.c_char_p()
        self._checked(lib.sqlite3_db_config(self._db, _LOAD_EXTENSION, 1, None))
        name = _extensions()[0].encode()
        code = lib.sqlite3_load_extension(self._db, name, b"sqlite3_hprofsqlite_init",
                                          c.byref(text))
        if code != _OK:
            why = (text.value or b"").decode("utf-8", "replace")
            raise ImportError(f"sql needs the extension libhprof-sqlite: {why}")

    def open(self, path: bytes, schema: str) -> None:
        """Opens a dump, whose tables belong to a schema."""
        if not re.fullmatch("[a-z0-9_]+", schema):
            raise n.UsageError(f"{schema!r} is no name of a schema", -1)
        self._own = True
        self._run("SELECT hprof_open(?, ?)", (os.fsdecode(path), schema))

    def close(self) -> None:
        """Closes the connection and its dumps."""
        if self._db:
            self._lib.sqlite3_close_v2(self._db)
            self._db = c.c_void_p()

    def __del__(self):
        if getattr(self, "_db", None):
            self.close()

    # -- statements ----------------------------------------------------------

    def execute(self, statement: str, parameters: Sequence[Any] = ()) -> SqlRows:
        """Runs one statement of the program, which can only read."""
        self._own = False
        return self._run(statement, parameters)

    def _run(self, statement: str, parameters: Sequence[Any]) -> SqlRows:
        lib, made, rest = self._lib, c.c_void_p(), c.c_char_p()
        text = statement.encode()
        with self._interrupts:
            try:
                self._checked(lib.sqlite3_prepare_v2(self._db, text, len(text) + 1,
                                                     c.byref(made), c.byref(rest)))
                if not made.value:
                    raise SqlError("there is no statement", -1)
                if (rest.value or b"").strip():
                    raise SqlError("there is more than one statement", -1)
                if not self._own and not lib.sqlite3_stmt_readonly(made):
                    raise SqlError("not authorized: it does not only read", -1)
                self._bind(made, parameters)
                return self._rows(made)
            finally:
                lib.sqlite3_finalize(made)

    def _bind(self, made, parameters) -> None:
        lib = self._lib
        if lib.sqlite3_bind_parameter_count(made) != len(parameters):
            raise n.UsageError("the statement has another number of parameters", -1)
        for at, value in enumerate(parameters, 1):
            if value is None:
                code = lib.sqlite3_bind_null(made, at)
            elif isinstance(value, int):
                if not -1 << 63 <= value < 1 << 63:
                    raise n.UsageError(f"the parameter {value} is too large", -1)
                code = lib.sqlite3_bind_int64(made, at, c.c_int64(value))
            elif isinstance(value, float):
                code = lib.sqlite3_bind_double(made, at, c.c_double(value))
            elif isinstance(value, str):
                data = value.encode("utf-8", "surrogateescape")
                code = lib.sqlite3_bind_text(made, at, data, len(data), _TRANSIENT)
            else:
                raise n.UsageError(f"no parameter can be a {type(value).__name__}", -1)
            self._checked(code)

    def _rows(self, made) -> SqlRows:
        lib, found = self._lib, SqlRows()
        width = lib.sqlite3_column_count(made)
        found.columns = tuple(c.string_at(lib.sqlite3_column_name(made, i)).decode()
                              for i in range(width))
        while self._checked(lib.sqlite3_step(made)) == _ROW:
            found.append(tuple(self._value(made, i) for i in range(width)))
        return found

    def _value(self, made, at):
        lib = self._lib
        kind = lib.sqlite3_column_type(made, at)
        if kind == _INTEGER:
            return lib.sqlite3_column_int64(made, at)
        if kind == _FLOAT:
            return lib.sqlite3_column_double(made, at)
        if kind not in (_TEXT, _BLOB):
            return None
        get = lib.sqlite3_column_text if kind == _TEXT else lib.sqlite3_column_blob
        data = get(made, at)
        data = c.string_at(data, lib.sqlite3_column_bytes(made, at)) if data else b""
        return data.decode("utf-8", "replace") if kind == _TEXT else data
