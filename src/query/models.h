// The read models: what every surface (pages, API, CLI, agents) shows, in the field names of the
// public API. Each type is described once; its JSON and its OpenAPI schema follow.
#pragma once

#include "query/model_answer.h"
#include "query/model_cases.h"
#include "query/model_cohort.h"
#include "query/model_common.h"
#include "query/model_compare.h"
#include "query/model_coverage.h"
#include "query/model_envelope.h"
#include "query/model_feed.h"
#include "query/model_implementation.h"
#include "query/model_lists.h"
#include "query/model_model.h"
#include "query/model_operation.h"
#include "query/model_project.h"
#include "query/model_request.h"
#include "query/model_row.h"
#include "query/model_run.h"
#include "query/model_serving.h"
#include "query/model_serving_lists.h"
#include "query/model_serving_run.h"
