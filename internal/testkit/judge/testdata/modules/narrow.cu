// Conversions and arithmetic of the headers for narrow numbers.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>

template <typename Narrow>
__global__ void through(const float *in, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = static_cast<float>(Narrow(in[i]));
}

template __global__ void through<__half>(const float *, float *);
template __global__ void through<__nv_bfloat16>(const float *, float *);
template __global__ void through<__nv_fp8_e4m3>(const float *, float *);
template __global__ void through<__nv_fp8_e5m2>(const float *, float *);
template __global__ void through<__nv_fp8_e8m0>(const float *, float *);
template __global__ void through<__nv_fp6_e2m3>(const float *, float *);
template __global__ void through<__nv_fp6_e3m2>(const float *, float *);
template __global__ void through<__nv_fp4_e2m1>(const float *, float *);

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800 // the header has them from there on
__global__ void pairs(const __nv_bfloat162 *a, const __nv_bfloat162 *b, __nv_bfloat162 *out) {
    int i = threadIdx.x;
    __nv_bfloat162 s = __hfma2_relu(a[i], b[i], __hmax2_nan(a[i], b[i]));
    out[i] = __h2div(h2exp(s), h2sqrt(__habs2(b[i])));
    atomicAdd(&out[i + 1], s);
}
#endif

__global__ void halves(const __half *a, __half *out, int *flags) {
    int i = threadIdx.x;
    out[i] = hsin(a[i]) + hlog2(a[i]) + hrsqrt(a[i]) + htanh_approx(a[i]);
    flags[i] = __half2int_rz(a[i]) + __half2ll_ru(a[i]) + __hisnan(a[i]);
}
