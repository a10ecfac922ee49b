// Functions of the host in streams: order, callbacks of the old kind, queries that poll.
#include "check.h"
#include <atomic>

__global__ void wait(volatile int *flag) { while (*flag == 0) {} }
__global__ void put(int *p, int v) { *p = v; }
static std::atomic<int> step;
static int *value, seen[3];
static void CUDART_CB note(void *at) { *(int *)at = *value; step++; }
static void CUDART_CB old(cudaStream_t s, cudaError_t e, void *at) { *(int *)at = e == cudaSuccess && s != nullptr ? *value : -1; step++; }

int main() {
  int *flag;
  CHECK(cudaMallocHost(&flag, sizeof(int)));
  CHECK(cudaMallocManaged(&value, sizeof(int)));
  *flag = 0;
  cudaStream_t s;
  cudaEvent_t done;
  CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&done, cudaEventBlockingSync));
  wait<<<1, 1, 0, s>>>(flag);
  put<<<1, 1, 0, s>>>(value, 1);
  CHECK(cudaLaunchHostFunc(s, note, &seen[0]));
  put<<<1, 1, 0, s>>>(value, 2);
  CHECK(cudaStreamAddCallback(s, old, &seen[1], 0));
  put<<<1, 1, 0, s>>>(value, 3);
  CHECK(cudaLaunchHostFunc(s, note, &seen[2]));
  CHECK(cudaEventRecord(done, s));
  EXPECT(cudaStreamQuery(s) == cudaErrorNotReady && cudaEventQuery(done) == cudaErrorNotReady && step == 0);
  EXPECT(cudaGetLastError() == cudaSuccess); // not ready is no error
  *(volatile int *)flag = 1;
  while (cudaEventQuery(done) == cudaErrorNotReady) {}
  CHECK(cudaEventSynchronize(done));
  CHECK(cudaStreamQuery(s));
  EXPECT(step == 3 && seen[0] == 1 && seen[1] == 2 && seen[2] == 3);
  EXPECT(cudaLaunchHostFunc(s, nullptr, nullptr) == cudaErrorInvalidValue);
  cudaGetLastError();
  CHECK(cudaEventDestroy(done));
  CHECK(cudaStreamDestroy(s));
  return passed();
}
