// What one thread of the machine can do at most: independent chains of fused multiply-adds in registers, and a plain read of memory.
#pragma once
#include <cstdint>

/// Runs `rounds` rounds and returns the floating-point operations they took. Uses 512-bit registers where `wide`.
double runFmaLoop(int64_t rounds, bool wide);

/// Reads `bytes` (a multiple of 512) from `data` on.
void readMemory(const void *data, int64_t bytes);

/// Whether the CPU (and the operating system) has x86-64-v4.
bool hasWideRegisters();
