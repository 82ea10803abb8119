# SPDX-License-Identifier: BSD-2-Clause
# cpack adds scripts that call ldconfig to a package with a shared library. The trigger in the package does that already,
# and Debian Policy 8.1.1 wants no scripts for it.
foreach(package ${CPACK_PACKAGE_FILES})
	set(folder ${package}.unpacked)
	file(REMOVE_RECURSE ${folder})
	execute_process(COMMAND dpkg-deb -R ${package} ${folder} COMMAND_ERROR_IS_FATAL ANY)
	if(EXISTS ${folder}/DEBIAN/triggers)
		file(REMOVE ${folder}/DEBIAN/postinst ${folder}/DEBIAN/postrm)
		execute_process(COMMAND dpkg-deb --root-owner-group -Zxz -b ${folder} ${package}
			OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
	endif()
	file(REMOVE_RECURSE ${folder})
endforeach()
