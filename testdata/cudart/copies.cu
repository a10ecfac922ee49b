// The less common ways to copy: array to array, by rows and lines of arrays, between devices in three dimensions, several at once;
// advice about several ranges; and what devices, kernels and pools tell of themselves.
// flags: -std=c++17 -Xcompiler -Wno-deprecated-declarations -diag-suppress 1444
#include "check.h"
#include <cstring>

__global__ void add(int *p, int by) { p[threadIdx.x] += by; }

const int w = 8, h = 4;

static std::vector<int> numbers(int from) {
  std::vector<int> v(w * h);
  for (int i = 0; i < w * h; i++) v[i] = from + i;
  return v;
}

static void arrays(cudaStream_t s) {
  auto c = cudaCreateChannelDesc<int>();
  cudaArray_t a, b;
  CHECK(cudaMallocArray(&a, &c, w, h));
  CHECK(cudaMallocArray(&b, &c, w, h));
  cudaChannelFormatDesc told = {};
  CHECK(cudaGetChannelDesc(&told, b));
  EXPECT(told.x == 32 && told.y == 0 && told.f == cudaChannelFormatKindSigned);
  auto in = numbers(0), out = numbers(1000);
  int *host;
  CHECK(cudaMallocHost(&host, w * h * 4));
  memcpy(host, in.data(), w * h * 4);
  CHECK(cudaMemcpy2DToArrayAsync(a, 0, 0, host, w * 4, w * 4, h, cudaMemcpyHostToDevice, s));
  CHECK(cudaMemset2DAsync(host, w * 4, 0, w * 4, h, s));
  CHECK(cudaMemcpy2DFromArrayAsync(host, w * 4, a, 0, 0, w * 4, h, cudaMemcpyDeviceToHost, s));
  CHECK(cudaStreamSynchronize(s));
  EXPECT(!memcmp(host, in.data(), w * h * 4));
  // A box of 5 by 2 elements, from (1,1) to (3,2).
  CHECK(cudaMemcpy2DToArray(b, 0, 0, out.data(), w * 4, w * 4, h, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy2DArrayToArray(b, 3 * 4, 2, a, 1 * 4, 1, 5 * 4, 2, cudaMemcpyDeviceToDevice));
  CHECK(cudaMemcpy2DFromArray(host, w * 4, b, 0, 0, w * 4, h, cudaMemcpyDeviceToHost));
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) EXPECT(host[y * w + x] == (x >= 3 && y >= 2 ? in[(y - 1) * w + x - 2] : out[y * w + x]));
  // Lines: from an element on, over the ends of rows.
  CHECK(cudaMemcpyToArray(a, 6 * 4, 0, out.data(), 12 * 4, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpyFromArray(host, a, 5 * 4, 0, 14 * 4, cudaMemcpyDeviceToHost));
  EXPECT(host[0] == 5 && host[13] == 18);
  for (int i = 0; i < 12; i++) EXPECT(host[1 + i] == out[i]);
  CHECK(cudaMemcpyToArrayAsync(a, 0, 1, in.data(), 12 * 4, cudaMemcpyHostToDevice, s));
  CHECK(cudaMemcpyFromArrayAsync(host, a, 2 * 4, 1, 12 * 4, cudaMemcpyDeviceToHost, s));
  CHECK(cudaStreamSynchronize(s));
  for (int i = 0; i < 10; i++) EXPECT(host[i] == i + 2);
  EXPECT(host[10] == 20 && host[11] == 21);
  EXPECT(cudaMemcpyFromArray(host, a, 2 * 4, 3, 7 * 4, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue); // past the end
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaFreeArray(a));
  CHECK(cudaFreeArray(b));
  CHECK(cudaFreeHost(host));
}

// A box of 3 by 2 by 2 elements between two pitched blocks, which may be of two devices.
static void peers(cudaStream_t s) {
  int devices;
  CHECK(cudaGetDeviceCount(&devices));
  int *a, *b, out[w * h];
  CHECK(cudaMalloc(&a, w * h * 4));
  CHECK(cudaSetDevice(devices - 1));
  CHECK(cudaMalloc(&b, w * h * 4));
  CHECK(cudaSetDevice(0));
  CHECK(cudaMemcpy(a, numbers(0).data(), w * h * 4, cudaMemcpyDefault));
  for (int way = 0; way < 2; way++) {
    CHECK(cudaMemset(b, 0xff, w * h * 4));
    cudaMemcpy3DPeerParms p = {};
    p.srcPtr = make_cudaPitchedPtr(a, w * 4, w, 2), p.srcDevice = 0; // 8 by 2 by 2
    p.dstPtr = make_cudaPitchedPtr(b, w * 4, w, 2), p.dstDevice = devices - 1;
    p.srcPos = make_cudaPos(1 * 4, 0, 0), p.dstPos = make_cudaPos(4 * 4, 0, 0);
    p.extent = make_cudaExtent(3 * 4, 2, 2);
    if (way) CHECK(cudaMemcpy3DPeerAsync(&p, s));
    else CHECK(cudaMemcpy3DPeer(&p));
    CHECK(cudaStreamSynchronize(s));
    CHECK(cudaMemcpy(out, b, sizeof out, cudaMemcpyDefault));
    for (int i = 0; i < w * h; i++) EXPECT(out[i] == (i % w >= 4 && i % w < 7 ? i - 3 : -1));
  }
  CHECK(cudaFree(a));
  CHECK(cudaFree(b));
}

static void batches(cudaStream_t s) {
  int *device, *managed, host[8] = {1, 2, 3, 4, 5, 6, 7, 8}, back[8] = {};
  CHECK(cudaMalloc(&device, 32));
  CHECK(cudaMallocManaged(&managed, 4096));
  cudaMemcpyAttributes stream = {}, now = {};
  stream.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  now.srcAccessOrder = cudaMemcpySrcAccessOrderDuringApiCall;
  void *dst[] = {device, device + 4, managed};
  const void *src[] = {host + 4, host, host + 2};
  size_t sizes[] = {16, 16, 8}, first[] = {0}, both[] = {0, 1}, wrong[] = {1};
  cudaMemcpyAttributes two[] = {stream, now};
  CHECK(cudaMemcpyBatchAsync(dst, src, sizes, 3, two, both, 2, s));
  CHECK(cudaMemcpyWithAttributesAsync(back, device, 32, &stream, s));
  CHECK(cudaStreamSynchronize(s));
  for (int i = 0; i < 8; i++) EXPECT(back[i] == (i + 4) % 8 + 1);
  EXPECT(managed[0] == 3 && managed[1] == 4);
  EXPECT(cudaMemcpyBatchAsync(dst, src, sizes, 3, two, wrong, 1, s) == cudaErrorInvalidValue); // the first copy has none
  cudaMemcpyAttributes none = {};
  EXPECT(cudaMemcpyWithAttributesAsync(back, device, 32, &none, s) == cudaErrorInvalidValue);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  // Advice about ranges of managed memory, and of no other.
  void *ranges[] = {managed, managed + 512}, *other[] = {device};
  size_t bytes[] = {2048, 2048};
  cudaMemLocation to = {cudaMemLocationTypeDevice, 0};
  CHECK(cudaMemPrefetchBatchAsync(ranges, bytes, 2, &to, first, 1, 0, s));
  CHECK(cudaMemDiscardBatchAsync(ranges, bytes, 2, 0, s));
  CHECK(cudaMemDiscardAndPrefetchBatchAsync(ranges, bytes, 2, &to, first, 1, 0, s));
  EXPECT(cudaMemDiscardBatchAsync(other, bytes, 1, 0, s) == cudaErrorInvalidValue);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  int mostly = -1, preferred = -1;
  void *answers[] = {&mostly, &preferred};
  size_t rooms[] = {4, 4};
  cudaMemRangeAttribute what[] = {cudaMemRangeAttributeReadMostly, cudaMemRangeAttributePreferredLocation};
  CHECK(cudaMemRangeGetAttributes(answers, rooms, what, 2, managed, 4096));
  EXPECT(mostly == 0 && preferred == cudaInvalidDeviceId);
  CHECK(cudaFree(device));
  CHECK(cudaFree(managed));
}

static void pools() {
  cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
  cudaMemPool_t first, current, mine;
  CHECK(cudaMemGetDefaultMemPool(&first, &here, cudaMemAllocationTypePinned));
  CHECK(cudaMemGetMemPool(&current, &here, cudaMemAllocationTypePinned));
  EXPECT(first && current == first);
  cudaMemPoolProps p = {};
  p.allocType = cudaMemAllocationTypePinned, p.location = here;
  CHECK(cudaMemPoolCreate(&mine, &p));
  CHECK(cudaMemSetMemPool(&here, cudaMemAllocationTypePinned, mine));
  CHECK(cudaMemGetMemPool(&current, &here, cudaMemAllocationTypePinned));
  EXPECT(current == mine);
  CHECK(cudaMemSetMemPool(&here, cudaMemAllocationTypePinned, first));
  CHECK(cudaMemPoolDestroy(mine));
}

static void CUDART_CB note(void *p) { *(int *)p += 1; }

static void questions() {
  size_t n = 0, width = 0;
  CHECK(cudaFuncGetParamCount((void *)add, &n));
  EXPECT(n == 2);
  auto c = cudaCreateChannelDesc<float>();
  CHECK(cudaDeviceGetTexture1DLinearMaxWidth(&width, &c, 0));
  EXPECT(width > 0);
  cudaSharedMemConfig config;
  CHECK(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeFourByte));
  CHECK(cudaDeviceGetSharedMemConfig(&config));
  EXPECT(config == cudaSharedMemBankSizeFourByte);
  CHECK(cudaFuncSetSharedMemConfig((void *)add, cudaSharedMemBankSizeFourByte));
  int zero = 0, none = 99;
  CHECK(cudaSetValidDevices(&zero, 1));
  EXPECT(cudaSetValidDevices(&none, 1) == cudaErrorInvalidDevice);
  EXPECT(cudaGetLastError() == cudaErrorInvalidDevice);
  // The same kernel by its handle, and by the driver's function.
  cudaKernel_t k;
  CHECK(cudaGetKernel(&k, (void *)add));
  CHECK(cudaKernelSetAttributeForDevice(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536, 0));
  cudaFuncAttributes told;
  CHECK(cudaFuncGetAttributes(&told, (void *)add));
  EXPECT(told.maxDynamicSharedSizeBytes == 65536);
  int *p, by = 3, out = 0;
  CHECK(cudaMalloc(&p, 4));
  CHECK(cudaMemset(p, 0, 4));
  void *args[] = {&p, &by};
  CHECK(cudaLaunchKernel((void *)k, dim3(1), dim3(1), args, 0, 0));
  CHECK(cudaMemcpy(&out, p, 4, cudaMemcpyDefault));
  EXPECT(out == 3);
  CHECK(cudaLaunchHostFunc_v2(0, note, &out, 0));
  CHECK(cudaDeviceSynchronize());
  EXPECT(out == 4);
  CHECK(cudaFree(p));
  int (*version)(int *), v = 0;
  cudaDriverEntryPointQueryResult found;
  CHECK(cudaGetDriverEntryPoint("cuDriverGetVersion", (void **)&version, cudaEnableDefault, &found));
  EXPECT(found == cudaDriverEntryPointSuccess && version(&v) == 0 && v >= 13000);
}

int main() {
  cudaStream_t s;
  CHECK(cudaStreamCreate(&s));
  arrays(s);
  peers(s);
  batches(s);
  pools();
  questions();
  return passed();
}
