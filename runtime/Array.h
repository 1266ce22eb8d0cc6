// Memory of the runtime: growing arrays of plain values, lists of objects, zeroed pages. No exceptions: what cannot be had is told by `false`.
#pragma once
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <sys/mman.h>
#include <type_traits>
#include <utility>

namespace heddle::runtime {

/// A growing array of plain values. Every call that may need memory returns false when there is none and leaves the array as it was.
template <typename T> class Array {
  static_assert(std::is_trivially_copyable_v<T>);

public:
  Array() = default;
  Array(const Array &) = delete;
  Array &operator=(const Array &) = delete;
  ~Array() { std::free(items); }

  /// New elements are zero bytes.
  [[nodiscard]] bool resize(int64_t wanted) {
    if (!reserve(wanted))
      return false;
    if (wanted > count)
      std::memset(static_cast<void *>(items + count), 0, static_cast<size_t>(wanted - count) * sizeof(T));
    count = wanted;
    return true;
  }
  [[nodiscard]] bool push(const T &value) {
    T copy = value; // may lie inside this array
    if (count == capacity && !reserve(count < 16 ? 16 : count + count / 2))
      return false;
    items[count++] = copy;
    return true;
  }
  void clear() { count = 0; }
  void swap(Array &other) {
    std::swap(items, other.items);
    std::swap(count, other.count);
    std::swap(capacity, other.capacity);
  }
  void pop() { --count; }
  /// As qsort does, which takes no null pointer, not even of no elements.
  void sort(int (*compare)(const void *, const void *)) {
    if (count > 0)
      std::qsort(items, static_cast<size_t>(count), sizeof(T), compare);
  }
  int64_t size() const { return count; }
  bool empty() const { return count == 0; }
  T *data() { return items; }
  const T *data() const { return items; }
  T &operator[](int64_t i) { return items[i]; }
  const T &operator[](int64_t i) const { return items[i]; }
  T &back() { return items[count - 1]; }
  T *begin() { return items; }
  T *end() { return items + count; }
  const T *begin() const { return items; }
  const T *end() const { return items + count; }

private:
  bool reserve(int64_t wanted) {
    if (wanted <= capacity)
      return true;
    if (wanted > INT64_MAX / static_cast<int64_t>(sizeof(T)))
      return false;
    void *grown = std::realloc(static_cast<void *>(items), static_cast<size_t>(wanted) * sizeof(T));
    if (!grown)
      return false;
    items = static_cast<T *>(grown);
    capacity = wanted;
    return true;
  }
  T *items = nullptr;
  int64_t count = 0, capacity = 0;
};

/// A list of objects made once, of a length known only at run time.
template <typename T> class List {
public:
  List() = default;
  List(const List &) = delete;
  List &operator=(const List &) = delete;
  ~List() {
    for (int64_t i = 0; i < count; ++i)
      items[i].~T();
    std::free(items);
  }
  [[nodiscard]] bool make(int64_t wanted) {
    items = static_cast<T *>(std::calloc(static_cast<size_t>(wanted > 0 ? wanted : 1), sizeof(T)));
    if (!items)
      return false;
    for (; count < wanted; ++count)
      new (items + count) T();
    return true;
  }
  int64_t size() const { return count; }
  T &operator[](int64_t i) { return items[i]; }
  const T &operator[](int64_t i) const { return items[i]; }
  T *begin() { return items; }
  T *end() { return items + count; }

private:
  T *items = nullptr;
  int64_t count = 0;
};

/// Pages of zeros from the system; they cost nothing until they are touched.
class Pages {
public:
  Pages() = default;
  Pages(const Pages &) = delete;
  Pages &operator=(const Pages &) = delete;
  ~Pages() { release(); }

  /// At least `bytes` zeroed bytes (and some slack behind them), page-aligned; what was held before is given back first.
  [[nodiscard]] bool allocate(int64_t bytes) {
    release();
    if (bytes < 0 || bytes > (int64_t{1} << 46))
      return false;
    size_t wanted = static_cast<size_t>(bytes) + 128; // one panel: a whole-vector read at the very end stays inside
    void *got = mmap(nullptr, wanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (got == MAP_FAILED)
      return false;
    start = got;
    mapped = wanted;
    return true;
  }
  void release() {
    if (start)
      munmap(start, mapped);
    start = nullptr;
    mapped = 0;
  }
  void *data() const { return start; }
  int64_t size() const { return start ? static_cast<int64_t>(mapped) - 128 : 0; }

private:
  void *start = nullptr;
  size_t mapped = 0;
};

} // namespace heddle::runtime
