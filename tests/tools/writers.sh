#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tests/tools/writers.sh WRITERS: tools/writers on a made-up tree: each way to write a member is found, and what reads is
# not; too many files that write one are wrong, and a table that says something else.
set -u
writers=$1
matcher=-F
. "$(dirname "$0")/../cli/common.sh"

soft=$work/tree/vmm/soft
mkdir -p "$soft/run"
judge() { "$writers" --list "$work/tree"; }
# file NAME TEXT: a file that has a function of that text, of a vCPU.
file() { printf 'void f(struct soft_cpu *cpu)\n{\n\t%s\n}\n' "$2" >"$soft/$1"; }
# header FILES: a vCPU with a room, that the table gives to them.
header() {
	printf '/*\n * A vCPU.\n *\n *\troom\t\t%s\n */\n#ifndef CPU_H\n' "$1" >"$soft/cpu.h"
	cat >>"$soft/cpu.h" <<'END'
struct soft_room {
	uint64_t count; /* , of samples; */
	const struct soft_op *ops[4], *last;
	struct {
		bool done;
	} part;
};
struct soft_cpu {
	uint64_t x[4];
	/* Rooms: */
	struct soft_room room;
	/* For good: */
	unsigned int index;
};
#endif
END
}
# finds MEMBER TEXT: that writes it.
finds() {
	header run/a.c
	file run/a.c "$2"
	check "writes $1: $2" exits 0 judge
	check "... and it is said who" has out "room.$1: run/a.c"
}
# reads TEXT: that writes nothing.
reads() {
	header ''
	file run/a.c "$1"
	check "reads: $1" exits 0 judge
}

finds count 'cpu->room.count = 1;'
finds count 'cpu->room.count |= 1;'
finds count 'cpu->room.count <<= 1;'
finds count 'cpu->room.count++;'
finds count '--cpu->room.count;'
finds count 'vcpu->cpu.room.count = 1;'
finds count 'struct soft_cpu *other = cpu; other->room.count = 1;'
finds count 'struct soft_room *room = &cpu->room; room->count = 1;'
finds count 'give(&cpu->room.count);'
finds count 'STATE_FIELD(state, cpu->room.count);'
finds count 'cpu->room = (struct soft_room){0};'
finds ops 'cpu->room.ops[cpu->x[1]] = op;'
finds ops 'memset(cpu->room.ops, 0, sizeof(cpu->room.ops));'
finds part 'cpu->room.part.done = true;'
reads 'if (cpu->room.count == 1 && cpu->room.part.done) return cpu->room.count <= 2;'
reads 'cpu->room.last->index = cpu->room.ops[0]->index = 2;'
reads '/* cpu->room.count = 1; */ say("cpu->room.count = 1");'
reads 'const struct soft_op *const *ops = &cpu->room.ops[1]; use(ops, x & cpu->room.count);'
reads 'const struct soft_room *room = &cpu->room; use(room->count);'
reads 'cpu->x[1] = cpu->room.count;'

for name in a b c d; do
	file run/$name.c 'cpu->room.count = 1; cpu->x[0]++;'
done
header 'run/a.c, run/b.c, run/c.c, run/d.c'
check "four files may write a member" exits 0 judge
file e.c 'cpu->x[0]++;'
check "... and more one of the fast loop's" exits 0 judge
header 'run/a.c, run/b.c, run/c.c, run/d.c, e.c'
check "a file that the table has, and that does not write, is wrong" exits 1 judge
check "... and it is said which" has err 'e.c does not write room, as cpu.h says'
file e.c 'cpu->room.count = 1;'
check "five files are too many" exits 1 judge
check "... and it is said of what" has err 'room.count has 5 files that write it: e.c run/a.c run/b.c run/c.c run/d.c'
for name in a b c d; do
	file run/$name.c 'cpu->index = 1;'
done
file e.c 'cpu->index = 1;'
header ''
check "... of a member of the vCPU, too" exits 1 judge
check "... and it is said of which" has err 'soft_cpu.index has 5 files'
rm "$soft"/run/*.c
file e.c 'cpu->room.count = 1;'
check "a file that the table has not is wrong" exits 1 judge
check "... and it is said which" has err 'e.c writes room, and cpu.h does not say so'
printf '#ifndef CPU_H\nstruct soft_cpu {\n\tint x;\n};\n#endif\n' >"$soft/cpu.h"
check "a vCPU without rooms is wrong" exits 1 judge
check "... and it is said" has err 'cpu.h has no room'
exit $failed
