# SPDX-License-Identifier: MIT
# terminal.bash - a real terminal for programs, which tmux has. To be sourced.
. "$srcdir/tests/await.bash"
if ! command -v tmux >/dev/null; then
	echo "no tmux here" >&2
	exit 77
fi

# A socket's name is limited to about 100 bytes, which the test's folder may have.
folder=$(mktemp -d) || exit
on() {
	TMUX='' tmux -S "$folder/s" -f /dev/null "$@"
}
trap 'on kill-server 2>/dev/null; rm -rf "$folder"' EXIT

# begin LOCALE TERM COMMAND NAME - in a terminal of 80 columns and 24 lines.
begin() {
	LC_ALL=C.UTF-8 on new-session -d -s "$4" -x 80 -y 24 \
		"LC_ALL=$1 TERM=$2 $3; echo status \$?; exec cat" || exit
	on set-option -s set-clipboard on
	session=$4
}
shown() {
	on capture-pane -p -t "$session" | grep -qF -- "$1"
}
wait_for() {
	if ! await shown "$1"; then
		echo "never shown: $1"
		on capture-pane -p -t "$session"
		exit 1
	fi
}
press() {
	on send-keys -t "$session" "$@"
}
