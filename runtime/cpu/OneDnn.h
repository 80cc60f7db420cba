#pragma once

#include <oneapi/dnnl/dnnl.h>

namespace froe::cpu {

/// The functions of oneDNN's C interface that we call, found at run time: programs need not have the library.
struct OneDnn {
  decltype(&dnnl_version) version;
  decltype(&dnnl_engine_create) engineCreate;
  decltype(&dnnl_stream_create) streamCreate;
  decltype(&dnnl_memory_desc_init_by_strides) descByStrides;
  decltype(&dnnl_memory_desc_init_by_tag) descByTag;
  decltype(&dnnl_memory_desc_equal) descEqual;
  decltype(&dnnl_memory_desc_get_size) descSize;
  decltype(&dnnl_matmul_desc_init) matmulDescInit;
  decltype(&dnnl_primitive_desc_create) primitiveDescCreate;
  decltype(&dnnl_primitive_desc_destroy) primitiveDescDestroy;
  decltype(&dnnl_primitive_desc_query) primitiveDescQuery;
  decltype(&dnnl_primitive_desc_query_md) primitiveDescQueryMd;
  decltype(&dnnl_primitive_create) primitiveCreate;
  decltype(&dnnl_primitive_destroy) primitiveDestroy;
  decltype(&dnnl_primitive_execute) primitiveExecute;
  decltype(&dnnl_primitive_attr_create) attrCreate;
  decltype(&dnnl_primitive_attr_destroy) attrDestroy;
  decltype(&dnnl_primitive_attr_set_scratchpad_mode) attrSetScratchpadMode;
  decltype(&dnnl_primitive_attr_set_post_ops) attrSetPostOps;
  decltype(&dnnl_post_ops_create) postOpsCreate;
  decltype(&dnnl_post_ops_destroy) postOpsDestroy;
  decltype(&dnnl_post_ops_append_eltwise) postOpsAppendEltwise;
  decltype(&dnnl_post_ops_append_binary) postOpsAppendBinary;
  decltype(&dnnl_memory_create) memoryCreate;
  decltype(&dnnl_memory_destroy) memoryDestroy;
  decltype(&dnnl_memory_set_data_handle) memorySetDataHandle;
  void (*ompSetNumThreads)(int); /* null where the library does not use OpenMP */

  dnnl_engine_t engine;
  dnnl_stream_t stream; /* CPU streams have no state: threads share it */
};

/// Null if the library is missing or is not version 2. The calling thread's calls run on that thread alone from now on.
const OneDnn *oneDnn();

} // namespace froe::cpu
