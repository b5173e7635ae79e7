/*
 * Which implementation is fastest for one exact case? Asks a file that `ki snapshot` wrote.
 *
 *   cmake --build --preset release --target kernelindex   # as tools/quickstart does
 *   cc -std=c99 -I src/embed examples/embed/fastest.c -L build/release -lkernelindex \
 *      -Wl,-rpath,"$PWD/build/release" -o fastest
 *   ./fastest answers.kisnap fused-neighborhood-attention "NVIDIA GeForce RTX 3090" backward \
 *             batch=4 seq=2048 heads=12 hidden=768 kernel_size=7 dilation=1
 *
 * "" stands for any hardware or pass. Without a case it lists all of them.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernelindex.h"

enum { AXES_MAX = 64 };

static int list(const ki_snapshot* snapshot) {
  ki_axis axes[AXES_MAX];
  for (size_t i = 0; i < ki_case_count(snapshot); ++i) {
    ki_case one;
    if (ki_case_at(snapshot, i, axes, AXES_MAX, &one) != KI_OK) return 1;
    printf("%s\t%s\t%s\t%s", one.operation, one.dtype, one.hardware, one.pass);
    for (size_t a = 0; a < one.axes_count && a < AXES_MAX; ++a) {
      printf("\t%s=%lld", axes[a].name, (long long)axes[a].value);
    }
    printf("\n");
  }
  return 0;
}

static int print_answer(const ki_snapshot* snapshot, const ki_answer* answer) {
  printf("%s %s on %s: %s\n", answer->statistic, answer->metric, answer->hardware,
         answer->verdict);
  for (size_t i = 0; i < answer->candidates_count; ++i) {
    ki_candidate one;
    if (ki_candidate_at(snapshot, answer, i, &one) != KI_OK) return 1;
    printf("%c %d %s %.17g %s", i == answer->best ? '*' : ' ', (int)one.rank, one.implementation,
           one.value, answer->unit);
    if (!isnan(one.low)) printf(" (%.17g to %.17g)", one.low, one.high);
    printf("%s %s\n", one.deployable ? " deployable" : "", one.run);
  }
  return 0;
}

int main(int argc, char** argv) {
  if (argc != 2 && argc < 5) {
    fprintf(stderr, "usage: fastest FILE [OPERATION HARDWARE PASS AXIS=VALUE...]\n");
    return 2;
  }
  ki_snapshot* snapshot = NULL;
  char message[256];
  if (ki_snapshot_open(argv[1], &snapshot, message, sizeof message) != KI_OK) {
    fprintf(stderr, "%s\n", message);
    return 1;
  }
  int result = 0;
  if (argc == 2) {
    result = list(snapshot);
  } else {
    ki_axis axes[AXES_MAX];
    size_t count = 0;
    for (int i = 5; i < argc && count < AXES_MAX; ++i, ++count) {
      char* const sign = strchr(argv[i], '=');
      if (sign == NULL) {
        fprintf(stderr, "%s: an axis is NAME=VALUE\n", argv[i]);
        return 2;
      }
      *sign = '\0';
      axes[count].name = argv[i];
      axes[count].value = strtoll(sign + 1, NULL, 10);
    }
    ki_case wanted = {argv[2], NULL, argv[3], argv[4], axes, count};
    ki_answer answer;
    const ki_status status = ki_resolve(snapshot, &wanted, NULL, &answer);
    if (status == KI_OK) {
      result = print_answer(snapshot, &answer);
    } else if (status == KI_NOT_FOUND) {
      fprintf(stderr, "not in this snapshot; fastest FILE lists what is\n");
      result = 1;
    } else {
      fprintf(stderr, "%s: the pass is forward, backward, full or \"\" for any\n", argv[4]);
      result = 1;
    }
  }
  ki_snapshot_close(snapshot);
  return result;
}
