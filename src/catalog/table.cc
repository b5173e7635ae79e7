#include "catalog/table.h"

#include "base/text.h"
#include "json/write.h"

namespace ki::catalog {
namespace {

constexpr std::size_t kShownMax = 200;  // bytes of a long text in a message

}  // namespace

std::string show(const std::string& value) { return excerpt(value, kShownMax); }
std::string show(bool value) { return value ? "1" : "0"; }
std::string show(std::int64_t value) { return std::to_string(value); }

std::string show(double value) {
  std::string out;
  json::append_number(out, value);
  return out;
}

}  // namespace ki::catalog
