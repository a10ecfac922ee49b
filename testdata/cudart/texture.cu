// Texture objects of arrays, pitched and linear memory: coordinates, filters, modes, formats, layers, cubes.
// flags: -std=c++17
#include "check.h"
#include <cmath>
#include <cstring>

__global__ void fetch1(cudaTextureObject_t t, float *out, int n) { int i = threadIdx.x; if (i < n) out[i] = tex1Dfetch<float>(t, i); }
__global__ void fetchInts(cudaTextureObject_t t, int4 *out, int n) { int i = threadIdx.x; if (i < n) out[i] = tex1Dfetch<int4>(t, i); }
__global__ void rotate(cudaTextureObject_t t, float *out, int w, int h, float angle) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float u = (x + 0.5f) / w - 0.5f, v = (y + 0.5f) / h - 0.5f;
  out[y * w + x] = tex2D<float>(t, u * cosf(angle) - v * sinf(angle) + 0.5f, v * cosf(angle) + u * sinf(angle) + 0.5f);
}
__global__ void at(cudaTextureObject_t t, const float2 *where, float *out, int n) { int i = threadIdx.x; if (i < n) out[i] = tex2D<float>(t, where[i].x, where[i].y); }
__global__ void volume(cudaTextureObject_t t, float *out, int w, int h, int d) {
  int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  if (x < w && y < h && z < d) out[(z * h + y) * w + x] = tex3D<float>(t, x + 0.5f, y + 0.5f, z + 0.5f);
}
__global__ void layers(cudaTextureObject_t t, float *out, int w, int n) { int x = threadIdx.x, l = threadIdx.y; if (x < w && l < n) out[l * w + x] = tex2DLayered<float>(t, x + 0.5f, 1.5f, l); }
__global__ void cube(cudaTextureObject_t t, float *out) {
  const float3 d[6] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  out[threadIdx.x] = texCubemap<float>(t, d[threadIdx.x].x, d[threadIdx.x].y, d[threadIdx.x].z);
}
__global__ void bytes(cudaTextureObject_t t, float4 *out) { *out = tex2D<float4>(t, 1.5f, 0.5f); }

static cudaTextureDesc desc(cudaTextureAddressMode mode, cudaTextureFilterMode filter, bool normalized) {
  cudaTextureDesc d = {};
  d.addressMode[0] = d.addressMode[1] = d.addressMode[2] = mode;
  d.filterMode = filter, d.normalizedCoords = normalized;
  return d;
}

// bilinear is the filter of a picture that ends at its edge, with weights in 256ths.
static float bilinear(const float *p, int w, int h, float x, float y) {
  auto texel = [&](int i, int j) { return p[std::min(std::max(j, 0), h - 1) * w + std::min(std::max(i, 0), w - 1)]; };
  float u = x - 0.5f, v = y - 0.5f;
  int i = (int)std::floor(u), j = (int)std::floor(v);
  float a = std::round((u - i) * 256) / 256, b = std::round((v - j) * 256) / 256;
  return (1 - a) * (1 - b) * texel(i, j) + a * (1 - b) * texel(i + 1, j) + (1 - a) * b * texel(i, j + 1) + a * b * texel(i + 1, j + 1);
}

int main() {
  const int w = 37, h = 23;
  std::vector<float> picture(w * h);
  for (int i = 0; i < w * h; i++) picture[i] = std::sin(i * 0.37f) * 100;
  float *out;
  CHECK(cudaMallocManaged(&out, 4096 * sizeof(float)));
  const auto one = cudaCreateChannelDesc<float>();

  // Linear memory.
  float *line;
  CHECK(cudaMalloc(&line, 64 * sizeof(float)));
  CHECK(cudaMemcpy(line, picture.data(), 64 * sizeof(float), cudaMemcpyHostToDevice));
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeLinear;
  r.res.linear.devPtr = line, r.res.linear.desc = one, r.res.linear.sizeInBytes = 64 * sizeof(float);
  cudaTextureDesc d = {};
  cudaTextureObject_t t;
  CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr));
  fetch1<<<1, 64>>>(t, out, 64);
  CHECK(cudaDeviceSynchronize());
  EXPECT(!memcmp(out, picture.data(), 64 * sizeof(float)));
  cudaResourceDesc back;
  CHECK(cudaGetTextureObjectResourceDesc(&back, t));
  EXPECT(back.resType == cudaResourceTypeLinear && back.res.linear.devPtr == line && back.res.linear.sizeInBytes == 64 * sizeof(float) && back.res.linear.desc.x == 32);
  CHECK(cudaDestroyTextureObject(t));
  EXPECT(cudaDestroyTextureObject(t) == cudaErrorInvalidValue);
  r.res.linear.desc = cudaCreateChannelDesc<int4>();
  CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr));
  fetchInts<<<1, 16>>>(t, (int4 *)out, 16);
  CHECK(cudaDeviceSynchronize());
  EXPECT(!memcmp(out, picture.data(), 64 * sizeof(float)));
  CHECK(cudaDestroyTextureObject(t));

  // A picture in an array, turned by half a circle and by nothing.
  cudaArray_t a;
  CHECK(cudaMallocArray(&a, &one, w, h));
  CHECK(cudaMemcpy2DToArray(a, 0, 0, picture.data(), w * sizeof(float), w * sizeof(float), h, cudaMemcpyHostToDevice));
  r = {};
  r.resType = cudaResourceTypeArray, r.res.array.array = a;
  d = desc(cudaAddressModeClamp, cudaFilterModePoint, true);
  CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr));
  rotate<<<dim3(3, 2), dim3(16, 16)>>>(t, out, w, h, 3.14159265f);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < w * h; i++) EXPECT(out[i] == picture[w * h - 1 - i]);
  rotate<<<dim3(3, 2), dim3(16, 16)>>>(t, out, w, h, 0);
  CHECK(cudaDeviceSynchronize());
  EXPECT(!memcmp(out, picture.data(), w * h * sizeof(float)));
  CHECK(cudaDestroyTextureObject(t));

  // Bilinear filter against the same on the host, inside and outside.
  d = desc(cudaAddressModeClamp, cudaFilterModeLinear, false);
  CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr));
  float2 *where;
  CHECK(cudaMallocManaged(&where, 256 * sizeof(float2)));
  for (int i = 0; i < 256; i++) where[i] = make_float2(i * 0.171f - 3, i * 0.113f - 2);
  at<<<1, 256>>>(t, where, out, 256);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 256; i++) EXPECT(std::abs(out[i] - bilinear(picture.data(), w, h, where[i].x, where[i].y)) < 1.0f);
  CHECK(cudaDestroyTextureObject(t));
  d = desc(cudaAddressModeBorder, cudaFilterModePoint, false);
  d.borderColor[0] = 7;
  CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr));
  at<<<1, 256>>>(t, where, out, 256);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 256; i++) {
    int x = (int)std::floor(where[i].x), y = (int)std::floor(where[i].y);
    EXPECT(out[i] == (x < 0 || y < 0 || x >= w || y >= h ? 7.0f : picture[y * w + x]));
  }
  CHECK(cudaDestroyTextureObject(t));

  // The same from pitched memory.
  float *pitched;
  size_t pitch;
  CHECK(cudaMallocPitch(&pitched, &pitch, w * sizeof(float), h));
  CHECK(cudaMemcpy2DFromArray(pitched, pitch, a, 0, 0, w * sizeof(float), h, cudaMemcpyDeviceToDevice));
  cudaResourceDesc p = {};
  p.resType = cudaResourceTypePitch2D;
  p.res.pitch2D.devPtr = pitched, p.res.pitch2D.desc = one, p.res.pitch2D.width = w, p.res.pitch2D.height = h, p.res.pitch2D.pitchInBytes = pitch;
  d = desc(cudaAddressModeClamp, cudaFilterModePoint, false);
  CHECK(cudaCreateTextureObject(&t, &p, &d, nullptr));
  at<<<1, 256>>>(t, where, out, 256);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 256; i++) {
    int x = std::min(std::max((int)std::floor(where[i].x), 0), w - 1), y = std::min(std::max((int)std::floor(where[i].y), 0), h - 1);
    EXPECT(out[i] == picture[y * w + x]);
  }
  CHECK(cudaDestroyTextureObject(t));

  // A volume, layers, a cube.
  const cudaExtent x3 = make_cudaExtent(7, 5, 4);
  cudaArray_t a3;
  CHECK(cudaMalloc3DArray(&a3, &one, x3));
  cudaMemcpy3DParms c = {};
  c.srcPtr = make_cudaPitchedPtr(picture.data(), 7 * sizeof(float), 7, 5);
  c.dstArray = a3, c.extent = x3, c.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&c));
  r.res.array.array = a3;
  CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr));
  volume<<<1, dim3(7, 5, 4)>>>(t, out, 7, 5, 4);
  CHECK(cudaDeviceSynchronize());
  EXPECT(!memcmp(out, picture.data(), 140 * sizeof(float)));
  CHECK(cudaDestroyTextureObject(t));
  cudaArray_t al;
  CHECK(cudaMalloc3DArray(&al, &one, x3, cudaArrayLayered));
  c.dstArray = al;
  CHECK(cudaMemcpy3D(&c));
  r.res.array.array = al;
  CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr));
  layers<<<1, dim3(7, 4)>>>(t, out, 7, 4);
  CHECK(cudaDeviceSynchronize());
  for (int l = 0; l < 4; l++) for (int x = 0; x < 7; x++) EXPECT(out[l * 7 + x] == picture[(l * 5 + 1) * 7 + x]);
  CHECK(cudaDestroyTextureObject(t));
  cudaArray_t ac;
  CHECK(cudaMalloc3DArray(&ac, &one, make_cudaExtent(1, 1, 6), cudaArrayCubemap));
  c.srcPtr = make_cudaPitchedPtr(picture.data(), sizeof(float), 1, 1);
  c.dstArray = ac, c.extent = make_cudaExtent(1, 1, 6);
  CHECK(cudaMemcpy3D(&c));
  r.res.array.array = ac;
  d = desc(cudaAddressModeClamp, cudaFilterModePoint, true);
  CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr));
  cube<<<1, 6>>>(t, out);
  CHECK(cudaDeviceSynchronize());
  EXPECT(!memcmp(out, picture.data(), 6 * sizeof(float)));
  CHECK(cudaDestroyTextureObject(t));

  // Bytes read as floats from 0 to 1.
  const unsigned char pixels[8] = {0, 1, 2, 3, 255, 0, 51, 102};
  const auto four = cudaCreateChannelDesc<uchar4>();
  cudaArray_t ab;
  CHECK(cudaMallocArray(&ab, &four, 2, 1));
  CHECK(cudaMemcpy2DToArray(ab, 0, 0, pixels, 8, 8, 1, cudaMemcpyHostToDevice));
  r.res.array.array = ab;
  d = desc(cudaAddressModeClamp, cudaFilterModePoint, false);
  d.readMode = cudaReadModeNormalizedFloat;
  CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr));
  bytes<<<1, 1>>>(t, (float4 *)out);
  CHECK(cudaDeviceSynchronize());
  EXPECT(out[0] == 1 && out[1] == 0 && std::abs(out[2] - 0.2f) < 1e-6f && std::abs(out[3] - 0.4f) < 1e-6f);
  cudaTextureDesc told;
  CHECK(cudaGetTextureObjectTextureDesc(&told, t));
  EXPECT(told.readMode == cudaReadModeNormalizedFloat && told.addressMode[1] == cudaAddressModeClamp);

  // What is wrong.
  cudaChannelFormatDesc shape;
  cudaExtent size;
  unsigned flags;
  CHECK(cudaArrayGetInfo(&shape, &size, &flags, al));
  EXPECT(shape.x == 32 && shape.y == 0 && shape.f == cudaChannelFormatKindFloat && size.width == 7 && size.depth == 4 && flags == cudaArrayLayered);
  cudaChannelFormatDesc three = cudaCreateChannelDesc(32, 32, 32, 0, cudaChannelFormatKindFloat);
  EXPECT(cudaMallocArray(&ab, &three, 4, 4) == cudaErrorInvalidChannelDescriptor);
  EXPECT(cudaMemcpy2DToArray(a, 0, 1, picture.data(), w * sizeof(float), w * sizeof(float), h, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  EXPECT(cudaCreateTextureObject(&t, nullptr, &d, nullptr) == cudaErrorInvalidValue);
  cudaGetLastError();
  for (cudaArray_t each : {a, a3, al, ac}) CHECK(cudaFreeArray(each));
  EXPECT(cudaFreeArray(a) == cudaErrorInvalidResourceHandle);
  return passed();
}
