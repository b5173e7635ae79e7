// What an implementation declares that it supports, held against a request. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"
#include "query/request.h"

namespace ki::query {

// An empty list says nothing, and the word "unknown" in one says that it is not complete: neither
// excludes anything.
struct Support {
  std::vector<std::string> dtypes;
  std::vector<std::string> layouts;
  std::vector<std::string> architectures;
  std::vector<std::string> products;
  std::vector<std::string> axes;  // predicates: "head_dim <= 256", "k % 64 == 0"
};

// Takes the `spec` of an ImplementationRevision.
Support support_of(const json::Value& spec);

// An axis as its operation declares it.
struct DeclaredAxis {
  std::string name;
  std::optional<std::int64_t> value;  // of a constant
  std::string expression;             // of a derived one, else ""
};

// Takes the `spec` of an OperationSpec.
std::vector<DeclaredAxis> declared_axes(const json::Value& spec);

// What a declaration says of a request.
struct SupportCoverage {
  std::vector<Mismatch> excluded;  // asked for, and outside of what is declared
  // Fields of which the declaration does not say whether they cover the request; a predicate is
  // quoted, with what keeps it from being evaluated.
  std::vector<std::string> unstated;

  // incompatible, unknown or supported_unobserved
  std::string_view match() const;
};

// Looks at architecture (of the products asked for, too; a product that it was tested on is
// covered whatever the architectures say), dtypes, layout and axes. `axes` are those of the
// operation: its constants and what derives from the axes asked for are bound too. A predicate
// (query/predicate.h) on an axis that the request leaves open asks nothing; one that is not read or
// names no axis of the operation is unstated whatever is asked for, and so is one that a range of
// an axis or a shape does not decide. No predicate: every size is taken.
SupportCoverage coverage_of(const Facets& facets, const Support& support,
                            std::span<const DeclaredAxis> axes);

}  // namespace ki::query
