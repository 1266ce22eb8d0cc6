// What every program of the sanitize build asks of its sanitizers. The distribution's LLVM and MLIR are not instrumented: what their headers poison
// in our code, their libraries do not give free again, so poisoning by hand stays off. A report ends in a status that nothing else has.
extern "C" const char *__asan_default_options() { return "allow_user_poisoning=0:detect_container_overflow=0:exitcode=99"; }
extern "C" const char *__ubsan_default_options() { return "print_stacktrace=1:exitcode=99"; }
