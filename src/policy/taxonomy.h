// The words people use for number formats, GPUs and their architectures, and what each can mean.
// Pure tables. An ambiguous word gives every reading; nothing is ever picked for the user. Reading
// ignores case; a word that is not in the tables gives nullopt and is left to the caller.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ki::policy {

// ---- number formats

enum class DtypeKind {
  storage,       // how tensors are stored: bf16, fp8, int32
  compute,       // how products are computed on another storage: tf32 on fp32
  quantization,  // a scheme over several tensors: w4a16
};
std::string_view name_of(DtypeKind kind);

struct DtypeReading {
  std::string name;  // "bf16", "fp8", "tf32", "w4a16"
  DtypeKind kind = DtypeKind::storage;
  // The catalog's dtypes that satisfy it; several for a family (fp8) or for spellings of one format
  // (e4m3 is fp8_e4m3 or fp8_e4m3fn, never the fnuz encoding). For tf32 those of its storage.
  // Empty for quantization: what it asks of tensors depends on the operation.
  std::vector<std::string_view> tokens;
  bool family = false;  // the tokens are different formats: list them apart
};

// "bf16", "torch.bfloat16", "half", "e4m3", "fp8", "nvfp4", "tf32", "w4a16", ...
std::optional<DtypeReading> read_dtype(std::string_view word);

// Whether a workload that stores `dtype` satisfies the reading.
bool dtype_matches(const DtypeReading& reading, std::string_view dtype);

// ---- GPUs

struct Gpu {
  std::string_view product;  // as its driver names it: "NVIDIA H100 80GB HBM3"
  std::string_view vendor;   // nvidia, amd
  std::string_view form;  // "SXM", "PCIe", "NVL", ...; "" where there is only one or it is unknown
  std::string_view architecture;  // "sm_90", "gfx942"
  std::int64_t memory_gb = 0;     // as it is sold; 0 where the name leaves it open
  std::string_view keys;          // how it is written, for the lookups below
  bool unspecified = false;       // a name that leaves the variant open, as some sources write it
};

// The state of that table: it changes when a row or an alias does, since answers then change.
inline constexpr std::string_view kHardwareTable = "hardware-1";

// "nvidia" for "NVIDIA", "amd": a maker of listed products; nullopt for any other word.
std::optional<std::string_view> read_vendor(std::string_view word);

struct GpuReading {
  std::vector<const Gpu*> variants;  // the products the word can mean, in table order
  // The open name itself ("NVIDIA H100"), under which some sources report; nullptr when the catalog
  // has none. Its runs match, but are never ranked with those of a variant.
  const Gpu* unspecified = nullptr;
  std::optional<std::int64_t> count;  // devices: 8 for "h100x8" and "8x h100"
  bool ambiguous() const { return variants.size() > 1; }
};

inline constexpr int kGpuWordsMax = 6;  // words of the longest name worth trying

// Reads a whole name of up to kGpuWordsMax words: "h100", "NVIDIA H100", "h100 sxm", "RTX 4090",
// "a100-80g", "8xH100". A caller with a sentence tries the longest run of words first.
std::optional<GpuReading> read_gpu(std::string_view phrase);

// The product a catalog's hardware text names ("NVIDIA H100-SXM-80GB", "AMD Instinct MI300X 192GB
// HBM3"), or nullptr.
// `form_factor` ("80GB HBM3", "PCIe"), where a source states it apart, tells the variants of a
// product apart; one that names no known variant changes nothing.
const Gpu* find_gpu(std::string_view hardware_model, std::string_view form_factor = {});

// Whether a run on `hardware_model` satisfies the reading. By product, never by substring: B200 is
// not GB200.
bool gpu_matches(const GpuReading& reading, std::string_view hardware_model);

// "x8" or "8x" -> 8; nullopt when it is no device count (1 to 1024).
std::optional<std::int64_t> read_device_count(std::string_view word);

// ---- passes of training

// The part of a training step that a run times. Runs of different passes never compare.
enum class Pass { forward, backward, full };
std::string_view name_of(Pass pass);  // "forward"

// "forward" (also with s) or "fwd", "backward" or "bwd", "full": forward and backward together.
std::optional<Pass> read_pass(std::string_view word);

// ---- architectures

struct ArchitectureReading {
  std::string name;                   // "hopper", "sm_90a", "gfx942"
  std::vector<std::string> tokens;    // as asked: "sm_90a"; all members of a family
  std::vector<std::string> hardware;  // what the hardware of such a run is called: "sm_90"
  std::string_view note;              // which products differ within it, or ""
};

// "hopper", "blackwell", "ada", "cdna3", "sm90", "sm_90a", "gfx942".
std::optional<ArchitectureReading> read_architecture(std::string_view word);

// The architecture of a run's hardware: as stated, else that of the product named, else "unknown".
std::string_view architecture_of(std::string_view hardware_model, std::string_view stated);

}  // namespace ki::policy
