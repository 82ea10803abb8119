# SPDX-License-Identifier: BSD-2-Clause
# cmake --install of libvspe-kvm, which is for arm64 Linux: headers, libvspe-kvm.a and .so, vspe-kvm.pc, and a separate
# CMake package. Included after cmake/install-library.cmake, whose components it extends.
if(NOT TARGET vspe_kvm_shared)
	return()
endif()
set(kvm_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/vspe-kvm)
install(TARGETS vspe_kvm_library vspe_kvm_shared EXPORT vspe-kvm
	LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libvspe-kvm0 NAMELINK_COMPONENT libvspe-kvm-dev
	ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libvspe-kvm-dev)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/vmm/kvm/include/vspe DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT libvspe-kvm-dev)
install(FILES docs/libvspe-kvm.3 DESTINATION ${CMAKE_INSTALL_MANDIR}/man3 COMPONENT libvspe-kvm-dev)
# The crate, in the folder of libvspe-dev's crates.
install(DIRECTORY ${CMAKE_SOURCE_DIR}/bindings/rust/vspe-kvm-sys DESTINATION ${CMAKE_INSTALL_DATADIR}/vspe/rust
	COMPONENT libvspe-kvm-dev FILES_MATCHING PATTERN "*.rs" PATTERN Cargo.toml)
install(FILES docs/libvspe-kvm.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT libvspe-kvm-dev)
install(EXPORT vspe-kvm NAMESPACE vspe:: FILE vspe-kvm-targets.cmake DESTINATION ${kvm_package_dir} COMPONENT libvspe-kvm-dev)
configure_package_config_file(cmake/vspe-kvm-config.cmake.in ${CMAKE_BINARY_DIR}/vspe-kvm-config.cmake
	INSTALL_DESTINATION ${kvm_package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/vspe-kvm-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/vspe-kvm-config.cmake ${CMAKE_BINARY_DIR}/vspe-kvm-config-version.cmake
	DESTINATION ${kvm_package_dir} COMPONENT libvspe-kvm-dev)
configure_file(cmake/vspe-kvm.pc.in ${CMAKE_BINARY_DIR}/vspe-kvm.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/vspe-kvm.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT libvspe-kvm-dev)
