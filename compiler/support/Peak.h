// What one thread of the machine can do at most: independent chains of fused multiply-adds in registers, and a plain read of memory.
#pragma once
#include <cstdint>

/// Runs `rounds` rounds and returns the floating-point operations they took. Uses 512-bit registers where `wide`.
double runFmaLoop(int64_t rounds, bool wide);

/// Reads `bytes` (a multiple of 1024) from `data` on: four streams at once, each prefetched, a little faster than one on a Zen 5 (46 and 43 GB/s).
void readMemory(const void *data, int64_t bytes);

/// Whether the CPU (and the operating system) has x86-64-v4.
bool hasWideRegisters();
