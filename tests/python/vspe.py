# SPDX-License-Identifier: BSD-2-Clause
"""libvspe.so for Python: its structures and functions, declared once more by hand, and its constants, as the C compiler
has them. What is declared here is compared with the headers by the compiler, in test_layout.py."""
import ctypes
import os
import pathlib
import re
import subprocess
import tempfile
from ctypes import (CDLL, CFUNCTYPE, POINTER, Structure, c_bool, c_char_p, c_int, c_size_t, c_uint, c_uint8, c_uint16,
                    c_uint32, c_uint64, c_void_p)

LIBRARY = os.environ["VSPE_LIBRARY"]
SHIM = os.environ["VSPE_SHIM"]
INCLUDES = os.environ["VSPE_INCLUDES"].split(":")
CC = os.environ.get("VSPE_CC", "cc")


class Population(Structure):
    C_NAME = "struct spe_population"
    _fields_ = [("member", c_bool), ("captured", c_bool)]


def choices():
    """(type, name) of every row of the table of choices, in its order."""
    text = next(path for path in (pathlib.Path(folder, "vspe", "spe_choices.def") for folder in INCLUDES)
                if path.exists()).read_text()
    return re.findall(r"^SPE_CHOICE\(([\w ]+), (\w+),", text, re.M)


class Config(Structure):
    C_NAME = "struct spe_config"
    _fields_ = [(name, {"bool": c_bool, "uint8_t": c_uint8, "uint32_t": c_uint32, "uint64_t": c_uint64,
                        "struct spe_population": Population}.get(kind, c_uint)) for kind, name in choices()]


class Core(Structure):
    C_NAME = "struct spe_core"
    _fields_ = [("name", c_char_p), ("what", c_char_p), ("midr", c_uint32), ("version", c_uint), ("layout", c_uint)]
    _fields_ += [(name, c_bool) for name in ("arch_inst", "lds", "ernd")]
    _fields_ += [(name, c_uint8) for name in ("max_size", "align", "interval", "events_size")]


class Controls(Structure):
    C_NAME = "struct sysreg_controls"
    _fields_ = [("features", c_uint32), ("el", c_uint8)]
    _fields_ += [(name, c_bool) for name in ("aarch32", "halted", "edscr_sdd", "el3_trap_has_priority_sdd")]
    _fields_ += [(name, c_uint64) for name in (
        "hcr_el2", "mdcr_el2", "mdcr_el3", "scr_el3", "hdfgrtr_el2", "hdfgwtr_el2", "hdfgrtr2_el2", "hdfgwtr2_el2",
        "pmscr_el1", "pmscr_el2")]


class Access(Structure):
    C_NAME = "struct sysreg_access"
    _fields_ = [("reg", c_uint), ("write", c_bool), ("rt", c_uint8)]


class Route(Structure):
    C_NAME = "struct sysreg_route"
    _fields_ = [("kind", c_uint), ("reg", c_uint16), ("nvmem_offset", c_uint16), ("syndrome", c_uint32),
                ("target_el", c_uint8), ("ec", c_uint8), ("rule", c_uint16)]

    def __eq__(self, other):
        return all(getattr(self, name) == getattr(other, name) for name, _ in self._fields_)

    def __repr__(self):
        return "route(" + ", ".join(f"{name}={getattr(self, name):#x}" for name, _ in self._fields_) + ")"


class Term(Structure):
    C_NAME = "struct sysreg_term"
    _fields_ = [("text", c_char_p), ("value", c_bool)]


class Step(Structure):
    C_NAME = "struct sysreg_step"
    _fields_ = [("terms", Term * 4), ("kind", c_uint), ("target_el", c_uint8), ("count", c_uint8), ("value", c_bool)]


class Field(Structure):
    C_NAME = "struct sysreg_field"
    _fields_ = [("reg", c_char_p), ("name", c_char_p), ("control", c_uint), ("lsb", c_uint8), ("width", c_uint8)]


class WriteResult(Structure):
    C_NAME = "struct spe_write_result"
    _fields_ = [("status", c_uint), ("written", c_size_t), ("fsc", c_uint8), ("stage2", c_bool), ("gpc", c_bool),
                ("mss2", c_uint16)]


class Untranslated(Structure):
    C_NAME = "struct spe_untranslated"
    _fields_ = [("address", c_uint64), ("kind", c_uint), ("owning_el", c_uint8), ("attributes", c_uint8),
                ("shareability", c_uint8), ("ns", c_bool), ("nse", c_bool), ("high_ignored", c_bool)]


class Host(Structure):
    C_NAME = "struct spe_host"
    _fields_ = [(name, c_void_p) for name in ("ctx", "write", "write_untranslated", "pmu_event", "random", "serror",
                                            "misuse")]


class Extra(Structure):
    C_NAME = "struct spe_extra"
    _fields_ = [("address", c_bool), ("index", c_uint8), ("value", c_uint64)]


class Op(Structure):
    C_NAME = "struct spe_op"
    _fields_ = [(name, c_uint64) for name in ("pc", "target", "data_va", "data_pa", "timestamp", "events")]
    _fields_ += [(name, c_uint32) for name in ("contextidr_el1", "contextidr_el2", "flags")]
    _fields_ += [(name, c_uint16) for name in (
        "total_latency", "issue_latency", "translation_latency", "alternate_latency", "data_source")]
    _fields_ += [(name, c_uint8) for name in ("type_header", "type_payload", "el", "target_el")]
    _fields_ += [(name, c_bool) for name in ("ns", "nse", "target_ns", "target_nse")]
    _fields_ += [("tag", c_uint8), ("extra_count", c_uint8), ("extra", POINTER(Extra))]


class Target(Structure):
    C_NAME = "struct spe_target"
    _fields_ = [("va", c_uint64), ("el", c_uint8), ("ns", c_bool), ("nse", c_bool)]


class Syndrome(Structure):
    C_NAME = "struct spe_syndrome"
    _fields_ = [("ec", c_uint8), ("iss", c_uint32)]


class Stats(Structure):
    C_NAME = "struct spe_stats"
    _fields_ = [(name, c_uint64) for name in (
        "population", "feed", "filtrate", "collisions", "not_captured", "records", "bytes", "discarded", "lost", "full",
        "faults", "refused")]
    _fields_ += [("misuse", c_uint64 * 4)]


class Packet(Structure):
    C_NAME = "struct spe_packet"
    _fields_ = [("kind", c_uint), ("index", c_uint8), ("payload_size", c_uint8), ("payload", c_uint64)]


class Record(Structure):
    C_NAME = "struct spe_record"
    _fields_ = [("offset", c_uint64), ("padding", c_uint64)]
    _fields_ += [(name, c_uint32) for name in ("size", "has", "damage", "repeated")]
    _fields_ += [("unknown_packets", c_uint16), ("unknown_bytes", c_uint16)]
    _fields_ += [(name, c_uint8) for name in ("cut_bytes", "type_header", "type_payload", "events_size")]
    _fields_ += [("events", c_uint64), ("pc", Target), ("target", Target), ("previous", Target)]
    _fields_ += [("data_va", c_uint64), ("data_pa", c_uint64)]
    _fields_ += [("pa_ns", c_bool), ("pa_nse", c_bool), ("tag_checked", c_bool), ("tag", c_uint8), ("source_size", c_uint8)]
    _fields_ += [(name, c_uint16) for name in (
        "data_source", "total_latency", "issue_latency", "translation_latency", "alternate_latency")]
    _fields_ += [("contextidr_el1", c_uint32), ("contextidr_el2", c_uint32), ("timestamp", c_uint64)]
    _fields_ += [("extra_count", c_uint8), ("extra", Extra * 8)]


ReadRegister = CFUNCTYPE(c_uint64, c_void_p, c_uint)
ReadVector = CFUNCTYPE(c_uint64, c_void_p, c_uint, c_uint)


class CounterConfig(Structure):
    C_NAME = "struct pmu_config"
    _fields_ = [("version", c_uint)] + [(name, c_bool) for name in ("el2", "el3", "sel2", "rme", "cycles")]
    _fields_ += [("events", c_uint64), ("more", c_uint16 * 8)]


class CounterStep(Structure):
    C_NAME = "struct pmu_step"
    _fields_ = [(name, c_uint64) for name in ("begun", "retired", "cycles", "events")]


class Registers(Structure):
    C_NAME = "struct a64_registers"
    _fields_ = [("read", ReadRegister), ("ctx", c_void_p), ("nzcv", c_uint8), ("vl", c_uint16), ("chosen", c_uint32),
                ("read_sve", ReadVector)]


class DataAccess(Structure):
    C_NAME = "struct a64_access"
    _fields_ = [("size", c_uint16), ("element", c_uint8), ("unprivileged", c_bool)]


class RegisterSets(Structure):
    C_NAME = "struct a64_register_sets"
    _fields_ = [(name, c_uint64) for name in ("reads", "writes", "base")]
    _fields_ += [(name, c_bool) for name in ("reads_flags", "writes_flags")]


class Summary(Structure):
    C_NAME = "struct a64_summary"
    _fields_ = [("registers", RegisterSets), ("flow", c_uint)]


class ModelConfig(Structure):
    C_NAME = "struct spe_model_config"
    _fields_ = [("count", c_uint32), ("values", c_uint32 * 63)]


class ModelKey(Structure):
    C_NAME = "struct spe_model_key"
    _fields_ = [("name", c_char_p), ("low", c_uint32), ("high", c_uint32), ("power_of_two", c_bool)]


class ModelWalk(Structure):
    C_NAME = "struct spe_model_walk"
    _fields_ = [("descriptors", c_uint64 * 29), ("count", c_uint), ("shift", c_uint), ("uncached", c_bool),
                ("global", c_bool)]


class ModelFacts(Structure):
    C_NAME = "struct spe_model_facts"
    _fields_ = [("insn", Summary), ("fetch_pa", c_uint64), ("size", c_uint32)]
    _fields_ += [(name, c_uint8) for name in ("place", "regime", "data_regime")]
    _fields_ += [(name, c_bool) for name in (
        "tables", "data_tables", "uncached", "data_uncached", "excepted", "restart", "single")]
    _fields_ += [("ctx", c_void_p), ("walk", c_void_p)]


class ModelSys(Structure):
    C_NAME = "struct spe_model_sys"
    _fields_ = [("encoding", c_uint32), ("value", c_uint64), ("pa", c_uint64)]
    _fields_ += [(name, c_bool) for name in ("pa_valid", "as", "ds")]
    _fields_ += [("vmid", c_uint16), ("security", c_uint8)]


class ModelTlbi(Structure):
    C_NAME = "struct spe_model_tlbi"
    _fields_ = [("va", c_uint64), ("regimes", c_uint), ("asid", c_uint16), ("vmid", c_uint16), ("security", c_uint8)]
    _fields_ += [(name, c_bool) for name in ("any_vmid", "by_asid", "by_va")]


STRUCTURES = [Population, Config, CounterConfig, CounterStep,
              Controls, Access, Route, Term, Step, Field, WriteResult, Untranslated, Host, Extra, Op,
              Target, Syndrome, Core, Stats, Packet, Record, Registers, DataAccess,
              RegisterSets, Summary, ModelConfig, ModelKey, ModelWalk, ModelFacts, ModelSys, ModelTlbi]


def headers():
    """The text of the public headers."""
    text = ""
    for folder in INCLUDES:
        for name in sorted(os.listdir(os.path.join(folder, "vspe"))):
            text += pathlib.Path(folder, "vspe", name).read_text()
    return text


def ask_compiler(expressions):
    """{expression: its value}, for constant expressions of C with the public headers."""
    lines = "".join(f'\tprintf("%llu\\n", (unsigned long long)({text}));\n' for text in expressions)
    source = f"#include <stdio.h>\n#include <vspe/a64.h>\n#include <vspe/decode.h>\n#include <vspe/model.h>\n#include <vspe/pmu.h>\nint main(void)\n{{\n{lines}\treturn 0;\n}}\n"
    # Not the environment's: the test itself may run with a sanitizer preloaded.
    environment = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "ask")
        pathlib.Path(program + ".c").write_text(source)
        subprocess.run([CC, "-std=c11", "-w", *(f"-I{include}" for include in INCLUDES), program + ".c", "-o", program],
                       check=True, env=environment)
        answer = subprocess.run([program], check=True, capture_output=True, text=True, env=environment).stdout
    return dict(zip(expressions, (int(line) for line in answer.split()), strict=True))


def constants():
    """{name: value} of every enumerator and every macro without arguments of the headers."""
    text = re.sub(r"/\*.*?\*/", "", headers(), flags=re.S)
    names = set(re.findall(r"^#define ((?:SPE|SYSREG|VSPE_VERSION)(?:_[A-Z0-9_]+)?)[ \t]+\S", text, re.M))
    for body in re.findall(r"\benum\b[^;{}]*\{([^}]*)\}", text):
        names |= set(re.findall(r"^\s*((?:SPE|SYSREG)_[A-Z0-9_]+)\b\s*(?:,|=|$)", body, re.M))
    return ask_compiler(sorted(names))


class Constants:
    def __init__(self, values):
        self.__dict__.update(values)


C = Constants(constants())

UnitPointer = c_void_p
FUNCTIONS = {
    "a64_describe": (c_bool, POINTER(Op), POINTER(DataAccess), c_uint32, POINTER(Config), POINTER(Registers)),
    "a64_summarize": (c_bool, POINTER(Summary), c_uint32),
    "a64_system_access": (c_bool, c_uint32, POINTER(Access)),
    "pmu_access": (Route, UnitPointer, POINTER(Controls), c_uint32, c_bool, c_uint8, POINTER(c_uint64)),
    "pmu_advance": (None, UnitPointer, POINTER(CounterStep)),
    "pmu_budget": (c_uint64, UnitPointer),
    "pmu_config_check": (c_int, POINTER(CounterConfig), POINTER(c_char_p)),
    "pmu_config_id_aa64dfr0": (c_uint64, POINTER(CounterConfig)),
    "pmu_config_id_aa64dfr1": (c_uint64, POINTER(CounterConfig)),
    "pmu_connect": (None, UnitPointer, UnitPointer),
    "pmu_event": (None, UnitPointer, c_uint16, c_uint64),
    "pmu_init": (c_int, UnitPointer, c_size_t, POINTER(CounterConfig), UnitPointer),
    "pmu_irq_level": (c_bool, UnitPointer),
    "pmu_is_register": (c_bool, c_uint32),
    "pmu_reset": (None, UnitPointer),
    "pmu_restore": (c_int, UnitPointer, c_char_p, c_size_t, POINTER(c_char_p)),
    "pmu_save": (c_size_t, UnitPointer, c_void_p, c_size_t),
    "pmu_strerror": (c_char_p, c_int),
    "pmu_unit_size": (c_size_t,),
    "pmu_update": (None, UnitPointer, POINTER(Controls)),
    "pmu_wanted": (c_uint64, UnitPointer),
    "spe_abandon": (None, UnitPointer),
    "spe_access": (Route, UnitPointer, POINTER(Controls), Access, POINTER(c_uint64)),
    "spe_advance": (c_uint, UnitPointer, c_uint64),
    "spe_branch": (None, UnitPointer, c_uint, POINTER(Target)),
    "spe_budget": (c_uint64, UnitPointer),
    "spe_collide": (None, UnitPointer),
    "spe_config_check": (c_int, POINTER(Config), POINTER(c_char_p)),
    "spe_config_defaults": (None, POINTER(Config), c_uint),
    "spe_config_core": (None, POINTER(Config), POINTER(Core), c_uint),
    "spe_core": (POINTER(Core), c_uint),
    "spe_core_find": (POINTER(Core), c_char_p),
    "spe_config_features": (c_uint32, POINTER(Config)),
    "spe_config_id_aa64dfr0": (c_uint64, POINTER(Config)),
    "spe_config_id_aa64dfr1": (c_uint64, POINTER(Config)),
    "spe_config_id_aa64dfr2": (c_uint64, POINTER(Config)),
    "spe_decoder_begin": (None, c_void_p, c_uint64),
    "spe_decoder_init": (c_int, c_void_p, c_size_t, c_size_t),
    "spe_decoder_read": (c_int, c_void_p, c_void_p, c_size_t, c_bool, POINTER(Record), c_size_t, POINTER(c_size_t)),
    "spe_enabled": (c_bool, UnitPointer),
    "spe_exception_level": (c_uint, UnitPointer, c_bool, POINTER(Syndrome)),
    "spe_follows_branches": (c_bool, UnitPointer),
    "spe_init": (c_int, UnitPointer, c_size_t, POINTER(Config), POINTER(Host)),
    "spe_irq_level": (c_bool, UnitPointer),
    "spe_misuse_name": (c_char_p, c_uint),
    "spe_member": (c_bool, UnitPointer, c_uint32),
    "spe_model_alone": (None, c_void_p, c_uint, POINTER(ModelFacts), POINTER(Op)),
    "spe_model_config_check": (c_int, POINTER(ModelConfig), POINTER(c_char_p)),
    "spe_model_config_defaults": (None, POINTER(ModelConfig), POINTER(Core)),
    "spe_model_config_get": (c_int, POINTER(ModelConfig), c_char_p, POINTER(c_uint32)),
    "spe_model_config_set": (c_int, POINTER(ModelConfig), c_char_p, c_uint32),
    "spe_model_context": (None, c_void_p, c_uint, c_uint, c_uint16, c_uint16, c_uint),
    "spe_model_count": (c_bool, c_void_p, c_uint, c_uint16, POINTER(c_uint64)),
    "spe_model_execute": (None, c_void_p, c_uint, POINTER(ModelFacts), c_uint32, POINTER(Op)),
    "spe_model_fetch": (c_uint32, c_void_p, c_uint, c_uint64, POINTER(ModelFacts)),
    "spe_model_init": (c_int, c_void_p, c_size_t, POINTER(ModelConfig), c_uint, POINTER(c_void_p)),
    "spe_model_key": (c_bool, c_uint, POINTER(ModelKey)),
    "spe_model_prefetch": (None, c_void_p, c_uint, POINTER(ModelFacts), c_uint64, c_uint64, c_uint),
    "spe_model_size": (c_size_t, POINTER(ModelConfig), c_uint),
    "spe_model_strerror": (c_char_p, c_int),
    "spe_model_sys": (c_bool, c_void_p, c_uint, POINTER(ModelSys)),
    "spe_model_tlbi": (None, c_void_p, c_uint, POINTER(ModelTlbi)),
    "spe_model_warm": (c_uint, c_void_p, c_uint, POINTER(ModelFacts), POINTER(Op)),
    "spe_owning_el": (c_uint, UnitPointer),
    "spe_packet_read": (c_size_t, c_void_p, c_size_t, POINTER(Packet)),
    "spe_pmu_frozen": (c_uint32, UnitPointer, c_uint64),
    "spe_psb_csync_trapped": (c_bool, UnitPointer, c_uint64, POINTER(Syndrome)),
    "spe_read": (c_uint64, UnitPointer, c_uint),
    "spe_record_read": (c_size_t, c_void_p, c_size_t, POINTER(Record)),
    "spe_reset": (None, UnitPointer),
    "spe_restore": (c_int, UnitPointer, c_void_p, c_size_t, POINTER(c_char_p)),
    "spe_room": (c_uint64, UnitPointer),
    "spe_sample": (None, UnitPointer, POINTER(Op)),
    "spe_sample_spaced": (None, UnitPointer, c_uint64, POINTER(POINTER(Op)), c_size_t),
    "spe_save": (c_size_t, UnitPointer, c_void_p, c_size_t),
    "spe_spacing_fixed": (c_uint64, UnitPointer),
    "spe_spacing_min": (c_uint64, UnitPointer),
    "spe_stats": (None, UnitPointer, POINTER(Stats)),
    "spe_strerror": (c_char_p, c_int),
    "spe_synchronize": (None, UnitPointer),
    "spe_timestamp_kind": (c_uint, UnitPointer),
    "spe_unit_config": (POINTER(Config), UnitPointer),
    "spe_unit_controls": (POINTER(Controls), UnitPointer),
    "spe_unit_size": (c_size_t,),
    "spe_unknown_bits": (c_uint64, UnitPointer, c_uint),
    "spe_untagged": (c_uint64, c_uint64),
    "spe_update": (None, UnitPointer, POINTER(Controls)),
    "spe_write": (None, UnitPointer, c_uint, c_uint64),
    "sysreg_encode": (c_uint32, c_uint, c_uint, c_uint, c_uint, c_uint),
    "sysreg_encoding": (c_uint32, c_uint),
    "sysreg_encoding_of_iss": (c_uint32, c_uint32),
    "sysreg_encoding_of_word": (c_uint32, c_uint32),
    "sysreg_explain": (Route, POINTER(Controls), Access, POINTER(Step), c_size_t, POINTER(c_size_t)),
    "sysreg_field_get": (c_uint64, POINTER(Controls), POINTER(Field)),
    "sysreg_field_set": (c_bool, POINTER(Controls), POINTER(Field), c_uint64),
    "sysreg_fields": (POINTER(Field), POINTER(c_size_t)),
    "sysreg_find": (c_uint, c_uint32),
    "sysreg_name": (c_char_p, c_uint),
    "sysreg_route": (Route, POINTER(Controls), Access),
    "sysreg_writable": (c_bool, c_uint),
    "vspe_version": (c_uint32,),
}

lib = CDLL(LIBRARY)
for _name, (_result, *_arguments) in FUNCTIONS.items():
    _function = getattr(lib, _name)
    _function.restype, _function.argtypes = _result, _arguments

UNIT_SIZE = lib.spe_unit_size()

_WRITE = CFUNCTYPE(None, POINTER(WriteResult), c_uint8, c_uint64, POINTER(c_uint8), c_size_t)
_WRITE_UNTRANSLATED = CFUNCTYPE(None, POINTER(WriteResult), POINTER(Untranslated), POINTER(c_uint8), c_size_t)
_PMU_EVENT = CFUNCTYPE(None, c_uint16, c_uint64)
_RANDOM = CFUNCTYPE(c_uint8)
_SERROR = CFUNCTYPE(None)
_MISUSE = CFUNCTYPE(None, c_uint, c_char_p)


class _Shim(Structure):
    _fields_ = [("write", _WRITE), ("write_untranslated", _WRITE_UNTRANSLATED), ("pmu_event", _PMU_EVENT),
                ("random", _RANDOM), ("serror", _SERROR), ("misuse", _MISUSE)]


_shim = CDLL(SHIM)
_shim.shim_host.restype, _shim.shim_host.argtypes = None, [POINTER(Host), POINTER(_Shim)]


def make_host(write=None, write_untranslated=None, pmu_event=None, random=None, serror=None, misuse=None):
    """A struct spe_host with Python functions for callbacks. write(va, bytes, owning_el) and
    write_untranslated(untranslated, bytes) return None or a WriteResult."""
    def result_of(result, value, size):
        result[0] = value if value is not None else WriteResult(status=C.SPE_WRITE_OK, written=size)

    def on_write(result, owning_el, va, data, size):
        result_of(result, write(va, ctypes.string_at(data, size), owning_el), size)

    def on_write_untranslated(result, to, data, size):
        result_of(result, write_untranslated(to[0], ctypes.string_at(data, size)), size)

    shim = _Shim(_WRITE(on_write) if write else _WRITE(),
                 _WRITE_UNTRANSLATED(on_write_untranslated) if write_untranslated else _WRITE_UNTRANSLATED(),
                 _PMU_EVENT(pmu_event) if pmu_event else _PMU_EVENT(),
                 _RANDOM(random) if random else _RANDOM(),
                 _SERROR(serror) if serror else _SERROR(),
                 _MISUSE(misuse) if misuse else _MISUSE())
    host = Host()
    _shim.shim_host(host, shim)
    host.shim = shim  # as long as the host
    return host


def defaults(version=None, **fields):
    """A configuration: a version's defaults, with some fields changed."""
    config = Config()
    lib.spe_config_defaults(config, C.SPE_VERSION_DEFAULT if version is None else version)
    for name, value in fields.items():
        setattr(config, name, value)
    return config


class Unit:
    """A unit with a buffer of bytes, at addresses from BUFFER on."""
    BUFFER, SIZE = 0x100000, 0x10000

    def __init__(self, config=None, controls=None, **callbacks):
        self.memory = bytearray(self.SIZE)
        self.writes = []
        self.config = config or defaults()
        self.host = make_host(callbacks.pop("write", self.write_memory), **callbacks)
        self.unit = ctypes.create_string_buffer(UNIT_SIZE)
        error = lib.spe_init(self.unit, UNIT_SIZE, self.config, self.host)
        if error:
            raise ValueError(error)
        self.controls = controls or Controls(features=lib.spe_config_features(self.config), el=1)
        lib.spe_update(self.unit, self.controls)

    def write_memory(self, va, data, owning_el):
        self.writes.append((va, len(data), owning_el))
        offset = va - self.BUFFER
        if offset < 0 or offset + len(data) > self.SIZE:
            return WriteResult(status=C.SPE_WRITE_FAULT, fsc=0x07)
        self.memory[offset:offset + len(data)] = data
        return None

    def __getattr__(self, name):
        """unit.budget() is spe_budget(unit)."""
        function = getattr(lib, "spe_" + name)
        return lambda *arguments: function(self.unit, *arguments)

    def stats(self):
        counted = Stats()
        lib.spe_stats(self.unit, counted)
        return counted

    def enable(self, interval=1024, size=None, pmscr=1 << 1):
        """Profiling at EL1, without randomness unless PMSIRR_EL1 is written again."""
        self.write(C.SYSREG_PMBPTR_EL1, self.BUFFER)
        self.write(C.SYSREG_PMBLIMITR_EL1, self.BUFFER + (size or self.SIZE) | 1)
        self.write(C.SYSREG_PMSIRR_EL1, interval)
        self.write(C.SYSREG_PMSCR_EL1, pmscr)

    def select(self):
        return self.advance(self.budget())
