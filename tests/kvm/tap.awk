# SPDX-License-Identifier: BSD-2-Clause
# Judge the TAP of a guest: the plan has to be the one that is given, no more tests skipped than may be, every test there in
# order, none failed, and nothing else is said. Says what is wrong, with exit code 1.
# knowns: a file of tests that the host is known to fail, a name a line.
BEGIN { while (knowns && (getline name <knowns) > 0) known[name] }
function fail(text) { print "FAIL: " text; failed = 1; exit 1 }
{ sub(/\r$/, "") }
/^#/ || /^TAP version/ { next }
/^[0-9]+\.\.[0-9]+/ { if ($1 != "1.." plan) fail("plan " $1 ", not 1.." plan); planned++; next }
/^Bail out!/ { fail($0) }
/^not ok / {
	name = $0
	sub(/^not ok [0-9]+ - /, "", name)
	if (!(name in known)) fail($0)
	if ($3 != ++tests) fail("test " $3 " after " tests - 1)
	next
}
/^ok / { if ($2 != ++tests) fail("test " $2 " after " tests - 1); skipped += / # SKIP ./; next }
{ fail("this is no TAP: " $0) }
END {
	if (failed) exit 1
	if (planned != 1) fail(planned + 0 " plans")
	if (tests != plan) fail(tests + 0 " tests of " plan)
	if (skipped > skips) fail(skipped " skipped, more than " skips)
}
