#include "Command.h"

#include "froe/Target/Cuda.h"
#include "froe/Target/HostProgram.h"
#include "runtime/cuda/Libraries.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

namespace froe {
namespace {

struct Finding {
  std::string subject, state;
  bool ok = true;
};

Finding checkLinker() {
  std::expected<std::string, std::string> found = findLinker();
  return {"linker", found ? *found : found.error(), found.has_value()};
}

Finding checkRuntime() {
  std::string library = runtimeLibrary();
  bool exists = std::filesystem::exists(library);
  return {"runtime", exists ? library : fmt::format("expected at '{}'", library), exists};
}

/// Only programs for GPUs need it.
Finding checkCudaToolkit() {
  std::expected<CudaToolkit, std::string> found = findCudaToolkit();
  return {"CUDA toolkit", found ? found->ptxas : "not found, needed for CUDA programs only: " + found.error(), true};
}

/// `2 GPUs of sm_80, 1 GPU of sm_90`.
std::string describeGpus(const cuda::DriverLibrary &driver) {
  std::map<int, int> counts;
  int count = 0, device = 0;
  if (driver.cuInit(0) != cuda::kSuccess || driver.cuDeviceGetCount(&count) != cuda::kSuccess)
    return "no GPU that it can use";
  for (int i = 0; i < count; ++i)
    if (int major = 0, minor = 0; driver.cuDeviceGet(&device, i) == cuda::kSuccess &&
                                  driver.cuDeviceGetAttribute(&major, cuda::kCapabilityMajor, device) == 0 &&
                                  driver.cuDeviceGetAttribute(&minor, cuda::kCapabilityMinor, device) == 0)
      ++counts[10 * major + minor];
  std::string text;
  for (auto [arch, found] : counts)
    text += fmt::format("{}{} GPU{} of sm_{}", text.empty() ? "" : ", ", found, found == 1 ? "" : "s", arch);
  return text.empty() ? "no GPU" : text;
}

Finding checkDriver() {
  std::expected<cuda::DriverLibrary, std::string> driver = cuda::loadDriver();
  int version = 0;
  if (!driver || driver->cuDriverGetVersion(&version) != cuda::kSuccess)
    return {"NVIDIA driver",
            "not found, needed to run CUDA programs only: " + (driver ? "it does not start" : driver.error()), true};
  return {"NVIDIA driver", fmt::format("CUDA {}, {}", cuda::versionText(version), describeGpus(*driver)), true};
}

/// Ranks of one host share memory files.
Finding checkSharedMemory() {
  int descriptor = memfd_create("froe-doctor", MFD_CLOEXEC);
  bool ok = descriptor >= 0 && ftruncate(descriptor, 4096) == 0;
  std::string why = ok ? "memory files work" : std::strerror(errno);
  if (descriptor >= 0)
    close(descriptor);
  return {"shared memory", why, ok};
}

int doctor(bool json) {
  HostTarget target = hostTarget();
  std::vector<Finding> findings{
      {"processor", fmt::format("{}, {} threads", target.cpu, std::thread::hardware_concurrency()), true},
      checkLinker(),
      checkRuntime(),
      checkSharedMemory(),
      checkCudaToolkit(),
      checkDriver(),
  };
  bool ok = true;
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Finding &finding : findings) {
    ok &= finding.ok;
    list.push_back({{"name", finding.subject}, {"ok", finding.ok}, {"state", finding.state}});
    if (!json)
      fmt::print("{:<14} {:<8} {}\n", finding.subject, finding.ok ? "ok" : "missing", finding.state);
  }
  if (json)
    fmt::print("{}\n", nlohmann::ordered_json{{"ok", ok}, {"checks", list}}.dump());
  return ok ? 0 : 1;
}

} // namespace

Action addDoctor(CLI::App &command) {
  auto json = std::make_shared<bool>(false);
  addJson(command, *json);
  return [json] { return doctor(*json); };
}

} // namespace froe
