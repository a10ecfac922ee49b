// Runs a kernel once on the first OpenCL device and writes what it has made, then again and again for a time, and
// prints the nanoseconds of processor time of the fastest run, threads of the implementation included, and on the
// second line what it ran on.
//
//	host SECONDS KERNELS.cl NAME GX GY GZ LX LY LZ ARG…   @FILE is a buffer, written back to FILE.out; else 4 or 8 bytes in hex
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void ok(cl_int err, const char *what) {
  if (err) {
    fprintf(stderr, "%s: OpenCL error %d\n", what, err);
    exit(1);
  }
}

static double read_clock(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

static double mine(void) { return read_clock(CLOCK_THREAD_CPUTIME_ID); }

// What the implementation's threads have used, each by its own clock: in that of the process what a thread has used
// is missing, up to a tick of some milliseconds, while it runs on another processor.
static double theirs(void) {
  double sum = 0;
  DIR *d = opendir("/proc/self/task");
  if (!d) {
    perror("/proc/self/task");
    exit(1);
  }
  for (struct dirent *e; (e = readdir(d));) {
    int thread = atoi(e->d_name);
    if (thread > 0 && thread != getpid())
      sum += read_clock((clockid_t)(~(unsigned)thread << 3 | 6)); // its CPUCLOCK_SCHED
  }
  closedir(d);
  return sum;
}

static char *load(const char *path, size_t *size) {
  FILE *f = fopen(path, "rb");
  if (!f) {
    perror(path);
    exit(1);
  }
  fseek(f, 0, SEEK_END);
  *size = ftell(f);
  rewind(f);
  char *p = calloc(1, *size + 1);
  if (fread(p, 1, *size, f) != *size)
    exit(1);
  fclose(f);
  return p;
}

static struct {
  cl_mem mem; // 0: a scalar
  char *first;
  size_t size;
} arg[32];

int main(int argc, char **argv) {
  size_t size, global[3], block[3];
  char *src = load(argv[2], &size), name[256] = "", log[4096] = "";
  for (int i = 0; i < 3; i++) {
    block[i] = atoi(argv[7 + i]);
    global[i] = atoi(argv[4 + i]) * block[i];
  }
  cl_platform_id platform;
  cl_device_id device;
  cl_int err;
  ok(clGetPlatformIDs(1, &platform, 0), "platform");
  ok(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, 0), "device");
  cl_context context = clCreateContext(0, 1, &device, 0, 0, &err);
  ok(err, "context");
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &err);
  ok(err, "queue");
  cl_program program = clCreateProgramWithSource(context, 1, (const char **)&src, &size, &err);
  ok(err, "program");
  if (clBuildProgram(program, 1, &device, "-cl-fp32-correctly-rounded-divide-sqrt", 0, 0)) {
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, 0);
    fprintf(stderr, "%s\n", log);
    return 1;
  }
  cl_kernel kernel = clCreateKernel(program, argv[3], &err);
  ok(err, argv[3]);
  int n = argc - 10;
  for (int i = 0; i < n; i++) {
    char *text = argv[10 + i];
    if (text[0] != '@') {
      cl_ulong v = strtoull(text, 0, 16); // bytes are in the order of x86
      ok(clSetKernelArg(kernel, i, strlen(text) / 2, &v), text);
      continue;
    }
    arg[i].first = load(text + 1, &arg[i].size);
    arg[i].mem = clCreateBuffer(context, CL_MEM_READ_WRITE, arg[i].size, 0, &err);
    ok(err, text);
    ok(clSetKernelArg(kernel, i, sizeof(cl_mem), &arg[i].mem), text);
  }
  // Rounds that had no processor for a while count only if none had one all the time (bench/rounds.go).
  double whole = 1e300, any = 1e300, end = 0;
  for (int round = 0; round < 3 || read_clock(CLOCK_MONOTONIC) < end; round++) {
    for (int i = 0; i < n; i++)
      if (arg[i].mem)
        ok(clEnqueueWriteBuffer(queue, arg[i].mem, CL_TRUE, 0, arg[i].size, arg[i].first, 0, 0, 0), "write");
    ok(clFinish(queue), "finish");
    double before = theirs(), start = read_clock(CLOCK_MONOTONIC), own = mine();
    ok(clEnqueueNDRangeKernel(queue, kernel, 3, 0, global, block, 0, 0, 0), "launch");
    ok(clFinish(queue), "finish");
    double cpu = mine() - own, wall = read_clock(CLOCK_MONOTONIC) - start;
    cpu += theirs() - before;
    if (round == 0) { // with compiling
      end = read_clock(CLOCK_MONOTONIC) + strtod(argv[1], 0) * 1e9;
      continue;
    }
    if (cpu < any)
      any = cpu;
    if (cpu >= 0.9 * wall && cpu < whole)
      whole = cpu;
  }
  for (int i = 0; i < n; i++)
    if (arg[i].mem) {
      char path[4096], *got = malloc(arg[i].size);
      ok(clEnqueueReadBuffer(queue, arg[i].mem, CL_TRUE, 0, arg[i].size, got, 0, 0, 0), "read");
      snprintf(path, sizeof path, "%s.out", argv[10 + i] + 1);
      FILE *f = fopen(path, "wb");
      if (!f || fwrite(got, 1, arg[i].size, f) != arg[i].size || fclose(f))
        return 1;
    }
  char version[256] = "", driver[256] = "";
  clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name - 1, name, 0);
  clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof version - 1, version, 0);
  clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof driver - 1, driver, 0);
  printf("%.0f\n%s, %s, driver %s\n", whole < 1e300 ? whole : any, name, version, driver);
  return 0;
}
