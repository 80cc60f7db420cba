"""How lit runs the tests: every .mlir and .test file is a shell script in its RUN lines."""

import os

import lit.formats
import lit.util

config.name = "froe"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "models"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.froe_build_dir, "test")

# Tools by bare name: ours first, then LLVM's (FileCheck, not, split-file, count).
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(config.froe_build_dir, "bin"), config.llvm_tools_dir, config.environment["PATH"]])
config.environment["PYTHONPATH"] = os.path.join(config.test_source_root, "EndToEnd")
config.environment["FROE_CHECK_COLLECTIVES"] = "1"  # ranks compare what they are about to do before each collective
for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

config.substitutions.append(("%python", config.python))
config.substitutions.append(("%froe_source", config.froe_source_dir))
config.substitutions.append(("%froe_build", config.froe_build_dir))
config.substitutions.append(("%models", os.path.join(config.test_source_root, "models")))
