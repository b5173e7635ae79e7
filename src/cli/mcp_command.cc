// ki mcp: the tools for agents over standard input and output, one JSON-RPC message a line.

#include <istream>
#include <ostream>

#include "cli/commands.h"
#include "cli/open.h"
#include "mcp/protocol.h"

namespace ki::cli {
namespace {

// The next line; one that is too long is read to its end and comes back cut, so that it is refused
// for its size and the next line is whole. False at the end of the input.
bool read_line(std::istream& in, std::string& line) {
  line.clear();
  for (int c = in.get(); c != std::istream::traits_type::eof(); c = in.get()) {
    if (c == '\n') return true;
    if (line.size() <= mcp::kMessageBytesMax) line += static_cast<char>(c);
  }
  return !line.empty();
}

}  // namespace

int mcp(const Context& c, std::istream& in) {
  const auto resolver = open_resolver(c);
  if (!resolver) return report(c, resolver.error());
  std::string line;
  while (c.out.good() && read_line(in, line)) {
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty()) continue;
    if (const auto reply = mcp::answer(line, *resolver)) c.out << *reply << '\n' << std::flush;
  }
  return kOk;
}

}  // namespace ki::cli
