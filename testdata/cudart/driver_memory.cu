// Memory of the driver API: pinned, pitched and registered; copies by address, box, device and list; fills; hints.
// flags: -lcuda -Xcompiler -Wno-deprecated-declarations
// env: PTXVM_DEVICES=2
#include "driver.h"
#include <cstring>

// Names that the header gives to newer functions.
extern "C" {
CUresult advise1(CUdeviceptr, size_t, CUmem_advise, CUdevice) __asm__("cuMemAdvise");
CUresult prefetch1(CUdeviceptr, size_t, CUdevice, CUstream) __asm__("cuMemPrefetchAsync");
CUresult batch1(CUdeviceptr *, CUdeviceptr *, size_t *, size_t, CUmemcpyAttributes *, size_t *, size_t, size_t *, CUstream) __asm__("cuMemcpyBatchAsync");
}

enum { N = 1024 };
static CUcontext first;

static CUdeviceptr device(size_t n) {
  CUdeviceptr p;
  DO(cuMemAlloc(&p, n));
  DO(cuMemsetD8(p, 0, n));
  return p;
}

static std::vector<unsigned char> bytes(CUdeviceptr p, size_t n) {
  std::vector<unsigned char> v(n);
  DO(cuMemcpyDtoH(v.data(), p, n));
  return v;
}

static void pinned() {
  unsigned char *a;
  unsigned *b, flags;
  CUdeviceptr p;
  DO(cuMemAllocHost((void **)&a, N));
  DO(cuMemHostGetDevicePointer(&p, a + 4, 0));
  memset(a, 3, N);
  EXPECT(bytes(p, 4)[3] == 3);
  DO(cuMemHostAlloc((void **)&b, N, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_WRITECOMBINED));
  DO(cuMemHostGetFlags(&flags, b));
  EXPECT(flags == (CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_WRITECOMBINED | CU_MEMHOSTALLOC_DEVICEMAP));
  WANT(CUDA_ERROR_INVALID_VALUE, cuMemHostAlloc((void **)&b, N, 64));
  WANT(CUDA_ERROR_INVALID_VALUE, cuMemHostGetFlags(&flags, &flags));
  DO(cuMemFreeHost(a));
  DO(cuMemFreeHost(b));

  std::vector<unsigned> own(N, 5);
  DO(cuMemHostRegister(own.data(), N * 4, CU_MEMHOSTREGISTER_DEVICEMAP));
  WANT(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, cuMemHostRegister(own.data(), 4, 0));
  DO(cuMemHostGetDevicePointer(&p, own.data(), 0));
  DO(cuMemsetD32(p, 77, N / 2));
  DO(cuCtxSynchronize());
  EXPECT(own[0] == 77 && own[N / 2 - 1] == 77 && own[N / 2] == 5);
  DO(cuMemHostUnregister(own.data()));
  WANT(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, cuMemHostUnregister(own.data()));
}

// Fills of each width, of lines and boxes, at once and in a stream.
static void fills() {
  CUdeviceptr p;
  size_t pitch;
  CUstream s;
  DO(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  WANT(CUDA_ERROR_INVALID_VALUE, cuMemAllocPitch(&p, &pitch, 100, 8, 3));
  DO(cuMemAllocPitch(&p, &pitch, 100, 8, 4));
  EXPECT(pitch >= 100 && pitch % 16 == 0);
  DO(cuMemsetD8Async(p, 1, pitch * 8, s));
  DO(cuMemsetD16Async(p, 0x0302, 2, s));
  DO(cuMemsetD2D8Async(p + 8, pitch, 4, 3, 8, s));
  DO(cuMemsetD2D16Async(p + 12, pitch, 0x0605, 1, 8, s));
  DO(cuMemsetD2D32Async(p + 16, pitch, 0x0a090807, 2, 7, s));
  DO(cuStreamSynchronize(s));
  std::vector<unsigned char> v = bytes(p, pitch * 8);
  const unsigned char want[] = {2, 3, 2, 3, 1, 1, 1, 1, 4, 4, 4, 1, 5, 6, 1, 1, 7, 8, 9, 10, 7, 8, 9, 10, 1};
  EXPECT(!memcmp(v.data(), want, sizeof want));
  for (int y = 0; y < 8; y++) {
    const unsigned char *row = v.data() + y * pitch;
    EXPECT(row[8] == 4 && row[10] == 4 && row[11] == 1 && row[12] == 5 && row[13] == 6 && row[14] == 1 && row[16] == (y < 7 ? 7 : 1));
  }
  DO(cuMemsetD2D8(p, pitch, 11, 2, 3));
  DO(cuMemsetD2D16(p + 2, pitch, 0x0d0c, 1, 3));
  DO(cuMemsetD2D32(p + 4, pitch, 0x11100f0e, 1, 3));
  DO(cuCtxSynchronize());
  v = bytes(p, pitch * 4);
  for (int y = 0; y < 4; y++) {
    const unsigned char in[] = {11, 11, 12, 13, 14, 15, 16, 17}, *row = v.data() + y * pitch;
    EXPECT(!memcmp(row, in, 8) == (y < 3));
  }
  WANT(CUDA_ERROR_INVALID_VALUE, cuMemsetD16(p + 1, 0, 4));
  WANT(CUDA_ERROR_INVALID_VALUE, cuMemsetD32(p, 0, 1 << 20));
  DO(cuMemFree(p));
  DO(cuStreamDestroy(s));
}

// Copies of bytes: the directions are told by the addresses, and devices by contexts.
static void copies() {
  CUstream s;
  CUcontext second;
  DO(cuStreamCreate(&s, 0));
  std::vector<unsigned char> from(N), to(N);
  for (int i = 0; i < N; i++) from[i] = (unsigned char)(i * 7 + 1);
  CUdeviceptr a = device(N), b = device(N), c;
  DO(cuMemcpy(a, CUdeviceptr(from.data()), N));
  DO(cuMemcpyAsync(b, a, N, s));
  DO(cuMemcpyAsync(CUdeviceptr(to.data()), b, N, s));
  DO(cuStreamSynchronize(s));
  EXPECT(to == from);
  DO(cuMemcpyDtoDAsync(b, a + 1, N - 1, s));
  DO(cuStreamSynchronize(s));
  EXPECT(bytes(b, N)[0] == from[1] && bytes(b, N)[N - 1] == from[N - 1]);
  WANT(CUDA_ERROR_INVALID_VALUE, cuMemcpy(a, b, N + 1));

  DO(cuCtxCreate(&second, nullptr, 0, 1));
  c = device(N);
  DO(cuCtxSynchronize()); // streams of the first context do not wait for this one
  DO(cuCtxSetCurrent(first));
  DO(cuMemcpyPeer(c, second, a, first, N));
  EXPECT(bytes(c, N) == from);
  DO(cuMemcpyPeerAsync(c, second, a + 16, first, 16, s));
  DO(cuStreamSynchronize(s));
  EXPECT(!memcmp(bytes(c, N).data(), from.data() + 16, 16));
  WANT(CUDA_ERROR_INVALID_CONTEXT, cuMemcpyPeer(c, CUcontext(0x50), a, first, N));

  // Boxes: 3 columns, 2 rows, 2 slices of what is 16 wide and 4 high.
  CUDA_MEMCPY3D box = {};
  box.srcMemoryType = CU_MEMORYTYPE_HOST, box.srcHost = from.data(), box.srcPitch = 16, box.srcHeight = 4;
  box.dstMemoryType = CU_MEMORYTYPE_DEVICE, box.dstDevice = b, box.dstPitch = 8, box.dstHeight = 3;
  box.srcXInBytes = 2, box.srcY = 1, box.srcZ = 1, box.dstXInBytes = 1;
  box.WidthInBytes = 3, box.Height = 2, box.Depth = 2;
  auto right = [&](CUdeviceptr p) {
    std::vector<unsigned char> v = bytes(p, 48);
    for (int z = 0; z < 2; z++)
      for (int y = 0; y < 3; y++)
        for (int x = 0; x < 8; x++) {
          bool in = x >= 1 && x < 4 && y < 2;
          if (v[z * 24 + y * 8 + x] != (in ? from[(z + 1) * 64 + (y + 1) * 16 + x + 1] : 0)) return false;
        }
    return true;
  };
  DO(cuMemsetD8(b, 0, N));
  DO(cuMemcpy3D(&box));
  EXPECT(right(b));
  DO(cuMemsetD8(b, 0, N));
  DO(cuMemcpy3DAsync(&box, s));
  DO(cuStreamSynchronize(s));
  EXPECT(right(b));
  CUDA_MEMCPY3D_PEER peer = {};
  peer.srcMemoryType = CU_MEMORYTYPE_DEVICE, peer.srcDevice = a, peer.srcContext = first, peer.srcPitch = 16, peer.srcHeight = 4;
  peer.dstMemoryType = CU_MEMORYTYPE_DEVICE, peer.dstDevice = c, peer.dstContext = second, peer.dstPitch = 8, peer.dstHeight = 3;
  peer.srcXInBytes = 2, peer.srcY = 1, peer.srcZ = 1, peer.dstXInBytes = 1, peer.WidthInBytes = 3, peer.Height = 2, peer.Depth = 2;
  DO(cuMemsetD8(c, 0, N));
  DO(cuMemcpy3DPeer(&peer));
  DO(cuCtxSynchronize());
  EXPECT(right(c));
  DO(cuMemsetD8(c, 0, N));
  DO(cuMemcpy3DPeerAsync(&peer, s));
  DO(cuStreamSynchronize(s));
  EXPECT(right(c));
  CUDA_MEMCPY2D flat = {};
  flat.srcMemoryType = CU_MEMORYTYPE_DEVICE, flat.srcDevice = a, flat.srcPitch = 16;
  flat.dstMemoryType = CU_MEMORYTYPE_HOST, flat.dstHost = to.data(), flat.dstPitch = 5;
  flat.srcXInBytes = 3, flat.srcY = 2, flat.WidthInBytes = 5, flat.Height = 4;
  for (int way = 0; way < 2; way++) {
    std::fill(to.begin(), to.end(), 0);
    if (way) DO(cuMemcpy2DUnaligned(&flat));
    else DO(cuMemcpy2DAsync(&flat, s));
    DO(cuStreamSynchronize(s));
    for (int i = 0; i < 20; i++) EXPECT(to[i] == from[(i / 5 + 2) * 16 + i % 5 + 3]);
    EXPECT(to[20] == 0);
  }
  flat.srcPitch = 4;
  WANT(CUDA_ERROR_INVALID_VALUE, cuMemcpy2DUnaligned(&flat));

  // Lists of copies.
  CUdeviceptr src[] = {a, a + 100}, dst[] = {b, b + 200};
  size_t size[] = {10, 20}, begin[] = {0}, failed = 99;
  CUmemcpyAttributes how[1] = {};
  how[0].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
  auto listed = [&] {
    DO(cuStreamSynchronize(s));
    std::vector<unsigned char> v = bytes(b, N);
    return !memcmp(v.data(), from.data(), 10) && !memcmp(v.data() + 200, from.data() + 100, 20) && v[10] == 0 && v[220] == 0;
  };
  DO(cuMemsetD8(b, 0, N));
  DO(cuMemcpyBatchAsync(dst, src, size, 2, how, begin, 1, s));
  EXPECT(listed());
  DO(cuMemsetD8(b, 0, N));
  DO(batch1(dst, src, size, 2, how, begin, 1, &failed, s));
  EXPECT(listed());
  size[1] = N;
  WANT(CUDA_ERROR_INVALID_VALUE, batch1(dst, src, size, 2, how, begin, 1, &failed, s));
  EXPECT(failed == 1);
  DO(cuMemsetD8(b, 0, N));
  DO(cuMemcpyWithAttributesAsync(b, a, 10, how, s));
  DO(cuStreamSynchronize(s));
  EXPECT(!memcmp(bytes(b, 10).data(), from.data(), 10));
  DO(cuMemFree(a));
  DO(cuMemFree(b));
  DO(cuMemFree(c));
  DO(cuStreamDestroy(s));
  DO(cuCtxDestroy(second));
}

// What a program says of how it uses managed memory changes no content, and must be about such memory.
static void hints() {
  CUdeviceptr p, q = device(64);
  DO(cuMemAllocManaged(&p, N, CU_MEM_ATTACH_GLOBAL));
  memset((void *)p, 9, N);
  CUmemLocation here = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  DO(cuMemAdvise(p, N, CU_MEM_ADVISE_SET_READ_MOSTLY, here));
  DO(advise1(p, N, CU_MEM_ADVISE_UNSET_READ_MOSTLY, 0));
  WANT(CUDA_ERROR_INVALID_VALUE, cuMemAdvise(p, N + 1, CU_MEM_ADVISE_SET_READ_MOSTLY, here));
  DO(cuMemPrefetchAsync(p, N, here, 0, 0));
  DO(prefetch1(p, N, 0, 0));
  WANT(CUDA_ERROR_INVALID_VALUE, prefetch1(p, N + 1, 0, 0));
  size_t size[] = {N}, begin[] = {0};
  DO(cuMemPrefetchBatchAsync(&p, size, 1, &here, begin, 1, 0, 0));
  WANT(CUDA_ERROR_INVALID_VALUE, cuMemPrefetchBatchAsync(&q, size, 1, &here, begin, 1, 0, 0));
  int mostly = 9, preferred = 9;
  DO(cuMemRangeGetAttribute(&mostly, 4, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p, N));
  EXPECT(mostly == 0);
  void *out[] = {&mostly, &preferred};
  size_t room[] = {4, 4};
  CUmem_range_attribute what[] = {CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION};
  DO(cuMemRangeGetAttributes(out, room, what, 2, p, N));
  EXPECT(mostly == 0 && preferred == CU_DEVICE_INVALID);
  EXPECT(bytes(p, N)[N - 1] == 9);
  DO(cuMemDiscardBatchAsync(&p, size, 1, 0, 0));
  DO(cuMemDiscardAndPrefetchBatchAsync(&p, size, 1, &here, begin, 1, 0, 0));
  DO(cuCtxSynchronize());
  unsigned sync = 1;
  DO(cuPointerSetAttribute(&sync, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, q));
  DO(cuPointerGetAttribute(&sync, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, q));
  EXPECT(sync == 1);
  WANT(CUDA_ERROR_INVALID_VALUE, cuPointerSetAttribute(&sync, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, q));
  DO(cuMemFree(p));
  DO(cuMemFree(q));
}

int main() {
  first = begin();
  pinned();
  fills();
  copies();
  hints();
  return ended();
}
