// The scratch memory of a call, the same for every instruction set.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "kernels/native/gemm.h"
#include "kernels/native/native.h"
#include "kernels/native/pieces.h"

namespace ki::kernels::attention {

// Keys whose scores are held at once, a whole number of packed tiles; and tiles of queries that go
// over them while they are in the caches.
inline constexpr std::size_t kKeys = 256;
inline constexpr std::size_t kTiles = 4;
inline constexpr std::size_t kQueriesMax = kTiles * native::kGemmTileRowsMax;

struct Sizes {
  explicit Sizes(const native::Planned& planned)
      : is_causal(planned.bound.axes.find("seq") != nullptr),
        batch(planned.axis("batch")),
        heads(planned.axis("q_heads")),
        kv_heads(planned.axis("kv_heads")),
        queries(planned.axis(is_causal ? "seq" : "queries")),
        keys(planned.axis(is_causal ? "seq" : "keys")),
        width(planned.axis("head_dim")),
        threads(planned.threads),
        scale(1.0F / std::sqrt(static_cast<float>(width))) {}
  bool is_causal;
  std::size_t batch, heads, kv_heads, queries, keys, width;
  unsigned threads;
  float scale;

  std::size_t stride() const { return native::sums_stride(width); }
  std::size_t key_blocks() const { return (keys + kKeys - 1) / kKeys; }
  std::size_t k_words() const { return kKeys * width; }  // of a block of keys
  std::size_t v_words() const {
    return kKeys * ((width + native::kGemmTileColumnsMax - 1) / native::kGemmTileColumnsMax *
                    native::kGemmTileColumnsMax);
  }
  // Among k and v: that of head `head` of all the batch's q.
  std::size_t kv_head(std::size_t head) const {
    return head / heads * kv_heads + head % heads / (heads / kv_heads);
  }
};

// What one thread needs for one block of queries.
template <class T>
struct Part {
  Part(const Sizes& sizes, native::Pieces& pieces)
      : q(pieces.take<std::uint32_t>(kQueriesMax * sizes.width)),
        packed(pieces.take<std::uint32_t>(native::kGemmTileRowsMax * kKeys)),
        scores(pieces.take<float>(native::kGemmTileRowsMax * kKeys)),
        weights(pieces.take<T>(native::kGemmTileRowsMax * kKeys)),
        sums(pieces.take<float>(kQueriesMax * sizes.stride())),
        tops(pieces.take<float>(kQueriesMax)),
        totals(pieces.take<float>(kQueriesMax)) {}
  std::uint32_t *q, *packed;  // queries; weights
  float* scores;              // of a tile of queries and a block of keys, then their exponentials
  T* weights;                 // those rounded
  float* sums;                // of weights and values, a row a query
  float *tops, *totals;       // of a query so far: the largest score, the sum of the exponentials
};

// Keys and values packed once, and the parts: nothing grows with queries times keys.
template <class T>
struct Scratch {
  Scratch(const Sizes& sizes, native::Pieces& pieces)
      : k(pieces.take<std::uint32_t>(sizes.batch * sizes.kv_heads * sizes.key_blocks() *
                                     sizes.k_words())),
        v(pieces.take<std::uint32_t>(sizes.batch * sizes.kv_heads * sizes.key_blocks() *
                                     sizes.v_words())),
        parts(pieces.take<unsigned char>(sizes.threads * part_bytes(sizes))) {}
  static std::uint64_t part_bytes(const Sizes& sizes) {
    native::Pieces counted;
    const Part<T> part(sizes, counted);
    return counted.bytes();
  }
  Part<T> part(const Sizes& sizes, unsigned index) const {
    native::Pieces pieces(parts + index * part_bytes(sizes));
    return Part<T>(sizes, pieces);
  }
  std::uint32_t *k, *v;
  unsigned char* parts;
};

}  // namespace ki::kernels::attention
