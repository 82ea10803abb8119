# SPDX-License-Identifier: BSD-2-Clause
# cmake --install, of what an embedder of the library needs: headers, libvspe.a and .so, vspe.pc, and a CMake package.
# The components are the Debian packages that cmake/packages.cmake makes of them.
set(vspe_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/vspe)
set(vspe_targets vspe_library)
if(TARGET vspe_shared)
	list(APPEND vspe_targets vspe_shared)
endif()
install(TARGETS ${vspe_targets} EXPORT vspe
	LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libvspe0 NAMELINK_COMPONENT libvspe-dev
	ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libvspe-dev)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/sysreg/include/vspe ${VSPE_SYSREG_TABLES}/vspe
	${CMAKE_SOURCE_DIR}/spe/include/vspe ${CMAKE_SOURCE_DIR}/pmu/include/vspe ${CMAKE_SOURCE_DIR}/a64/include/vspe
	${CMAKE_SOURCE_DIR}/model/include/vspe 	${CMAKE_SOURCE_DIR}/vmm/conform/include/vspe
	DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT libvspe-dev)
install(FILES docs/libvspe.3 DESTINATION ${CMAKE_INSTALL_MANDIR}/man3 COMPONENT libvspe-dev)
# The crates, to be named by their path, with the sources of the feature "vendored".
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(crates ${CMAKE_BINARY_DIR}/crates)
file(GLOB_RECURSE crate_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/bindings/rust/*.rs ${CMAKE_SOURCE_DIR}/bindings/rust/*.toml
	${CMAKE_SOURCE_DIR}/bindings/rust/*.md ${CMAKE_SOURCE_DIR}/bindings/rust/*.py)
foreach(folder sysreg spe pmu a64 model)
	file(GLOB_RECURSE more CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.[ch] ${CMAKE_SOURCE_DIR}/${folder}/*.def)
	list(APPEND crate_sources ${more})
endforeach()
add_custom_command(OUTPUT ${crates}.made
	COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/bindings/rust/stage.py ${crates} ${VSPE_SYSREG_TABLES} ${CMAKE_BINARY_DIR}/a64/tables
	COMMAND ${CMAKE_COMMAND} -E touch ${crates}.made
	DEPENDS ${crate_sources} VERBATIM)
add_custom_target(vspe_crates ALL DEPENDS ${crates}.made)
install(DIRECTORY ${crates}/vspe ${crates}/vspe-sys DESTINATION ${CMAKE_INSTALL_DATADIR}/vspe/rust COMPONENT libvspe-dev)

# Neither file names the prefix: what is installed may be moved.
install(EXPORT vspe NAMESPACE vspe:: FILE vspe-targets.cmake DESTINATION ${vspe_package_dir} COMPONENT libvspe-dev)
include(CMakePackageConfigHelpers)
configure_package_config_file(cmake/vspe-config.cmake.in ${CMAKE_BINARY_DIR}/vspe-config.cmake
	INSTALL_DESTINATION ${vspe_package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/vspe-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/vspe-config.cmake ${CMAKE_BINARY_DIR}/vspe-config-version.cmake
	DESTINATION ${vspe_package_dir} COMPONENT libvspe-dev)

cmake_path(IS_ABSOLUTE CMAKE_INSTALL_LIBDIR vspe_absolute)
if(vspe_absolute)
	set(VSPE_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
else()
	set(VSPE_PC_PREFIX ${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/pkgconfig)
	cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${VSPE_PC_PREFIX} OUTPUT_VARIABLE VSPE_PC_PREFIX)
	cmake_path(SET VSPE_PC_PREFIX "\${pcfiledir}/${VSPE_PC_PREFIX}")
endif()
cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_LIBDIR BASE_DIRECTORY "\${prefix}" OUTPUT_VARIABLE VSPE_PC_LIBDIR)
cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_INCLUDEDIR BASE_DIRECTORY "\${prefix}" OUTPUT_VARIABLE VSPE_PC_INCLUDEDIR)
configure_file(cmake/vspe.pc.in ${CMAKE_BINARY_DIR}/vspe.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/vspe.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT libvspe-dev)
