// Arrays, textures, surfaces and tensor maps of the driver API, made by it and read by kernels.
// stderr: has no edges between faces, which a seamless filter goes across: want a cube
// flags: -lcuda -arch=sm_90
#include "driver.h"
#include <cstring>

__global__ void read(CUtexObject t, float *out, int w, int h) {
  int x = threadIdx.x, y = threadIdx.y;
  if (x < w && y < h) out[y * w + x] = tex2D<float>(cudaTextureObject_t(t), x + 0.5f, y + 0.5f);
}
__global__ void details(CUtexObject t, float *out) { out[threadIdx.x] = tex2DLod<float>(cudaTextureObject_t(t), 0.5f, 0.5f, float(threadIdx.x)); }
__global__ void write(CUsurfObject s, int w, int h) {
  int x = threadIdx.x, y = threadIdx.y;
  if (x < w && y < h) surf2Dwrite(float(100 * y + x), cudaSurfaceObject_t(s), x * 4, y);
}

enum { W = 8, H = 4 };

static CUarray flat() {
  CUarray a;
  CUDA_ARRAY_DESCRIPTOR d = {W, H, CU_AD_FORMAT_FLOAT, 1}, told;
  DO(cuArrayCreate(&a, &d));
  DO(cuArrayGetDescriptor(&told, a));
  EXPECT(told.Width == W && told.Height == H && told.Format == CU_AD_FORMAT_FLOAT && told.NumChannels == 1);
  return a;
}

// Lines of arrays: copies begin at bytes of the first row.
static void lines() {
  CUarray a;
  CUDA_ARRAY_DESCRIPTOR d = {64, 0, CU_AD_FORMAT_UNSIGNED_INT8, 4};
  DO(cuArrayCreate(&a, &d));
  unsigned char from[256], to[256] = {};
  for (int i = 0; i < 256; i++) from[i] = (unsigned char)i;
  CUstream s;
  CUdeviceptr p;
  DO(cuStreamCreate(&s, 0));
  DO(cuMemAlloc(&p, 256));
  DO(cuMemcpyHtoA(a, 0, from, 256));
  DO(cuMemcpyAtoH(to, a, 100, 48));
  EXPECT(!memcmp(to, from + 100, 48) && to[48] == 0);
  DO(cuMemcpyHtoAAsync(a, 8, from + 40, 8, s));
  DO(cuMemcpyAtoHAsync(to, a, 0, 16, s));
  DO(cuStreamSynchronize(s));
  EXPECT(to[7] == 7 && to[8] == 40 && to[15] == 47);
  DO(cuMemcpyAtoD(p, a, 4, 252));
  DO(cuMemcpyDtoA(a, 128, p, 16));
  DO(cuMemcpyAtoH(to, a, 120, 32));
  EXPECT(to[7] == 127 && to[8] == 4 && to[12] == 40 && to[24] == 144);
  WANT(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoA(a, 252, from, 8));
  DO(cuMemFree(p));
  DO(cuArrayDestroy(a));
  WANT(CUDA_ERROR_INVALID_HANDLE, cuArrayDestroy(a));

  CUDA_ARRAY3D_DESCRIPTOR deep = {6, 5, 4, CU_AD_FORMAT_HALF, 2, CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST}, told = {};
  DO(cuArray3DCreate(&a, &deep));
  DO(cuArray3DGetDescriptor(&told, a));
  EXPECT(told.Width == 6 && told.Height == 5 && told.Depth == 4 && told.Format == CU_AD_FORMAT_HALF && told.NumChannels == 2 && told.Flags == deep.Flags);
  DO(cuArrayDestroy(a));
  deep.NumChannels = 3;
  WANT(CUDA_ERROR_INVALID_VALUE, cuArray3DCreate(&a, &deep));
  DO(cuStreamDestroy(s));
}

// A surface writes what a texture reads; both say what they were made of.
static void objects(float *out) {
  CUarray a = flat();
  CUDA_RESOURCE_DESC r = {}, told = {};
  CUDA_TEXTURE_DESC d = {}, described = {};
  CUDA_RESOURCE_VIEW_DESC view = {}, seen = {};
  CUsurfObject s;
  CUtexObject t;
  r.resType = CU_RESOURCE_TYPE_ARRAY, r.res.array.hArray = a;
  DO(cuSurfObjectCreate(&s, &r));
  DO(cuSurfObjectGetResourceDesc(&told, s));
  EXPECT(told.resType == CU_RESOURCE_TYPE_ARRAY && told.res.array.hArray == a);
  write<<<1, dim3(W, H)>>>(s, W, H);
  d.addressMode[0] = CU_TR_ADDRESS_MODE_MIRROR, d.addressMode[1] = CU_TR_ADDRESS_MODE_BORDER, d.addressMode[2] = CU_TR_ADDRESS_MODE_CLAMP;
  d.filterMode = CU_TR_FILTER_MODE_POINT, d.borderColor[0] = 3, d.maxAnisotropy = 4;
  view.format = CU_RES_VIEW_FORMAT_FLOAT_1X32, view.width = W, view.height = H;
  DO(cuTexObjectCreate(&t, &r, &d, &view));
  DO(cuTexObjectGetResourceDesc(&told, t));
  EXPECT(told.resType == CU_RESOURCE_TYPE_ARRAY && told.res.array.hArray == a);
  DO(cuTexObjectGetTextureDesc(&described, t));
  EXPECT(described.addressMode[0] == CU_TR_ADDRESS_MODE_MIRROR && described.addressMode[1] == CU_TR_ADDRESS_MODE_BORDER && described.borderColor[0] == 3 && described.maxAnisotropy == 4);
  DO(cuTexObjectGetResourceViewDesc(&seen, t));
  EXPECT(seen.format == view.format && seen.width == W && seen.height == H);
  CUtexObject refused;
  d.flags |= CU_TRSF_SEAMLESS_CUBEMAP; // of cubes alone
  WANT(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&refused, &r, &d, nullptr));
  d.flags &= ~CU_TRSF_SEAMLESS_CUBEMAP;
  read<<<1, dim3(W, H)>>>(t, out, W, H);
  DO(cuCtxSynchronize());
  for (int i = 0; i < W * H; i++) EXPECT(out[i] == float(100 * (i / W) + i % W));
  DO(cuTexObjectDestroy(t));
  WANT(CUDA_ERROR_INVALID_VALUE, cuTexObjectDestroy(t));
  DO(cuSurfObjectDestroy(s));
  WANT(CUDA_ERROR_INVALID_VALUE, cuSurfObjectDestroy(s));

  // Of pitched memory.
  CUdeviceptr p;
  size_t pitch;
  DO(cuMemAllocPitch(&p, &pitch, W * 4, H, 4));
  DO(cuMemsetD2D32(p, pitch, 0x40a00000, W, H)); // 5
  r = {};
  r.resType = CU_RESOURCE_TYPE_PITCH2D, r.res.pitch2D.devPtr = p, r.res.pitch2D.format = CU_AD_FORMAT_FLOAT, r.res.pitch2D.numChannels = 1;
  r.res.pitch2D.width = W, r.res.pitch2D.height = H, r.res.pitch2D.pitchInBytes = pitch;
  DO(cuTexObjectCreate(&t, &r, &d, nullptr));
  DO(cuTexObjectGetResourceDesc(&told, t));
  EXPECT(told.resType == CU_RESOURCE_TYPE_PITCH2D && told.res.pitch2D.devPtr == p && told.res.pitch2D.pitchInBytes == pitch && told.res.pitch2D.width == W);
  read<<<1, dim3(W, H)>>>(t, out, W, H);
  DO(cuCtxSynchronize());
  EXPECT(out[0] == 5 && out[W * H - 1] == 5);
  DO(cuTexObjectDestroy(t));
  DO(cuMemFree(p));
  DO(cuArrayDestroy(a));
}

// Levels of detail are arrays.
static void levels(float *out) {
  CUmipmappedArray m;
  CUarray level;
  CUDA_ARRAY3D_DESCRIPTOR d = {W, W, 0, CU_AD_FORMAT_FLOAT, 1, 0}, told;
  DO(cuMipmappedArrayCreate(&m, &d, 3));
  for (unsigned i = 0; i < 3; i++) {
    DO(cuMipmappedArrayGetLevel(&level, m, i));
    DO(cuArray3DGetDescriptor(&told, level));
    EXPECT(told.Width == W >> i && told.Height == W >> i);
    std::vector<float> v(told.Width * told.Height, float(i + 1));
    CUDA_MEMCPY2D c = {};
    c.srcMemoryType = CU_MEMORYTYPE_HOST, c.srcHost = v.data(), c.dstMemoryType = CU_MEMORYTYPE_ARRAY, c.dstArray = level;
    c.WidthInBytes = told.Width * 4, c.Height = told.Height;
    DO(cuMemcpy2D(&c));
  }
  WANT(CUDA_ERROR_INVALID_VALUE, cuMipmappedArrayGetLevel(&level, m, 3));
  CUDA_RESOURCE_DESC r = {};
  CUDA_TEXTURE_DESC how = {};
  CUtexObject t;
  r.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY, r.res.mipmap.hMipmappedArray = m;
  how.flags = CU_TRSF_NORMALIZED_COORDINATES, how.maxMipmapLevelClamp = 2;
  DO(cuTexObjectCreate(&t, &r, &how, nullptr));
  details<<<1, 4>>>(t, out);
  DO(cuCtxSynchronize());
  EXPECT(out[0] == 1 && out[1] == 2 && out[2] == 3 && out[3] == 3);
  DO(cuTexObjectDestroy(t));
  DO(cuMipmappedArrayDestroy(m));
}

// A tensor map with another address is that of other memory.
static void maps() {
  CUdeviceptr a, b;
  DO(cuMemAlloc(&a, 4096));
  DO(cuMemAlloc(&b, 4096));
  alignas(64) CUtensorMap x, y;
  cuuint64_t size[] = {32, 32}, stride[] = {128};
  cuuint32_t box[] = {32, 8}, step[] = {1, 1};
  auto encode = [&](CUtensorMap *m, CUdeviceptr p) {
    return cuTensorMapEncodeTiled(m, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, (void *)p, size, stride, box, step,
      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  };
  DO(encode(&x, a));
  DO(encode(&y, b));
  EXPECT(memcmp(&x, &y, sizeof x));
  DO(cuTensorMapReplaceAddress(&x, (void *)b));
  EXPECT(!memcmp(&x, &y, sizeof x));
  DO(cuMemFree(a));
  DO(cuMemFree(b));
}

// A cube whose filters go across edges: one texel a face, at the corner of +x, +y and +z.
__global__ void corner(CUtexObject t, float *out) { *out = texCubemap<float>(cudaTextureObject_t(t), 1, 1, 1); }
static void seamless(float *out) {
  CUarray a;
  CUDA_ARRAY3D_DESCRIPTOR deep = {1, 1, 6, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_CUBEMAP};
  DO(cuArray3DCreate(&a, &deep));
  float faces[6] = {1, 2, 3, 4, 5, 6};
  CUDA_MEMCPY3D c = {};
  c.srcMemoryType = CU_MEMORYTYPE_HOST, c.srcHost = faces, c.srcPitch = 4, c.srcHeight = 1, c.dstMemoryType = CU_MEMORYTYPE_ARRAY, c.dstArray = a;
  c.WidthInBytes = 4, c.Height = 1, c.Depth = 6;
  DO(cuMemcpy3D(&c));
  CUDA_RESOURCE_DESC r = {};
  CUDA_TEXTURE_DESC d = {}, described = {};
  r.resType = CU_RESOURCE_TYPE_ARRAY, r.res.array.hArray = a, d.filterMode = CU_TR_FILTER_MODE_LINEAR;
  for (unsigned flags : {0u, unsigned(CU_TRSF_SEAMLESS_CUBEMAP)}) {
    CUtexObject t;
    d.flags = flags;
    DO(cuTexObjectCreate(&t, &r, &d, nullptr));
    DO(cuTexObjectGetTextureDesc(&described, t));
    EXPECT(described.flags == flags);
    corner<<<1, 1>>>(t, out);
    DO(cuCtxSynchronize());
    EXPECT(*out == (flags ? 3 : 1)); // a quarter of each of +x 1, +y 3, +z 5, and of their mean 3
    DO(cuTexObjectDestroy(t));
  }
  DO(cuArrayDestroy(a));
}

int main() {
  begin();
  float *out;
  CHECK(cudaMallocManaged(&out, W * H * sizeof *out));
  lines();
  objects(out);
  seamless(out);
  levels(out);
  maps();
  CHECK(cudaFree(out));
  return ended();
}
