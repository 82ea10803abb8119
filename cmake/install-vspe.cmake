# SPDX-License-Identifier: BSD-2-Clause
# cmake --install, of the program: vspe, the guests it tests machines with, man pages, completion for shells.
set(VSPE_ZSH_COMPLETIONS ${CMAKE_INSTALL_DATADIR}/zsh/site-functions CACHE STRING
	"Where zsh looks for completions; Debian: share/zsh/vendor-completions")

install(TARGETS vspe DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT vspe)

set(vspe_guest_dir ${CMAKE_INSTALL_DATADIR}/vspe/guests)
install(DIRECTORY ${CMAKE_BINARY_DIR}/guests/ DESTINATION ${vspe_guest_dir} COMPONENT vspe
	FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ
	FILES_MATCHING PATTERN *.Image PATTERN *.elf PATTERN *.list PATTERN *.def
	PATTERN obj EXCLUDE PATTERN CMakeFiles EXCLUDE PATTERN linux EXCLUDE PATTERN bench/*.elf EXCLUDE)

# vspe linux, which is Python.
set(vspe_linux_dir ${CMAKE_INSTALL_DATADIR}/vspe/linux)
install(PROGRAMS tools/linux-guest DESTINATION ${vspe_linux_dir} COMPONENT vspe)
install(DIRECTORY tools/linux_guest DESTINATION ${vspe_linux_dir} COMPONENT vspe PATTERN __pycache__ EXCLUDE)
install(FILES vmm/cli/options/linux.toml DESTINATION ${vspe_linux_dir}/linux_guest COMPONENT vspe)
install(PROGRAMS ${CMAKE_BINARY_DIR}/guests/linux/count DESTINATION ${vspe_linux_dir}/linux_guest COMPONENT vspe OPTIONAL)

set(vspe_pages ${VSPE_COMMANDS})
list(TRANSFORM vspe_pages REPLACE "(.+)" "${CMAKE_BINARY_DIR}/docs/vspe-\\1.1")
install(FILES docs/vspe.1 ${vspe_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT vspe)
install(FILES docs/vspe-conformance.7 DESTINATION ${CMAKE_INSTALL_MANDIR}/man7 COMPONENT vspe)
# The manual, and the examples that it links to.
install(CODE "execute_process(COMMAND \"${Python3_EXECUTABLE}\" -B \"${CMAKE_SOURCE_DIR}/tools/manual\"
	\"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/doc/vspe-doc\" COMMAND_ERROR_IS_FATAL ANY)" COMPONENT vspe-doc)

install(FILES ${CMAKE_BINARY_DIR}/docs/completions/vspe.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME vspe
	COMPONENT vspe)
install(FILES ${CMAKE_BINARY_DIR}/docs/completions/_vspe DESTINATION ${VSPE_ZSH_COMPLETIONS} COMPONENT vspe)
