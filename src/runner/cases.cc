#include "runner/cases.h"

#include "base/text.h"
#include "json/write.h"
#include "kernels/registry.h"
#include "manifest/manifest.h"

namespace ki::runner {
namespace {

// A token (docs/formats/manifest.md) for a name of ours.
std::string token(std::string_view name) {
  std::string out = kebab(name);
  for (char& c : out) c = c == '-' ? '_' : c;
  return out;
}

void begin_manifest(json::Writer& w, std::string_view kind, std::string_view name,
                    std::string_view title = {}) {
  w.begin_object();
  w.key("apiVersion").string(manifest::kApiVersion);
  w.key("kind").string(kind);
  w.key("metadata").begin_object().key("name").string(name);
  if (!title.empty()) w.key("title").string(title);
  w.end_object();
  w.key("spec").begin_object();
}

void end_manifest(json::Writer& w) { w.end_object().end_object(); }

}  // namespace

Result<kernels::Bound> bind_job(const Job& job) {
  if (kernels::find_operation(job.operation) == nullptr) {
    return fail(Code::not_found, "there is no operation of this name to measure", job.operation);
  }
  kernels::Case one;
  one.operation = job.operation;
  if (!kernels::read_pass(job.pass, one.pass)) {
    return fail(Code::invalid, "a pass is forward, backward or full", "pass");
  }
  if (!kernels::read_dtype(job.dtype, one.dtype)) {
    return fail(Code::invalid, "there is no such dtype: " + excerpt(job.dtype), "dtype");
  }
  one.axes.assign(job.axes.begin(), job.axes.end());
  for (const auto& [name, value] : job.scalars) one.scalars.push_back({name, value});
  kernels::Bound bound;
  std::string problem;
  if (!kernels::bind(one, bound, problem)) return fail(Code::invalid, problem, "axes");
  return bound;
}

std::string title_of(std::string_view operation, std::string_view pass, std::string_view dtype,
                     const std::map<std::string, std::int64_t>& axes) {
  std::string text(operation);
  text.append(" ").append(pass).append(" ").append(dtype);
  for (const auto& [axis, value] : axes) text += ' ' + axis + '=' + std::to_string(value);
  return text;
}

std::string name_of(std::string_view provider, std::string_view variant) {
  std::string name(provider);
  if (!variant.empty()) name.append("-").append(variant);
  return name;
}

std::string implementation_manifest(const ImplementationText& text) {
  std::string out;
  json::Writer w(out);
  const std::string name = name_of(text.provider, text.variant);
  begin_manifest(w, "ImplementationRevision", kebab(name), name);
  w.key("projectRevision").begin_object();
  if (!text.version.empty()) w.key("version").string(excerpt(text.version, 100));
  w.key("treeDigest").string(text.binary);
  w.end_object();
  w.key("operation").begin_object().key("specDigest").string(text.operation_digest).end_object();
  w.key("callable").begin_object();
  w.key("language").string(text.language.empty() ? "unknown" : token(text.language));
  w.key("symbol").string(name);
  w.key("interface").string("ki_kernel");
  w.end_object();
  w.key("support").begin_object();
  w.key("hardwareArchitectures").begin_array().string(token(text.architecture)).end_array();
  w.key("dtypes").begin_array().string(text.dtype).end_array();
  w.end_object();
  w.key("licensing").begin_object();
  if (text.ours) w.key("declared").string("Apache-2.0");
  w.end_object();
  end_manifest(w);
  return out;
}

std::string project_manifest(std::string_view name) {
  std::string out;
  json::Writer w(out);
  begin_manifest(w, "SoftwareProject", kebab(name));
  w.key("name").string(name);
  end_manifest(w);
  return out;
}

}  // namespace ki::runner
