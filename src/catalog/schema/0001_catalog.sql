-- The catalog, version 1. One text for every engine: db/ spells BIGINT, DOUBLE PRECISION and STRICT
-- for the engine at hand and turns each "-- append-only: TABLE" line into triggers that refuse
-- UPDATE, DELETE and REPLACE. Instants are ISO 8601 text in UTC with milliseconds, so they sort as text;
-- digests are "sha256:<hex>"; ids are UUIDs of version 7; flags are 0 or 1; lists are JSON text.

CREATE TABLE source (
  id TEXT PRIMARY KEY,
  slug TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  policy TEXT,                       -- JSON object or NULL; editorial, may be replaced
  created_at TEXT NOT NULL
);
-- append-only: source except policy

CREATE TABLE source_snapshot (       -- an input file as it was read
  id TEXT PRIMARY KEY,
  source_id TEXT NOT NULL REFERENCES source (id),
  locator TEXT NOT NULL,
  content_digest TEXT NOT NULL,
  media_type TEXT NOT NULL,
  size_bytes BIGINT NOT NULL,
  parser_name TEXT NOT NULL,
  parser_version TEXT NOT NULL,
  fetched_at TEXT NOT NULL,
  UNIQUE (source_id, locator, content_digest, parser_version)
);
-- append-only: source_snapshot

CREATE TABLE source_link (           -- which upstream thing an object restates
  source_id TEXT NOT NULL REFERENCES source (id),
  entity_kind TEXT NOT NULL,
  external_id TEXT NOT NULL,
  entity_id TEXT NOT NULL,
  snapshot_id TEXT REFERENCES source_snapshot (id),
  source_row BIGINT,
  source_line BIGINT,
  created_at TEXT NOT NULL,
  PRIMARY KEY (source_id, entity_kind, external_id, entity_id)
);
CREATE INDEX source_link_by_entity ON source_link (entity_kind, entity_id);
-- append-only: source_link

CREATE TABLE project (
  id TEXT PRIMARY KEY,
  slug TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  normalized_name TEXT NOT NULL,
  kind TEXT NOT NULL,
  canonical_url TEXT,
  license_expression TEXT,
  manifest_digest TEXT NOT NULL,
  manifest TEXT NOT NULL,
  created_at TEXT NOT NULL
);
CREATE INDEX project_by_name ON project (normalized_name, slug);
-- append-only: project

CREATE TABLE operation (
  id TEXT PRIMARY KEY,
  slug TEXT NOT NULL UNIQUE,
  family TEXT NOT NULL,
  name TEXT NOT NULL,                -- metadata title, else the slug
  schema_version TEXT NOT NULL,
  semantic_digest TEXT NOT NULL UNIQUE,
  manifest TEXT NOT NULL,
  created_at TEXT NOT NULL,
  supersedes_id TEXT REFERENCES operation (id)
);
CREATE INDEX operation_by_family ON operation (family, slug);
CREATE INDEX operation_lines ON operation (id, slug, family, name, semantic_digest, created_at);
-- append-only: operation

CREATE TABLE operation_alias (
  operation_id TEXT NOT NULL REFERENCES operation (id),
  alias TEXT NOT NULL,               -- lower case
  PRIMARY KEY (alias, operation_id)
);
CREATE INDEX operation_alias_by_operation ON operation_alias (operation_id);

CREATE TABLE operation_tag (
  operation_id TEXT NOT NULL REFERENCES operation (id),
  tag TEXT NOT NULL,
  ordinal BIGINT NOT NULL,
  PRIMARY KEY (operation_id, tag)
);
CREATE INDEX operation_tag_by_tag ON operation_tag (tag, operation_id);

CREATE TABLE workload (
  id TEXT PRIMARY KEY,
  operation_id TEXT NOT NULL REFERENCES operation (id),
  kind TEXT NOT NULL,                -- WorkloadCase or WorkloadSuite
  workload_digest TEXT NOT NULL UNIQUE,
  schema_version TEXT NOT NULL,
  correctness_key TEXT NOT NULL,
  shape_summary TEXT NOT NULL,
  dtypes TEXT NOT NULL,              -- JSON list, sorted
  layout_keys TEXT NOT NULL,         -- JSON list, sorted
  manifest TEXT NOT NULL,
  created_at TEXT NOT NULL
);
CREATE INDEX workload_by_operation ON workload (operation_id, id, dtypes);
-- append-only: workload

CREATE TABLE workload_axis (         -- the axes of cases, for lookup by value
  operation_id TEXT NOT NULL REFERENCES operation (id),
  name TEXT NOT NULL,
  value BIGINT NOT NULL,
  workload_id TEXT NOT NULL REFERENCES workload (id),
  PRIMARY KEY (operation_id, name, value, workload_id)
);
CREATE INDEX workload_axis_by_workload ON workload_axis (workload_id);
-- append-only: workload_axis

CREATE TABLE implementation (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES project (id),
  operation_id TEXT NOT NULL REFERENCES operation (id),
  slug TEXT NOT NULL,                -- not unique: the newest row of a slug is the current one
  implementation_digest TEXT NOT NULL UNIQUE,
  source_revision TEXT,
  language TEXT NOT NULL,
  framework TEXT,
  target_architectures TEXT NOT NULL,
  license_declared TEXT,
  license_expression TEXT,
  source_available BIGINT NOT NULL,
  installable BIGINT NOT NULL,
  title TEXT,
  role TEXT,
  install_kind TEXT,
  install_command TEXT,
  manifest TEXT NOT NULL,
  created_at TEXT NOT NULL,
  supersedes_id TEXT REFERENCES implementation (id)
);
CREATE INDEX implementation_by_slug ON implementation (slug, created_at, id);
CREATE INDEX implementation_by_operation ON implementation (operation_id, id);
CREATE INDEX implementation_by_project ON implementation (project_id, id);
CREATE INDEX implementation_by_language ON implementation (language);
-- append-only: implementation

CREATE TABLE protocol (
  digest TEXT PRIMARY KEY,
  harness TEXT NOT NULL,
  manifest TEXT NOT NULL,
  created_at TEXT NOT NULL
);
-- append-only: protocol

CREATE TABLE environment (
  digest TEXT PRIMARY KEY,
  hardware_model TEXT NOT NULL,
  hardware_form_factor TEXT NOT NULL,
  manifest TEXT NOT NULL,
  created_at TEXT NOT NULL
);
-- append-only: environment

CREATE TABLE run (
  id TEXT PRIMARY KEY,
  run_digest TEXT NOT NULL UNIQUE,
  operation_id TEXT NOT NULL REFERENCES operation (id),
  workload_id TEXT NOT NULL REFERENCES workload (id),
  implementation_id TEXT NOT NULL REFERENCES implementation (id),
  source_id TEXT REFERENCES source (id),
  protocol_key TEXT NOT NULL REFERENCES protocol (digest),
  environment_key TEXT NOT NULL REFERENCES environment (digest),
  correctness_key TEXT NOT NULL,
  comparison_key TEXT NOT NULL,
  status TEXT NOT NULL,
  observed_at TEXT NOT NULL,
  published_at TEXT,                 -- NULL: imported unpublished
  primary_metric TEXT,
  primary_statistic TEXT,
  primary_unit TEXT,
  primary_value DOUBLE PRECISION,
  sample_count BIGINT,
  uncertainty_low DOUBLE PRECISION,
  uncertainty_high DOUBLE PRECISION,
  spread_low DOUBLE PRECISION,       -- p20 and p80 of the primary metric, where stated
  spread_high DOUBLE PRECISION,
  hardware_vendor TEXT NOT NULL,
  hardware_model TEXT NOT NULL,
  hardware_architecture TEXT NOT NULL,
  driver_major BIGINT,
  cuda_major BIGINT,
  environment_summary TEXT,
  source_available BIGINT NOT NULL,  -- frozen at insert, as the three below
  installable BIGINT NOT NULL,
  license_expression TEXT,
  has_raw_evidence BIGINT NOT NULL,
  source_native BIGINT NOT NULL,
  sol_score DOUBLE PRECISION,
  manifest TEXT NOT NULL,
  created_at TEXT NOT NULL
);
-- The columns behind the id are all that a ranking reads, so that it never reads manifests.
CREATE INDEX run_by_cohort ON run (
  comparison_key, observed_at, id, implementation_id, source_id, primary_metric, primary_statistic,
  primary_unit, primary_value, sample_count, uncertainty_low, uncertainty_high, spread_low,
  spread_high, source_available, has_raw_evidence, source_native);
CREATE INDEX run_by_time ON run (observed_at, id);
-- The same for the best run of each implementation.
CREATE INDEX run_by_operation ON run (
  operation_id, implementation_id, primary_metric, primary_unit, primary_value, id,
  primary_statistic, sample_count, uncertainty_low, uncertainty_high, spread_low, spread_high,
  source_available, has_raw_evidence);
CREATE INDEX run_by_implementation ON run (implementation_id, id);
CREATE INDEX run_by_publication ON run (published_at, source_id, operation_id, hardware_model, id);
-- append-only: run

CREATE TABLE measurement (
  id TEXT PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES run (id),
  ordinal BIGINT NOT NULL,
  metric TEXT NOT NULL,
  statistic TEXT NOT NULL,
  unit TEXT NOT NULL,
  value DOUBLE PRECISION NOT NULL,
  sample_count BIGINT,
  UNIQUE (run_id, metric, statistic)
);
-- append-only: measurement

CREATE TABLE pending_run (           -- evidence whose implementation or workload is not known yet
  run_digest TEXT PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,           -- the run keeps it
  implementation_digest TEXT NOT NULL,
  workload_digest TEXT NOT NULL,
  protocol_key TEXT NOT NULL REFERENCES protocol (digest),
  environment_key TEXT NOT NULL REFERENCES environment (digest),
  source_id TEXT REFERENCES source (id),
  snapshot_id TEXT REFERENCES source_snapshot (id),
  source_row BIGINT,
  source_line BIGINT,
  external_id TEXT,
  manifest TEXT NOT NULL,
  created_at TEXT NOT NULL
);                                   -- a row leaves only when its run enters run
CREATE INDEX pending_run_by_implementation ON pending_run (implementation_digest);
CREATE INDEX pending_run_by_workload ON pending_run (workload_digest);

CREATE TABLE artifact (
  id TEXT PRIMARY KEY,
  content_digest TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  media_type TEXT NOT NULL,
  size_bytes BIGINT,
  storage TEXT NOT NULL,             -- inline, upstream
  uri TEXT,
  license TEXT,
  content TEXT,                      -- NULL when only referenced
  created_at TEXT NOT NULL
);
-- append-only: artifact

CREATE TABLE artifact_link (
  entity_kind TEXT NOT NULL,         -- run (pending ones too), implementation
  entity_id TEXT NOT NULL,
  role TEXT NOT NULL,
  artifact_id TEXT NOT NULL REFERENCES artifact (id),
  PRIMARY KEY (entity_kind, entity_id, role, artifact_id)
);
-- append-only: artifact_link

-- Results of serving stand beside those of kernels and are never compared with them.

CREATE TABLE model_revision (
  id TEXT PRIMARY KEY,
  digest TEXT NOT NULL UNIQUE,
  slug TEXT NOT NULL,                -- not unique: revisions of a model may share it
  name TEXT NOT NULL,                -- metadata title, else the slug
  tokenizer TEXT,
  parameter_count BIGINT,
  context_length BIGINT,
  license TEXT,
  source_id TEXT REFERENCES source (id),
  manifest TEXT NOT NULL,
  created_at TEXT NOT NULL
);
CREATE INDEX model_revision_by_slug ON model_revision (slug, id);
-- append-only: model_revision

CREATE TABLE serving_stack_revision (
  id TEXT PRIMARY KEY,
  digest TEXT NOT NULL UNIQUE,
  slug TEXT NOT NULL,
  project TEXT NOT NULL,
  name TEXT NOT NULL,                -- metadata title, else the version, else the name
  version TEXT,
  source_id TEXT REFERENCES source (id),
  manifest TEXT NOT NULL,
  created_at TEXT NOT NULL
);
CREATE INDEX serving_stack_revision_by_name ON serving_stack_revision (name, id);
-- append-only: serving_stack_revision

CREATE TABLE serving_configuration (
  id TEXT PRIMARY KEY,
  digest TEXT NOT NULL UNIQUE,
  stack_id TEXT NOT NULL REFERENCES serving_stack_revision (id),
  dtype TEXT,
  quantization TEXT,
  tensor_parallel BIGINT,
  summary TEXT NOT NULL,             -- for people, from the importer
  source_id TEXT REFERENCES source (id),
  manifest TEXT NOT NULL,
  created_at TEXT NOT NULL
);
CREATE INDEX serving_configuration_by_stack ON serving_configuration (stack_id, id);
-- append-only: serving_configuration

CREATE TABLE serving_workload (
  id TEXT PRIMARY KEY,
  digest TEXT NOT NULL UNIQUE,
  slug TEXT NOT NULL,                -- not unique
  name TEXT NOT NULL,                -- for people, from the importer
  streaming BIGINT NOT NULL,
  load_generation TEXT NOT NULL,     -- open_loop, closed_loop, offline
  source_id TEXT REFERENCES source (id),
  manifest TEXT NOT NULL,
  created_at TEXT NOT NULL
);
CREATE INDEX serving_workload_by_slug ON serving_workload (slug, id);
-- append-only: serving_workload

CREATE TABLE serving_run (
  id TEXT PRIMARY KEY,
  digest TEXT NOT NULL UNIQUE,
  model_id TEXT NOT NULL REFERENCES model_revision (id),
  configuration_id TEXT NOT NULL REFERENCES serving_configuration (id),
  workload_id TEXT NOT NULL REFERENCES serving_workload (id),
  source_id TEXT REFERENCES source (id),
  status TEXT NOT NULL,              -- valid, invalid, incomplete_evidence
  observed_at TEXT NOT NULL,
  published_at TEXT,                 -- NULL: imported unpublished
  retracted_at TEXT,                 -- as it was imported; nothing here retracts a serving run
  protocol_key TEXT NOT NULL,
  topology_key TEXT NOT NULL,
  metric_set_key TEXT NOT NULL,
  cohort_key TEXT NOT NULL,
  quality_policy TEXT NOT NULL,
  scenario TEXT NOT NULL,
  accelerator_vendor TEXT,
  accelerator_model TEXT NOT NULL,
  accelerator_count BIGINT NOT NULL, -- of one node
  node_count BIGINT NOT NULL,
  total_accelerators BIGINT NOT NULL,
  external_id TEXT,
  manifest TEXT NOT NULL,
  created_at TEXT NOT NULL
);
CREATE INDEX serving_run_by_time ON serving_run (observed_at, id);
CREATE INDEX serving_run_by_model ON serving_run (model_id, observed_at, id);
CREATE INDEX serving_run_by_workload ON serving_run (workload_id, observed_at, id);
CREATE INDEX serving_run_by_configuration ON serving_run (configuration_id, id);
CREATE INDEX serving_run_by_source ON serving_run (source_id);
CREATE INDEX serving_run_by_accelerator
  ON serving_run (accelerator_model, status, published_at, retracted_at);
-- append-only: serving_run

CREATE TABLE serving_measurement (
  id TEXT PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES serving_run (id),
  ordinal BIGINT NOT NULL,
  metric TEXT NOT NULL,
  statistic TEXT NOT NULL,
  unit TEXT NOT NULL,
  value DOUBLE PRECISION NOT NULL,
  sample_count BIGINT,
  UNIQUE (run_id, metric, statistic)
);
-- append-only: serving_measurement

CREATE TABLE correction (            -- retract, restore, supersede, hold, release; newest counts
  id TEXT PRIMARY KEY,
  action TEXT NOT NULL,
  run_id TEXT NOT NULL REFERENCES run (id),
  superseded_run_id TEXT REFERENCES run (id),  -- supersede: the older run
  actor TEXT NOT NULL,
  reason TEXT NOT NULL,
  at TEXT NOT NULL
);
CREATE INDEX correction_by_run ON correction (run_id, at);
CREATE INDEX correction_by_time ON correction (at, id);
CREATE INDEX correction_by_superseded ON correction (superseded_run_id);
-- append-only: correction

CREATE TABLE attestation (           -- what others say of a run; changes nothing of its evidence
  id TEXT PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES run (id),
  type TEXT NOT NULL,                -- reproduced, could_not_reproduce, ...
  body TEXT NOT NULL,
  evidence_url TEXT,
  observed_ns DOUBLE PRECISION,      -- a latency that its author measured
  environment_summary TEXT,
  author TEXT NOT NULL,
  at TEXT NOT NULL
);
CREATE INDEX attestation_by_run ON attestation (run_id, at, id);
CREATE INDEX attestation_by_author ON attestation (author, at);
-- append-only: attestation

-- What runners signed, and which of them are believed. A level follows from both and is in neither.

CREATE TABLE signed_statement (      -- of evidence whose every claim was computed again
  digest TEXT PRIMARY KEY,           -- of the signed bytes
  key_id TEXT NOT NULL,              -- who signed, and so the two below: all that the envelope says
  machine TEXT NOT NULL,
  protocol TEXT NOT NULL,
  envelope TEXT NOT NULL,            -- JSON; docs/formats/evidence.md
  created_at TEXT NOT NULL
);
CREATE INDEX signed_statement_by_key ON signed_statement (key_id, digest);
-- append-only: signed_statement

CREATE TABLE signed_run (            -- the runs that a statement names, for lookup
  run_digest TEXT NOT NULL,
  statement_digest TEXT NOT NULL REFERENCES signed_statement (digest),
  PRIMARY KEY (run_digest, statement_digest)
);
CREATE INDEX signed_run_by_statement ON signed_run (statement_digest);
-- append-only: signed_run

CREATE TABLE runner_event (          -- approve, revoke; the newest of a key counts
  id TEXT PRIMARY KEY,
  action TEXT NOT NULL,
  key_id TEXT NOT NULL,
  actor TEXT NOT NULL,
  reason TEXT NOT NULL,
  at TEXT NOT NULL
);
CREATE INDEX runner_event_by_key ON runner_event (key_id, at, id);
-- append-only: runner_event

CREATE TABLE audit (                 -- a chain: docs/formats/database.md says of what
  sequence BIGINT PRIMARY KEY,       -- 1, 2, 3, ...
  id TEXT NOT NULL UNIQUE,
  at TEXT NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  entity_kind TEXT NOT NULL,
  entity_id TEXT NOT NULL,
  detail TEXT NOT NULL,              -- JSON object
  tally TEXT NOT NULL,               -- JSON object: rows and sum of each evidence table by then
  digest TEXT NOT NULL               -- over this row and the digest of the one before
);
CREATE INDEX audit_by_time ON audit (at, id);
-- append-only: audit

-- Derived, rebuilt from the evidence above whenever it changes, and checked by `ki verify`.

CREATE TABLE cohort (                -- kept by operation, of which all are read together
  operation_id TEXT NOT NULL REFERENCES operation (id),
  comparison_key TEXT NOT NULL UNIQUE,
  workload_id TEXT NOT NULL REFERENCES workload (id),
  protocol_key TEXT NOT NULL REFERENCES protocol (digest),
  environment_key TEXT NOT NULL REFERENCES environment (digest),
  hardware_model TEXT NOT NULL,
  hardware_architecture TEXT NOT NULL,
  cuda_major BIGINT,
  primary_metric TEXT,               -- of every run, as the key says, and so the two below
  primary_statistic TEXT,
  primary_unit TEXT,
  eligible_runs BIGINT NOT NULL,
  sourced_runs BIGINT NOT NULL,      -- of those: by an implementation whose source is at hand
  reproducible_runs BIGINT NOT NULL, -- of that level of evidence, or a better one
  native_runs BIGINT NOT NULL,       -- with a block of their source's own
  best_value DOUBLE PRECISION,       -- best by the metric's direction; NULL when unknown or none
  last_observed_at TEXT,
  sources TEXT NOT NULL,             -- JSON object: newest observation by source id
  PRIMARY KEY (operation_id, comparison_key)
);
CREATE INDEX cohort_by_hardware
  ON cohort (hardware_model, operation_id, eligible_runs, last_observed_at);
CREATE INDEX cohort_by_operation
  ON cohort (operation_id, eligible_runs, reproducible_runs, last_observed_at);

CREATE TABLE standing (              -- one row an eligible run: passed, published, not retracted or superseded
  run_id TEXT PRIMARY KEY REFERENCES run (id),
  comparison_key TEXT NOT NULL,
  operation_id TEXT NOT NULL,
  workload_id TEXT NOT NULL,
  implementation_id TEXT NOT NULL,
  hardware_model TEXT NOT NULL,
  source_id TEXT,
  primary_value DOUBLE PRECISION,
  observed_at TEXT NOT NULL
);
CREATE INDEX standing_by_cohort ON standing (comparison_key, primary_value, run_id);
CREATE INDEX standing_by_workload ON standing (workload_id, primary_value, run_id);
CREATE INDEX standing_by_operation ON standing (operation_id, observed_at, run_id);
CREATE INDEX standing_by_implementation
  ON standing (implementation_id, operation_id, comparison_key, run_id);
CREATE INDEX standing_by_hardware ON standing (hardware_model, observed_at, run_id);
CREATE INDEX standing_by_source ON standing (source_id, observed_at, run_id);
CREATE INDEX standing_by_time ON standing (observed_at, run_id);

CREATE TABLE run_trust (             -- one row a run that stands and that an approved runner signed
  run_id TEXT PRIMARY KEY REFERENCES run (id),
  comparison_key TEXT NOT NULL,
  key_id TEXT NOT NULL,
  statement_digest TEXT NOT NULL,
  runners BIGINT NOT NULL,           -- independent approved ones behind it: 1, or 2 for more
  agreeing_run_id TEXT               -- of an independent approved runner; NULL: none
);
CREATE INDEX run_trust_by_cohort ON run_trust (comparison_key, run_id);

CREATE TABLE record_event (
  id TEXT PRIMARY KEY,
  comparison_key TEXT NOT NULL,
  run_id TEXT NOT NULL REFERENCES run (id),
  previous_run_id TEXT REFERENCES run (id),
  policy_version TEXT NOT NULL,
  cause TEXT NOT NULL,
  at TEXT NOT NULL,
  created_at TEXT NOT NULL,
  UNIQUE (comparison_key, run_id, cause)
);
CREATE INDEX record_event_by_run ON record_event (run_id);
CREATE INDEX record_event_by_cohort ON record_event (comparison_key, at, id);

CREATE TABLE holder (                -- the current record of each cohort that has one
  comparison_key TEXT PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES run (id),
  since TEXT NOT NULL,
  indexed_at TEXT NOT NULL,          -- publication time of the holder's run
  events BIGINT NOT NULL
);
CREATE INDEX holder_by_indexed ON holder (indexed_at DESC, since DESC, comparison_key);

CREATE TABLE operation_equivalence ( -- operations of one key compute the same
  operation_id TEXT PRIMARY KEY REFERENCES operation (id),
  equivalence_key TEXT NOT NULL      -- of its spec and its slug
);
CREATE INDEX operation_equivalence_by_key
  ON operation_equivalence (equivalence_key, operation_id);

CREATE TABLE search_term (           -- filled by publish; scoring is done in query/
  term TEXT NOT NULL,                -- lower case
  operation_id TEXT NOT NULL REFERENCES operation (id),
  field TEXT NOT NULL,               -- name, slug, family, alias, tag
  PRIMARY KEY (term, operation_id, field)
);
CREATE INDEX search_term_by_operation ON search_term (operation_id);

-- Keys of clients. No evidence, and no derived table either: a key is revoked, its use is counted.

CREATE TABLE api_key (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,                -- who has it, for people
  prefix TEXT NOT NULL,              -- its first characters, to tell keys apart
  token_digest TEXT NOT NULL UNIQUE, -- of the token, which is kept nowhere
  scopes TEXT NOT NULL,              -- separated by blanks, sorted
  quota_per_day BIGINT NOT NULL,     -- requests a day (UTC)
  created_at TEXT NOT NULL,
  expires_at TEXT,                   -- NULL: never
  revoked_at TEXT
);

CREATE TABLE api_key_use (
  key_id TEXT NOT NULL REFERENCES api_key (id),
  day TEXT NOT NULL,                 -- 2026-01-31
  used BIGINT NOT NULL,
  PRIMARY KEY (key_id, day)
);
