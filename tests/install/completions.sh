#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# completions.sh VSPE FOLDER: what bash and zsh offer is what vspe has, subcommands and options of each --help, no more and no
# less. bash's completion is called as bash calls it; of zsh's, _arguments is replaced by one that prints what it is given.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
vspe=$1
folder=$2
matcher=-F
. "$top/tests/cli/common.sh"

options() { # of a --help: what stands before the descriptions
	"$vspe" "$1" --help all | sed -n 's/^  \{0,6\}\(-[^ ,]*\(, --[^ ]*\)\{0,1\}\).*/\1/p' |
		grep -o -e '--*[a-z][a-z0-9-]*' | sort -u
}
bash_offers() { # WORD...: the last one is to be completed
	bash --norc -c '
		. /usr/share/bash-completion/bash_completion
		. "$0"/vspe.bash
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE}
		_vspe
		printf "%s\n" "${COMPREPLY[@]}"' "$folder" "$@" | sort -u
}
zsh_offers() { # COMMAND
	zsh -f -c '
		_arguments() {
			local spec
			for spec; do
				spec=${spec#\(*\)}
				spec=${spec#\*}
				[[ $spec == -*\[* ]] && print -r -- ${spec%%[=+\[]*}
			done
			return 1
		}
		words=()
		source $0/_vspe >/dev/null
		(( $+functions[_vspe_$1] )) && _vspe_$1' "$folder" "$1" | grep -x -e '--*[a-z0-9-]*' | sort -u
}
zsh_commands() {
	zsh -f -c '
		_arguments() { state=command; return 1 }
		_describe() { print -rl -- ${(P)2%%:*} }
		words=()
		source $0/_vspe' "$folder" | sort -u
}
same() {
	diff -u <(cat <<<"$1") <(cat <<<"$2") >"$work/diff" && return
	sed 's/^/# /' "$work/diff"
	return 1
}

commands=$("$vspe" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' | sort)
check "there are subcommands" test -n "$commands"
check "bash: subcommands" same "$commands" "$(bash_offers vspe "" | grep -v -e -)"
check "zsh: subcommands" same "$commands" "$(zsh_commands)"
for command in $commands; do
	want=$(options "$command")
	check "$command has options" test -n "$want"
	check "bash: options of $command" same "$want" "$(bash_offers vspe "$command" -)"
	check "zsh: options of $command" same "$want" "$(zsh_offers "$command")"
done
check "bash: a value" same kvm "$(bash_offers vspe run --engine k)"
registers=$("$vspe" explain --list | sed -n '/^Registers:/,/^$/s/^  \([A-Za-z0-9_]*\).*/\1/p' | sort)
check "bash: all registers" same "$(echo "$registers" | grep '^P')" "$(bash_offers vspe explain P)"
check "bash: a register" same PMSIDR_EL1 "$(bash_offers vspe explain PMSID)"
touch "$work/guest.Image"
check "bash: a file" same "$work/guest.Image" "$(bash_offers vspe run "$work/gue")"
exit $failed
