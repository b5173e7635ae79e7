// What the kernel names of Liger-Kernel's benchmark table mean: signatures, axes, and how a row's
// swept value and configuration bind them. Facts of the source, in a notation of ours:
//
//   arguments  "x:*[rows,hidden] target:int64[rows]"   `*` is the case's float type
//   derived    "head_dim = hidden // q_heads"
//   rule       "H,N: rows=M hidden=@; dtype; positive eps"
//              the x names it is for (`*` = any), the axes and where each comes from (`@` the swept
//              value, KEY an integer above 0 of the configuration, A*B a product of two), clauses
//
// Clauses: `dtype` (the configuration's, of bf16 fp16 fp32), `fixed TYPE`, `positive NAME` and
// `number NAME` (scalars of the configuration), `scalar NAME VALUE`, `equals KEY JSON`,
// `divides A B` (B is a multiple of A), `even A`.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ki::importer::liger {

struct Argument {
  std::string name;
  std::string dtype;  // "*" = the case's float type
  std::vector<std::string> dims;
};

struct Derived {
  std::string axis;
  std::string expression;
};

enum class Need { config_dtype, fixed_dtype, positive, number, scalar, equals, divides, even };

struct Clause {
  Need need{};
  std::string name;   // the member, axis or scalar it is about
  std::string value;  // fixed type, scalar value, JSON text or the other axis
};

struct Rule {
  std::vector<std::string> x_names;  // empty = any
  std::vector<std::pair<std::string, std::string>> axes;
  std::vector<Clause> clauses;
};

struct Kernel {
  std::string_view name;         // kernel_name of the table
  std::string_view public_slug;  // mapping kernelindex-1
  std::string_view slug;         // mapping distinct; kernels with one slug are one operation
  std::string_view family;
  std::string_view title;
  std::string_view expression;  // mapping distinct: what is computed
  std::vector<Argument> inputs;
  std::vector<Argument> outputs;
  std::vector<Derived> derived;
  std::vector<Rule> rules;  // the first whose x name matches decides
  // Mapping distinct only: inputs where the public signature leaves some out (else empty); axes it
  // leaves out; integers of the configuration that are scalars where they are given; and members
  // that do not change what is computed.
  std::vector<Argument> inputs_stated;
  std::vector<std::pair<std::string, std::string>> axes_stated;
  std::vector<std::string> scalars_stated;
  std::vector<std::string> ignored;
};

// All kernels, in the order that decides which name an operation shared by two of them takes.
std::span<const Kernel> kernels();

// By its exact name, nullptr when it is not in the table.
const Kernel* find_kernel(std::string_view name);

}  // namespace ki::importer::liger
