#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""objects.py VSPE CC: names of code outside the files that a process mapped by their paths: code of a JIT compiler,
named in /tmp/perf-PID.map (tools/perf/Documentation/jit-interface.txt of Linux); the vDSO, the kernel, its modules;
files of perf's cache."""
import collections
import gzip
import json
import lzma
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import made
from made import auxtrace, failures, info, perf_file, same
from system import build, build_all, clock, comm, fork, id_of, mmap2, started

VSPE, CC = Path(sys.argv[1]).resolve(), sys.argv[2]
PACKINGS = {"xz": lzma.compress, "gzip": gzip.compress,
            "zstd": lambda data: subprocess.run(["zstd", "-c", "--check"], input=data, capture_output=True, check=True).stdout}


def report(path, *options):
    done = subprocess.run([VSPE, "report", "--json", "--limit", "1000000", *map(str, options), path], capture_output=True, check=False)
    if done.returncode:
        raise SystemExit(f"vspe report {options}: exit code {done.returncode}: {done.stderr.decode()}")
    return json.loads(done.stdout)


def functions(said):
    return collections.Counter({(row["function"], row.get("object")): row["samples"] for row in said["functions"]["rows"]})


def states(said):
    return {row["object"]: row.get("symbols") for row in said["objects"]["rows"]}


def records(*places):
    return b"".join((data := made.record({"pc": pc, "el": int(pc >> 63), "op": made.OTHER, "events": 2, "time": 1000})) + bytes(-len(data) % 64) for pc in places)


def recording(path, events, places, tid=5):
    """A file of a thread 5 "work" that had these events, and ran at these places."""
    path.write_bytes(perf_file([info(), clock(0, 1, 0), started(tid), comm(tid, tid, b"work", 0), *events, auxtrace(records(*places), 0xffffffff, tid=tid)]))
    return path


# --- Code of JIT compilers


def check_jit(work, root):
    (root / "tmp").mkdir(parents=True)
    chance = random.Random(5)
    at, functions_ = 0xffff80000000, []
    for n in range(200):
        at += 4 * chance.randrange(1, 20)
        functions_.append((at, 4 * chance.randrange(1, 40), chance.choice((f"f{n}", f"LazyCompile:~f{n} /app/a b.js:{n}", f"std::x{n}<a, b>", f"py::x{n}:/a.py"))))
        at += functions_[-1][1]
    listed = [f"{start:x} {size:x} {name}\n" for start, size, name in functions_]
    chance.shuffle(listed)
    (root / "tmp/perf-5.map").write_text("".join(listed))
    want = collections.Counter()
    places = []
    for start, size, name in functions_:
        for place in chance.sample(range(0, size, 4), min(3, size // 4)):
            places.append(start + place)
            want[(name, "[JIT] tid 5")] += 1
    # Each name of memory without a file, and places without a function.
    for name in b"//anon", b"[heap]", b"/dev/zero (deleted)", b"/anon_hugepage (deleted)", b"/memfd:doublemapper (deleted)", b"[anon:v8]", b"/SYSV00000000 (deleted)":
        path = recording(work / "jit.data", [mmap2(5, 0xffff80000000, 1 << 20, 0x1000, name, 0)], [*places, 0xffff800ff000])
        said = report(path, "--symfs", root)
        same(f"a list of a JIT, {name.decode()}", functions(said), want + collections.Counter({("[0xffff800ff000]", "[JIT] tid 5"): 1}))
        same(f"... {name.decode()}", states(said), {"[JIT] tid 5": "yes"})
    same("--dso", report(path, "--symfs", root, "--dso", "[JIT] tid 5")["records"]["rows"][0]["samples"], len(places) + 1)
    same("without --symfs", states(report(path)), {"[JIT] tid 5": "not known to be this machine's: --symfs"})
    same("no list", states(report(path, "--symfs", work)), {"[JIT] tid 5": "no /tmp/perf-PID.map: --symfs"})
    other = recording(work / "other.data", [mmap2(6, 0xffff80000000, 1 << 20, 0, b"//anon", 0), fork(7, 6, 7, 6, 1)], places[:1], tid=7)
    same("a child has what its parent made", states(report(other, "--symfs", root)), {"[JIT] tid 6": "no /tmp/perf-PID.map: --symfs"})


def check_jit_lists(work, root):
    """Faulty lists: wrong lines are ignored, and the last entry for an address counts."""
    long = "n" * 5000
    cases = {
        "the later of one address": ("1000 10 old\n1000 8 new\n", "new"),
        "a line without a size": ("1000 name\n1000 10 good\n", "good"),
        "no hexadecimal number": ("0x1000 10 bad\n1000 10 good\nzz 1 x\n", "good"),
        "an empty name": ("1000 10 \n", None),
        "no line": ("", None),
        "a size beyond everything": ("1000 ffffffffffffffff bad\n1000 10 good\n", "good"),
        "an address of the kernel's": ("ffff000000001000 10 bad\n1000 10 good\n", "good"),
        "a name of C++": ("1000 10 _ZN1a1bEi\n", "a::b"),
        "no size": ("1000 0 one\n", "one"),
        "bytes that are no text": ("1000 10 a\x1b[2J\xff\n", r"a\x1b[2J\xc3\xbf"),
        "a long line": (f"800 4 {long}\n1000 10 good\n", "good"),
        "no end of a line": ("1000 10 good", "good"),
    }
    for what, (text, name) in cases.items():
        (root / "tmp/perf-5.map").write_text(text)
        said = report(recording(work / "list.data", [mmap2(5, 0x1000, 0x1000, 0, b"//anon", 0)], [0x1000]), "--symfs", root)
        same(what, (functions(said), states(said)), ({(name or "[0x1000]", "[JIT] tid 5"): 1},
             {"[JIT] tid 5": "yes" if name else "no START SIZE NAME in its /tmp/perf-PID.map"}))
    (root / "tmp/perf-5.map").unlink()
    (work / "outside").write_text("1000 10 outside\n")
    for what, make in ("a FIFO", os.mkfifo), ("a folder", os.mkdir), ("a link out of it", lambda path: os.symlink("../../outside", path)):
        make(root / "tmp/perf-5.map")
        same(what, states(report(work / "list.data", "--symfs", root)), {"[JIT] tid 5": "no /tmp/perf-PID.map: --symfs"})
        (root / "tmp/perf-5.map").rmdir() if what == "a folder" else (root / "tmp/perf-5.map").unlink()
    events = [mmap2(n, 0x1000, 0x1000, 0, b"//anon", 0) for n in range(6, 103)] + [comm(102, 102, b"last", 0)]
    for pid in 101, 102:
        (root / f"tmp/perf-{pid}.map").write_text("1000 10 good\n")
        same(f"process {pid} of 97", states(report(recording(work / "many.data", events, [0x1000], tid=pid), "--symfs", root)),
             {f"[JIT] tid {pid}": "yes"} if pid < 102 else {"[unknown]": None})
    same("... which is said", [(row["what"], row["lost"]) for row in report(work / "many.data")["missing"]["rows"]],
         [("events of processes beyond what is kept", 1)])


# --- Files by their build id


def cached(root, build_id, folder, name, file):
    """A file in perf's cache, which has a link to it (tools/perf/util/build-id.c, build_id_cache__add())."""
    target = root / "root/.debug" / folder.lstrip("/") / build_id.hex()
    target.mkdir(parents=True, exist_ok=True)
    shutil.copy(file, target / name)
    link = root / "root/.debug/.build-id" / build_id.hex()[:2] / build_id.hex()[2:]
    link.parent.mkdir(parents=True, exist_ok=True)
    if not link.is_symlink():
        link.symlink_to(f"../../{folder.lstrip('/')}/{build_id.hex()}")


def named(work, root, event, at):
    """The function, and the message about its object, for a record at that address."""
    said = report(recording(work / "one.data", [event], [at]), "--symfs", root)
    row = said["functions"]["rows"][0]
    return row["function"], states(said)[said["objects"]["rows"][0]["object"]]


def check_cache(work, root):
    functions_, offset, _ = build(CC, work / "gone", 5, "-static", "-Wl,-e,0")
    name, at, _ = functions_[2]
    own = id_of(work / "gone")
    program = mmap2(5, 0x400000, 0x2000, offset, b"/usr/bin/gone", 0, build_id=own)
    same("a program that is not there", named(work, root, program, 0x400000 + at - offset), ("[0x0]", "no such file: --symfs"))
    cached(root, own, "/usr/bin/gone", "elf", work / "gone")
    same("... but in perf's cache", named(work, root, program, 0x400000 + at - offset), (name, "yes"))
    home = {**os.environ, "HOME": str(root / "root")}
    done = subprocess.run([VSPE, "report", "--json", work / "one.data"], capture_output=True, check=True, env=home).stdout
    same("... of this machine's user", json.loads(done)["functions"]["rows"][0]["function"], name)
    subprocess.run([CC.replace("gcc", "objcopy"), "--strip-all", work / "gone", root / "usr/bin/gone"], check=True)
    same("... and is stripped", named(work, root, program, 0x400000 + at - offset), (name, "yes"))
    other = mmap2(5, 0x400000, 0x2000, offset, b"/usr/bin/gone", 0, build_id=bytes(20))
    same("... of another build id", named(work, root, other, 0x400000 + at - offset)[1], "another build id")


def check_vdso(work, root):
    functions_, offset, _ = build(CC, work / "vdso", 4, "-shared", "-Wl,-z,max-page-size=4096", "-Wl,-z,noseparate-code")
    own, (name, at, _) = id_of(work / "vdso"), functions_[3]
    same("... which has one segment of code", offset, 0)
    vdso = mmap2(5, 0xffff90000000, 0x2000, 0xffff90000000, b"[vdso]", 0, build_id=own)
    same("the vDSO, without a file", named(work, root, vdso, 0xffff90000000 + at)[1], "no such file: --symfs")
    cached(root, own, "[vdso]", "vdso", work / "vdso")
    same("... with perf's copy", named(work, root, vdso, 0xffff90000000 + at), (name, "yes"))
    shutil.rmtree(root / "root")
    module = mmap2(-1, 0xffff800001000000, 0x1000, 0, b"/lib/modules/6.1.0-1/kernel/a.ko", 0, kernel=True)
    for where in "lib", "usr/lib/debug/lib":
        (root / where / "modules/6.1.0-1/vdso").mkdir(parents=True, exist_ok=True)
        shutil.copy(work / "vdso", root / where / "modules/6.1.0-1/vdso/vdso.so")
        same(f"... of the kernel's version, {where}", named(work, root, module + vdso, 0xffff90000000 + at), (name, "yes"))
        shutil.rmtree(root / where / "modules")


def check_kernel(work, root):
    own, at = bytes(range(20)), 0xffff800008010000
    kernel = mmap2(-1, 0xffff800008000000, 0x1000000, 0xffff800008000000, b"[kernel.kallsyms]_text", 0, kernel=True, build_id=own)
    (work / "kallsyms").write_text("ffff800008000000 T _text\nffff800008010000 T do_work\nffff800008010100 T other\n"
                                   "ffff800008020000 t of_module\t[module]\nffff800008030000 T _end\n")
    same("the kernel", named(work, root, kernel, at), (f"[{at:#x}]", "no: --symbols"))
    cached(root, own, "[kernel.kallsyms]", "kallsyms", work / "kallsyms")
    same("... its list in perf's cache", named(work, root, kernel, at + 4), ("do_work", "yes"))
    same("... and a module's function", named(work, root, kernel, 0xffff800008020004), ("of_module", "yes"))
    moved = mmap2(-1, 0xffff800009000000, 0x1000000, 0xffff800009000000, b"[kernel.kallsyms]_text", 0, kernel=True, build_id=own)
    same("... of another boot", named(work, root, moved, at + 0x1000004), ("do_work", "yes"))
    same("... where modules are elsewhere", named(work, root, moved, 0xffff800009020004)[0], "other")
    (work / "mine").write_text("ffff800008010000 T mine\nffff800008010100 T other\n")
    said = report(recording(work / "one.data", [kernel], [at]), "--symfs", root, "--symbols", work / "mine")
    same("--symbols goes first", (functions(said), states(said)), ({("mine", "[kernel.kallsyms]"): 1}, {"[kernel.kallsyms]": "yes"}))

    (work / "vmlinux.s").write_text(".text\n.global _text\n_text: nop\n.global linked\n.type linked, %function\nlinked: ret\n.size linked, 4\n")
    subprocess.run([CC, "-nostdlib", "-Wl,--build-id", "-Wl,-e,0", "-Wl,-Ttext=0xffff800008000000", "-o", work / "vmlinux", work / "vmlinux.s"], check=True)
    own = id_of(work / "vmlinux")
    moved = mmap2(-1, 0xffff800009000000, 0x1000000, 0xffff800009000000, b"[kernel.kallsyms]_text", 0, kernel=True, build_id=own)
    debug = root / f"usr/lib/debug/.build-id/{own.hex()[:2]}/{own.hex()[2:]}.debug"
    debug.parent.mkdir(parents=True)
    shutil.copy(work / "vmlinux", debug)
    same("vmlinux by its build id", named(work, root, moved, 0xffff800009000004), ("linked", "yes"))
    text = subprocess.run([VSPE, "report", "--annotate", "linked", "--symfs", root, work / "one.data"], capture_output=True, text=True, check=True).stdout
    same("... with its instructions", "ret" in text, True)
    debug.unlink()


def check_modules(work, root):
    """Sections of code are in the order of the file, except .init; each function has a different length, and the
    sections have different alignments."""
    start, place, source, known = 0xffff800001230000, 0, "", []
    for n, (section, align) in enumerate(((".text", 16), (".init.text", 4), (".text.unlikely", 4), (".exit.text", 64), (".text.hot", 8), (".data", 8))):
        source += f'.section {section}, "{"aw" if section == ".data" else "ax"}"\n.p2align {align.bit_length() - 1}\n'
        place = place if section in (".init.text", ".data") else (place + align - 1) // align * align
        for name, words in (f"first{n}", 3 + n), (f"second{n}", 2):
            source += f".type {name}, %function\n{name}: .rept {words}\nnop\n.endr\n.size {name}, . - {name}\n"
            if section not in (".init.text", ".data"):
                known += [(start + place + 4 * word, name) for word in range(words)]
                place += 4 * words
    (work / "module.s").write_text(source)
    module = root / "lib/modules/6.1.0-1/kernel/drivers/made-up.ko"
    module.parent.mkdir(parents=True)
    subprocess.run([CC, "-nostdlib", "-r", "-Wl,--build-id", "-o", module, work / "module.s"], check=True)
    own = id_of(module)
    places = [at for at, _ in known]
    wanted = collections.Counter(name for _, name in known)

    def check(what, name, state, build_id=own):
        event = mmap2(-1, start, 0x5000, 0, name, 0, kernel=True, build_id=build_id)
        said = report(recording(work / "module.data", [event], places), "--symfs", root)
        same(what, (collections.Counter({row["function"]: row["samples"] for row in said["functions"]["rows"]}) == wanted, list(states(said).values())),
             (state == "yes", [state]))

    path = b"/lib/modules/6.1.0-1/kernel/drivers/made-up.ko"
    check("a module", path, "yes")
    check("... without a build id", path, "yes", b"")
    check("... with another one", path, "another build id", bytes(20))
    check("... by its name alone", b"[made_up]", "no: --symbols")
    cached(root, own, "[made_up]", "elf", module)
    check("... in perf's cache", b"[made_up]", "yes")
    shutil.rmtree(root / "root")
    check("... that was compressed, and is unpacked beside it", path + b".xz", "yes")
    packed = Path(f"{module}.xz")
    module.rename(packed)
    check("... whose file is no ELF file", path, "no: --symbols")
    unpacked = packed.read_bytes()
    for packing, pack in PACKINGS.items():
        packed.write_bytes(pack(unpacked))
        check(f"... in {packing}", path + b".xz", "yes")
        packed.write_bytes(pack(unpacked[:1000]) + pack(unpacked[1000:]))
        check(f"... in {packing}, in two parts", path + b".xz", "yes")
        whole = pack(unpacked)
        for cut in {len(whole) - 1, *range(8, len(whole), len(whole) // 13)}:
            packed.write_bytes(whole[:cut])
            check(f"... in {packing}, cut off at {cut}", path + b".xz", "compressed, and damaged or beyond 512 MiB")
        for number in range(6, len(whole), len(whole) // 17):
            packed.write_bytes(whole[:number] + bytes([whole[number] ^ 0x5a]) + whole[number + 1:])
            report(work / "module.data", "--symfs", root)
        packed.write_bytes(pack(b"no ELF file"))
        check(f"... in {packing}, something else", path + b".xz", "no AArch64 ELF file")
        packed.write_bytes(513 * pack(bytes(1 << 20)))
        check(f"... in {packing}, too large", path + b".xz", "compressed, and damaged or beyond 512 MiB")
    debug = root / "usr/lib/debug/lib/modules/6.1.0-1/kernel/drivers/made-up.ko"
    debug.parent.mkdir(parents=True)
    subprocess.run([CC, "-nostdlib", "-r", "-Wl,--build-id", "-o", work / "again.ko", work / "module.s"], check=True)
    subprocess.run([CC.replace("gcc", "objcopy"), "--only-keep-debug", work / "again.ko", debug], check=True)
    check("... with its debug file", path + b".xz", "yes")
    debug.unlink()
    whole = (work / "again.ko").read_bytes()
    for cut in range(0, len(whole), max(1, len(whole) // 37)):
        module.write_bytes(whole[:cut])
        report(work / "module.data", "--symfs", root)


with tempfile.TemporaryDirectory() as folder:
    WORK = Path(folder)
    ROOT = WORK / "root"
    FILES = build_all(CC, ROOT)
    check_jit(WORK, ROOT)
    check_jit_lists(WORK, ROOT)
    check_cache(WORK, ROOT)
    check_vdso(WORK, ROOT)
    check_kernel(WORK, ROOT)
    check_modules(WORK, ROOT)
sys.exit(bool(failures))
