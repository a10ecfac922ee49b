// Runs a workload once and writes what it has made, then again and again, as the first argument says: for a time, and
// prints the nanoseconds of processor time of the fastest run; or for turns, alone and with a second process at once.
//
//	workload SECONDS ARG…   @FILE is a buffer, written back to FILE.out; else a scalar
//	workload turns ARG…     then on each line of the input: PROCESSES NANOSECONDS
#include "native.h"
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double read_clock(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

static double now(void) { return read_clock(CLOCK_PROCESS_CPUTIME_ID); }
static double wall_now(void) { return read_clock(CLOCK_MONOTONIC); }

static int n;        // arguments
static arg *a;       // of the workload
static void **first; // contents before each run

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

static void load_all(char **texts) {
  a = calloc(n + 1, sizeof *a);
  first = calloc(n + 1, sizeof *first);
  for (int i = 0; i < n; i++) {
    if (texts[i][0] != '@') {
      a[i].v = strtod(texts[i], 0);
      continue;
    }
    a[i] = load(texts[i] + 1);
    first[i] = memcpy(malloc(a[i].bytes), a[i].p, a[i].bytes);
  }
}

static void store_all(char **texts) {
  for (int i = 0; i < n; i++) {
    if (!first[i])
      continue;
    char path[4096];
    snprintf(path, sizeof path, "%s.out", texts[i] + 1);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(a[i].p, 1, a[i].bytes, f) != a[i].bytes || fclose(f)) {
      perror(path);
      exit(1);
    }
  }
}

static void refill(void) {
  for (int i = 0; i < n; i++)
    if (first[i])
      memcpy(a[i].p, first[i], a[i].bytes);
}

typedef struct {
  double wall, cpu; // nanoseconds
} spent;

static spent timed(void) {
  double wall = wall_now(), start = now();
  once(a);
  double cpu = now() - start;
  return (spent){wall_now() - wall, cpu};
}

// Rounds that had no processor for a while count only if none had one all the time (bench/rounds.go).
static double fastest(double ns) {
  double whole = 1e300, any = 1e300, end = now() + ns;
  do {
    refill();
    spent s = timed();
    if (s.cpu < any)
      any = s.cpu;
    if (s.cpu >= 0.9 * s.wall && s.cpu < whole)
      whole = s.cpu;
  } while (now() < end);
  return whole < 1e300 ? whole : any;
}

// What the two processes of a pair share.
static struct {
  atomic_long arrived; // at meetings, ever
  spent second;        // what the second's round took
  int more;            // the turn has another round
} *both;

// Both leave a meeting at once, as they wait busily.
static void meet(void) {
  long last = atomic_fetch_add(&both->arrived, 1) | 1;
  for (int spins = 0; atomic_load(&both->arrived) <= last; spins++)
    if (spins > 10000)
      sched_yield();
}

// The second process sleeps between the turns of a pair.
static void second(int wake) {
  for (char c; read(wake, &c, 1) == 1;)
    do {
      refill();
      meet();
      both->second = timed();
      meet();
      meet();
    } while (both->more);
}

// A round of a pair lasts until both have ended.
static spent round_of_two(double end, int *more) {
  refill();
  meet();
  spent s = timed();
  meet();
  s.cpu += both->second.cpu;
  if (s.wall < both->second.wall)
    s.wall = both->second.wall;
  *more = both->more = wall_now() < end;
  meet();
  return s;
}

// It leaves what both share alone: the second may still have to read that its turn has ended.
static spent round_of_one(double end, int *more) {
  refill();
  spent s = timed();
  *more = wall_now() < end;
  return s;
}

static void lost(int signal) { _exit(1); } // the second, which would be waited for

// Prints a line for each round of each turn, wall and processor time, and zeros behind the last.
static void turns(int wake) {
  setvbuf(stdout, 0, _IOFBF, 1 << 16);
  int processes, more;
  for (double ns; scanf("%d %lf", &processes, &ns) == 2; fflush(stdout)) {
    double end = wall_now() + ns;
    if (processes == 2 && write(wake, "", 1) != 1)
      exit(1);
    do {
      spent s = processes == 2 ? round_of_two(end, &more) : round_of_one(end, &more);
      printf("%.0f %.0f\n", s.wall, s.cpu);
    } while (more);
    printf("0 0\n");
  }
}

static int pair(char **texts) {
  int wake[2];
  both = mmap(0, sizeof *both, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (both == MAP_FAILED || pipe(wake)) {
    perror("pair");
    return 1;
  }
  signal(SIGCHLD, lost);
  pid_t child = fork(); // before memory is filled: neither is to have pages of the other
  if (child < 0) {
    perror("fork");
    return 1;
  }
  close(wake[child != 0 ? 0 : 1]);
  load_all(texts);
  once(a);
  if (child == 0) {
    second(wake[0]);
    return 0;
  }
  store_all(texts);
  turns(wake[1]);
  signal(SIGCHLD, SIG_DFL);
  close(wake[1]);
  waitpid(child, 0, 0);
  return 0;
}

int main(int argc, char **argv) {
  n = argc - 2;
  if (!strcmp(argv[1], "turns"))
    return pair(argv + 2);
  load_all(argv + 2);
  once(a);
  store_all(argv + 2);
  printf("%.0f\n", fastest(strtod(argv[1], 0) * 1e9));
  return 0;
}
