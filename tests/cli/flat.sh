# SPDX-License-Identifier: BSD-2-Clause
# Sourced: guests of a few instructions.

# words WORD...: instruction words, in the byte order of memory.
words() {
	local word
	for word in "$@"; do
		printf "\\x${word:6:2}\\x${word:4:2}\\x${word:2:2}\\x${word:0:2}"
	done
}

# flat FILE WORD...: a flat guest of these words, padded to the smallest possible size.
flat() {
	words "${@:2}" >"$1"
	truncate -s '>64' "$1"
}
