#include "runtime/Profile.h"

using namespace heddle::runtime;

void Profile::begin() {
  current = -1; // what an entry does before its first kernel belongs to none
  since = now();
}

void Profile::end() {
  account(now());
  ++roundCount;
}

void Profile::account(int64_t time) {
  if (current < 0 || current >= times.size())
    return;
  Times &own = times[current];
  int64_t took = time - since;
  own.best = roundCount == 0 || took < own.best ? took : own.best;
  own.total += took;
}
