# The lit suite: test/<stage>/*.mlir (one a pass), test/frontend, test/runtime (command lines), test/end-to-end (compile, run, compare).
import os
import lit.formats

config.name = "sanitized" if config.heddle_sanitized else "heddle"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "texts", "unit", "fuzz"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.heddle_build, "test")

# Our programs first, then FileCheck, not and split-file of the same LLVM.
path = [os.path.join(config.heddle_build, "bin"), os.path.join(config.test_source_root, "tools"), config.llvm_tools, config.environment.get("PATH", "")]
config.environment["PATH"] = os.pathsep.join(path)
config.environment["HEDDLE_SANITIZED"] = "1" if config.heddle_sanitized else "0"
config.substitutions.append(("%models", config.heddle_models))
config.substitutions.append(("%examples", os.path.join(config.heddle_source, "examples")))
config.substitutions.append(("%source", config.heddle_source))
config.substitutions.append(("%build", config.heddle_build))
config.substitutions.append(("%python", config.python))

# Trained models that lie beside the project, not in it: tests that need them say REQUIRES: models, and tools/test says loudly when they are skipped.
if os.path.isdir(config.heddle_models):
    config.available_features.add("models")
# Larger ones come from the package index: beside them is a program that fetches them, HEDDLE_FETCHED_MODELS names the folder.
fetched = os.environ.get("HEDDLE_FETCHED_MODELS", "")
config.substitutions.append(("%fetched", fetched))
if all(os.path.isdir(os.path.join(fetched, name)) for name in ("minilm", "whisper-tiny-en", "smollm2-135m")):
    config.available_features.add("fetched-models")
try:
    for end in os.openpty():
        os.close(end)
    config.available_features.add("terminal")
except OSError:
    pass
with open("/proc/cpuinfo") as cpu:
    flags = next((line.split() for line in cpu if line.startswith("flags")), [])
if all(flag in flags for flag in ["avx512f", "avx512dq", "avx512cd", "avx512bw", "avx512vl"]):
    config.available_features.add("x86-64-v4")
