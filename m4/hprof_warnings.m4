dnl SPDX-License-Identifier: MIT
# HPROF_TRY_FLAGS(VARIABLE, FLAGS)
# --------------------------------
# Appends to VARIABLE those of FLAGS that the C compiler takes, tried one by
# one. -Werror makes clang refuse what it does not know.
AC_DEFUN([HPROF_TRY_FLAGS], [
	for hprof_flag in m4_normalize([$2]); do
		AC_MSG_CHECKING([whether $CC takes $hprof_flag])
		hprof_saved_CFLAGS=$CFLAGS
		CFLAGS="-Werror $hprof_flag $CFLAGS"
		AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [])],
			[AC_MSG_RESULT([yes])
			 AS_VAR_APPEND([$1], [" $hprof_flag"])],
			[AC_MSG_RESULT([no])])
		CFLAGS=$hprof_saved_CFLAGS
	done
])
