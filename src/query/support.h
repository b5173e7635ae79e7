// What an implementation declares that it supports, held against a request. Pure.
#pragma once

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

// What a declaration says of a request.
struct SupportCoverage {
  std::vector<Mismatch> excluded;     // asked for, and outside of what is declared
  std::vector<std::string> unstated;  // asked for, and the declaration does not say
};

// Looks at architecture (of the products asked for, too; a product that it was tested on is
// covered whatever the architectures say), dtypes, layout and axes. A predicate on
// an axis that the request does not bind, or that is no comparison, asks nothing; one on a range of
// an axis cannot be decided. No predicate: every size is taken.
SupportCoverage coverage_of(const Facets& facets, const Support& support);

}  // namespace ki::query
