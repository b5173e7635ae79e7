// The table behind kernels(), as text; kernels.cc reads it once.
#pragma once

#include <span>
#include <string_view>

namespace ki::importer::liger {

struct KernelText {
  std::string_view name;
  std::string_view public_slug;
  std::string_view slug;
  std::string_view family;
  std::string_view title;
  std::string_view inputs;
  std::string_view outputs;
  std::string_view derived = "";  // at most one
  std::string_view rules;         // one a line
  std::string_view expression;
  std::string_view inputs_stated = "";
  std::string_view axes_stated = "";
  std::string_view scalars_stated = "";
  std::string_view ignored = "";
};

std::span<const KernelText> kernel_table();

}  // namespace ki::importer::liger
