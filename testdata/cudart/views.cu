// Views of arrays by textures: other formats of the same size, some layers, some levels of detail.
// flags: -std=c++17
// stderr: cudaCreateTextureObject with a view of compressed blocks
// stderr: a texture object cannot be made
#include "check.h"
#include <cstring>

__global__ void points(cudaTextureObject_t t, float4 *out, int w, int h) {
  int x = threadIdx.x, y = threadIdx.y;
  if (x < w && y < h) out[y * w + x] = tex2D<float4>(t, x + 0.5f, y + 0.5f);
}
__global__ void layers(cudaTextureObject_t t, unsigned *out, int w, int n) {
  int x = threadIdx.x, l = threadIdx.y;
  if (x < w && l < n) out[l * w + x] = tex2DLayered<unsigned>(t, x + 0.5f, 0.5f, l);
}
__global__ void details(cudaTextureObject_t t, float *out, int n) {
  int i = threadIdx.x;
  if (i < n) out[i] = tex2DLod<float>(t, 0.5f, 0.5f, float(i));
}

static cudaResourceViewDesc view(cudaResourceViewFormat format, size_t w, size_t h, size_t d) {
  cudaResourceViewDesc v = {};
  v.format = format, v.width = w, v.height = h, v.depth = d;
  return v;
}

int main() {
  const int w = 8, h = 4;
  cudaResourceDesc r = {};
  cudaTextureDesc d = {};
  cudaTextureObject_t t;
  d.readMode = cudaReadModeNormalizedFloat;

  // An array of 32-bit words, seen as four bytes that count from 0 to 1, and as a float of its own bits.
  unsigned words[w * h];
  for (int i = 0; i < w * h; i++) words[i] = i * 0x01030507u + 0x3f000000u;
  cudaArray_t a;
  cudaChannelFormatDesc word = cudaCreateChannelDesc<unsigned>();
  CHECK(cudaMallocArray(&a, &word, w, h));
  CHECK(cudaMemcpy2DToArray(a, 0, 0, words, w * 4, w * 4, h, cudaMemcpyHostToDevice));
  r.resType = cudaResourceTypeArray, r.res.array.array = a;
  cudaResourceViewDesc v = view(cudaResViewFormatUnsignedChar4, w, h, 0);
  CHECK(cudaCreateTextureObject(&t, &r, &d, &v));
  float4 *out;
  CHECK(cudaMallocManaged(&out, w * h * sizeof *out));
  points<<<1, dim3(w, h)>>>(t, out, w, h);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < w * h; i++) {
    const float want[4] = {(words[i] & 255) / 255.f, (words[i] >> 8 & 255) / 255.f, (words[i] >> 16 & 255) / 255.f, (words[i] >> 24) / 255.f};
    EXPECT(out[i].x == want[0] && out[i].y == want[1] && out[i].z == want[2] && out[i].w == want[3]);
  }
  cudaResourceViewDesc told;
  CHECK(cudaGetTextureObjectResourceViewDesc(&told, t));
  EXPECT(told.format == cudaResViewFormatUnsignedChar4 && told.width == w && told.height == h && told.lastMipmapLevel == 0);
  CHECK(cudaDestroyTextureObject(t));
  d.readMode = cudaReadModeElementType;
  v = view(cudaResViewFormatFloat1, w, h, 0);
  CHECK(cudaCreateTextureObject(&t, &r, &d, &v));
  points<<<1, dim3(w, h)>>>(t, out, w, h);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < w * h; i++) {
    float want;
    memcpy(&want, &words[i], 4);
    EXPECT(out[i].x == want && out[i].y == 0 && out[i].w == 1);
  }
  CHECK(cudaDestroyTextureObject(t));
  CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr));
  EXPECT(cudaGetTextureObjectResourceViewDesc(&told, t) == cudaErrorInvalidValue);
  CHECK(cudaDestroyTextureObject(t));

  // Layers 2 to 4 of six.
  const int all = 6;
  unsigned layered[all][w];
  for (int l = 0; l < all; l++)
    for (int x = 0; x < w; x++) layered[l][x] = 100 * l + x;
  cudaArray_t b;
  CHECK(cudaMalloc3DArray(&b, &word, make_cudaExtent(w, 1, all), cudaArrayLayered));
  cudaMemcpy3DParms c = {};
  c.srcPtr = make_cudaPitchedPtr(layered, w * 4, w, 1), c.dstArray = b, c.extent = make_cudaExtent(w, 1, all), c.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&c));
  r.res.array.array = b;
  v = view(cudaResViewFormatNone, w, 1, all);
  v.firstLayer = 2, v.lastLayer = 4;
  CHECK(cudaCreateTextureObject(&t, &r, &d, &v));
  unsigned *seen;
  CHECK(cudaMallocManaged(&seen, w * 4 * sizeof *seen));
  layers<<<1, dim3(w, 4)>>>(t, seen, w, 4);
  CHECK(cudaDeviceSynchronize());
  for (int l = 0; l < 4; l++)
    for (int x = 0; x < w; x++) EXPECT(seen[l * w + x] == layered[l < 3 ? l + 2 : 4][x]); // a layer too many is the last one
  CHECK(cudaDestroyTextureObject(t));

  // Levels 1 and 2 of four.
  cudaMipmappedArray_t m;
  cudaChannelFormatDesc real = cudaCreateChannelDesc<float>();
  CHECK(cudaMallocMipmappedArray(&m, &real, make_cudaExtent(8, 8, 0), 4));
  for (int l = 0; l < 4; l++) {
    std::vector<float> texels((8 >> l) * (8 >> l), float(l + 1));
    cudaArray_t level;
    CHECK(cudaGetMipmappedArrayLevel(&level, m, l));
    CHECK(cudaMemcpy2DToArray(level, 0, 0, texels.data(), (8 >> l) * 4, (8 >> l) * 4, 8 >> l, cudaMemcpyHostToDevice));
  }
  r.resType = cudaResourceTypeMipmappedArray, r.res.mipmap.mipmap = m;
  d.normalizedCoords = 1, d.maxMipmapLevelClamp = 10;
  v = view(cudaResViewFormatFloat1, 8, 8, 0);
  v.firstMipmapLevel = 1, v.lastMipmapLevel = 2;
  CHECK(cudaCreateTextureObject(&t, &r, &d, &v));
  float *levels;
  CHECK(cudaMallocManaged(&levels, 4 * sizeof *levels));
  details<<<1, 4>>>(t, levels, 4);
  CHECK(cudaDeviceSynchronize());
  EXPECT(levels[0] == 2 && levels[1] == 3 && levels[2] == 3 && levels[3] == 3);
  CHECK(cudaDestroyTextureObject(t));

  // What is refused: samples of another size, layers and levels that there are not, other extents, memory that is no array.
  r.resType = cudaResourceTypeArray, r.res.array.array = a;
  d = {};
  v = view(cudaResViewFormatUnsignedShort1, w, h, 0);
  EXPECT(cudaCreateTextureObject(&t, &r, &d, &v) == cudaErrorInvalidValue);
  v = view(cudaResViewFormatUnsignedInt1, w, h + 1, 0);
  EXPECT(cudaCreateTextureObject(&t, &r, &d, &v) == cudaErrorInvalidValue);
  v = view(cudaResViewFormatUnsignedInt1, w, h, 0);
  v.lastMipmapLevel = 1;
  EXPECT(cudaCreateTextureObject(&t, &r, &d, &v) == cudaErrorInvalidValue);
  v.lastMipmapLevel = 0, v.lastLayer = 1;
  EXPECT(cudaCreateTextureObject(&t, &r, &d, &v) == cudaErrorInvalidValue);
  v = view(cudaResViewFormatUnsignedBlockCompressed1, 4 * w, 4 * h, 0);
  EXPECT(cudaCreateTextureObject(&t, &r, &d, &v) == cudaErrorNotSupported);
  EXPECT(cudaGetLastError() == cudaErrorNotSupported);
  return passed();
}
