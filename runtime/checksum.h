/* The checksum of the section: over its bytes before, it stands in its last eight. Both who writes and who checks an executable include this. */
#ifndef HEDDLE_CHECKSUM_H
#define HEDDLE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Four lanes of 64-bit words, each multiplied and rotated, as in xxHash; made to notice damage, not malice. */
typedef struct {
  uint64_t lanes[4], length;
  unsigned char waiting[32]; /* the first length % 32 of them */
} heddle_checksum;

static inline uint64_t heddle_checksum_mix(uint64_t lane, uint64_t word) {
  lane += word * 0xC2B2AE3D27D4EB4Fu;
  lane = lane << 31 | lane >> 33;
  return lane * 0x9E3779B185EBCA87u;
}

static inline void heddle_checksum_block(heddle_checksum *sum, const unsigned char *bytes) {
  for (int i = 0; i < 4; ++i) {
    uint64_t word;
    memcpy(&word, bytes + 8 * i, 8);
    sum->lanes[i] = heddle_checksum_mix(sum->lanes[i], word);
  }
}

static inline void heddle_checksum_add(heddle_checksum *sum, const void *data, size_t size) {
  const unsigned char *bytes = (const unsigned char *)data;
  size_t waiting = sum->length % 32;
  sum->length += size;
  if (waiting > 0) {
    size_t taken = size < 32 - waiting ? size : 32 - waiting;
    memcpy(sum->waiting + waiting, bytes, taken);
    bytes += taken;
    size -= taken;
    if (waiting + taken == 32)
      heddle_checksum_block(sum, sum->waiting);
  }
  for (; size >= 32; bytes += 32, size -= 32)
    heddle_checksum_block(sum, bytes);
  if (size > 0)
    memcpy(sum->waiting, bytes, size);
}

static inline uint64_t heddle_checksum_value(heddle_checksum sum) {
  if (sum.length % 32 > 0) {
    memset(sum.waiting + sum.length % 32, 0, 32 - sum.length % 32);
    heddle_checksum_block(&sum, sum.waiting);
  }
  uint64_t value = sum.length;
  for (int i = 0; i < 4; ++i)
    value = heddle_checksum_mix(value, sum.lanes[i]);
  return value ^ value >> 29;
}

#endif
