// Events that happen in the course of a launch (cudaLaunchAttributeProgrammaticEvent, cudaLaunchAttributeLaunchCompletionEvent): a kernel
// of another stream that comes behind one waits itself for the launch's end, or, by the first argument "missing", forgets to.
// stderr: an event that a launch triggers keeps no time
// flags: -std=c++17 -gencode arch=compute_90,code=compute_90
#include "check.h"
#include <cstring>

enum { N = 64 };

__global__ void front(int *p) {
  cudaTriggerProgrammaticLaunchCompletion();
  p[blockIdx.x] = 1;
}
__global__ void behind(const int *p, int *sum, bool waits) {
  if (waits) cudaGridDependencySynchronize();
  atomicAdd(sum, p[blockIdx.x]);
}

static void launch(cudaStream_t s, cudaLaunchAttribute a, int *p) {
  cudaLaunchConfig_t c = {};
  c.gridDim = N, c.blockDim = 32, c.stream = s, c.attrs = &a, c.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&c, front, p));
}

static cudaLaunchAttribute attribute(cudaEvent_t e, int kind) { // 0: of the dependents' launch; 1: of the blocks' start; 2: of their beginning
  cudaLaunchAttribute a = {};
  if (kind == 2) {
    a.id = cudaLaunchAttributeLaunchCompletionEvent, a.val.launchCompletionEvent.event = e;
  } else {
    a.id = cudaLaunchAttributeProgrammaticEvent, a.val.programmaticEvent.event = e, a.val.programmaticEvent.triggerAtBlockStart = kind;
  }
  return a;
}

static int streams(int *p, int kind, bool waits) {
  cudaStream_t a, b;
  cudaEvent_t e;
  CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
  CHECK(cudaMemset(p, 0, (N + 1) * sizeof *p));
  CHECK(cudaDeviceSynchronize());
  launch(a, attribute(e, kind), p);
  CHECK(cudaStreamWaitEvent(b, e));
  behind<<<N, 1, 0, b>>>(p, p + N, waits);
  CHECK(cudaStreamSynchronize(b));
  CHECK(cudaStreamSynchronize(a));
  int sum;
  CHECK(cudaMemcpy(&sum, p + N, sizeof sum, cudaMemcpyDeviceToHost));
  return sum;
}

static int graph(int *p, int kind, bool waits) {
  cudaStream_t a, b;
  cudaEvent_t e, join;
  CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
  CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
  CHECK(cudaMemset(p, 0, (N + 1) * sizeof *p));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed));
  launch(a, attribute(e, kind), p);
  CHECK(cudaStreamWaitEvent(b, e));
  behind<<<N, 1, 0, b>>>(p, p + N, waits);
  CHECK(cudaEventRecord(join, b));
  CHECK(cudaStreamWaitEvent(a, join));
  cudaGraph_t g;
  CHECK(cudaStreamEndCapture(a, &g));
  cudaGraphNode_t from[4], to[4];
  cudaGraphEdgeData data[4];
  size_t n = 4;
  EXPECT(cudaGraphGetEdges(g, from, to, nullptr, &n) == cudaErrorLossyQuery);
  n = 4;
  CHECK(cudaGraphGetEdges(g, from, to, data, &n));
  EXPECT(n == 1 && data[0].type == cudaGraphDependencyTypeProgrammatic && data[0].to_port == 0);
  EXPECT(data[0].from_port == (kind ? cudaGraphKernelNodePortLaunchCompletion : cudaGraphKernelNodePortProgrammatic));
  cudaGraphExec_t x;
  CHECK(cudaGraphInstantiate(&x, g));
  CHECK(cudaGraphLaunch(x, a));
  CHECK(cudaStreamSynchronize(a));
  int sum;
  CHECK(cudaMemcpy(&sum, p + N, sizeof sum, cudaMemcpyDeviceToHost));
  return sum;
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  bool waits = strncmp(what, "missing", 7) != 0;
  int *p;
  CHECK(cudaMalloc(&p, (N + 1) * sizeof *p));
  if (waits) {
    for (int kind = 0; kind < 3; kind++) EXPECT(streams(p, kind, true) == N && graph(p, kind, true) == N);
    cudaEvent_t timed;
    CHECK(cudaEventCreate(&timed));
    cudaLaunchAttribute a = attribute(timed, 0);
    cudaLaunchConfig_t c = {};
    c.gridDim = N, c.blockDim = 32, c.attrs = &a, c.numAttrs = 1;
    EXPECT(cudaLaunchKernelEx(&c, front, p) == cudaErrorInvalidValue);
    EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  } else {
    printf("sum %d\n", strcmp(what, "missing") == 0 ? streams(p, 0, false) : graph(p, 0, false));
  }
  printf("PASSED\n");
}
