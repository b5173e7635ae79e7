// Which memory eager tensors get. Stock: the C library's, which returns large blocks to the system
// at once, so that each new tensor is paged in anew. Tuned: freed blocks are kept and used again,
// in huge pages, as a long-running program with a caching allocator or tuned malloc has it.
#pragma once

namespace ki::providers::eager {

enum class Memory { stock, tuned };

// While it lives, tensors that are made come from that memory; those of before keep theirs.
class Using {
 public:
  explicit Using(Memory memory);
  Using(const Using&) = delete;
  Using& operator=(const Using&) = delete;
  ~Using();

 private:
  bool is_tuned_;
};

}  // namespace ki::providers::eager
