#include "policy/taxonomy.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "base/result.h"
#include "base/text.h"

namespace ki::policy {
namespace {

#include "policy/taxonomy_gpus.inc"

constexpr std::int64_t kDevicesMax = 1024;
constexpr std::size_t kPhraseMax = 100;  // bytes of a name worth reading

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_alnum(char c) { return is_digit(c) || (c >= 'a' && c <= 'z'); }

bool contains(const auto& list, const auto& wanted) {
  return std::ranges::find(list, wanted) != list.end();
}

bool all_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

// ---- number formats

struct DtypeRow {
  std::string_view name;
  std::string_view words;   // how it is written, besides its name
  std::string_view tokens;  // the catalog's dtypes that satisfy it
  DtypeKind kind = DtypeKind::storage;
  bool family = false;
};

constexpr DtypeRow kDtypes[] = {
    {"bf16", "bfloat16", "bf16"},
    {"fp16", "f16 half float16", "fp16"},
    {"fp32", "f32 float32", "fp32"},
    {"fp64", "f64 float64", "fp64"},
    {"tf32", "tfloat32", "fp32 tf32", DtypeKind::compute},
    {"fp8", "f8 float8", "fp8 fp8_e4m3 fp8_e4m3fn fp8_e4m3fnuz fp8_e5m2 fp8_e5m2fnuz",
     DtypeKind::storage, true},
    {"fp8_e4m3", "e4m3 e4m3fn fp8_e4m3fn float8_e4m3fn float8_e4m3", "fp8_e4m3 fp8_e4m3fn"},
    {"fp8_e4m3fnuz", "e4m3fnuz float8_e4m3fnuz", "fp8_e4m3fnuz"},
    {"fp8_e5m2", "e5m2 float8_e5m2", "fp8_e5m2"},
    {"fp8_e5m2fnuz", "e5m2fnuz float8_e5m2fnuz", "fp8_e5m2fnuz"},
    {"fp8_e8m0", "e8m0 e8m0fnu float8_e8m0fnu", "fp8_e8m0"},
    {"fp4", "f4 float4", "fp4 fp4_e2m1 float4_e2m1fn_x2 nvfp4 mxfp4", DtypeKind::storage, true},
    {"fp4_e2m1", "e2m1 float4_e2m1fn_x2", "fp4_e2m1 float4_e2m1fn_x2"},
    {"nvfp4", "", "nvfp4"},
    {"mxfp4", "", "mxfp4"},
    {"int4", "", "int4"},
    {"int8", "", "int8"},
    {"uint8", "", "uint8"},
    {"int16", "", "int16"},
    {"int32", "", "int32"},
    {"int64", "", "int64"},
    {"bool", "", "bool"},
};

bool has_word(std::string_view list, std::string_view word) {
  return !word.empty() && contains(split(list, ' '), word);
}

// "w4a16", "w8a8": bits of the weights, bits of the activations.
bool is_quantization(std::string_view word) {
  const auto a = word.find('a');
  return word.starts_with('w') && a != std::string_view::npos && a <= 3 && word.size() - a <= 3 &&
         all_digits(word.substr(1, a - 1)) && all_digits(word.substr(a + 1));
}

// The word without the name of the library it was copied from.
std::string_view without_library(std::string_view word) {
  for (const std::string_view library : {"torch.", "jnp.", "np.", "tl."}) {
    if (word.starts_with(library)) return word.substr(library.size());
  }
  return word;
}

// ---- GPUs

// The words of a name in lower case, without the vendor's and brand's.
std::vector<std::string> name_words(std::string_view phrase) {
  constexpr std::string_view kBrands =
      "nvidia amd geforce instinct tesla radeon gpu virtualized r tm";
  std::vector<std::string> words;
  std::string word;
  const auto close = [&] {
    if (word.starts_with("rtx")) word.erase(0, 3);  // "rtx4090"
    if (!word.empty() && !has_word(kBrands, word)) words.push_back(word);
    word.clear();
  };
  for (const char c : ascii_lower(phrase)) {
    is_alnum(c) ? static_cast<void>(word += c) : close();
  }
  close();
  return words;
}

bool is_memory(const std::string& word) {
  return word.starts_with("hbm") || word.starts_with("gddr") ||
         (word.ends_with("gb") && all_digits(std::string_view(word).substr(0, word.size() - 2)));
}

using GpuIndex = std::multimap<std::string, const Gpu*, std::less<>>;

// Key -> products, in table order within a key.
const GpuIndex& gpu_index() {
  static const GpuIndex kIndex = [] {
    GpuIndex index;
    for (const Gpu& gpu : kGpus) {
      for (const std::string_view key : split(gpu.keys, ' ')) index.emplace(key, &gpu);
    }
    return index;
  }();
  return kIndex;
}

std::optional<GpuReading> reading_of(const std::string& key) {
  const auto [begin, end] = gpu_index().equal_range(key);
  if (begin == end) return std::nullopt;
  GpuReading out;
  for (auto at = begin; at != end; ++at) {
    const Gpu* gpu = at->second;
    if (gpu->unspecified) {
      out.unspecified = gpu;
    } else {
      out.variants.push_back(gpu);
    }
  }
  return out;
}

// Takes the device count off a list of words: "8x", "x8", or glued to the name ("8xh100",
// "h100x8").
std::optional<std::int64_t> take_count(std::vector<std::string>& words) {
  for (auto word = words.begin(); word != words.end(); ++word) {
    if (const auto count = read_device_count(*word)) {
      words.erase(word);
      return count;
    }
  }
  if (words.empty()) return std::nullopt;
  std::string& first = words.front();
  const auto after = first.find('x');
  if (after != std::string::npos && after + 1 < first.size()) {
    if (const auto count = read_device_count(first.substr(0, after + 1))) {
      first.erase(0, after + 1);
      return count;
    }
  }
  std::string& last = words.back();
  const auto before = last.rfind('x');
  if (before != std::string::npos && before > 0) {
    if (const auto count = read_device_count(last.substr(before))) {
      last.erase(before);
      return count;
    }
  }
  return std::nullopt;
}

// ---- architectures

struct ArchitectureRow {
  std::string_view name;
  std::string_view members;
  std::string_view note;
};

constexpr ArchitectureRow kArchitectures[] = {
    {"volta", "sm_70", ""},
    {"turing", "sm_75", ""},
    {"ampere", "sm_80 sm_86 sm_87",
     "sm_80 is the data-centre part (A100, A30), sm_86 the workstation and consumer one"},
    {"ada", "sm_89", ""},
    {"lovelace", "sm_89", ""},
    {"hopper", "sm_90", ""},
    {"blackwell", "sm_100 sm_103 sm_120 sm_121",
     "sm_100 and sm_103 are data-centre Blackwell, sm_120 and sm_121 the workstation and consumer "
     "one: their kernels differ"},
    {"cdna", "gfx908", ""},
    {"cdna1", "gfx908", ""},
    {"cdna2", "gfx90a", ""},
    {"cdna3", "gfx942", "MI300X, MI300A, MI308X and MI325X differ in units and memory"},
    {"cdna4", "gfx950", ""},
    {"rdna3", "gfx1100 gfx1101 gfx1102", ""},
    {"rdna4", "gfx1200 gfx1201", ""},
    {"cpu", "x86_64 aarch64 arm64 riscv64 ppc64le s390x", "any processor"},
    {"x86_64", "x86_64", ""},
    {"aarch64", "aarch64 arm64", ""},
};

std::string_view note_for(std::string_view token) {
  return token == "gfx942" ? "MI300X, MI300A, MI308X and MI325X differ in units and memory" : "";
}

// "sm90" -> "sm_90", "sm_90a" -> "sm_90a", "gfx942" -> "gfx942"; "" when it is no such name.
std::string architecture_token(std::string_view word) {
  constexpr std::size_t kNameMax = 12;
  if (word.size() > kNameMax) return {};
  if (word.starts_with("sm")) {
    std::string_view number = word.substr(word.starts_with("sm_") ? 3 : 2);
    const std::string_view bare = number.substr(0, number.find_first_of("af"));
    const bool good = all_digits(bare) && number.size() - bare.size() <= 1;
    return good ? "sm_" + std::string(number) : "";
  }
  if (!word.starts_with("gfx") || word.size() < 6) return {};
  const bool good = std::ranges::all_of(
      word.substr(3), [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
  return good ? std::string(word) : "";
}

}  // namespace

std::string_view name_of(DtypeKind kind) {
  switch (kind) {
    case DtypeKind::storage:
      return "storage";
    case DtypeKind::compute:
      return "compute";
    case DtypeKind::quantization:
      return "quantization";
  }
  KI_UNREACHABLE();
}

std::optional<DtypeReading> read_dtype(std::string_view word) {
  if (word.size() > kPhraseMax) return std::nullopt;
  const std::string lower = ascii_lower(word);
  const std::string_view bare = without_library(lower);
  for (const DtypeRow& row : kDtypes) {
    if (row.name != bare && !has_word(row.words, bare)) continue;
    return DtypeReading{.name = std::string(row.name),
                        .kind = row.kind,
                        .tokens = split(row.tokens, ' '),
                        .family = row.family};
  }
  if (!is_quantization(bare)) return std::nullopt;
  return DtypeReading{
      .name = std::string(bare), .kind = DtypeKind::quantization, .tokens = {}, .family = false};
}

bool dtype_matches(const DtypeReading& reading, std::string_view dtype) {
  return contains(reading.tokens, dtype);
}

std::optional<std::string_view> read_vendor(std::string_view word) {
  const auto found = std::ranges::find_if(
      kGpus, [&](const Gpu& gpu) { return equals_ignoring_case(gpu.vendor, word); });
  return found == std::end(kGpus) ? std::nullopt : std::optional(found->vendor);
}

std::optional<GpuReading> read_gpu(std::string_view phrase) {
  if (phrase.size() > kPhraseMax) return std::nullopt;
  std::vector<std::string> words = name_words(phrase);
  if (words.empty() || words.size() > kGpuWordsMax) return std::nullopt;
  if (auto reading = reading_of(join(words, ""))) return reading;
  const auto count = take_count(words);
  auto reading = reading_of(join(words, ""));
  if (reading) reading->count = count;
  return reading;
}

const Gpu* find_gpu(std::string_view hardware_model, std::string_view form_factor) {
  if (hardware_model.size() > kPhraseMax) return nullptr;
  if (!form_factor.empty()) {
    const Gpu* product = find_gpu(hardware_model);
    if (product != nullptr && !product->unspecified) return product;
    const Gpu* variant = find_gpu(std::string(hardware_model) + " " + std::string(form_factor));
    return variant != nullptr ? variant : product;
  }
  std::vector<std::string> words = name_words(hardware_model);
  auto reading = reading_of(join(words, ""));
  if (!reading) {
    std::erase_if(words, is_memory);
    reading = reading_of(join(words, ""));
  }
  if (!reading) return nullptr;
  if (reading->unspecified != nullptr) return reading->unspecified;
  // A text that fits several products names none of them.
  return reading->ambiguous() ? nullptr : reading->variants.front();
}

bool gpu_matches(const GpuReading& reading, std::string_view hardware_model) {
  const Gpu* gpu = find_gpu(hardware_model);
  return gpu != nullptr && (gpu == reading.unspecified || contains(reading.variants, gpu));
}

std::optional<std::int64_t> read_device_count(std::string_view word) {
  if (word.size() < 2) return std::nullopt;
  const bool before = word.front() == 'x' || word.front() == 'X';
  const bool after = word.back() == 'x' || word.back() == 'X';
  if (before == after) return std::nullopt;
  const std::string_view digits = before ? word.substr(1) : word.substr(0, word.size() - 1);
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  const bool whole = error == std::errc{} && end == digits.data() + digits.size();
  if (!whole || !all_digits(digits) || count < 1 || count > kDevicesMax) return std::nullopt;
  return count;
}

std::optional<ArchitectureReading> read_architecture(std::string_view word) {
  const std::string lower = ascii_lower(word.substr(0, kPhraseMax));
  for (const ArchitectureRow& row : kArchitectures) {
    if (row.name != lower) continue;
    ArchitectureReading out{.name = lower, .tokens = {}, .hardware = {}, .note = row.note};
    for (const std::string_view member : split(row.members, ' ')) out.tokens.emplace_back(member);
    out.hardware = out.tokens;
    return out;
  }
  const std::string token = architecture_token(lower);
  if (token.empty()) return std::nullopt;
  ArchitectureReading out{
      .name = token, .tokens = {token}, .hardware = {token}, .note = note_for(token)};
  // sm_90a and sm_100f are targets of the compiler; the hardware itself is sm_90 and sm_100.
  if (token.starts_with("sm_") && !is_digit(token.back())) {
    out.hardware.push_back(token.substr(0, token.size() - 1));
  }
  return out;
}

std::string_view name_of(Pass pass) {
  switch (pass) {
    case Pass::forward:
      return "forward";
    case Pass::backward:
      return "backward";
    case Pass::full:
      return "full";
  }
  KI_UNREACHABLE();
}

std::optional<Pass> read_pass(std::string_view word) {
  const std::string lower = ascii_lower(word);
  if (lower == "forward" || lower == "forwards" || lower == "fwd") return Pass::forward;
  if (lower == "backward" || lower == "backwards" || lower == "bwd") return Pass::backward;
  if (lower == "full") return Pass::full;
  return std::nullopt;
}

std::string_view architecture_of(std::string_view hardware_model, std::string_view stated) {
  if (!stated.empty() && stated != "unknown") return stated;
  const Gpu* gpu = find_gpu(hardware_model);
  return gpu == nullptr ? "unknown" : gpu->architecture;
}

}  // namespace ki::policy
