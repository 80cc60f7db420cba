#include "Context.h"

#if defined(__x86_64__)
// Registers that a function keeps for its caller, and the stack that they are on.
asm(".text\n.p2align 4\n.globl froe_simt_switch\n.hidden froe_simt_switch\n.type froe_simt_switch, @function\n"
    "froe_simt_switch:\n"
    "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
    "  movq %rsp, (%rdi)\n"
    "  movq %rsi, %rsp\n"
    "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
    "  ret\n"
    ".size froe_simt_switch, . - froe_simt_switch\n");
#endif
