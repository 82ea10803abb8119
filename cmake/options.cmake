# SPDX-License-Identifier: BSD-2-Clause
# What tools/options.py makes of the tables of options: C headers, man pages, completions.
find_package(Python3 REQUIRED COMPONENTS Interpreter)

# The registers that vspe explain knows, for its completion
set(VSPE_REGISTER_TABLES ${CMAKE_SOURCE_DIR}/sysreg/registers.def ${CMAKE_SOURCE_DIR}/pmu/registers.def
	${CMAKE_SOURCE_DIR}/vmm/soft/sys/sys_registers.def)
# The subcommands, in the order of `vspe --help`.
set(VSPE_COMMANDS run linux qemu explain conform decode report bench doctor)
set(VSPE_COMMAND_TABLES ${VSPE_COMMANDS})
list(TRANSFORM VSPE_COMMAND_TABLES REPLACE "(.+)" "${CMAKE_SOURCE_DIR}/vmm/cli/options/\\1.toml")
set(VSPE_CHOICES ${CMAKE_SOURCE_DIR}/vmm/choices.toml)
set(VSPE_ENGINE_TABLES ${CMAKE_SOURCE_DIR}/vmm/soft/options.toml ${CMAKE_SOURCE_DIR}/vmm/kvm/options.toml)

# vspe_options_make(OUT ARGUMENT...): makes OUT in the current binary folder. OUT is written only if it changed, so it
# may be older than its inputs. OUT.made has the time of the last run.
function(vspe_options_make out)
	set(program ${CMAKE_SOURCE_DIR}/tools/options.py)
	set(out ${CMAKE_CURRENT_BINARY_DIR}/${out})
	set(inputs ${ARGN})
	list(FILTER inputs INCLUDE REGEX "/")
	add_custom_command(OUTPUT ${out}.made BYPRODUCTS ${out}
		COMMAND ${Python3_EXECUTABLE} -B ${program} ${out} ${ARGN}
		COMMAND ${CMAKE_COMMAND} -E touch ${out}.made
		DEPENDS ${program} ${VSPE_WRITE_CHANGED} ${inputs} ${CMAKE_SOURCE_DIR}/vmm/cli/exit.toml ${VSPE_CHOICES} ${VSPE_REGISTER_TABLES}
			${VSPE_ENGINE_TABLES} ${CMAKE_SOURCE_DIR}/spe/cores.def VERBATIM)
endfunction()
