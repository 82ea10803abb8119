# SPDX-License-Identifier: BSD-2-Clause
# What cpack has no setting for in a package's control files: the field Multi-Arch, which it does not know before CMake
# 3.31; and no scripts that call ldconfig. It adds them to a package with a shared library, where a trigger does the
# same (Debian Policy 8.1.1).
foreach(package ${CPACK_PACKAGE_FILES})
	set(folder ${package}.unpacked)
	file(REMOVE_RECURSE ${folder})
	execute_process(COMMAND dpkg-deb -R ${package} ${folder} COMMAND_ERROR_IS_FATAL ANY)
	set(multi_arch "\nMulti-Arch: foreign")
	if(package MATCHES "/libvspe")
		set(multi_arch "\nMulti-Arch: same")
	elseif(package MATCHES "/python3-") # it is of the same architecture as its Python
		set(multi_arch "")
	endif()
	file(READ ${folder}/DEBIAN/control control)
	string(REGEX REPLACE "\nMulti-Arch:[^\n]*" "" control "${control}")
	string(REGEX REPLACE "\nArchitecture:" "${multi_arch}\nArchitecture:" control "\n${control}")
	string(SUBSTRING "${control}" 1 -1 control)
	file(WRITE ${folder}/DEBIAN/control "${control}")
	file(REMOVE ${folder}/DEBIAN/postrm)
	if(NOT package MATCHES "/python3-")
		file(REMOVE ${folder}/DEBIAN/postinst)
	endif()
	execute_process(COMMAND dpkg-deb --root-owner-group -Zxz -b ${folder} ${package}
		OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
	file(REMOVE_RECURSE ${folder})
endforeach()
