# SPDX-License-Identifier: BSD-2-Clause
# A static vspe for arm64 Linux. The libraries are Debian's arm64 packages, which tools/build-arm64.sh unpacks into
# build/debian-arm64/root; libc is the cross compiler's.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)

set(vspe_root ${CMAKE_CURRENT_LIST_DIR}/../build/debian-arm64/root)
cmake_path(NORMAL_PATH vspe_root)
set(vspe_libraries ${vspe_root}/usr/lib/aarch64-linux-gnu)
if(NOT EXISTS ${vspe_libraries})
	message(FATAL_ERROR "${vspe_libraries} is not there: tools/build-arm64.sh fetches the libraries")
endif()
set(CMAKE_FIND_ROOT_PATH ${vspe_root})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
set(ENV{PKG_CONFIG_LIBDIR} ${vspe_libraries}/pkgconfig:${vspe_root}/usr/share/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${vspe_root})

# The packages' headers stand where only the cross compiler's own are looked for.
set(CMAKE_C_FLAGS_INIT "-isystem ${vspe_root}/usr/include -isystem ${vspe_root}/usr/include/aarch64-linux-gnu")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static")
