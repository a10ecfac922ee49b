// When calls return: a row for each rule of internal/driver/synchronous.go. Each call is made behind a kernel that waits for the
// host; it either comes back while that runs, or when its bytes are there.
// flags: -lcuda
#include "check.h"
#include <atomic>
#include <chrono>
#include <cstring>
#include <cuda.h>
#include <functional>
#include <thread>

const size_t n = 1 << 16;
const int was = 1, is = 0xab;

__global__ void hold(volatile int *gate) { while (*gate == 0) {} }
__global__ void put(char *p) { p[0] = (char)is; }

// What a row's memory is.
enum { DEVICE, PINNED, REGISTERED, MANAGED, PAGEABLE, SYNCED };

static char *memory(int kind, int value) {
  char *p = nullptr;
  if (kind == DEVICE || kind == SYNCED) CHECK(cudaMalloc(&p, n));
  if (kind == PINNED) CHECK(cudaMallocHost(&p, n));
  if (kind == MANAGED) CHECK(cudaMallocManaged(&p, n));
  if (kind == PAGEABLE || kind == REGISTERED) p = (char *)malloc(n);
  if (kind == REGISTERED) CHECK(cudaHostRegister(p, n, cudaHostRegisterDefault));
  unsigned on = 1;
  if (kind == SYNCED) EXPECT(cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, (CUdeviceptr)p) == CUDA_SUCCESS);
  if (kind == DEVICE || kind == SYNCED) CHECK(cudaMemset(p, value, n));
  else memset(p, value, n);
  CHECK(cudaDeviceSynchronize());
  return p;
}

struct row {
  const char *name;
  bool waits;
  int to, from;
  std::function<int(char *to, char *from)> call;
  size_t bytes = n;
};

static int copy(char *to, char *from) { return cudaMemcpy(to, from, n, cudaMemcpyDefault); }
static int copy_async(char *to, char *from) { return cudaMemcpyAsync(to, from, n, cudaMemcpyDefault, 0); }
static int copy_during(char *to, char *from) {
  cudaMemcpyAttributes how = {};
  how.srcAccessOrder = cudaMemcpySrcAccessOrderDuringApiCall;
  const void *source = from;
  void *target = to;
  size_t size = n, first = 0;
  return cudaMemcpyBatchAsync(&target, &source, &size, 1, &how, &first, 1, cudaStreamLegacy);
}
static int copy_rows(char *to, char *from) { return cudaMemcpy2D(to, 256, from, 256, 256, n / 256, cudaMemcpyDefault); }
static int down(char *to, char *from) { return cuMemcpyDtoH(to, (CUdeviceptr)from, n); }
static int up(char *to, char *from) { return cuMemcpyHtoD((CUdeviceptr)to, from, n); }
static int fill(char *to, char *) { return cudaMemset(to, is, n); }
static int fill_async(char *to, char *) { return cudaMemsetAsync(to, is, n, 0); }
static int fill_driver(char *to, char *) { return cuMemsetD8((CUdeviceptr)to, is, n); }
static int fill_rows(char *to, char *) { return cudaMemset2D(to, 256, is, 256, n / 256); }
static int launch(char *to, char *) { put<<<1, 1>>>(to); return cudaPeekAtLastError(); }

static const row rows[] = {
  {"launch", false, DEVICE, DEVICE, launch, 1},
  {"copy-during-call", true, DEVICE, PINNED, copy_during},
  {"copy-synced", true, SYNCED, DEVICE, copy},
  {"copy-managed", true, MANAGED, DEVICE, copy},
  {"copy-managed", true, DEVICE, MANAGED, copy_rows},
  {"copy-pageable-to-device", true, DEVICE, PAGEABLE, up},
  {"copy-pinned-to-device", true, DEVICE, PINNED, copy},
  {"copy-pinned-to-device", true, DEVICE, REGISTERED, up},
  {"copy-device-to-host", true, PAGEABLE, DEVICE, down},
  {"copy-device-to-host", true, PINNED, DEVICE, copy},
  {"copy-device-to-device", false, DEVICE, DEVICE, copy},
  {"copy-host-to-host", true, PINNED, PAGEABLE, copy},
  {"async-host-to-host", true, PINNED, PINNED, copy_async},
  {"async-pageable", true, PAGEABLE, DEVICE, copy_async},
  {"async-others", false, PINNED, DEVICE, copy_async},
  {"async-others", false, DEVICE, REGISTERED, copy_async},
  {"async-others", false, MANAGED, PINNED, copy_async},
  {"fill-synced", true, SYNCED, DEVICE, fill},
  {"fill-pinned", true, PINNED, DEVICE, fill_driver},
  {"fill-managed", true, MANAGED, DEVICE, fill_rows},
  {"fill-device", false, DEVICE, DEVICE, fill},
  {"fill-async", false, PINNED, DEVICE, fill_async},
};

static void check(const row &r, int *gate) {
  char *to = memory(r.to, was), *from = memory(r.from, is);
  std::atomic<bool> back{false};
  *(volatile int *)gate = 0;
  hold<<<1, 1>>>(gate);
  std::thread opener([&] { // after a while, or when the call is back
    for (int ms = 0; ms < (r.waits ? 20 : 20000) && !back; ms++) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    *(volatile int *)gate = 1;
  });
  EXPECT(r.call(to, from) == 0);
  bool early = *(volatile int *)gate == 0;
  if (r.waits && r.to != DEVICE && r.to != SYNCED)
    for (size_t i = 0; i < n; i++) EXPECT((unsigned char)to[i] == is);
  back = true;
  opener.join();
  if (early == r.waits) printf("%s: came back while the kernel ran: %d\n", r.name, early), exit(1);
  std::vector<char> now(n);
  CHECK(cudaMemcpy(now.data(), to, n, cudaMemcpyDefault));
  for (size_t i = 0; i < r.bytes; i++) EXPECT((unsigned char)now[i] == is);
}

int main() {
  int *gate;
  CHECK(cudaMallocHost(&gate, sizeof *gate));
  for (const row &r : rows) check(r, gate);
  return passed();
}
