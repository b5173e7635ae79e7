// Texts that live as long as the pool and never move, each kept once or as often as it is added.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace ki::query {

class TextPool {
 public:
  // Keeps a text that others may equal: the same text is the same memory.
  std::string_view share(std::string_view text);
  // Keeps a text that no other equals.
  std::string_view add(std::string_view text);

  std::size_t bytes() const { return bytes_; }

 private:
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::size_t left_ = 0;  // of the last block
  std::size_t next_bytes_ = 256;
  std::size_t bytes_ = 0;
  char* at_ = nullptr;
  std::unordered_set<std::string_view> shared_;
};

}  // namespace ki::query
