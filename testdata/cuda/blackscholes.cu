// European options after Black and Scholes; the elementary functions are inline PTX approximations.
__device__ __forceinline__ float exp2Approx(float x) {
  float r;
  asm("ex2.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
}
__device__ __forceinline__ float log2Approx(float x) {
  float r;
  asm("lg2.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
}
__device__ __forceinline__ float rcpApprox(float x) {
  float r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
}
__device__ __forceinline__ float rsqrtApprox(float x) {
  float r;
  asm("rsqrt.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
}
__device__ __forceinline__ float divApprox(float a, float b) {
  float r;
  asm("div.approx.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
__device__ __forceinline__ float expApprox(float x) { return exp2Approx(x * 1.442695041f); }

// Cumulative normal distribution, polynomial of Abramowitz and Stegun 26.2.17.
__device__ float cnd(float d) {
  float a = d < 0 ? -d : d;
  float k = rcpApprox(1.0f + 0.2316419f * a);
  float poly = k * (0.319381530f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  float tail = 0.39894228040f * expApprox(-0.5f * d * d) * poly;
  return d > 0 ? 1.0f - tail : tail;
}

extern "C" __global__ void blackscholes(const float *price, const float *strike, const float *years,
                                        float *call, float *put, float rate, float volatility, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float s = price[i], x = strike[i], t = years[i];
    float rootT = t * rsqrtApprox(t);
    float logSX = log2Approx(divApprox(s, x)) * 0.6931471806f;
    float d1 = divApprox(logSX + (rate + 0.5f * volatility * volatility) * t, volatility * rootT);
    float d2 = d1 - volatility * rootT;
    float discount = expApprox(-rate * t);
    float c1 = cnd(d1), c2 = cnd(d2);
    call[i] = s * c1 - x * discount * c2;
    put[i] = x * discount * (1.0f - c2) - s * (1.0f - c1);
  }
}
