# SPDX-License-Identifier: MIT
"""What the path of a dump says about it."""

import re
import urllib.parse


class Pattern:
    """The end of a path, as in ``{service}/{version}/{date}/{}.hprof.zst``.

    ``{name}`` is a text without ``/``, ``{}`` one that has no name; ``*`` and ``?``
    are as in a shell. None: nothing but what ``folder_values`` finds.
    """

    def __init__(self, text=None):
        self.names = []
        self._expression = re.compile(self._translated(text)) if text else None

    def _translated(self, text):
        parts = []
        for piece in re.split(r"(\{[^{}]*\}|\*|\?)", text):
            if piece in ("{}", "*"):
                parts.append("[^/]*?")
            elif piece == "?":
                parts.append("[^/]")
            elif piece.startswith("{") and piece.endswith("}"):
                parts.append(f"(?P<{self._name(piece[1:-1])}>[^/]+?)")
            else:
                parts.append(re.escape(piece))
        return "(?:^|/)" + "".join(parts) + "$"

    def _name(self, name):
        if not (name.isascii() and name.isidentifier()) or name in self.names:
            raise ValueError(f"{name}: not a name, or there twice")
        self.names.append(name)
        return name

    def values(self, path):
        """The texts by name; none for a path that does not fit."""
        found = self._expression.search(path) if self._expression else None
        return found.groupdict() if found else {}


def folder_values(path):
    """{"service": "shop"} for ``.../service=shop/a.hprof``: Hive's and Spark's way."""
    pairs = (part.split("=", 1) for part in path.split("/")[:-1] if "=" in part)
    return {name: urllib.parse.unquote(value) for name, value in pairs
            if name.isascii() and name.isidentifier()}
