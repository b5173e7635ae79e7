// What answers the routes that only read: each takes checked arguments and asks the resolver.
#pragma once

#include "api/routes.h"

namespace ki::api {

Answer search(const query::Resolver& resolver, const Arguments& arguments);
Answer resolve(const query::Resolver& resolver, const Arguments& arguments);
Answer resolve_batch(const query::Resolver& resolver, const Arguments& arguments);
Answer runs(const query::Resolver& resolver, const Arguments& arguments);
Answer run(const query::Resolver& resolver, const Arguments& arguments);
Answer samples(const query::Resolver& resolver, const Arguments& arguments);
Answer operations(const query::Resolver& resolver, const Arguments& arguments);
Answer operation(const query::Resolver& resolver, const Arguments& arguments);
Answer implementation(const query::Resolver& resolver, const Arguments& arguments);
Answer record(const query::Resolver& resolver, const Arguments& arguments);
Answer project(const query::Resolver& resolver, const Arguments& arguments);
Answer hardware(const query::Resolver& resolver, const Arguments& arguments);
Answer models(const query::Resolver& resolver, const Arguments& arguments);
Answer model(const query::Resolver& resolver, const Arguments& arguments);
Answer coverage(const query::Resolver& resolver, const Arguments& arguments);
Answer sources(const query::Resolver& resolver, const Arguments& arguments);
Answer feed(const query::Resolver& resolver, const Arguments& arguments);
Answer resolve_serving(const query::Resolver& resolver, const Arguments& arguments);
Answer serving_runs(const query::Resolver& resolver, const Arguments& arguments);
Answer serving_run(const query::Resolver& resolver, const Arguments& arguments);
Answer serving_configurations(const query::Resolver& resolver, const Arguments& arguments);
Answer serving_overview(const query::Resolver& resolver, const Arguments& arguments);
Answer compare(const query::Resolver& resolver, const Arguments& arguments);
Answer health(const query::Resolver& resolver, const Arguments& arguments);
Answer readiness(const query::Resolver& resolver, const Arguments& arguments);

}  // namespace ki::api
