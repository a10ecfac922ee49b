// Cube maps with and without filters across their edges, by levels and gradients, and anisotropic filters: held against the host's
// own geometry and the formulas of EXT_texture_filter_anisotropic.
// stderr: has no edges between faces, which a seamless filter goes across: want a cube
#include "check.h"
#include <algorithm>
#include <cmath>

struct V { float x, y, z; };

__global__ void look(cudaTextureObject_t t, const V *d, float *out, int n, int level) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = texCubemapLod<float>(t, d[i].x, d[i].y, d[i].z, (float)level);
}
__global__ void lookLayered(cudaTextureObject_t t, const V *d, float *out, int n, int layer) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = texCubemapLayered<float>(t, d[i].x, d[i].y, d[i].z, layer);
}
__global__ void slope(cudaTextureObject_t t, const float4 *grad, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex2DGrad<float>(t, 0.5f, 0.5f, make_float2(grad[i].x, grad[i].y), make_float2(grad[i].z, grad[i].w));
}

enum { N = 8 };

// What a texel of a face holds, at each level.
static float texel(int layer, int face, int x, int y) { return float(1000 * (6 * layer + face) + 10 * y + x); }

// place is the middle of a texel of a face of n in space, at most one behind an edge.
static V place(int face, int x, int y, int n) {
  float s = (2 * x + 1.f) / n - 1, t = (2 * y + 1.f) / n - 1;
  switch (face) {
  case 0: return {1, -t, -s};
  case 1: return {-1, -t, s};
  case 2: return {s, 1, t};
  case 3: return {s, -1, -t};
  case 4: return {s, -t, 1};
  }
  return {-s, -t, -1};
}

static float far(V a, V b) { return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z); }

// beside is the mean of the texels of other faces that are nearest to a place: one behind an edge; in a corner with this face's, three.
static float beside(int layer, int face, int x, int y, int n) {
  bool corner = (x < 0 || x >= n) && (y < 0 || y >= n);
  V to = place(face, x, y, n);
  if (corner) to = {std::copysign(1.f, to.x), std::copysign(1.f, to.y), std::copysign(1.f, to.z)};
  std::vector<std::pair<float, float>> all;
  for (int f = 0; f < 6; f++)
    for (int i = 0; i < n * n; i++)
      if (f != face || corner) all.push_back({far(to, place(f, i % n, i / n, n)), texel(layer, f, i % n, i / n)});
  std::sort(all.begin(), all.end());
  return corner ? (all[0].second + all[1].second + all[2].second) / 3 : all[0].second;
}

// expect filters at a place of a face, s and t from 0 to n.
static float expect(int layer, int face, float s, float t, int n, bool seamless) {
  float u = s - 0.5f, v = t - 0.5f, sum = 0;
  int i = (int)std::floor(u), j = (int)std::floor(v);
  for (int k = 0; k < 4; k++) {
    int x = i + (k & 1), y = j + (k >> 1);
    float w = (k & 1 ? u - i : 1 - (u - i)) * (k >> 1 ? v - j : 1 - (v - j));
    bool inside = x >= 0 && x < n && y >= 0 && y < n;
    if (!seamless) x = std::min(std::max(x, 0), n - 1), y = std::min(std::max(y, 0), n - 1);
    sum += w * (inside || !seamless ? texel(layer, face, x, y) : beside(layer, face, x, y, n));
  }
  return sum;
}

static cudaTextureDesc reading(bool seamless) {
  cudaTextureDesc d = {};
  d.addressMode[0] = d.addressMode[1] = d.addressMode[2] = seamless ? cudaAddressModeWrap : cudaAddressModeClamp; // wrap is ignored
  d.filterMode = cudaFilterModeLinear, d.normalizedCoords = 1, d.seamlessCubemap = seamless, d.maxMipmapLevelClamp = 9;
  return d;
}

static void fill(cudaArray_t a, int layer, int layers, int n) {
  std::vector<float> v;
  for (int f = 0; f < 6 * layers; f++)
    for (int i = 0; i < n * n; i++) v.push_back(texel(f / 6 + layer, f % 6, i % n, i / n));
  cudaMemcpy3DParms p = {};
  p.srcPtr = make_cudaPitchedPtr(v.data(), n * sizeof(float), n, n);
  p.dstArray = a, p.extent = make_cudaExtent(n, n, 6 * layers), p.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&p));
}

// Directions to all faces, to places of sixteenths of a texel, many at edges.
static int directions(V *d, int *face, float *s, float *t) {
  int n = 0;
  for (int f = 0; f < 6; f++)
    for (int i = 0; i < 14; i++)
      for (int j = 0; j < 14; j++, n++) {
        const float at[14] = {0.0625f, 0.1875f, 0.4375f, 0.5f, 1.25f, 2, 3.5f, 4.75f, 5.5f, 6.0625f, 7.25f, 7.5f, 7.75f, 7.9375f};
        face[n] = f, s[n] = at[i], t[n] = at[j];
        d[n] = place(f, 0, 0, 1); // the middle
        V o = place(f, 2, 0, 2), z = place(f, 0, 0, 2), e = place(f, 0, 2, 2);
        float a = (at[i] / N * 2 - 1) / 2, b = (at[j] / N * 2 - 1) / 2; // steps of 2 in s and t
        d[n].x += a * (o.x - z.x) + b * (e.x - z.x), d[n].y += a * (o.y - z.y) + b * (e.y - z.y), d[n].z += a * (o.z - z.z) + b * (e.z - z.z);
        d[n].x *= 2, d[n].y *= 2, d[n].z *= 2;
      }
  return n;
}

static void cubes(float *out, V *d) {
  static int face[2000];
  static float s[2000], t[2000];
  int n = directions(d, face, s, t);
  const auto one = cudaCreateChannelDesc<float>();
  cudaMipmappedArray_t m;
  CHECK(cudaMallocMipmappedArray(&m, &one, make_cudaExtent(N, N, 6), 2, cudaArrayCubemap));
  for (int level = 0; level < 2; level++) {
    cudaArray_t a;
    CHECK(cudaGetMipmappedArrayLevel(&a, m, level));
    fill(a, 0, 1, N >> level);
  }
  cudaArray_t layered;
  CHECK(cudaMalloc3DArray(&layered, &one, make_cudaExtent(N, N, 12), cudaArrayCubemap | cudaArrayLayered));
  fill(layered, 0, 2, N);
  for (int seamless = 0; seamless < 2; seamless++) {
    cudaTextureDesc how = reading(seamless), told;
    cudaResourceDesc r = {};
    cudaTextureObject_t o;
    r.resType = cudaResourceTypeMipmappedArray, r.res.mipmap.mipmap = m;
    CHECK(cudaCreateTextureObject(&o, &r, &how, nullptr));
    CHECK(cudaGetTextureObjectTextureDesc(&told, o));
    EXPECT(told.seamlessCubemap == seamless);
    for (int level = 0; level < 2; level++) {
      look<<<(n + 127) / 128, 128>>>(o, d, out, n, level);
      CHECK(cudaDeviceSynchronize());
      for (int i = 0; i < n; i++) {
        float want = expect(0, face[i], s[i] / (1 << level), t[i] / (1 << level), N >> level, seamless);
        if (std::fabs(out[i] - want) > 0.02f) printf("face %d at %g, %g, level %d: %g, want %g\n", face[i], s[i], t[i], level, out[i], want);
        EXPECT(std::fabs(out[i] - want) <= 0.02f);
      }
    }
    CHECK(cudaDestroyTextureObject(o));
    r.resType = cudaResourceTypeArray, r.res.array.array = layered;
    CHECK(cudaCreateTextureObject(&o, &r, &how, nullptr));
    for (int layer = 0; layer < 2; layer++) {
      lookLayered<<<(n + 127) / 128, 128>>>(o, d, out, n, layer);
      CHECK(cudaDeviceSynchronize());
      for (int i = 0; i < n; i++) EXPECT(std::fabs(out[i] - expect(layer, face[i], s[i], t[i], N, seamless)) <= 0.02f);
    }
    CHECK(cudaDestroyTextureObject(o));
  }
  // The flag is for cubes alone.
  cudaArray_t flat;
  CHECK(cudaMallocArray(&flat, &one, N, N));
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeArray, r.res.array.array = flat;
  cudaTextureDesc how = reading(true);
  cudaTextureObject_t o;
  EXPECT(cudaCreateTextureObject(&o, &r, &how, nullptr) == cudaErrorInvalidValue);
  CHECK(cudaFreeArray(flat));
  CHECK(cudaFreeArray(layered));
  CHECK(cudaFreeMipmappedArray(m));
}

// A chain whose levels are x² + 100·level of the finest level's x.
enum { W = 64, LEVELS = 5 };
static float square(float x) { // linear between the middles of texels
  float u = x - 0.5f, i = std::floor(u), f = u - i;
  return (1 - f) * i * i + f * (i + 1) * (i + 1);
}

static void slopes(float *out, float4 *grad) {
  const auto one = cudaCreateChannelDesc<float>();
  cudaMipmappedArray_t m;
  CHECK(cudaMallocMipmappedArray(&m, &one, make_cudaExtent(W, W, 0), LEVELS));
  for (int level = 0; level < LEVELS; level++) {
    int w = W >> level;
    std::vector<float> v;
    for (int i = 0; i < w * w; i++) v.push_back(float(i % w * (i % w)) + 10000 * level);
    cudaArray_t a;
    CHECK(cudaGetMipmappedArrayLevel(&a, m, level));
    CHECK(cudaMemcpy2DToArray(a, 0, 0, v.data(), w * sizeof(float), w * sizeof(float), w, cudaMemcpyHostToDevice));
  }
  int n = 0;
  std::vector<std::pair<float, float>> lengths; // of the gradients along x and y, in texels
  for (float px : {0.5f, 1.f, 3.f, 4.f, 6.f, 12.f, 14.f, 24.f})
    for (float py : {0.25f, 1.f, 2.f, 4.f, 12.f}) {
      grad[n++] = n & 1 ? make_float4(px / W, 0, 0, py / W) : make_float4(0, py / W, px / W, 0);
      lengths.push_back({px, py});
    }
  const unsigned given[] = {0, 1, 2, 3, 7, 16, 40};
  for (unsigned most : given) {
    cudaTextureDesc how = reading(false), told;
    how.mipmapFilterMode = cudaFilterModeLinear, how.maxAnisotropy = most;
    cudaResourceDesc r = {};
    cudaTextureObject_t o;
    r.resType = cudaResourceTypeMipmappedArray, r.res.mipmap.mipmap = m;
    CHECK(cudaCreateTextureObject(&o, &r, &how, nullptr));
    CHECK(cudaGetTextureObjectTextureDesc(&told, o));
    EXPECT(told.maxAnisotropy == most);
    slope<<<1, 64>>>(o, grad, out, n);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++) {
      float px = lengths[i].first, py = lengths[i].second, longest = std::max(px, py);
      float samples = std::min(std::ceil(longest / std::min(px, py)), (float)std::min(std::max(most, 1u), 16u));
      float lod = std::min(std::max(std::log2(longest / samples), 0.f), LEVELS - 1.f), part = std::round((lod - std::floor(lod)) * 256) / 256;
      float want = 0;
      for (int k = 0; k < 2; k++) {
        int level = std::min((int)std::floor(lod) + k, LEVELS - 1);
        float w = k ? part : 1 - part, sum = 0;
        for (int j = 1; j <= samples; j++) sum += square((W / 2 + (px > py ? px * (j / (samples + 1) - 0.5f) : 0)) / (1 << level));
        want += w * (sum / samples + 10000 * level);
      }
      if (std::fabs(out[i] - want) > 40.5f) printf("at most %u, %g by %g: %g, want %g\n", most, px, py, out[i], want);
      EXPECT(std::fabs(out[i] - want) <= 40.5f); // the fraction of a level has 8 bits
    }
    CHECK(cudaDestroyTextureObject(o));
  }
  CHECK(cudaFreeMipmappedArray(m));
}

int main() {
  float *out;
  V *d;
  CHECK(cudaMallocManaged(&out, 2000 * sizeof *out));
  CHECK(cudaMallocManaged(&d, 2000 * sizeof(V)));
  cubes(out, d);
  slopes(out, (float4 *)d);
  CHECK(cudaFree(out));
  CHECK(cudaFree(d));
  return passed();
}
