// The machine's arithmetic peak for f32 on one thread: independent chains of fused multiply-adds in registers, nothing else.
#pragma once
#include <cstdint>

/// Runs `rounds` rounds and returns the floating-point operations they took. Uses 512-bit registers where `wide`.
double runFmaLoop(int64_t rounds, bool wide);

/// Whether the CPU (and the operating system) has x86-64-v4.
bool hasWideRegisters();
