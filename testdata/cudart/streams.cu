// Streams and events: work on several streams, joined by events, overlapping with the host; callbacks in order.
#include "check.h"
#include <atomic>
#include <thread>

__global__ void scale(int *p, int n, int by) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) p[i] *= by;
}
__global__ void waitFor(volatile int *flag) { while (*flag == 0) {} }

static std::atomic<int> calls;
static void CUDART_CB hostFunction(void *p) { calls += *(int *)p; }
static void CUDART_CB callback(cudaStream_t, cudaError_t e, void *p) { if (e == cudaSuccess) calls += *(int *)p; }

int main() {
  const int n = 1 << 16, streams = 4;
  int *host, *device;
  CHECK(cudaMallocHost(&host, n * sizeof(int)));
  CHECK(cudaMalloc(&device, n * sizeof(int)));
  for (int i = 0; i < n; i++) host[i] = i;
  cudaStream_t s[streams];
  cudaEvent_t start, stop, halves;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  CHECK(cudaEventCreateWithFlags(&halves, cudaEventDisableTiming));
  CHECK(cudaEventRecord(start));
  for (int i = 0; i < streams; i++) {
    CHECK(cudaStreamCreateWithFlags(&s[i], i % 2 ? cudaStreamNonBlocking : cudaStreamDefault));
    int part = n / streams, from = i * part;
    CHECK(cudaMemcpyAsync(device + from, host + from, part * sizeof(int), cudaMemcpyHostToDevice, s[i]));
    scale<<<8, 128, 0, s[i]>>>(device + from, part, 3);
    CHECK(cudaMemcpyAsync(host + from, device + from, part * sizeof(int), cudaMemcpyDeviceToHost, s[i]));
  }
  for (int i = 0; i < streams; i++) CHECK(cudaStreamSynchronize(s[i]));
  for (int i = 0; i < n; i++) EXPECT(host[i] == 3 * i);

  // A kernel waits for the host; what comes behind it waits, too, by an event.
  int *flag;
  CHECK(cudaHostAlloc(&flag, sizeof(int), cudaHostAllocMapped));
  *flag = 0;
  waitFor<<<1, 1, 0, s[0]>>>(flag);
  CHECK(cudaEventRecord(halves, s[0]));
  CHECK(cudaStreamWaitEvent(s[1], halves, 0));
  scale<<<8, 128, 0, s[1]>>>(device, n, 2);
  EXPECT(cudaStreamQuery(s[0]) == cudaErrorNotReady);
  EXPECT(cudaEventQuery(halves) == cudaErrorNotReady);
  EXPECT(cudaGetLastError() == cudaSuccess);
  static int one = 1, ten = 10;
  CHECK(cudaLaunchHostFunc(s[1], hostFunction, &one));
  CHECK(cudaStreamAddCallback(s[1], callback, &ten, 0));
  EXPECT(calls == 0);
  *(volatile int *)flag = 1;
  CHECK(cudaStreamSynchronize(s[1]));
  EXPECT(calls == 11);
  EXPECT(cudaStreamQuery(s[0]) == cudaSuccess);
  CHECK(cudaEventRecord(stop));
  CHECK(cudaEventSynchronize(stop));
  float ms = 0;
  CHECK(cudaEventElapsedTime(&ms, start, stop));
  EXPECT(ms > 0 && ms < 60000);
  EXPECT(cudaEventElapsedTime(&ms, start, halves) == cudaErrorInvalidResourceHandle);

  // The default stream takes part in the order of blocking streams.
  *flag = 0;
  waitFor<<<1, 1, 0, s[0]>>>(flag);
  scale<<<1, 32>>>(device, 1, 1);
  EXPECT(cudaStreamQuery(0) == cudaErrorNotReady);
  *(volatile int *)flag = 1;
  CHECK(cudaStreamSynchronize(0));
  EXPECT(cudaStreamQuery(s[0]) == cudaSuccess);

  // Threads of the host, one stream each.
  std::vector<std::thread> threads;
  std::vector<int> results(4);
  for (int t = 0; t < 4; t++) threads.emplace_back([&, t] {
    cudaStream_t mine;
    int *p, value = t + 1;
    CHECK(cudaStreamCreate(&mine));
    CHECK(cudaMallocAsync(&p, sizeof(int), mine));
    CHECK(cudaMemcpyAsync(p, &value, sizeof(int), cudaMemcpyHostToDevice, mine));
    for (int i = 0; i < 5; i++) scale<<<1, 1, 0, mine>>>(p, 1, 2);
    CHECK(cudaMemcpyAsync(&results[t], p, sizeof(int), cudaMemcpyDeviceToHost, mine));
    CHECK(cudaStreamSynchronize(mine));
    CHECK(cudaFreeAsync(p, mine));
    CHECK(cudaStreamDestroy(mine));
  });
  for (auto &t : threads) t.join();
  for (int t = 0; t < 4; t++) EXPECT(results[t] == (t + 1) * 32);

  int least, greatest;
  unsigned flags;
  CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  EXPECT(greatest < least);
  CHECK(cudaStreamGetFlags(s[1], &flags));
  EXPECT(flags == cudaStreamNonBlocking);
  for (auto x : s) CHECK(cudaStreamDestroy(x));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  CHECK(cudaEventDestroy(halves));
  EXPECT(cudaEventQuery(halves) == cudaErrorInvalidResourceHandle);
  EXPECT(cudaGetLastError() == cudaErrorInvalidResourceHandle);
  CHECK(cudaFreeHost(host));
  CHECK(cudaFreeHost(flag));
  CHECK(cudaFree(device));
  return passed();
}
