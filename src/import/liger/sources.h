// The providers, projects and GPUs that Liger-Kernel's benchmark table names.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ki::importer::liger {

struct Project {
  std::string_view slug;
  std::string_view name;
  std::string_view repository;  // owner/name on GitHub
};

struct Provider {
  std::string_view name;   // kernel_provider of the table
  std::string_view title;  // how people call it
  const Project* project;
  std::string_view language;
  std::string_view license;  // as declared
  bool license_concluded = false;
  std::string_view pip_package;  // "" = none
  bool baseline = false;
  bool tiled = false;  // its num_shards is part of what it is
};

// In the order that decides which provider an implementation shared by several is named after.
std::span<const Provider> providers();
const Provider* find_provider(std::string_view name);

struct Gpu {
  std::string product;
  std::string vendor;
  std::string architecture;
  std::string form_factor;  // "" = not stated
  bool known = false;
};

// The GPU behind the name that CUDA reports. An unknown one keeps its name as the product, with
// architecture "unknown" and a vendor only where the name begins with it.
Gpu gpu_of(std::string_view gpu_name);

}  // namespace ki::importer::liger
