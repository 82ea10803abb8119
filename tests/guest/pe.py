# SPDX-License-Identifier: BSD-2-Clause
"""tests/guest/pe.py FOLDER: each guest's image has the header of an arm64 Image and the PE/COFF header of an EFI
application. They fit the file and each other as strict firmware requires: sections of whole pages, one after the
other, none both written and executed."""
import pathlib
import struct
import sys

PAGE = 4096
EXECUTE, WRITE = 0x20000000, 0x80000000


def problems(image):
    code0, code1, text_offset, size, flags = struct.unpack_from("<IIQQQ", image, 0)
    magic, pe = struct.unpack_from("<4sI", image, 56)
    if magic != b"ARM\x64" or code0 & 0xFFFF != 0x5A4D or code1 >> 26 != 5:
        yield "no header of an arm64 Image that is MZ, too"
        return
    if text_offset != 0 or flags != 0xA or pe % 8 or image[pe : pe + 4] != b"PE\0\0":
        yield f"text_offset {text_offset:#x}, flags {flags:#x}, PE header at {pe:#x}"
        return
    machine, count, _, _, _, optional_size, _ = struct.unpack_from("<HHIIIHH", image, pe + 4)
    optional = pe + 24
    kind, entry = struct.unpack_from("<H14xI", image, optional)
    section_alignment, file_alignment = struct.unpack_from("<II", image, optional + 32)
    image_size, headers, _, subsystem, dll = struct.unpack_from("<IIIHH", image, optional + 56)
    directories = struct.unpack_from("<I", image, optional + 108)[0]
    if (machine, kind, subsystem, optional_size) != (0xAA64, 0x20B, 10, 112 + 8 * directories):
        yield f"machine {machine:#x}, optional header {kind:#x} of {optional_size} bytes, subsystem {subsystem}"
    if section_alignment != PAGE or PAGE % file_alignment or image_size != size or not dll & 0x100:
        yield f"alignment {section_alignment:#x} and {file_alignment:#x}, size {image_size:#x}, not {size:#x}, {dll:#x}"
    address, executed = headers, False
    if optional + optional_size + 40 * count > headers or count == 0:
        yield f"{count} sections do not fit into {headers:#x} bytes"
        return
    for i in range(count):
        at = optional + optional_size + 40 * i
        name, memory, start, raw, where = struct.unpack_from("<8sIIII", image, at)
        access = struct.unpack_from("<I", image, at + 36)[0]
        if start != address or start % PAGE or where != start or raw > memory or raw % file_alignment:
            yield f"{name}: {memory:#x} bytes at {start:#x}, {raw:#x} of them in the file at {where:#x}"
        if where + raw > len(image):
            yield f"{name}: ends at {where + raw:#x} of a file of {len(image):#x}"
        if access & EXECUTE and access & WRITE:
            yield f"{name}: written and executed"
        executed = executed or (access & EXECUTE and start <= entry < start + memory)
        address = start + memory
    if address != image_size or not executed:
        yield f"sections end at {address:#x} of {image_size:#x}; entry {entry:#x}"


def main():
    images = sorted(pathlib.Path(sys.argv[1]).rglob("*.Image"))
    found = [f"{image}: {problem}" for image in images for problem in problems(image.read_bytes())]
    print("\n".join(found) if images else "there is no image")
    sys.exit(1 if found or not images else 0)


main()
