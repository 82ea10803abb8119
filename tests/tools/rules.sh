#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tests/tools/rules.sh RULES: tools/rules on a made-up tree: docs/rules.md counts rules, --table names their code, tests
# and choices, and each way in which the tables, the tags and the page can differ is found.
set -u
rules=$1
matcher=-F
. "$(dirname "$0")/../cli/common.sh"

tree=$work/tree
mkdir -p "$tree/docs/rules" "$tree/tests" "$tree/guests" "$tree/spe/include/vspe"
# put FILE TEXT: a file of the tree.
put() { printf '%b\n' "$2" >"$tree/$1"; }
# A tag, in words that tools/rules does not take for one of this file.
tag() { printf 'RULE%s' "(\"$1\")"; }
table() { put docs/rules/D17.3.toml "section = \"D17.3\"\ntitle = \"Sampling\"\n$1"; }
made() { "$rules" --tree "$tree"; }
checked() { "$rules" --tree "$tree" --check; }
# wrong NAME LINE: the check finds it, with this line.
wrong() {
	check "$1" exits 1 checked
	check "... and says so" has out "$2"
}

whole='[RAAAAA]\nasks = "One."\ncode = ["spe/a.c:one"]\nchoices = ["inflight"]'
put spe/include/vspe/spe_choices.def 'ONE_OF("inflight", X)'
put spe/a.c 'static int two(int a);\n\nint one(void)\n{\n\treturn two(1);\n}'
put tests/a.c "/* $(tag RAAAAA) First. */\nTest(suite, first)\n{\n}\n\nTest(suite, second)\n{\n\tf(); /* $(tag RAAAAA) */\n}"
put guests/a.c "static void of_a_guest(void)\n{\n\t/* $(tag RAAAAA) */\n}"
put tests/a.py "def of_python():\n    pass  # $(tag RAAAAA)"
put tests/a.sh "# $(tag RAAAAA)"
table "$whole"
check "a page is made" exits 0 made
cp "$tree/docs/rules.md" "$work/page"
check "... with a line for each section" has page '| [D17.3](rules/D17.3.toml) Sampling | 1 | 0 | 1 | 0 | 1 |'
check "the table is printed" exits 0 "$rules" --tree "$tree" --table
cp "$work/out" "$work/page"
check "... with the code" has page '`one()` in spe/a.c'
check "... and the choices" has page 'choice: `inflight`'
check "... and the tests, those that a tag is above or in" has page \
	'| tests/a.c: suite/first<br>tests/a.c: suite/second<br>tests/a.py: of_python<br>tests/a.sh<br>guests/a.c: of_a_guest |'
check "the page is right" exits 0 checked

put docs/rules.md 'something else'
wrong "a page that is not as made" 'docs/rules.md is not what tools/rules makes'
table "$whole\n\n[RBBBBB]\nasks = \"Two.\"\ncode = [\"spe/a.c:one\"]"
wrong "a rule without a test" "RBBBBB: no test has $(tag RBBBBB)"
table "$whole\n\n[RBBBBB]\nasks = \"Two.\"\nnothing = \"Nothing.\""
wrong "a rule with nothing to implement" 'RBBBBB: a rule can not have nothing'
table "$whole\n\n[IBBBBB]\nasks = \"Two.\""
wrong "information without code or a reason" 'IBBBBB: no code'
table "$whole\n\n[IBBBBB]\nasks = \"Two.\"\nnothing = \"Nothing.\""
made >"$work/out"
check "information with nothing to implement needs no test" exits 0 checked
table '[RAAAAA]\nasks = "One."\ncode = ["spe/a.c:two"]'
wrong "a function that is only declared" 'spe/a.c defines no two'
table '[RAAAAA]\nasks = "One."\ncode = ["spe/b.c:one"]'
wrong "a file that is not there" 'spe/b.c:one: no such file'
table '[RAAAAA]\nasks = "One."\ncode = ["spe/a.c:one"]\nchoices = ["outflight"]'
wrong "a choice that is not there" '--spe has no word "outflight"'
table '[RAAAAA]\nasks = "One."\ncodes = ["spe/a.c:one"]'
wrong "a key that is not there" 'codes is not known here'
table '[RA1]\nasks = "One."\ncode = ["spe/a.c:one"]'
wrong "an identifier that is none" 'RA1: not an identifier'
table "$whole"
put docs/rules/D17.4.toml "section = \"D17.4\"\ntitle = \"Again\"\n$whole"
wrong "a rule twice" 'RAAAAA: also in docs/rules/D17.3.toml'
rm "$tree/docs/rules/D17.4.toml"
put tests/b.c "/* $(tag RCCCCC) */"
wrong "a tag of no rule" 'tests/b.c:1: there is no rule RCCCCC'
exit $failed
