// Charts as inline SVG, each a pure function of what it shows: same values, same bytes.
#pragma once

#include "web/chart_cohort.h"
#include "web/chart_compare.h"
#include "web/chart_records.h"
#include "web/chart_samples.h"
#include "web/chart_scaling.h"
#include "web/chart_winners.h"
#include "web/svg_axis.h"
#include "web/svg_frame.h"
