dnl SPDX-License-Identifier: MIT
# HPROF_FIND_JDKS
# ---------------
# Sets JDKS to the JDKs that the tests use, separated by colons, oldest first,
# JVMTI_CPPFLAGS to what compiles the agent (the oldest one's headers), JAVAC to
# the compiler of its class, and
# hprof_jdks_text to a line for people. A JDK is a directory, symbolic links
# resolved, with bin/javac that runs and include/jvmti.h; 11 at least.
AC_DEFUN([HPROF_FIND_JDKS], [
	AC_ARG_WITH([jdks],
		[AS_HELP_STRING([--with-jdks=DIR:DIR...],
			[the JDKs for the agent and the tests on real JVMs;
			 "no" for none @<:@default: all that are installed@:>@])],
		[], [with_jdks=yes])

	AS_CASE([$with_jdks],
		[no|""], [hprof_jdk_list=],
		[yes], [
			hprof_jdk_list=
			for hprof_dir in "$JAVA_HOME" /usr/lib/jvm/* \
				/usr/lib64/jvm/* /usr/java/* /opt/java/* \
				/opt/jdk* /usr/local/openjdk* /opt/homebrew/opt/openjdk*
			do
				AS_IF([test -n "$hprof_dir" && test -d "$hprof_dir"],
					[AS_VAR_APPEND([hprof_jdk_list],
						["$hprof_dir:"])])
			done],
		[hprof_jdk_list=$with_jdks:])

	AC_MSG_CHECKING([for JDKs])
	hprof_jdk_lines=
	hprof_jdk_seen=:
	hprof_saved_IFS=$IFS
	IFS=:
	for hprof_dir in $hprof_jdk_list; do
		IFS=$hprof_saved_IFS
		test -n "$hprof_dir" || continue
		hprof_real=`cd "$hprof_dir" 2>/dev/null && pwd -P`
		hprof_version=
		AS_IF([test -n "$hprof_real" &&
		       test -f "$hprof_real/include/jvmti.h" &&
		       test -x "$hprof_real/bin/javac" &&
		       test -x "$hprof_real/bin/jcmd"],
			[hprof_version=`"$hprof_real/bin/javac" -version 2>&1 |
				$SED -n 's/^javac \([[0-9]][[0-9]]*\).*/\1/p'`])
		AS_IF([test -z "$hprof_version"],
			[AS_IF([test "$with_jdks" != yes],
				[AC_MSG_ERROR([$hprof_dir is no JDK (bin/javac, bin/jcmd, include/jvmti.h)])])
			 continue])
		AS_IF([test "$hprof_version" -lt 11],
			[AS_IF([test "$with_jdks" != yes],
				[AC_MSG_ERROR([$hprof_dir is older than JDK 11])])
			 continue])
		AS_CASE([$hprof_jdk_seen], [*":$hprof_real:"*], [continue])
		hprof_jdk_seen=$hprof_jdk_seen$hprof_real:
		hprof_jdk_lines="$hprof_jdk_lines$hprof_version $hprof_real
"
	done
	IFS=$hprof_saved_IFS

	JDKS=`printf '%s' "$hprof_jdk_lines" | sort -k1,1n -k2 |
		$SED 's/^[[0-9]]* //' | tr '\n' ':' | $SED 's/:$//'`
	hprof_jdks_text=`printf '%s' "$hprof_jdk_lines" | sort -k1,1n -k2 |
		$SED 's/^\([[0-9]]*\) \(.*\)/\1 (\2)/' | tr '\n' ' '`
	AS_IF([test -z "$JDKS"], [hprof_jdks_text=none])
	AC_MSG_RESULT([$hprof_jdks_text])

	JVMTI_CPPFLAGS=
	AS_IF([test -n "$JDKS"], [
		hprof_oldest=`printf '%s' "$JDKS" | $SED 's/:.*//'`
		hprof_md=`cd "$hprof_oldest/include" && ls -d */jni_md.h 2>/dev/null |
			$SED -n '1s,/jni_md.h,,p'`
		JAVAC=$hprof_oldest/bin/javac
		JVMTI_CPPFLAGS="-isystem $hprof_oldest/include -isystem $hprof_oldest/include/$hprof_md"
		hprof_saved_CPPFLAGS=$CPPFLAGS
		CPPFLAGS="$CPPFLAGS $JVMTI_CPPFLAGS"
		AC_CHECK_HEADER([jvmti.h], [], [JVMTI_CPPFLAGS=])
		CPPFLAGS=$hprof_saved_CPPFLAGS
	])
	AC_SUBST([JDKS])
	AC_SUBST([JVMTI_CPPFLAGS])
	AC_SUBST([JAVAC])
	AM_CONDITIONAL([HAVE_JVMTI], [test -n "$JVMTI_CPPFLAGS"])
])
