# SPDX-License-Identifier: MIT
# bash completion for the programs of hprof, by what their --help says.

# Lines that end in "|" go on in the next one.
_hprof_join()
{
	sed -e ':a' -e '/|$/{' -e N -e 's/|\n */|/' -e ba -e '}'
}

# The options of program $1, a line each: "-o --output FILE".
_hprof_options()
{
	"$1" --help 2>/dev/null | _hprof_join | sed -nE '
		s/^ {2,6}(-[[:alnum:]], )?(--[a-z-]+)(([[ =]|\[=)[^] ]+\]?)?( .*)?$/\1 \2 \3/
		t print
		d
		: print
		s/,//
		s/\[?=//
		s/\]//
		p'
}

# The values of option $2 of program $1: "a|b|c", "FILE", or nothing.
_hprof_value()
{
	_hprof_options "$1" | awk -v option="$2" '
		$1 == option || $2 == option {
			if ($NF !~ /^-/)
				print $NF
			exit
		}'
}

# The processes that may be JVMs; looks at their names only.
_hprof_pids()
{
	local comm name

	for comm in /proc/[0-9]*/comm; do
		read -r name 2>/dev/null <"$comm" || continue
		[[ $name == java ]] || continue
		comm=${comm#/proc/}
		echo "${comm%/comm}"
	done
}

_hprof_files()
{
	compopt -o filenames 2>/dev/null
	mapfile -t COMPREPLY < <(compgen -f -- "$1")
}

_hprof_words()
{
	mapfile -t COMPREPLY < <(compgen -W "$2" -- "$1")
}

_hprof_tools()
{
	local program=$1 word=$2 before=${COMP_WORDS[COMP_CWORD - 1]} value=

	COMPREPLY=()
	# "--by=package" comes as three words.
	if [[ $before == = ]]; then
		before=${COMP_WORDS[COMP_CWORD - 2]}
	elif [[ $word == = ]]; then
		before=${COMP_WORDS[COMP_CWORD - 1]}
		word=
	fi
	[[ $before != -* ]] || value=$(_hprof_value "$program" "$before")
	case $value in
	*'|'*[A-Z]* | [A-Z]*'|'*) ;;
	*'|'*) _hprof_words "$word" "${value//|/ }" ;;
	FILE | PATH | DIR | MAP | NAME=FILE) _hprof_files "$word" ;;
	?*) ;;
	*)
		if [[ $word == -* ]]; then
			_hprof_words "$word" "$(_hprof_options "$program" |
				grep -oE -- '(^| )--?[[:alnum:]][a-z-]*')"
		elif "$program" --help 2>/dev/null | head -n 1 |
			grep -qF '... PID'; then
			_hprof_words "$word" "$(_hprof_pids)"
		else
			_hprof_files "$word"
		fi
		;;
	esac
}

complete -F _hprof_tools PROGRAM
