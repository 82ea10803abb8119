/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The part of QEMU's interface for TCG plugins, version 7 (QEMU 11.1), that the plugin uses. It is
 * declared here because no Debian package has qemu-plugin.h; names, values and layouts are QEMU's
 * binary interface (docs/devel/tcg-plugins.rst of QEMU says what they do).
 */
#ifndef VSPE_QEMU_API_H
#define VSPE_QEMU_API_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QEMU_PLUGIN_VERSION 7
#define QEMU_PLUGIN_EXPORT  __attribute__((visibility("default")))

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_register;
struct qemu_plugin_scoreboard;
struct qemu_plugin_hwaddr;

typedef struct {
	const char *target_name;
	struct {
		int min, cur;
	} version;
	bool system_emulation;
	struct {
		int smp_vcpus, max_vcpus;
	} system;
} qemu_info_t;

/* A member of a scoreboard, which has a struct per vCPU. */
typedef struct {
	struct qemu_plugin_scoreboard *score;
	size_t offset;
} qemu_plugin_u64;

typedef struct {
	struct qemu_plugin_register *handle;
	const char *name, *feature;
	bool is_readonly;
} qemu_plugin_reg_descriptor;

enum qemu_plugin_discon_type {
	QEMU_PLUGIN_DISCON_INTERRUPT = 1,
	QEMU_PLUGIN_DISCON_EXCEPTION = 2,
	QEMU_PLUGIN_DISCON_HOSTCALL = 4,
	QEMU_PLUGIN_DISCON_ALL = -1,
};

enum qemu_plugin_cb_flags {
	QEMU_PLUGIN_CB_NO_REGS,
	QEMU_PLUGIN_CB_R_REGS,
	QEMU_PLUGIN_CB_RW_REGS,
	QEMU_PLUGIN_CB_RW_REGS_PC,
};

enum qemu_plugin_mem_rw { QEMU_PLUGIN_MEM_RW = 3 };
enum qemu_plugin_cond {
	QEMU_PLUGIN_COND_EQ = 2,
	QEMU_PLUGIN_COND_NE = 3,
	QEMU_PLUGIN_COND_LE = 5,
};
enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64, QEMU_PLUGIN_INLINE_STORE_U64 };
enum qemu_plugin_hwaddr_operation_result { QEMU_PLUGIN_HWADDR_OPERATION_OK };

typedef void (*qemu_plugin_udata_cb_t)(void *);
typedef void (*qemu_plugin_vcpu_udata_cb_t)(unsigned int, void *);
typedef void (*qemu_plugin_vcpu_tb_trans_cb_t)(struct qemu_plugin_tb *, void *);
typedef void (*qemu_plugin_vcpu_mem_cb_t)(unsigned int, qemu_plugin_meminfo_t, uint64_t, void *);
typedef void (*qemu_plugin_vcpu_discon_cb_t)(unsigned int, enum qemu_plugin_discon_type, uint64_t,
					     uint64_t, void *);

void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t, qemu_plugin_vcpu_udata_cb_t, void *);
void qemu_plugin_register_vcpu_discon_cb(qemu_plugin_id_t, enum qemu_plugin_discon_type,
					 qemu_plugin_vcpu_discon_cb_t, void *);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t, qemu_plugin_vcpu_tb_trans_cb_t,
					   void *);
void qemu_plugin_register_flush_cb(qemu_plugin_id_t, qemu_plugin_udata_cb_t, void *);
void qemu_plugin_reset(qemu_plugin_id_t, qemu_plugin_udata_cb_t, void *);

void qemu_plugin_register_vcpu_tb_exec_cond_cb(struct qemu_plugin_tb *, qemu_plugin_vcpu_udata_cb_t,
					       enum qemu_plugin_cb_flags, enum qemu_plugin_cond,
					       qemu_plugin_u64, uint64_t, void *);
void qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(struct qemu_plugin_tb *, enum qemu_plugin_op,
						       qemu_plugin_u64, uint64_t);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *, qemu_plugin_vcpu_udata_cb_t,
					    enum qemu_plugin_cb_flags, void *);
void qemu_plugin_register_vcpu_insn_exec_cond_cb(struct qemu_plugin_insn *,
						 qemu_plugin_vcpu_udata_cb_t,
						 enum qemu_plugin_cb_flags, enum qemu_plugin_cond,
						 qemu_plugin_u64, uint64_t, void *);
void qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(struct qemu_plugin_insn *,
							 enum qemu_plugin_op, qemu_plugin_u64,
							 uint64_t);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *, qemu_plugin_vcpu_mem_cb_t,
				      enum qemu_plugin_cb_flags, enum qemu_plugin_mem_rw, void *);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *, void *, size_t);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *);

bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t);
unsigned int qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t);
struct qemu_plugin_hwaddr *qemu_plugin_get_hwaddr(qemu_plugin_meminfo_t, uint64_t);
bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr *);
uint64_t qemu_plugin_hwaddr_phys_addr(const struct qemu_plugin_hwaddr *);

GArray *qemu_plugin_get_registers(void);
bool qemu_plugin_read_register(struct qemu_plugin_register *, GByteArray *);
bool qemu_plugin_write_register(struct qemu_plugin_register *, GByteArray *);
__attribute__((noreturn)) void qemu_plugin_set_pc(uint64_t);
enum qemu_plugin_hwaddr_operation_result qemu_plugin_read_memory_hwaddr(uint64_t, GByteArray *,
									size_t);
enum qemu_plugin_hwaddr_operation_result qemu_plugin_write_memory_hwaddr(uint64_t, GByteArray *);
bool qemu_plugin_translate_vaddr(uint64_t, uint64_t *);

struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t);
void *qemu_plugin_scoreboard_find(struct qemu_plugin_scoreboard *, unsigned int);

#endif
