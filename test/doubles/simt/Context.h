// Where a fiber stands: its stack and registers. Switching makes no system call, unlike swapcontext, since kernels of a
// model switch millions of times.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__x86_64__)
extern "C" void froe_simt_switch(void **from, void *to);

class Context {
public:
  /// `enter` runs on the stack when this is switched to; it must not return.
  void start(char *stack, size_t bytes, void (*enter)()) {
    constexpr int kSavedRegisters = 6;
    auto *top = reinterpret_cast<void **>((reinterpret_cast<uintptr_t>(stack) + bytes) & ~uintptr_t(15));
    top[-2] = reinterpret_cast<void *>(enter); // as if it had been called
    pointer = top - 2 - kSavedRegisters;
  }
  void switchTo(Context &other) { froe_simt_switch(&pointer, other.pointer); }

private:
  void *pointer = nullptr;
};
#else
#include <ucontext.h>

class Context {
public:
  void start(char *stack, size_t bytes, void (*enter)()) {
    getcontext(&state);
    state.uc_stack.ss_sp = stack;
    state.uc_stack.ss_size = bytes;
    state.uc_link = nullptr;
    makecontext(&state, enter, 0);
  }
  void switchTo(Context &other) { swapcontext(&state, &other.state); }

private:
  ucontext_t state{};
};
#endif
