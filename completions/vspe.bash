# SPDX-License-Identifier: BSD-2-Clause
# vspe(1) completion for bash, in the manner of bash-completion. tests/install/completions.sh compares the options with
# those of each --help.

_vspe()
{
	local cur prev words cword split
	_init_completion -s -n = || return

	local run='-k --kernel -i --initrd -p --params -m --mem -c --cpus --engine --kvm-trap --kvm-sampler --kvm-event
		--kvm-margin --kvm-sites --kvm-patch-modules --irqchip --save --save-at --restore --el --secure --realm --spe --no-spe --seed --timeout --perf-data --symbols --stats
		--tap --dump-dtb --single-step -h --help'
	local explain='--el --set --non-secure --secure --realm --aarch32 --halted --sdd-priority --spe --feature
		--no-feature --zero --rt -j --json -l --list -h --help'
	local conform='--asl --strict --shard --only --junit -j --jobs -l --list -h --help --guests --guest-dir --engine --qemu'
	local decode='-j --json -s --summary --perf-data --symbols -h --help'
	local bench='--rounds --iterations --kernel --quick --no-qemu --no-kernels --no-calls --guests --json -h --help'
	local registers='PMSCR_EL1 PMSNEVFR_EL1 PMSICR_EL1 PMSIRR_EL1 PMSFCR_EL1 PMSEVFR_EL1 PMSLATFR_EL1 PMSIDR_EL1
		PMBLIMITR_EL1 PMBPTR_EL1 PMBSR_EL1 PMSDSFR_EL1 PMBMAR_EL1 PMBIDR_EL1 PMSCR_EL2 PMBSR_EL2 PMSCR_EL12 PMBSR_EL12
		PMBSR_EL3'
	local command=${words[1]}

	if ((cword == 1)); then
		COMPREPLY=($(compgen -W 'run explain conform decode bench --help --version' -- "$cur"))
		return
	fi
	case $command in
	run | explain | conform | decode | bench) ;;
	*) return ;;
	esac

	case $command:$prev in
	run:--engine) COMPREPLY=($(compgen -W 'soft kvm' -- "$cur")) && return ;;
	conform:--engine) COMPREPLY=($(compgen -W 'soft' -- "$cur")) && return ;;
	run:--kvm-trap) COMPREPLY=($(compgen -W 'auto patch breakpoint step' -- "$cur")) && return ;;
	run:--kvm-sampler) COMPREPLY=($(compgen -W 'step perf' -- "$cur")) && return ;;
	run:--kvm-event) COMPREPLY=($(compgen -W 'instructions cycles' -- "$cur")) && return ;;
	run:--irqchip) COMPREPLY=($(compgen -W 'gicv3 gicv2' -- "$cur")) && return ;;
	run:--el) COMPREPLY=($(compgen -W '1 2 3' -- "$cur")) && return ;;
	explain:--el) COMPREPLY=($(compgen -W '0 1 2 3' -- "$cur")) && return ;;
	run:--stats) [[ $split == true ]] && COMPREPLY=($(compgen -W 'json' -- "$cur")) && return ;;
	run:--spe | explain:--spe)
		COMPREPLY=($(compgen -W 'v1p0 v1p1 v1p2 v1p3 v1p4 v1p5 off help' -- "$cur")) && return ;;
	bench:--kernel) COMPREPLY=($(compgen -W 'alu tree memcpy bytecode crc_sha' -- "$cur")) && return ;;
	conform:--guest-dir | bench:--guests) _filedir -d && return ;;
	run:-k | run:--kernel | run:-i | run:--initrd | run:--perf-data | run:--symbols | run:--save | run:--restore | run:--dump-dtb | \
		decode:--perf-data | decode:--symbols | conform:--asl | conform:--junit) _filedir && return ;;
	run:-p | run:--params | run:-m | run:--mem | run:-c | run:--cpus | run:--seed | run:--timeout | \
		run:--kvm-margin | run:--save-at | explain:--set | explain:--feature | explain:--no-feature | explain:--rt | \
		conform:--shard | conform:--only | conform:-j | conform:--jobs | bench:--rounds | bench:--iterations) return ;;
	esac
	[[ $split == true ]] && return

	if [[ $cur == -* ]]; then
		COMPREPLY=($(compgen -W "${!command}" -- "$cur"))
	elif [[ $command == explain ]]; then
		COMPREPLY=($(compgen -W "$registers read write" -- "$cur"))
	elif [[ $command != bench ]]; then
		_filedir
	fi
} && complete -F _vspe vspe
