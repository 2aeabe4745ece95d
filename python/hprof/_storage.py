# SPDX-License-Identifier: MIT
"""Where the dumps of a fleet are: on this machine or in a store.

Everything goes through pyarrow's file systems: local paths and ``file://``, the
stores that pyarrow was built with, and for any other scheme fsspec, if it is there.
"""

import contextlib
import fnmatch
import os
import re
import shutil
import tempfile
import urllib.parse

# Files in a folder that count as dumps, unless a pattern asks for others.
_DUMP = re.compile(r"\.(hprof|bin)(\.(gz|zst|xz|bz2|lz4|zip|tar|tgz))?$")
_MAGIC = re.compile(r"[*?\[]")
# pyarrow's own, and what Hadoop calls them.
_CLASSES = {"s3": "S3FileSystem", "gs": "GcsFileSystem", "abfs": "AzureFileSystem",
            "abfss": "AzureFileSystem", "hdfs": "HadoopFileSystem"}
_SAME = {"s3a": "s3", "s3n": "s3", "gcs": "gs"}


class Storage:
    """The file system of an address, which may be a pattern, and its path there.

    ``options`` are arguments of pyarrow's class of that file system, or of fsspec's.
    """

    def __init__(self, address, options=None):
        import pyarrow.fs as fs
        found = re.match(r"([A-Za-z][A-Za-z0-9+.-]+)://", address)
        scheme = found.group(1).lower() if found else None
        self.is_local = scheme in (None, "file")
        self._base, self._inside = "", ""
        if scheme == "file":
            rest = address[address.index("://") + 3:]
            address = "/" + urllib.parse.unquote(rest).lstrip("/")
        if self.is_local:
            self.system, self.path = fs.LocalFileSystem(), os.path.abspath(address)
        elif scheme and _SAME.get(scheme, scheme) in _CLASSES:
            self._open_own(fs, scheme, address, options)
        else:
            self._open_other(fs, address, options)

    def _open_own(self, fs, scheme, address, options):
        known = _SAME.get(scheme, scheme)
        rest = address[address.index("://") + 3:]
        authority = rest.split("/", 1)[0]
        self._base = f"{scheme}://{authority}"
        if options:
            self.system = getattr(fs, _CLASSES[known])(**options)
            self._inside = authority.split("@")[0]
        else:
            self.system, inside = fs.FileSystem.from_uri(f"{known}://{authority}")
            self._inside = inside.rstrip("/")
        self.path = self._inside + rest[len(authority):]

    def _open_other(self, fs, address, options):
        try:
            import fsspec.core
        except ImportError:
            raise ImportError(f"{address}: fsspec is not installed") from None
        other, self.path = fsspec.core.url_to_fs(address, **(options or {}))
        self.system = fs.PyFileSystem(fs.FSSpecHandler(other))
        self._base = other.unstrip_protocol(self.path)[:-len(self.path)]

    def address(self, path):
        """What a reader is given for a path of this file system."""
        return path if self.is_local else self._base + path[len(self._inside):]

    def dumps(self):
        """(address, bytes) of the dumps: a file, those below a folder, or those
        that fit a pattern, in which ``**`` stands for any folders."""
        import pyarrow.fs as fs
        if _MAGIC.search(self.path):
            found = self._fitting()
        else:
            info = self.system.get_file_info(self.path)
            if info.type == fs.FileType.NotFound:
                raise FileNotFoundError(2, "no such file or folder",
                                        self.address(self.path))
            found = [info] if info.is_file else \
                [below for below in self._in(self.path, True)
                 if _DUMP.search(below.base_name)]
        return sorted((self.address(info.path), info.size or 0) for info in found
                      if info.is_file)

    def _in(self, folder, recursive=False):
        import pyarrow.fs as fs
        return self.system.get_file_info(
            fs.FileSelector(folder, allow_not_found=True, recursive=recursive))

    def _fitting(self):
        """Goes down one part of the pattern after the other, so that of a large
        store only those folders are listed that may fit."""
        parts = self.path.split("/")
        first = next(i for i, part in enumerate(parts) if _MAGIC.search(part))
        folders, found = ["/".join(parts[:first]) or "/"], []
        for at in range(first, len(parts)):
            if parts[at] == "**":
                rest = re.compile(fnmatch.translate("*/" + "/".join(parts[at + 1:])))
                return [info for folder in folders
                        for info in self._in(folder, True)
                        if rest.match("/" + info.path[len(folder):].lstrip("/"))]
            found = [info for folder in folders for info in self._in(folder)
                     if fnmatch.fnmatchcase(info.base_name, parts[at])]
            folders = [info.path for info in found if not info.is_file]
        return found

    @contextlib.contextmanager
    def local_file(self):
        """The path of a file on this machine with the bytes of this one, since heaps
        are read at random: itself, or a copy that is removed afterwards."""
        if self.is_local:
            yield self.path
            return
        with tempfile.NamedTemporaryFile(prefix="hprof-") as copy:
            with self.system.open_input_stream(self.path) as stream:
                shutil.copyfileobj(stream, copy, 1 << 20)
            copy.flush()
            yield copy.name
