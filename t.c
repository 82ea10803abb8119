#include <unicorn/unicorn.h>
#include <stdio.h>
#include <string.h>
static uint32_t sys(uc_engine *uc, uc_arm64_reg reg, const uc_arm64_cp_reg *c, void *u){
 uint64_t pc; uc_reg_read(uc, UC_ARM64_REG_PC,&pc);
 printf("%s pc %lx reg %d (x0 %d) op0 %u %u %u %u %u val %lx\n", (char*)u, pc, reg, UC_ARM64_REG_X0, c->op0,c->op1,c->crn,c->crm,c->op2,c->val);
 if (c->crn==9) { uint64_t v=0x1111; if (*(char*)u=='r') uc_reg_write(uc, reg,&v); pc+=4; uc_reg_write(uc,UC_ARM64_REG_PC,&pc); return 1;}
 return 0;}
static void code(uc_engine *uc, uint64_t a, uint32_t s, void *u){ uint64_t x4; uc_reg_read(uc,UC_ARM64_REG_X4,&x4); printf("code %lx x4 %lx\n", a,x4);}
static void mem(uc_engine *uc, uc_mem_type t, uint64_t a, int s, int64_t v, void *u){ uint64_t pc;uc_reg_read(uc,UC_ARM64_REG_PC,&pc);printf("mem %d %lx %d pc %lx\n", t,a,s,pc);}
static void intr(uc_engine *uc, uint32_t n, void *u){uint64_t pc;uc_reg_read(uc,UC_ARM64_REG_PC,&pc); printf("intr %u pc %lx\n", n,pc); uc_emu_stop(uc);}
int main(){ uc_engine *uc; uc_err e; uint8_t b[4096]; FILE*f=fopen("g.bin","rb"); size_t n=fread(b,1,4096,f);
 uc_open(UC_ARCH_ARM64,UC_MODE_ARM,&uc); uc_mem_map(uc,0x40000000,0x100000,UC_PROT_ALL); uc_mem_write(uc,0x40000000,b,n);
 uint64_t ps=0; uc_reg_read(uc,UC_ARM64_REG_PSTATE,&ps); printf("pstate %lx\n",ps);
 uc_hook h; uc_hook_add(uc,&h,UC_HOOK_INSN,sys,"r",1,0,UC_ARM64_INS_MRS); uc_hook_add(uc,&h,UC_HOOK_INSN,sys,"w",1,0,UC_ARM64_INS_MSR);
 uc_hook_add(uc,&h,UC_HOOK_CODE,code,0,1,0); uc_hook_add(uc,&h,UC_HOOK_MEM_READ|UC_HOOK_MEM_WRITE,mem,0,1,0);uc_hook_add(uc,&h,UC_HOOK_INTR,intr,0,1,0);
 uint64_t x=0x40001000; uc_reg_write(uc,UC_ARM64_REG_X10,&x);
 e=uc_emu_start(uc,0x40000000,0,0,60); printf("%s\n",uc_strerror(e)); }
