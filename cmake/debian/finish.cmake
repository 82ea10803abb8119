# SPDX-License-Identifier: BSD-2-Clause
# What a Debian package needs in addition to the files of cmake --install (Debian Policy 10.1, 12.1, 12.5, 12.7):
# compressed man pages, changelog and copyright, and code without debugging information and the compiler's name. cpack
# runs it once it has gathered the files, one folder for each package.
foreach(package ${CPACK_COMPONENTS_ALL})
	set(root ${CPACK_TEMPORARY_DIRECTORY}/${package}/usr)

	file(GLOB_RECURSE pages ${root}/share/man/*.[1-9])
	foreach(page ${pages})
		execute_process(COMMAND gzip -9n ${page} COMMAND_ERROR_IS_FATAL ANY)
		file(CHMOD ${page}.gz PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
	endforeach()

	set(doc ${root}/share/doc/${package})
	file(MAKE_DIRECTORY ${doc})
	file(COPY_FILE ${CPACK_VSPE_DEBIAN}/copyright ${doc}/copyright)
	execute_process(COMMAND gzip -9nc ${CPACK_VSPE_DEBIAN}/changelog OUTPUT_FILE ${doc}/changelog.gz
		COMMAND_ERROR_IS_FATAL ANY)
	file(CHMOD ${doc}/copyright ${doc}/changelog.gz PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)

	if(EXISTS ${CPACK_VSPE_DEBIAN}/${package}.lintian-overrides)
		file(MAKE_DIRECTORY ${root}/share/lintian/overrides)
		file(COPY_FILE ${CPACK_VSPE_DEBIAN}/${package}.lintian-overrides ${root}/share/lintian/overrides/${package})
		file(CHMOD ${root}/share/lintian/overrides/${package}
			PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
	endif()

	file(GLOB_RECURSE code ${root}/lib/*.a ${root}/lib/*.so.*.* ${root}/lib/*.abi3.so ${root}/bin/*)
	foreach(file ${code})
		execute_process(COMMAND ${CPACK_VSPE_OBJCOPY} --strip-debug --remove-section=.comment
			--enable-deterministic-archives ${file} COMMAND_ERROR_IS_FATAL ANY)
	endforeach()
endforeach()
