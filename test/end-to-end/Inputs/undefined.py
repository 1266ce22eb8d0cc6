"""undefined.py EXECUTABLE: it needs what is listed here of libc and libm, and nothing else: nothing of C++, no loader, no shell."""
import re
import subprocess
import sys

ALLOWED = set("""
__libc_start_main __cxa_finalize __gmon_start__ _ITM_deregisterTMCloneTable _ITM_registerTMCloneTable __stack_chk_fail __errno_location
bcmp memchr memcmp memcpy memmove memset strchr strcmp strerror strlen strncmp strrchr strtod strtof strtol strtoll strtoull __isoc23_strtol
aligned_alloc calloc free malloc posix_memalign realloc qsort
exp sqrt
clock_gettime close fcntl fstat fsync getenv getpid linkat lseek mmap munmap open poll pread read realpath rename snprintf stat sysconf syscall unlink vsnprintf write
pthread_attr_destroy pthread_attr_init pthread_attr_setstacksize pthread_create pthread_getcpuclockid pthread_join sched_getaffinity sched_getcpu sched_yield signal sigaction
""".split())


def plain(name):
    """The function that a fortified one stands for, which the distribution's compiler may call: __read_chk, __open_2."""
    fortified = re.fullmatch(r"__(\w+?)(_chk|_2)", name)
    return fortified.group(1) if fortified else name


text = subprocess.run(["readelf", "-W", "--dyn-syms", sys.argv[1]], stdout=subprocess.PIPE, text=True, check=True).stdout
undefined = [fields[7].split("@")[0] for fields in map(str.split, text.splitlines()) if len(fields) > 7 and fields[6] == "UND"]
wrong = sorted(name for name in set(undefined) if plain(name) not in ALLOWED)
if wrong or not undefined:
    sys.exit(f"undefined symbols outside the list: {wrong}" if wrong else "no undefined symbol found: is this an executable?")
