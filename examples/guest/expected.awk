# SPDX-License-Identifier: BSD-2-Clause
# What perf has to show of guest.S: a line a record, with the instruction and its data address, virtual and physical.
#
# Interval 1 is 256 operations and the one that finds the counter at zero, so that every 257th is sampled. The first
# counted is the ISB behind the MSR of PMSCR_EL1, then come laps of nine. Records of 64 bytes: the 64th fills a page,
# and the ERET of the interrupt's handler is one more operation.
BEGIN {
	laps = 2000
	split("work+0x0 work+0x4 work+0x8 work+0xc work+0x10 leaf+0x0 leaf+0x4 work+0x14 work+0x18", code)
	total = 1 + 9 * laps + 1 + 1 # the MSR that ends it, and ERET
	for (n = 1; 257 * n <= total; n++) {
		at = (257 * n - (n > 64) - 2) % 9
		data = at == 0 ? "41001000" : at == 2 ? "41001008" : "0"
		print code[at + 1], data, data
	}
}
