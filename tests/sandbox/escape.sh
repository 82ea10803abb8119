#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# escape.sh VSPE_ESCAPE GUEST: a guest makes vspe try one forbidden system call after the other (escape.c): each is
# stopped, named in one line, and has done nothing.
set -u
vspe=$1
guest=$2
matcher=-F
. "$(dirname "$0")/../cli/common.sh"

export ESCAPE_FILE="$work/outside/file" ESCAPE_NEW="$work/outside/new"
mkdir "$work/outside" "$work/inside"
echo untouched >"$ESCAPE_FILE"

try() { # CODE LETTERS OPTION...
	want=$1
	letters=$2
	shift 2
	printf '%s.' "$letters" | "$vspe" run "$@" "$guest" >"$work/out" 2>"$work/err"
	got=$?
	[ "$got" = "$want" ] && return
	echo "# exit code $got instead of $want: $letters $*"
	cat "$work/out" "$work/err"
	return 1
}
untouched() { [ "$(cat "$ESCAPE_FILE")" = untouched ] && [ "$(ls "$work/outside")" = file ]; }
lines() { [ "$(wc -l <"$work/err")" = "$1" ]; }

# The hook is real: without a sandbox the file can be opened.
check "--no-sandbox: the call goes through" try 0 o --no-sandbox
check "... and the guest goes on" has out "the guest goes on"
check "... " has err "'o' returned: done"
try 6 o || true
if [ "$got" = 0 ] && ! grep -qF sandbox "$work/err"; then
	echo "a build for sanitizers or coverage has no filter"
	exit 77
fi

check "a call that is needed goes through" try 0 w
check "... " has err "escape: 'w' returned: done"

stopped() { # NAME LETTER CALL OPTION...
	what=$1
	letter=$2
	call=$3
	shift 3
	rm -rf "$work/inside"
	mkdir "$work/inside"
	check "$what is stopped" try 6 "$letter" "$@"
	check "... and named" has err "vspe run: stopped by the sandbox: system call $call ("
	check "... in one line" lines 1
	check "... and has done nothing" untouched
}
while read -r letter call what; do
	[ "$(uname -m)" = x86_64 ] || case $letter in 8 | 3) continue ;; esac
	# A kernel may lack 32-bit calls: the program ends there, whatever the filter says.
	if [ "$letter" = 8 ] && ! try 0 8 --no-sandbox >/dev/null </dev/null; then
		echo "ok - $what # SKIP this kernel has none"
		continue
	fi
	stopped "$what" "$letter" "$call" </dev/null
done <<-'CALLS'
	o openat opening a file
	O openat making a file
	D openat opening a folder
	2 openat2 opening a file anew
	x execve a program
	X execveat a program by a folder
	s socket a socket
	n socket a socket of the host's programs
	B bind an address
	j listen waiting for a connection
	S socketpair a pair of sockets
	p ptrace being traced
	P process_vm_readv reading a process
	f clone a process
	F clone3 a process anew
	k kill a signal
	K tgkill a signal to a thread
	m mmap new code
	e mprotect data that becomes code
	t ioctl typing into the terminal
	u unlinkat deleting a file
	r renameat2 renaming a file
	l linkat another name
	y symlinkat a link
	M mkdirat a folder
	c chdir another folder
	h fchmodat a file's mode
	g rt_sigaction taking the filter's signal
	d prctl being dumped
	L prlimit64 another limit
	b bpf a program for the kernel
	i io_uring_setup calls by a ring
	v perf_event_open a counter
	U unshare a name space
	R setuid another user
	a memfd_create a file in memory
	C seccomp another filter
	8 getpid the numbers of 32 bits
	3 unknown the numbers of x32
CALLS

# Files that get their names at the end need calls for names: only in their folder, with Landlock.
for pair in o:openat O:openat x:execve s:socket p:ptrace f:clone m:mmap; do
	stopped "call '${pair%:*}' beside an output" "${pair%:*}" "${pair#*:}" --perf-data "$work/inside/perf.data"
done
try 0 ur --perf-data "$work/inside/perf.data" || true
if grep -qF "'u' returned: Permission denied" "$work/err"; then
	check "a file elsewhere cannot be deleted for --perf-data" untouched
	check "... or renamed" has err "'r' returned: Permission denied"
	check "... and --perf-data has its name" test -s "$work/inside/perf.data"
else
	echo "ok - no Landlock here # SKIP"
fi

# A network has its sockets in a separate process: this one has none, and opens no file.
if ! "$vspe" run --net user missing 2>&1 | grep -q 'without libslirp'; then
	for pair in o:openat O:openat D:openat x:execve s:socket n:socket N:socket S:socketpair B:bind j:listen p:ptrace f:clone m:mmap t:ioctl u:unlinkat; do
		stopped "call '${pair%:*}' with a network" "${pair%:*}" "${pair#*:}" --net user
	done
	stopped "a socket where nothing gets out" s socket --net user,restrict=on
fi

# Nor does it open a folder's files: a separate process does.
mkdir "$work/shared"
for words in "$work/shared" "$work/shared,ro"; do
	for pair in o:openat O:openat D:openat 2:openat2 x:execve s:socket p:ptrace f:clone m:mmap t:ioctl c:chdir h:fchmodat u:unlinkat r:renameat2 \
		l:linkat y:symlinkat M:mkdirat; do
		stopped "call '${pair%:*}' with a folder${words#"$work/shared"}" "${pair%:*}" "${pair#*:}" --share "$words"
	done
done

# If the file of --perf-data could not be finished, it does not exist.
check "a machine that was stopped leaves no file under its name" try 6 o --perf-data "$work/inside/other.data"
check "... " test ! -e "$work/inside/other.data"
exit $failed
