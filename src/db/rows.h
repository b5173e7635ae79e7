// Statements with their arguments, and the rows they give.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "base/result.h"

namespace ki::db {

// One statement: a name for messages and a text with placeholders $1, $2, ... (each may occur more
// than once, none may be missing). Prepared once a connection, by its text.
struct Sql {
  std::string_view name;
  std::string_view text;
};

// An argument; text is borrowed for the call. Flags are stored as 0 and 1.
using Value = std::variant<std::monostate, std::int64_t, double, std::string_view>;

template <class T>
Value to_value(const T& value) {
  if constexpr (std::is_same_v<T, std::nullptr_t>) {
    return std::monostate{};
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<double>(value);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<std::int64_t>(value);
  } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    return std::string_view(value);
  } else {  // std::optional of one of the above
    return value ? to_value(*value) : Value{};
  }
}

// Whether the texts among the arguments stay where they are until the statement is reset.
enum class Texts { go, stay };

// What a driver implements for one prepared statement.
class Statement {
 public:
  virtual ~Statement() = default;
  virtual Status start(std::span<const Value> arguments, Texts texts) = 0;
  virtual Result<bool> step() = 0;  // whether there is a row
  virtual void reset() = 0;
  virtual bool is_null(int column) const = 0;
  virtual std::int64_t integer(int column) const = 0;
  virtual double real(int column) const = 0;
  virtual std::string_view text(int column) const = 0;
};

// The rows of a query, one at a time. Columns count from 0; text is valid until the next row. NULL
// reads as 0 or "", and as nullopt through maybe_. Must not outlive its connection.
class Rows {
 public:
  explicit Rows(Statement* statement) : statement_(statement) {}
  Result<bool> next() { return statement_->step(); }

  // Calls `visit(*this)` for each row that is left; it returns nothing or a Status.
  template <class Visit>
  Status each(Visit visit) {
    while (true) {
      const bool more = TRY(next());
      if (!more) return {};
      if constexpr (std::is_void_v<decltype(visit(*this))>) {
        visit(*this);
      } else {
        TRY(visit(*this));
      }
    }
  }

  bool is_null(int column) const { return statement_->is_null(column); }
  std::int64_t integer(int column) const { return statement_->integer(column); }
  bool flag(int column) const { return statement_->integer(column) != 0; }
  double real(int column) const { return statement_->real(column); }
  std::string_view text(int column) const { return statement_->text(column); }
  std::string string(int column) const { return std::string(text(column)); }
  std::optional<std::int64_t> maybe_integer(int column) const;
  std::optional<double> maybe_real(int column) const;
  std::optional<std::string> maybe_string(int column) const;

 private:
  struct Reset {
    void operator()(Statement* statement) const { statement->reset(); }
  };
  std::unique_ptr<Statement, Reset> statement_;
};

}  // namespace ki::db
