#include "query/lexicon.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace ki::query {

std::optional<HardwarePhrase> read_hardware(std::span<const std::string> words) {
  // A word with one of these is a facet, a quotation or a shape, never part of a name.
  const auto is_plain = [](const std::string& word) {
    return word.find_first_of(":=\"[]<>") == std::string::npos;
  };
  std::size_t count = 0;
  std::string phrase;
  std::optional<HardwarePhrase> longest;
  for (const std::string& word : words) {
    if (count == static_cast<std::size_t>(policy::kGpuWordsMax) || !is_plain(word)) break;
    ++count;
    phrase += (phrase.empty() ? "" : " ") + word;
    if (auto reading = policy::read_gpu(phrase)) {
      longest = HardwarePhrase{.words = count, .reading = std::move(*reading)};
    }
  }
  return longest;
}

namespace {

// Another name, and what it means. Names of several words before those that they start with.
constexpr std::pair<std::string_view, std::string_view> kNames[] = {
    {"flash attention", "attention"},
    {"flash attn", "attention"},
    {"flashattention", "attention"},
    {"mat mul", "gemm"},
    {"matmul", "gemm"},
    {"attn", "attention"},
    {"sdpa", "attention"}};

// Words that name an axis where a number follows. None of them names an operation.
constexpr std::pair<std::string_view, std::string_view> kAxes[] = {{"hidden size", "hidden"},
                                                                   {"hidden dim", "hidden"},
                                                                   {"hidden", "hidden"},
                                                                   {"seq len", "seq"},
                                                                   {"seq length", "seq"},
                                                                   {"sequence length", "seq"},
                                                                   {"seqlen", "seq"},
                                                                   {"seq", "seq"},
                                                                   {"batch size", "batch"},
                                                                   {"batch", "batch"},
                                                                   {"tokens", "tokens"},
                                                                   {"heads", "heads"},
                                                                   {"head dim", "head_dim"},
                                                                   {"vocab size", "vocab"},
                                                                   {"vocab", "vocab"},
                                                                   {"rows", "rows"},
                                                                   {"kernel size", "kernel_size"}};

}  // namespace

std::optional<AxisPhrase> read_axis_phrase(std::span<const std::string> words) {
  for (const auto& [name, axis] : kAxes) {
    const auto parts = split(name, ' ');
    if (parts.size() >= words.size()) continue;
    if (!std::ranges::equal(parts, words.first(parts.size()))) continue;
    const auto size = read_range(words[parts.size()]);
    if (size) return AxisPhrase{.words = parts.size() + 1, .axis = axis, .size = *size};
  }
  return std::nullopt;
}

bool is_axis_word(std::string_view word) {
  return std::ranges::any_of(
      kAxes, [&](const auto& entry) { return entry.first == word || entry.second == word; });
}

std::vector<std::string_view> operation_names() {
  std::vector<std::string_view> out;
  for (const auto& [name, meaning] : kNames) {
    if (!name.contains(' ')) out.push_back(name);
  }
  return out;
}

std::optional<OperationPhrase> read_operation_name(std::span<const std::string> words) {
  for (const auto& [name, meaning] : kNames) {
    const auto parts = split(name, ' ');
    if (parts.size() > words.size()) continue;
    if (std::ranges::equal(parts, words.first(parts.size()))) {
      return OperationPhrase{.words = parts.size(), .meaning = meaning};
    }
  }
  return std::nullopt;
}

}  // namespace ki::query
