#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""tests/cli/migrate.py VSPE GUESTS [SEEDS]: vspe run --migrate-to and --incoming.

Guests that are migrated at random points of their runs, with one vCPU and several, print, record and count the same
as without. Wherever the connection is cut, two processes never run one machine, and none is lost silently. Data from
a peer that is not vspe are refused.
"""
import os
import random
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zlib

VSPE, GUESTS = sys.argv[1:3]
SEEDS = int(sys.argv[3]) if len(sys.argv) > 3 else 4
OK, USAGE, SENT, OUTPUT, TIMEOUT = 0, 2, 4, 5, 124  # exit codes
LIMIT = 60
FAILED = []
# A guest and its options: it samples all the time, with one vCPU, two and four. The guests are
# slow, for they would end before they are sent; tests/state has short ones. Whether they have a
# disk, and records.
RUNS = [("hotspot", ["--cntfrq", "2000000000", "--single-step"], False), ("hotspot", ["--cpus", "2", "--single-step"], False),
        ("virtio", ["--rng", "--console", "virtio", "--single-step", "-p", "rounds=300"], True)]
DISK = bytes(65536)
FOREVER = struct.pack("<I", 0x14000000) + bytes(60)  # b .


def check(name, good, more=""):
    print(f"{'ok' if good else 'not ok'} - {name}", flush=True)
    if not good:
        FAILED.append(name)
        print("".join(f"# {line}\n" for line in str(more).splitlines()[-20:]), end="")


def start(*words):
    return subprocess.Popen([VSPE, "run", *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def end(process):
    try:
        out, err = process.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
    return process.returncode, out, err.decode("utf-8", "replace")


def run(*words):
    return end(start(*words))


def wait_for(path):
    for _ in range(1000):
        if os.path.exists(path):
            time.sleep(0.1)
            return
        time.sleep(0.01)


def connected(path):
    """A connection to the owner of the socket, which may be about to listen."""
    for _ in range(1000):
        to = socket.socket(socket.AF_UNIX)
        try:
            to.connect(path)
            return to
        except ConnectionRefusedError:
            to.close()
            time.sleep(0.01)
    raise TimeoutError(path)


def records(path):
    done = subprocess.run([VSPE, "decode", path], capture_output=True, text=True, check=False)
    return re.findall(r"^ *[0-9a-f]*: *(.*)$", done.stdout, re.MULTILINE)


def listener(path):
    at = socket.socket(socket.AF_UNIX)
    at.bind(path)
    at.listen(1)
    at.settimeout(LIMIT)
    return at


def put(path, content):
    with open(path, "wb") as file:
        file.write(content)


def get(path):
    with open(path, "rb") as file:
        return file.read()


def places(work):
    """Where a receiver waits, and how to know that it does: each kind of socket in turn."""
    while True:
        yield f"unix:{work}/at", lambda: wait_for(f"{work}/at")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        yield f"tcp:127.0.0.1:{port}", lambda port=port: wait_for_port(port)


def wait_for_port(port):
    """Wait until something listens there. Connecting would look like the sender."""
    for _ in range(1000):
        with open("/proc/net/tcp", encoding="ascii") as table:
            if f":{port:04X} 00000000:0000 0A" in table.read():
                return
        time.sleep(0.01)


def undisturbed(work):
    """A guest that continues elsewhere after a random point behaves as one that stays."""
    at_place = places(work)
    for name, options, has_disk in RUNS:
        guest = os.path.join(GUESTS, name + ".Image")
        whole, disk = f"{work}/whole.data", f"{work}/disk"
        if has_disk:
            options = [*options, "--disk", disk]
        put(disk, DISK)
        code, out, err = run(guest, *options, "--tap", "--stats=json", "--perf-data", whole)
        if code:
            check(f"{name} runs", False, err)
            continue
        left = get(disk)
        operations = int(re.search(r'"operations":(\d+)', err).group(1))
        for seed in range(SEEDS):
            at = random.Random(f"{name} {seed}").randrange(1, operations)
            (place, wait), parts = next(at_place), [f"{work}/one.data", f"{work}/two.data"]
            for part in parts:
                if os.path.exists(part):
                    os.unlink(part)
            put(disk, DISK)
            after = start("--incoming", place, "--tap", "--stats=json", "--perf-data", parts[1], *(options if has_disk else []))
            wait()
            before = run(guest, *options, "--tap", "--perf-data", parts[0], "--migrate-to", place, "--migrate-at", str(at))
            what = f"{name} at {at} by {place[:4].rstrip(':')}"
            if before[0] == OK and "it ended before it was there" in before[2]:
                check(f"{what}: it ended first", end(after)[0] == USAGE and before[1] == out)
                continue
            then = end(after)
            check(f"{what}: sent", before[0] == SENT and then[0] == OK, before[2] + then[2])
            check(f"{what}: the console", before[1] + then[1] == out)
            check(f"{what}: the counts", then[2].splitlines()[-1:] == err.splitlines()[-1:])
            check(f"{what}: the records", sum(map(records, parts), []) == records(whole))
            check(f"{what}: the disk", get(disk) == left and (left != DISK or not has_disk))
            check(f"{what}: both tell the pause", "pause of" in before[2] and "pause of" in then[2])


def capture(work, forever):
    """All that a sender sends, up to where the receiver must confirm it."""
    at = listener(f"{work}/seen")
    source = start(forever, "-m", "16", "--migrate-to", f"unix:{work}/seen", "--migrate-at", "1000", "--timeout", "20")
    peer, _ = at.accept()
    at.close()
    os.unlink(f"{work}/seen")
    peer.sendall(b"w")
    peer.settimeout(LIMIT)
    stream = b""
    while b"END " not in stream:
        stream += peer.recv(1 << 16)
    peer.settimeout(0.3)
    try:
        while more := peer.recv(1 << 16):
            stream += more
    except socket.timeout:
        pass
    return source, peer, stream


def cut(work, forever):
    """Wherever the connection ends before the machine is given away, the machine continues where it
    was."""
    source, peer, stream = capture(work, forever)
    peer.close()
    time.sleep(0.3)
    check("cut before it is ready: the sender goes on", source.poll() is None)
    source.send_signal(signal.SIGTERM)
    code, _, err = end(source)
    check("... says so, and that nothing was sent", code != SENT and "the machine goes on here" in err, err)
    source, peer, stream = capture(work, forever)
    peer.sendall(b"r")
    given = peer.recv(1 << 16)
    check("a machine is given away when all of it is there", b"GIVE" in given)
    peer.close()
    code, _, err = end(source)
    check("cut after that: the sender does not go on", code == OUTPUT and "it does not run on here" in err, f"{code} {err}")
    for part in (0, 5, 12, 40, len(stream) // 2, len(stream) - 1, len(stream)):
        receiver = start("--incoming", f"unix:{work}/half")
        wait_for(f"{work}/half")
        with connected(f"{work}/half") as to:
            to.sendall(stream[:part])
        code, out, err = end(receiver)
        check(f"{part} of {len(stream)} bytes: nothing is run", code == USAGE and out == b"" and err.count("\n") == 1, err)
    return stream


def sections(stream):
    """The sections: tag, offset of the contents, size."""
    at, found = 12, []
    while at + 16 <= len(stream):
        size = struct.unpack_from("<Q", stream, at + 8)[0]
        found.append((stream[at:at + 4], at + 16, size))
        at += 16 + size + 4
    return found


def sealed(stream):
    """The stream with correct checksums."""
    stream, crc = bytearray(stream), zlib.crc32(stream[:12])
    for _, at, size in sections(stream):
        crc = zlib.crc32(stream[at - 16:at + size], crc)
        if at + size + 4 <= len(stream):
            struct.pack_into("<I", stream, at + size, crc)
    return bytes(stream)


def offer(work, stream, *options):
    """How a receiver that gets this ends."""
    receiver = start("--incoming", f"unix:{work}/from", "--timeout", "20", *options)
    wait_for(f"{work}/from")

    def send():
        with connected(f"{work}/from") as to:
            try:
                to.sendall(stream)
                to.shutdown(socket.SHUT_WR)
                while to.recv(64):
                    pass
            except OSError:
                pass

    thread = threading.Thread(target=send)
    thread.start()
    result = end(receiver)
    thread.join()
    return result


def hostile(work, stream):
    page = next(at for tag, at, _ in sections(stream) if tag == b"PAGE")
    kernel = next(at for tag, at, _ in sections(stream) if tag == b"KERN")
    cases = {
        "something else": (b"GET / HTTP/1.1\r\n\r\n", "not a migration"),
        "a saved machine": (b"VSPESAVE" + stream[8:], "a saved machine, not a migration"),
        "an earlier version": (stream[:8] + struct.pack("<I", 8) + stream[12:], "sent in version 8 of the format; this vspe reads 9 to"),
        "a later version": (stream[:8] + struct.pack("<I", 99) + stream[12:], "sent in version 99 of the format"),
        "a wrong checksum": (stream[:page + 40] + b"\xff" + stream[page + 41:], "the checksum of section PAGE"),
        "a section without an end": (stream[:20] + b"\xff" * 8 + stream[28:], "damaged: section CONF 0 has"),
        "a page beyond memory": (sealed(stream[:page - 12] + struct.pack("<I", 16) + stream[page - 8:]), "is behind its end"),
        "more pages than there are": (sealed(stream[:page] + b"\xff" * 32 + stream[page + 32:]), "is not as long as its pages"),
        "a file larger than memory": (sealed(stream[:kernel] + b"\xff" * 8 + stream[kernel + 8:]), "KERN: whole"),
        "nothing at the end": (stream, "truncated"),
    }
    for name, (bytes_, pattern) in cases.items():
        code, out, err = offer(work, bytes_)
        check(f"{name} is refused", code == USAGE and out == b"" and pattern in err and err.count("\n") == 1, f"{code} {err}")
    rng = random.Random(1)
    bad = 0
    for _ in range(20 * SEEDS):
        damaged = bytearray(stream)
        for _ in range(rng.randrange(1, 4)):
            tag, at, size = rng.choice(sections(stream))
            damaged[at + rng.randrange(size) if size else at - 1] = rng.randrange(256)
        code, out, err = offer(work, sealed(damaged))
        bad += not (code == USAGE and out == b"" and err.count("\n") == 1)
    check("damaged machines are refused, or never given away", bad == 0, bad)


def options(work, stream, forever):
    for words, pattern in ((["-m", "4"], "--mem 4: the machine from unix:"), (["--cpus", "2"], "--cpus 2: the machine from"),
                           (["--spe", "off"], "has SPE"), ([os.path.join(GUESTS, "hotspot.Image")], "was made with another file")):
        code, _, err = offer(work, stream, *words)
        check(f"{' '.join(words)} is refused", code == USAGE and pattern in err, err)
    code, _, err = run("--incoming", f"unix:{work}/none", "--timeout", "1")
    check("nobody comes", code == TIMEOUT and "no machine has come in 1 s" in err, err)
    receiver = start("--incoming", f"unix:{work}/none")
    wait_for(f"{work}/none")
    receiver.send_signal(signal.SIGTERM)
    check("SIGTERM ends who waits", end(receiver)[0] == -signal.SIGTERM)
    receiver = start("--incoming", f"unix:{work}/none", "--timeout", "1")
    check("a socket that was left is in nobody's way", end(receiver)[0] == TIMEOUT)
    code, _, err = run(forever, "--migrate-to", f"unix:{work}/nobody", "--migrate-at", "1000", "--timeout", "1")
    check("nobody is there: the machine goes on", code == OUTPUT and "No such file or directory: the machine goes on here" in err, f"{code} {err}")
    source = start(forever, "--migrate-to", f"unix:{work}/late")
    time.sleep(1)
    source.send_signal(signal.SIGUSR1)
    time.sleep(0.5)
    after = start("--incoming", f"unix:{work}/late", "--timeout", "3")
    wait_for(f"{work}/late")
    source.send_signal(signal.SIGUSR1)
    check("... and SIGUSR1 may ask again", end(source)[0] == SENT)
    check("... for who came later", end(after)[0] == TIMEOUT)


def main():
    with tempfile.TemporaryDirectory() as work:
        forever = os.path.join(work, "forever")
        with open(forever, "wb") as file:
            file.write(FOREVER)
        undisturbed(work)
        stream = cut(work, forever)
        hostile(work, stream)
        options(work, stream, forever)


main()
sys.exit(bool(FAILED))
