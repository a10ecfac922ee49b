// Runs a workload once and writes what it has made, then again and again for a time, and prints
// the nanoseconds of processor time of the fastest run, and of wall time of the run in the middle.
//
//	workload SECONDS ARG…   @FILE is a buffer, written back to FILE.out; else a scalar
#include "native.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double read_clock(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

static double now(void) { return read_clock(CLOCK_PROCESS_CPUTIME_ID); }

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

enum { MAX_RUNS = 1 << 20 };
static double walls[MAX_RUNS];

static arg load(const char *path) {
  FILE *f = fopen(path, "rb");
  if (!f) {
    perror(path);
    exit(1);
  }
  fseek(f, 0, SEEK_END);
  arg a = {.bytes = (size_t)ftell(f)};
  rewind(f);
  a.p = aligned_alloc(64, (a.bytes + 4096) & ~(size_t)63);
  if (!a.p || fread(a.p, 1, a.bytes, f) != a.bytes) {
    fprintf(stderr, "%s: cannot read\n", path);
    exit(1);
  }
  fclose(f);
  return a;
}

int main(int argc, char **argv) {
  int n = argc - 2;
  arg *a = calloc(n + 1, sizeof *a);
  void **first = calloc(n + 1, sizeof *first); // contents before each run
  for (int i = 0; i < n; i++) {
    if (argv[i + 2][0] != '@') {
      a[i].v = strtod(argv[i + 2], 0);
      continue;
    }
    a[i] = load(argv[i + 2] + 1);
    first[i] = memcpy(malloc(a[i].bytes), a[i].p, a[i].bytes);
  }
  once(a);
  for (int i = 0; i < n; i++) {
    if (!first[i])
      continue;
    char path[4096];
    snprintf(path, sizeof path, "%s.out", argv[i + 2] + 1);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(a[i].p, 1, a[i].bytes, f) != a[i].bytes || fclose(f)) {
      perror(path);
      return 1;
    }
  }
  // Rounds that had no processor for a while count only if none had one all the time (bench/rounds.go).
  double whole = 1e300, any = 1e300, end = now() + strtod(argv[1], 0) * 1e9;
  int runs = 0;
  do {
    for (int i = 0; i < n; i++)
      if (first[i])
        memcpy(a[i].p, first[i], a[i].bytes);
    double wall = read_clock(CLOCK_MONOTONIC), start = now();
    once(a);
    double took = now() - start;
    wall = read_clock(CLOCK_MONOTONIC) - wall;
    if (took < any)
      any = took;
    if (took >= 0.9 * wall && took < whole)
      whole = took;
    walls[runs++] = wall;
  } while (now() < end && runs < MAX_RUNS);
  qsort(walls, runs, sizeof *walls, ascending);
  printf("%.0f %.0f\n", whole < 1e300 ? whole : any, walls[runs / 2]);
  return 0;
}
