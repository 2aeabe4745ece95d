#!/bin/sh
# SPDX-License-Identifier: MIT
# links.sh PAGE... - lines "NAME PAGE": the names under which manual pages of
# section 3 are found besides their own, one for each function that they
# describe. "make install" makes a link of each, so that man hprof_reader_next
# works.
set -eu

awk '
FNR == 1 { page = FILENAME; sub(/.*\//, "", page); inside = 0 }
/^\.Sh/ { inside = $2 == "NAME" }
inside && $1 == ".Nm" && $2 ".3" != page { print $2 ".3", page }
' "$@"
