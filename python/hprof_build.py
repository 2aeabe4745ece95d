# SPDX-License-Identifier: MIT
"""Builds the wheel: libhprof.so by configure and make, beside the package.

A build backend as in PEP 517 without dependencies. The package is pure Python
over the C interface, so one wheel serves all versions of Python 3. CC, CFLAGS
and HPROF_CONFIGURE (options of configure) are taken from the environment. HPROF_BUILD
is a build directory whose libraries are taken as they are.
"""

import base64
import hashlib
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sysconfig
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent
NAME, VERSION = "libhprof", "0.1.0"
INFO = f"{NAME}-{VERSION}.dist-info"


def _tag():
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"py3-none-{platform}"


def _metadata():
    return (f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {VERSION}\n"
            "Summary: Java heap dumps: classes, objects, retained sizes, Arrow "
            "tables\nLicense: MIT\nRequires-Python: >=3.8\n"
            "Provides-Extra: parquet\nRequires-Dist: pyarrow; extra == 'parquet'\n"
            "Description-Content-Type: text/markdown\n\n"
            + (HERE / "README.md").read_text(encoding="utf-8"))


def _wheel():
    return (f"Wheel-Version: 1.0\nGenerator: {NAME}\nRoot-Is-Purelib: false\n"
            f"Tag: {_tag()}\n")


def _build_libraries(folder):
    """The files by their names in the package; made in a folder, or there already."""
    ready = os.environ.get("HPROF_BUILD")
    if not ready:
        _configure_and_make(folder)
    build = pathlib.Path(ready or folder)
    libraries = {"libhprof.so.0": build / "lib" / ".libs" / "libhprof.so.0"}
    extension = build / "tools" / ".libs" / "libhprof-sqlite.so"
    if extension.exists():
        libraries[extension.name] = extension
    return libraries


def _configure_and_make(folder):
    if not (TOP / "configure").exists():
        subprocess.run(["autoreconf", "-fi"], cwd=TOP, check=True)
    options = shlex.split(os.environ.get("HPROF_CONFIGURE", ""))
    subprocess.run([str(TOP / "configure"), "-q", "--disable-static",
                    *options], cwd=folder, check=True)
    targets = ["lib/libhprof.la"]
    with open(os.path.join(folder, "Makefile"), encoding="utf-8") as makefile:
        if re.search(r"^lib_LTLIBRARIES =.*libhprof-sqlite|"
                     r"^am__append_\d+ = tools/libhprof-sqlite\.la$",
                     makefile.read(), re.M):
            targets.append("tools/libhprof-sqlite.la")  # for Dump.sql
    subprocess.run(["make", "-s", "-j", str(os.cpu_count() or 1), *targets], cwd=folder,
                   check=True)


def _add(archive, records, name, data):
    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    entry.external_attr = 0o100644 << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, data)
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
    records.append(f"{name},sha256={digest.rstrip(b'=').decode()},{len(data)}")


def _stripped(folder, library):
    copy = os.path.join(folder, "stripped.so")
    strip = shutil.which("strip")
    if strip:
        subprocess.run([strip, "--strip-unneeded", "-o", copy, str(library)],
                       check=True)
    else:
        shutil.copy(library, copy)
    return pathlib.Path(copy).read_bytes()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes the wheel to a folder and returns its name."""
    name = f"{NAME}-{VERSION}-{_tag()}.whl"
    records = []
    with tempfile.TemporaryDirectory() as folder, \
            zipfile.ZipFile(os.path.join(wheel_directory, name), "w") as archive:
        libraries = _build_libraries(folder)
        for source in sorted((HERE / "hprof").iterdir()):
            if source.suffix == ".py" or source.name == "py.typed":
                _add(archive, records, f"hprof/{source.name}", source.read_bytes())
        for name_of, library in libraries.items():
            _add(archive, records, f"hprof/lib/{name_of}", _stripped(folder, library))
        _add(archive, records, f"{INFO}/METADATA", _metadata().encode())
        _add(archive, records, f"{INFO}/WHEEL", _wheel().encode())
        records.append(f"{INFO}/RECORD,,")
        archive.writestr(f"{INFO}/RECORD", "\n".join(records) + "\n")
    return name


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """Writes what the wheel says of itself, without building it."""
    folder = pathlib.Path(metadata_directory) / INFO
    folder.mkdir()
    (folder / "METADATA").write_text(_metadata(), encoding="utf-8")
    (folder / "WHEEL").write_text(_wheel(), encoding="utf-8")
    return INFO


def build_sdist(sdist_directory, config_settings=None):
    """There is none: the release's archive has the sources."""
    raise NotImplementedError("build from the sources of libhprof")
