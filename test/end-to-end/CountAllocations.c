// Preloaded into an executable: counts allocations while an entry runs, and takes the peak of resident memory at the end. It finds the table through
// its exported symbol and puts a function of its own in the place of each entry, so "while an entry runs" is exact.
#define _GNU_SOURCE
#include "runtime/heddle_model.h"
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t), *__libc_memalign(size_t, size_t);

static _Atomic long running, calls, allocations;
static heddle_entry_function original;

static void count(void) {
  if (atomic_load(&running))
    atomic_fetch_add(&allocations, 1);
}

void *malloc(size_t bytes) {
  count();
  return __libc_malloc(bytes);
}
void *calloc(size_t n, size_t bytes) {
  count();
  return __libc_calloc(n, bytes);
}
void *realloc(void *old, size_t bytes) {
  count();
  return __libc_realloc(old, bytes);
}
void *aligned_alloc(size_t alignment, size_t bytes) {
  count();
  return __libc_memalign(alignment, bytes);
}
int posix_memalign(void **to, size_t alignment, size_t bytes) {
  count();
  return (*to = __libc_memalign(alignment, bytes)) ? 0 : 12;
}
void *mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset) {
  count();
  return (void *)syscall(SYS_mmap, address, bytes, protection, flags, file, offset);
}

static void counted(heddle_context *context, void *const *buffers, const int64_t *dimensions) {
  atomic_fetch_add(&calls, 1);
  atomic_store(&running, 1);
  if (getenv("HEDDLE_COUNT_CHECK")) { // one allocation of our own, to see that it is counted
    void *volatile one = malloc(1);
    free(one);
  }
  original(context, buffers, dimensions);
  atomic_store(&running, 0);
}

/// The first entry of every variant becomes `counted`; the table lies in pages that are read-only by now.
__attribute__((constructor)) static void replaceEntries(void) {
  const heddle_model_table *table = dlsym(RTLD_DEFAULT, "heddle_model");
  const char *chosen = getenv("HEDDLE_CPU");
  for (int64_t i = 0; table && i < table->variant_count; ++i) {
    if (!chosen || strcmp(table->variants[i].cpu, chosen))
      continue;
    heddle_entry_function *place = (heddle_entry_function *)table->variants[i].entries;
    char *page = (char *)((uintptr_t)place & ~(uintptr_t)4095);
    if (mprotect(page, 4096, PROT_READ | PROT_WRITE))
      return;
    original = *place;
    *place = counted;
  }
}

__attribute__((destructor)) static void report(void) {
  const char *path = getenv("HEDDLE_COUNT_FILE");
  FILE *file = path && original ? fopen(path, "w") : NULL;
  FILE *status = fopen("/proc/self/status", "r");
  if (!file || !status)
    return;
  long peak = 0;
  char line[256];
  while (fgets(line, sizeof line, status))
    if (sscanf(line, "VmHWM: %ld kB", &peak) == 1)
      break;
  fprintf(file, "%ld %ld %ld\n", (long)calls, (long)allocations, peak);
  fclose(file);
  fclose(status);
}
