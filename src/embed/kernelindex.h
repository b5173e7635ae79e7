/*
 * KernelIndex embedded: the ranked answers of a catalog, in one file that is mapped into memory.
 *
 * `ki snapshot FILE` writes the file; a framework opens it once and asks at run time which
 * implementation is fastest for the exact case at hand. The answer is the one that the catalog's
 * resolver gave when the file was written: same ranks, same evidence, same verdict. Format:
 * docs/formats/snapshot.md.
 *
 * Threads: a ki_snapshot never changes, so any number of threads may use one. ki_snapshot_close
 * comes after the last use of it and of every text that it gave out.
 * Memory: no function but ki_snapshot_open allocates. Texts are UTF-8, end with NUL, belong to the
 * snapshot, and are "" (never NULL) where nothing is known.
 * The file has to stay as it is while it is open: write a new one beside it and rename it over the
 * old one, which stays mapped.
 */
#ifndef KERNELINDEX_H
#define KERNELINDEX_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define KI_PUBLIC __attribute__((visibility("default")))
#else
#define KI_PUBLIC
#endif

/* Names as C libraries spell them. NOLINTBEGIN(readability-identifier-naming) */

/* Raised when a struct or a meaning below changes. ki_abi_version() is that of the library. */
#define KI_ABI_VERSION 1
KI_PUBLIC uint32_t ki_abi_version(void);

typedef enum ki_status {
  KI_OK = 0,
  KI_NOT_FOUND = 1, /* no such case in this snapshot */
  KI_INVALID = 2, /* an argument that no call may have: NULL, an unknown pass, an index too large */
  KI_DAMAGED = 3, /* the file is no snapshot, is of another version, or is not whole */
  KI_UNREADABLE = 4 /* the file cannot be opened or mapped */
} ki_status;

/* How well the evidence of a run is secured, weakest first. */
typedef enum ki_evidence {
  KI_REPORTED = 1,
  KI_REPRODUCIBLE = 2,
  KI_VERIFIED = 3,
  KI_REPLICATED = 4
} ki_evidence;

typedef struct ki_snapshot ki_snapshot;

/* Opens and checks a snapshot. On failure *snapshot is NULL and `message` (when not NULL) says why,
 * in at most message_size bytes with the NUL. */
KI_PUBLIC ki_status ki_snapshot_open(const char* path, ki_snapshot** snapshot, char* message,
                                     size_t message_size);
/* NULL is allowed. */
KI_PUBLIC void ki_snapshot_close(ki_snapshot* snapshot);

/* The state of the catalog that the file shows, and the policy that ranked it. */
KI_PUBLIC const char* ki_snapshot_catalog(const ki_snapshot* snapshot);
KI_PUBLIC const char* ki_snapshot_policy(const ki_snapshot* snapshot);

typedef struct ki_axis {
  const char* name; /* "tokens" */
  int64_t value;
} ki_axis;

/* One exact case. Every axis of the workload is given, in any order; of a suite of cases, which
 * many operations of leaderboards are measured by, none. */
typedef struct ki_case {
  const char* operation; /* slug or alias */
  const char* dtype; /* as workloads state it ("bf16"); NULL or "": whichever the resolver takes */
  const char* hardware; /* a name that answers show: model or product, in this case of letters, no
                           nickname; NULL or "": whichever the resolver takes */
  const char* pass; /* "forward", "backward", "full"; NULL or "": whichever the resolver takes */
  const ki_axis* axes;
  size_t axes_count;
} ki_case;

/* What a candidate must fulfil to be used. All zero: anything. */
typedef struct ki_policy {
  int32_t minimum_evidence;     /* a ki_evidence, or 0 */
  int32_t source_required;      /* its source can be read */
  int32_t installable_required; /* it has an install command */
  int32_t deployable_required;  /* nothing speaks against using it: source, install, licence */
} ki_policy;

/* The answer to a case: one comparison cohort, ranked. */
typedef struct ki_answer {
  const char* comparison_key; /* "sha256:..." */
  const char* hardware;       /* model that was measured */
  const char* metric;         /* "latency" */
  const char* unit;           /* "ns" */
  const char* statistic;      /* "median" */
  const char* verdict;        /* winner, tie, not_enough_evidence, only_run, none */
  size_t candidates_count;    /* in the order of their ranks; those without a rank last */
  size_t best;     /* the first candidate that fulfils the policy; candidates_count: none */
  uint32_t handle; /* for ki_candidate_at */
} ki_answer;

typedef struct ki_candidate {
  const char* implementation; /* slug */
  const char* name;
  const char* project; /* slug */
  const char* run;     /* "sha256:..." of the run's manifest */
  const char* language;
  const char* framework;
  const char* install; /* command */
  const char* license; /* concluded SPDX expression */
  double value;        /* in the answer's unit */
  double low;          /* p20 to p80, or the declared interval; NaN where unknown */
  double high;
  int32_t rank;        /* 0: not ranked */
  int32_t shares_rank; /* 1: another candidate has the same rank */
  int32_t evidence;    /* a ki_evidence */
  int32_t source_available;
  int32_t deployable;
} ki_candidate;

/* The answer to one case. `policy` may be NULL. */
KI_PUBLIC ki_status ki_resolve(const ki_snapshot* snapshot, const ki_case* wanted,
                               const ki_policy* policy, ki_answer* answer);
/* Candidate `index` of an answer. */
KI_PUBLIC ki_status ki_candidate_at(const ki_snapshot* snapshot, const ki_answer* answer,
                                    size_t index, ki_candidate* candidate);

/* Every case of the snapshot, in an order of its own. `axes` takes up to axes_max axes of the case;
 * case->axes then points to them and case->axes_count is how many the case has. */
KI_PUBLIC size_t ki_case_count(const ki_snapshot* snapshot);
KI_PUBLIC ki_status ki_case_at(const ki_snapshot* snapshot, size_t index, ki_axis* axes,
                               size_t axes_max, ki_case* out);

/* NOLINTEND(readability-identifier-naming) */

#ifdef __cplusplus
}
#endif

#endif /* KERNELINDEX_H */
