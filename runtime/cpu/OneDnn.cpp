#include "runtime/cpu/OneDnn.h"

#include "runtime/cpu/SharedLibrary.h"

#include <optional>
#include <type_traits>

namespace froe::cpu {
namespace {

bool findFunctions(const SharedLibrary &library, OneDnn &dnn) {
  bool all = true;
  auto find = [&](const char *symbol, auto &function) {
    std::remove_pointer_t<std::remove_reference_t<decltype(function)>> *found = nullptr;
    all = library.find(symbol, found) && all;
    function = found;
  };
  find("dnnl_version", dnn.version);
  find("dnnl_engine_create", dnn.engineCreate);
  find("dnnl_stream_create", dnn.streamCreate);
  find("dnnl_memory_desc_init_by_strides", dnn.descByStrides);
  find("dnnl_memory_desc_init_by_tag", dnn.descByTag);
  find("dnnl_memory_desc_equal", dnn.descEqual);
  find("dnnl_memory_desc_get_size", dnn.descSize);
  find("dnnl_matmul_desc_init", dnn.matmulDescInit);
  find("dnnl_primitive_desc_create", dnn.primitiveDescCreate);
  find("dnnl_primitive_desc_destroy", dnn.primitiveDescDestroy);
  find("dnnl_primitive_desc_query", dnn.primitiveDescQuery);
  find("dnnl_primitive_desc_query_md", dnn.primitiveDescQueryMd);
  find("dnnl_primitive_create", dnn.primitiveCreate);
  find("dnnl_primitive_destroy", dnn.primitiveDestroy);
  find("dnnl_primitive_execute", dnn.primitiveExecute);
  find("dnnl_primitive_attr_create", dnn.attrCreate);
  find("dnnl_primitive_attr_destroy", dnn.attrDestroy);
  find("dnnl_primitive_attr_set_scratchpad_mode", dnn.attrSetScratchpadMode);
  find("dnnl_primitive_attr_set_post_ops", dnn.attrSetPostOps);
  find("dnnl_post_ops_create", dnn.postOpsCreate);
  find("dnnl_post_ops_destroy", dnn.postOpsDestroy);
  find("dnnl_post_ops_append_eltwise", dnn.postOpsAppendEltwise);
  find("dnnl_post_ops_append_binary", dnn.postOpsAppendBinary);
  find("dnnl_memory_create", dnn.memoryCreate);
  find("dnnl_memory_destroy", dnn.memoryDestroy);
  find("dnnl_memory_set_data_handle", dnn.memorySetDataHandle);
  return all;
}

std::optional<OneDnn> loadOneDnn() {
  SharedLibrary library{"libdnnl.so.2"};
  OneDnn dnn{};
  if (!library || !findFunctions(library, dnn) || dnn.version()->major != 2)
    return std::nullopt;
  library.find("omp_set_num_threads", dnn.ompSetNumThreads);
  if (dnn.engineCreate(&dnn.engine, dnnl_cpu, 0) != dnnl_success ||
      dnn.streamCreate(&dnn.stream, dnn.engine, dnnl_stream_default_flags) != dnnl_success)
    return std::nullopt;
  return dnn;
}

} // namespace

const OneDnn *oneDnn() {
  static const std::optional<OneDnn> loaded = loadOneDnn();
  if (!loaded)
    return nullptr;
  thread_local bool alone = false; // OpenMP keeps the number of threads for each calling thread
  if (!alone && loaded->ompSetNumThreads)
    loaded->ompSetNumThreads(1);
  alone = true;
  return &*loaded;
}

} // namespace froe::cpu
