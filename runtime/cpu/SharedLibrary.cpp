#include "runtime/cpu/SharedLibrary.h"

#include <dlfcn.h>

namespace froe::cpu {

SharedLibrary::SharedLibrary(std::initializer_list<const char *> names) {
  for (const char *name : names)
    if (!handle)
      handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

void *SharedLibrary::address(const char *symbol) const { return handle ? dlsym(handle, symbol) : nullptr; }

} // namespace froe::cpu
