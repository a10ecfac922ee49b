// Compiled by a test against the installed headers of CUDA: their structures are laid out as ours (structs.h).
#include <cstddef>
#include <cuda_runtime_api.h>
#include "structs.h"

#define PLACED(field, at, bytes) static_assert(offsetof(cudaDeviceProp, field) == at && sizeof(((cudaDeviceProp *)0)->field) == bytes, #field);
#if CUDART_VERSION < 13000
#define X(field, at, at12, attribute, bytes) PLACED(field, at12, bytes)
PROPERTIES(X)
#undef X
#define X(field, at12, attribute, bytes) PLACED(field, at12, bytes)
PROPERTIES_12(X)
static_assert(sizeof(cudaDeviceProp) == PROP_SIZE_12 && offsetof(cudaDeviceProp, hostRegisterSupported) == PROP_SIZE_11 && sizeof(cudaPointerAttributes) == offsetof(struct pointer_attributes, reserved) && sizeof(cudaResourceDesc) == 64, "");
#else
#define X(field, at, at12, attribute, bytes) PLACED(field, at, bytes)
PROPERTIES(X)
static_assert(sizeof(cudaDeviceProp) == PROP_SIZE && sizeof(cudaPointerAttributes) == sizeof(struct pointer_attributes) && sizeof(cudaResourceDesc) == 144, "");
#endif
#undef X
static_assert(offsetof(cudaDeviceProp, uuid) == PROP_UUID && offsetof(cudaDeviceProp, totalGlobalMem) == PROP_GLOBAL, "");

#define SAME(theirs, ours) static_assert(sizeof(theirs) == sizeof(struct ours), #theirs);
#define FIELD(theirs, a, ours, b) static_assert(offsetof(theirs, a) == offsetof(struct ours, b) && sizeof(((theirs *)0)->a) == sizeof(((struct ours *)0)->b), #a);

SAME(cudaLaunchAttribute, attribute)
FIELD(cudaLaunchAttribute, id, attribute, id)
FIELD(cudaLaunchAttribute, val, attribute, value)
SAME(cudaLaunchConfig_t, config)
FIELD(cudaLaunchConfig_t, gridDim, config, grid)
FIELD(cudaLaunchConfig_t, blockDim, config, block)
FIELD(cudaLaunchConfig_t, dynamicSmemBytes, config, shared)
FIELD(cudaLaunchConfig_t, stream, config, stream)
FIELD(cudaLaunchConfig_t, attrs, config, attributes)
FIELD(cudaLaunchConfig_t, numAttrs, config, n)
SAME(cudaFuncAttributes, func_attributes)
FIELD(cudaFuncAttributes, sharedSizeBytes, func_attributes, shared)
FIELD(cudaFuncAttributes, constSizeBytes, func_attributes, constant)
FIELD(cudaFuncAttributes, localSizeBytes, func_attributes, local)
FIELD(cudaFuncAttributes, maxThreadsPerBlock, func_attributes, max_threads)
FIELD(cudaFuncAttributes, numRegs, func_attributes, registers)
FIELD(cudaFuncAttributes, ptxVersion, func_attributes, ptx)
FIELD(cudaFuncAttributes, binaryVersion, func_attributes, binary)
FIELD(cudaFuncAttributes, cacheModeCA, func_attributes, cache)
FIELD(cudaFuncAttributes, sharedMemoryMode, func_attributes, shared_mode)
FIELD(cudaFuncAttributes, maxDynamicSharedSizeBytes, func_attributes, max_dynamic)
FIELD(cudaFuncAttributes, preferredShmemCarveout, func_attributes, carveout)
FIELD(cudaPointerAttributes, type, pointer_attributes, type)
FIELD(cudaPointerAttributes, device, pointer_attributes, device)
FIELD(cudaPointerAttributes, devicePointer, pointer_attributes, device_pointer)
FIELD(cudaPointerAttributes, hostPointer, pointer_attributes, host_pointer)
SAME(cudaPitchedPtr, pitched)
FIELD(cudaPitchedPtr, ptr, pitched, ptr)
FIELD(cudaPitchedPtr, pitch, pitched, pitch)
FIELD(cudaPitchedPtr, xsize, pitched, x)
FIELD(cudaPitchedPtr, ysize, pitched, y)
SAME(cudaExtent, extent)
SAME(cudaPos, position)
SAME(cudaMemcpy3DParms, params3d)
FIELD(cudaMemcpy3DParms, srcArray, params3d, src_array)
FIELD(cudaMemcpy3DParms, srcPos, params3d, src_pos)
FIELD(cudaMemcpy3DParms, srcPtr, params3d, src)
FIELD(cudaMemcpy3DParms, dstArray, params3d, dst_array)
FIELD(cudaMemcpy3DParms, dstPos, params3d, dst_pos)
FIELD(cudaMemcpy3DParms, dstPtr, params3d, dst)
FIELD(cudaMemcpy3DParms, extent, params3d, extent)
FIELD(cudaMemcpy3DParms, kind, params3d, kind)
FIELD(cudaResourceViewDesc, format, view, format)
FIELD(cudaResourceViewDesc, width, view, width)
FIELD(cudaResourceViewDesc, depth, view, depth)
static_assert(offsetof(cudaResourceViewDesc, firstMipmapLevel) == offsetof(struct view, level) && offsetof(cudaResourceViewDesc, lastLayer) == offsetof(struct view, layer) + 4, "");
SAME(dim3, dim)
static_assert(offsetof(cudaResourceDesc, res) == 8 && offsetof(cudaResourceDesc, res.linear.desc) == 16 && offsetof(cudaResourceDesc, res.linear.sizeInBytes) == 40, "");
static_assert(offsetof(cudaResourceDesc, res.pitch2D.width) == 40 && offsetof(cudaResourceDesc, res.pitch2D.pitchInBytes) == 56 && sizeof(cudaChannelFormatDesc) == 20, "");
static_assert(sizeof(cudaTextureDesc) == 72 && offsetof(cudaTextureDesc, sRGB) == 20 && offsetof(cudaTextureDesc, borderColor) == 24 && offsetof(cudaTextureDesc, normalizedCoords) == 40 && offsetof(cudaTextureDesc, mipmapFilterMode) == 48 && offsetof(cudaTextureDesc, maxMipmapLevelClamp) == 60, "");
static_assert(sizeof(cudaKernelNodeParams) == 56 && offsetof(cudaKernelNodeParams, kernelParams) == 40 && sizeof(cudaMemsetParams) == 40 && offsetof(cudaMemsetParams, width) == 24, "");
static_assert(sizeof(cudaGraphNodeParams) == 256 && offsetof(cudaGraphNodeParams, kernel) == 16 && offsetof(cudaGraphNodeParams, memcpy.copyParams) == 32 && sizeof(cudaMemAllocNodeParams) == 120 && offsetof(cudaMemAllocNodeParams, bytesize) == 104, "");
static_assert(sizeof(cudaGraphEdgeData) == 8 && sizeof(cudaGraphExecUpdateResultInfo) == 24 && offsetof(cudaGraphExecUpdateResultInfo, errorNode) == 8 && sizeof(cudaGraphInstantiateParams) == 32, "");
