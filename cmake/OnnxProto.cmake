# FROE_ONNX_PROTO_DIR: the folder of the pinned `onnx` wheel that holds onnx.proto.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
if(NOT FROE_ONNX_PROTO_DIR)
  execute_process(
    COMMAND ${Python3_EXECUTABLE} -c
            "import importlib.util as u; print(u.find_spec('onnx').submodule_search_locations[0])"
    OUTPUT_VARIABLE onnx_folder OUTPUT_STRIP_TRAILING_WHITESPACE
    ERROR_QUIET)
  set(FROE_ONNX_PROTO_DIR "${onnx_folder}" CACHE PATH "folder of the onnx wheel that holds onnx.proto" FORCE)
endif()
if(NOT EXISTS ${FROE_ONNX_PROTO_DIR}/onnx.proto)
  message(FATAL_ERROR "no onnx.proto in '${FROE_ONNX_PROTO_DIR}'; run scripts/install.sh, which puts the onnx wheel into .venv")
endif()
