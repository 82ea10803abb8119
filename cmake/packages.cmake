# SPDX-License-Identifier: BSD-2-Clause
# cpack: the Debian packages libvspe0, libvspe-dev, libvspe-qemu, vspe, vspe-doc, vspe-records and python3-vspe, and for
# arm64 libvspe-kvm0 and libvspe-kvm-dev: one for each component of cmake --install. They use Debian's prefix and
# folders, which cmake -DCMAKE_INSTALL_PREFIX=/usr selects; tools/packages.sh makes them.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME vspe)
set(CPACK_PACKAGE_VENDOR "the vspe authors")
set(CPACK_PACKAGE_CONTACT "The vspe authors <maintainers@vspe.invalid>" CACHE STRING "Maintainer of the packages")
set(CPACK_PACKAGE_CHECKSUM SHA256)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
	WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL libvspe0 libvspe-dev libvspe-qemu vspe vspe-doc vspe-records)
if(TARGET vspe_python)
	list(APPEND CPACK_COMPONENTS_ALL python3-vspe)
endif()
if(TARGET vspe_kvm_shared)
	list(APPEND CPACK_COMPONENTS_ALL libvspe-kvm0 libvspe-kvm-dev)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)

# What Debian needs in addition to the files of cmake --install is added once cpack has gathered those. What cpack has
# no setting for is changed in the finished packages.
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/cmake/debian/finish.cmake)
set(CPACK_POST_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/cmake/debian/control.cmake)
set(CPACK_VSPE_DEBIAN ${CMAKE_SOURCE_DIR}/cmake/debian)
set(CPACK_VSPE_OBJCOPY ${CMAKE_OBJCOPY})

# Each package has a separate summary.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
set(debian_about "libvspe puts Arm's Statistical Profiling Extension (FEAT_SPE) into a hypervisor
or an emulator: its system registers, what traps them, the sample interval
counters, filters, records and the profiling buffer. It allocates nothing,
keeps no state of its own and needs no libc but memcpy and memset.")

set(CPACK_DEBIAN_LIBVSPE0_PACKAGE_NAME libvspe0)
set(CPACK_DEBIAN_LIBVSPE0_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBVSPE0_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_LIBVSPE0_DESCRIPTION "Arm's Statistical Profiling Extension for hypervisors, library\n${debian_about}")
set(CPACK_DEBIAN_LIBVSPE0_PACKAGE_CONTROL_EXTRA ${CMAKE_BINARY_DIR}/debian/symbols ${CMAKE_BINARY_DIR}/debian/shlibs
	${CMAKE_SOURCE_DIR}/cmake/debian/triggers)

set(CPACK_DEBIAN_LIBVSPE-DEV_PACKAGE_NAME libvspe-dev)
set(CPACK_DEBIAN_LIBVSPE-DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBVSPE-DEV_PACKAGE_DEPENDS "libvspe0 (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_LIBVSPE-DEV_DESCRIPTION "Arm's Statistical Profiling Extension for hypervisors, development\n${debian_about}

This package has the headers, the static library, what pkg-config and
CMake need to find them, and the sources of the crates vspe and vspe-sys.")

# QEMU before 11.1 refuses to load it and continues without: that is no conflict.
set(CPACK_DEBIAN_LIBVSPE-QEMU_PACKAGE_NAME libvspe-qemu)
set(CPACK_DEBIAN_LIBVSPE-QEMU_PACKAGE_SECTION otherosfs)
set(CPACK_DEBIAN_LIBVSPE-QEMU_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_LIBVSPE-QEMU_PACKAGE_SUGGESTS "qemu-system-arm (>= 1:11.1), vspe")
set(CPACK_DEBIAN_LIBVSPE-QEMU_PACKAGE_ENHANCES qemu-system-arm)
set(CPACK_DEBIAN_LIBVSPE-QEMU_DESCRIPTION "Arm's Statistical Profiling Extension for QEMU's guests, plugin
A TCG plugin that gives the guests of an unmodified qemu-system-aarch64, of
version 11.1 or later, Arm's Statistical Profiling Extension (FEAT_SPE), as
libvspe has it: Debian's kernel finds it, and perf records with it. The
command vspe qemu, of the package vspe, starts QEMU with it and puts it into
the guest's device tree.")

set(debian_about_kvm "libvspe-kvm gives guests of a KVM program on arm64 Linux Arm's Statistical
Profiling Extension (FEAT_SPE), on hosts with it or without: it gets at the
accesses that KVM has no exit for, counts the guest's operations, and has
libvspe make records of them in the guest's memory. The program keeps its file
descriptors and its loop.")

set(CPACK_DEBIAN_LIBVSPE-KVM0_PACKAGE_NAME libvspe-kvm0)
set(CPACK_DEBIAN_LIBVSPE-KVM0_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBVSPE-KVM0_PACKAGE_DEPENDS "libvspe0 (= ${PROJECT_VERSION}), libc6 (>= 2.34)")
set(CPACK_DEBIAN_LIBVSPE-KVM0_DESCRIPTION "Arm's Statistical Profiling Extension for guests of KVM, library\n${debian_about_kvm}")
set(CPACK_DEBIAN_LIBVSPE-KVM0_PACKAGE_CONTROL_EXTRA ${CMAKE_BINARY_DIR}/debian/kvm/symbols
	${CMAKE_BINARY_DIR}/debian/kvm/shlibs ${CMAKE_SOURCE_DIR}/cmake/debian/triggers)

set(CPACK_DEBIAN_LIBVSPE-KVM-DEV_PACKAGE_NAME libvspe-kvm-dev)
set(CPACK_DEBIAN_LIBVSPE-KVM-DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBVSPE-KVM-DEV_PACKAGE_DEPENDS "libvspe-kvm0 (= ${PROJECT_VERSION}), libvspe-dev (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_LIBVSPE-KVM-DEV_DESCRIPTION "Arm's Statistical Profiling Extension for guests of KVM, development\n${debian_about_kvm}

This package has the header, the static library, what pkg-config and CMake
need to find them, and the sources of the crate vspe-kvm-sys.")

set(CPACK_DEBIAN_VSPE_PACKAGE_NAME vspe)
set(CPACK_DEBIAN_VSPE_PACKAGE_SECTION otherosfs)
set(CPACK_DEBIAN_VSPE_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_VSPE_PACKAGE_RECOMMENDS "libvspe0, python3 (>= 3.11), debian-archive-keyring")
set(CPACK_DEBIAN_VSPE_PACKAGE_SUGGESTS "libvspe-qemu, vspe-doc, linux-perf, qemu-system-arm, debootstrap, fakeroot")
set(CPACK_DEBIAN_VSPE_DESCRIPTION "AArch64 virtual machines with Arm's Statistical Profiling Extension
vspe starts AArch64 guests that profile themselves with Arm's Statistical
Profiling Extension (FEAT_SPE), on a software CPU that runs anywhere or on KVM
of an arm64 host, and writes their records for perf. It explains what traps an
access to a register of SPE, and tests hypervisors and emulators for
conformance with guests that test the machine they run on.")

set(CPACK_DEBIAN_VSPE-DOC_PACKAGE_NAME vspe-doc)
set(CPACK_DEBIAN_VSPE-DOC_PACKAGE_SECTION doc)
set(CPACK_DEBIAN_VSPE-DOC_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_VSPE-DOC_PACKAGE_SUGGESTS "vspe, libvspe-dev")
set(CPACK_DEBIAN_VSPE-DOC_DESCRIPTION "Arm's Statistical Profiling Extension for virtual machines, manual
How to profile guests with vspe, to test hypervisors with it, and to embed
libvspe, with the examples in C, Rust and Python, the records, the machine and
the choices of the design.")

set(CPACK_DEBIAN_VSPE-RECORDS_PACKAGE_NAME vspe-records)
set(CPACK_DEBIAN_VSPE-RECORDS_PACKAGE_SECTION otherosfs)
set(CPACK_DEBIAN_VSPE-RECORDS_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_VSPE-RECORDS_PACKAGE_SUGGESTS "vspe, linux-perf, python3")
set(CPACK_DEBIAN_VSPE-RECORDS_DESCRIPTION "Sample records of Arm's Statistical Profiling Extension, for decoders
Profiling buffers with sample records of FEAT_SPE, and what is to be read in
them as JSON, for tests of programs that decode such records: every packet
form, every version of the extension with and without its options, and the
layouts of Neoverse cores, Kunpeng 920 and Arm's FVP.")

# The extension uses the stable ABI of Python 3.11, so any later version can load it.
set(CPACK_DEBIAN_PYTHON3-VSPE_PACKAGE_NAME python3-vspe)
set(CPACK_DEBIAN_PYTHON3-VSPE_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON3-VSPE_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PYTHON3-VSPE_PACKAGE_DEPENDS "python3 (>= 3.11), python3-numpy")
set(CPACK_DEBIAN_PYTHON3-VSPE_PACKAGE_SUGGESTS "vspe, linux-perf, python3-pandas, python3-matplotlib")
set(CPACK_DEBIAN_PYTHON3-VSPE_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/cmake/debian/python3-vspe/postinst
	${CMAKE_SOURCE_DIR}/cmake/debian/python3-vspe/prerm)
set(CPACK_DEBIAN_PYTHON3-VSPE_DESCRIPTION "Sample records of Arm's Statistical Profiling Extension for Python
The package vspe reads sample records of FEAT_SPE, of profiling buffers and of
perf.data files, into structured arrays of NumPy: addresses, latencies, events,
operations, data sources, and of which process, file and function each is. What
a file is without, and what of it is damaged, is said.")

# The symbols and shlibs of a library from its list of exports: a release that adds a function gives it a version.
function(vspe_debian_symbols library prefix map folder)
	file(STRINGS ${map} lines)
	set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${map})
	set(package ${library}${PROJECT_VERSION_MAJOR})
	set(names "")
	set(nodes "")
	foreach(line IN LISTS lines)
		if(line MATCHES "^(${prefix}_([0-9.]+)) {")
			set(node ${CMAKE_MATCH_1})
			set(since ${CMAKE_MATCH_2})
			string(APPEND nodes " ${node}@${node} ${since}\n")
		elseif(line MATCHES "^\t([a-z0-9_]+);")
			string(APPEND names " ${CMAKE_MATCH_1}@${node} ${since}\n")
		endif()
	endforeach()
	file(CONFIGURE OUTPUT ${folder}/symbols
		CONTENT "${library}.so.${PROJECT_VERSION_MAJOR} ${package} #MINVER#\n* Build-Depends-Package: ${library}-dev\n${nodes}${names}")
	file(CONFIGURE OUTPUT ${folder}/shlibs
		CONTENT "${library} ${PROJECT_VERSION_MAJOR} ${package} (>= ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})\n")
endfunction()
vspe_debian_symbols(libvspe VSPE ${CMAKE_SOURCE_DIR}/spe/libvspe.map ${CMAKE_BINARY_DIR}/debian)
vspe_debian_symbols(libvspe-kvm VSPE_KVM ${CMAKE_SOURCE_DIR}/vmm/kvm/libvspe-kvm.map ${CMAKE_BINARY_DIR}/debian/kvm)
include(CPack)
