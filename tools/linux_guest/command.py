# SPDX-License-Identifier: BSD-2-Clause
"""vspe linux: what each of its actions does."""
import contextlib
import os
import signal
import subprocess
import sys
import tempfile

from linux_guest import debian, disk, kernel, pgo, session
from linux_guest.failure import FAILED, Failure
from linux_guest.options import HERE, fail, parse, values
from linux_guest.progress import Progress

TOP = os.path.dirname(os.path.dirname(HERE))
IN_TREE = os.path.exists(os.path.join(TOP, "vmm/cli/options/linux.toml"))
# A guest of whose core nothing is said has one whose records have a latency and a data source.
CORE = ("--cpu", "neoverse-n1", "--spe", "archinst", "--model", "warm", "--pmu", "v3p1")
SAYS_CORE = ("--cpu", "--spe", "--no-spe", "--isa", "--model", "--engine", "--pmu")
MEMORY = 1024  # MiB, unless the guest's files need more
TERMINALS = ("xterm", "screen", "tmux", "rxvt", "linux", "vt", "ansi")


def cache_of(options):
    if options.cache:
        return options.cache
    if IN_TREE:
        return os.path.join(TOP, "build/linux-guest")
    return os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "vspe/linux")


def vspe_of(options):
    """The C program says where it is."""
    path = options.vspe or os.environ.get("VSPE_PROGRAM") or os.path.join(TOP, "build/release/vspe")
    if not os.access(path, os.X_OK):
        fail(2, f"{path}: no such program; cmake --build --preset release makes it")
    return path


class Guest:
    """What all actions need: Debian's files, and a folder for those of one run."""

    def __init__(self, options, rest):
        self.options, self.rest = options, rest
        self.cache = cache_of(options)
        self.progress = Progress(options.quiet)
        self.work = None

    def __enter__(self):
        self.work = tempfile.TemporaryDirectory(prefix="vspe-linux-")
        return self

    def __exit__(self, *_):
        self.work.cleanup()

    def make(self, command, packages, files, wanted=(), root=False):
        """Paths of the kernel and of the packages' archive, and the bytes that follow that."""
        options = self.options
        with contextlib.closing(debian.Debian(self.cache, options.release, options.mirror.rstrip("/"), options.update,
                                              self.progress)) as release:
            if options.kernel_deb:
                image, modules = kernel.of_package(self.cache, options.kernel_deb)
            elif options.kernel in debian.KERNELS:
                image, modules = release.kernel(options.kernel)
            else:
                image, modules = kernel.of_build(options.kernel, options.modules, self.work.name)
            packed = release.initrd(packages)
        self.progress.end()
        return image, packed, session.overlay(modules, command, files, wanted, root)

    def initrd(self, packed, rest, path=None):
        path = path or os.path.join(self.work.name, "initrd")
        # Another guest may be about to read the file that it replaces.
        whole = not os.path.exists(path) or os.path.isfile(path)
        made = f"{os.path.realpath(path)}.{os.getpid()}.part" if whole else path
        try:
            with open(made, "wb") as out:
                with open(packed, "rb") as file:
                    while block := file.read(1 << 20):
                        out.write(block)
                out.write(rest)
            if whole:
                os.replace(made, os.path.realpath(path))
        finally:
            if whole and os.path.exists(made):
                os.remove(made)
        return path

    def words(self, image, initrd, rest, more=""):
        """The vspe run that boots it."""
        given = {word.split("=")[0] for word in rest}
        words = [vspe_of(self.options), "run", "--kernel", image, "--initrd", initrd]
        if not given & {"-m", "--mem"}:
            words += ["--mem", str(memory_for(initrd))]
        # A guest in memory that resets itself, as after a panic, would begin anew for ever.
        if not self.options.root and "--no-reboot" not in given:
            words += ["--no-reboot"]
        if not given & set(SAYS_CORE):
            words += CORE
        # What is beyond a network goes by today's time. One that leads nowhere lets two runs be the same, as a recording does.
        if not given & {"--rtc", "--record", "--replay"} and any("user" in word and "restrict=on" not in word for word in values(rest, "--net")):
            words += ["--rtc", "host"]
        if self.options.root:
            words += ["--disk", self.options.root]
        return words + ["--params", f"console=ttyAMA0 quiet panic=-1 {self.options.append} {more}".rstrip(), *rest]

    def run(self, words, out=None):
        """The status of the command that the guest runs."""
        console = session.Console(out or sys.stdout.buffer)
        with contextlib.ExitStack() as stack:
            log = stack.enter_context(open(self.options.console, "wb")) if self.options.console else None
            vspe = stack.enter_context(session.started(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE))
            for line in vspe.stdout:
                if log:
                    log.write(line)
                console.line(line)
        if console.status is None or not console.ended:
            for line in console.last:
                print(line.decode("utf-8", "replace"), file=sys.stderr)
            if vspe.returncode in (2, 124):
                sys.exit(vspe.returncode)
            hint = "; it may have too little memory for its files: --mem" if console.lacks_memory() else ""
            fail(FAILED, f"the guest ended without a status{hint}; vspe run: {vspe.returncode}")
        for (there, here), data in zip(self.options.get, console.files):
            if data is None:
                fail(FAILED, f"{there}: the guest has no such file")
            with open(here, "wb") as file:
                file.write(data)
        return console.status


def memory_for(initrd):
    """MiB for a guest with this initrd: its bytes, and a file system in memory for them, which has half of what is left."""
    return max(MEMORY, -(-(3 * os.path.getsize(initrd) + (128 << 20)) // (256 << 20)) * 256)


def check_outputs(options):
    """What cannot be written is said before anything is fetched, and not after the guest has run."""
    wanted = [("--get", here) for _, here in options.get]
    wanted += [(option, path) for option, path in (("--console", options.console), ("--output", options.output)) if path]
    for option, path in wanted:
        folder = os.path.dirname(os.path.abspath(path))
        if os.path.isdir(path) or not os.access(path if os.path.exists(path) else folder, os.W_OK):
            fail(2, f"{option}: {path}: may not be written")


def terminal():
    """What the guest's shell has to know of the terminal."""
    if not os.isatty(0) or not os.isatty(1):
        return ""
    size = os.get_terminal_size(1)
    name = os.environ.get("TERM", "")
    size = size if size.lines and size.columns else os.terminal_size((80, 24))
    name = "xterm" if name.startswith(TERMINALS) else "dumb"
    return f"TERM={name} LINES={size.lines} COLUMNS={size.columns}"


def run(options, rest, command):
    with Guest(options, rest) as guest:
        image, packed, more = guest.make(command, options.package, options.add, [there for there, _ in options.get], bool(options.root))
        initrd = guest.initrd(packed, more)
        if command is None:
            with session.started(guest.words(image, initrd, rest, terminal())) as vspe:
                return vspe.wait()
        return guest.run(guest.words(image, initrd, rest))


def make_image(options, rest, command):
    with Guest(options, rest) as guest:
        image, packed, more = guest.make(command, options.package, options.add)
        print(image, guest.initrd(packed, more, options.output or os.path.join(os.path.dirname(packed), "initrd.cpio")), sep="\n")
    return 0


class Configuring:
    """What the guest that makes a disk says: a line when a package is unpacked, and one when it is set up."""

    def __init__(self, progress, count):
        self.progress, self.count = progress, 2 * count
        self.done = 0
        self.last = []

    def write(self, line):
        text = line.decode("utf-8", "replace").strip()
        self.last = (self.last + [text])[-20:]
        self.done += text.startswith(("I: Unpacking ", "I: Configuring "))
        self.progress.move(min(self.done / self.count, 1), text)

    def flush(self):
        """The progress shows itself."""


def make_disk(options, rest, _):
    with Guest(options, rest) as guest:
        def configure(path, script, count):
            there = "/linux-guest/second-stage"
            image, packed, more = guest.make(["sh", there], (), [(script, there)])
            out = Configuring(guest.progress, count)
            status = guest.run(guest.words(image, guest.initrd(packed, more), ["--disk", path, "--no-spe"]), out)
            guest.progress.end()
            if status:
                print(*out.last, sep="\n", file=sys.stderr)
            return status

        disk.make(options, guest.cache, guest.progress, configure)
    return 0


def bench(options, rest, _):
    with Guest(options, rest) as guest:
        image, packed, more = guest.make(["bash", "/linux-guest/bench"], ("cpp", "gzip", "python3-minimal", "sqlite3"),
                                         [(os.path.join(HERE, "bench"), "/linux-guest/bench")])
        with session.started([vspe_of(options), "bench", "--linux", f"{image},{guest.initrd(packed, more)}", *rest]) as vspe:
            return vspe.wait()


def optimise(options, rest, command):
    with Guest(options, rest) as guest:
        return pgo.run(guest, vspe_of(options), command)


def end_by_signal(*_):
    """As an exception, so that folders of this run are removed and its guest ends."""
    sys.exit(128 + signal.SIGTERM)


def main(words):
    signal.signal(signal.SIGTERM, end_by_signal)
    options, rest, command = parse(words)
    check_outputs(options)
    if options.action != "image":
        vspe_of(options)
    try:
        return {"run": run, "image": make_image, "disk": make_disk, "bench": bench, "pgo": optimise}[options.action](
            options, rest, command)
    except OSError as error:
        fail(FAILED, f"{error.filename}: {error.strerror}" if error.filename else error)
    except Failure as error:
        fail(FAILED, error)
    except KeyboardInterrupt:
        fail(130, "interrupted")
    return FAILED
