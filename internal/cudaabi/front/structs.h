// The layouts of CUDA structures, as measured: x86-64, CUDA 13.5 and 12.9. Compared with the installed headers by layout_check.cc.
#ifndef STRUCTS_H
#define STRUCTS_H

#include <stddef.h>
#include <stdint.h>

// What begins both.
enum { PROP_UUID = 256, PROP_GLOBAL = 288 };
// Bytes of cudaDeviceProp: that of CUDA 13, of 12, and of 11, with which that of 12 begins.
enum { PROP_SIZE = 1008, PROP_SIZE_12 = 1032, PROP_SIZE_11 = 728 };

// X(field of cudaDeviceProp that is an attribute of the device, where it is in CUDA 13, where in CUDA 12, the attribute's number, bytes)
#define PROPERTIES(X) \
	X(sharedMemPerBlock, 296, 296, 8, 8) \
	X(regsPerBlock, 304, 304, 12, 4) \
	X(warpSize, 308, 308, 10, 4) \
	X(memPitch, 312, 312, 11, 8) \
	X(maxThreadsPerBlock, 320, 320, 1, 4) \
	X(maxThreadsDim[0], 324, 324, 2, 4) \
	X(maxThreadsDim[1], 328, 328, 3, 4) \
	X(maxThreadsDim[2], 332, 332, 4, 4) \
	X(maxGridSize[0], 336, 336, 5, 4) \
	X(maxGridSize[1], 340, 340, 6, 4) \
	X(maxGridSize[2], 344, 344, 7, 4) \
	X(totalConstMem, 352, 352, 9, 8) \
	X(major, 360, 360, 75, 4) \
	X(minor, 364, 364, 76, 4) \
	X(textureAlignment, 368, 368, 14, 8) \
	X(texturePitchAlignment, 376, 376, 51, 8) \
	X(multiProcessorCount, 384, 388, 16, 4) \
	X(integrated, 388, 396, 18, 4) \
	X(canMapHostMemory, 392, 400, 19, 4) \
	X(maxTexture1D, 396, 408, 21, 4) \
	X(maxTexture2D[0], 404, 420, 22, 4) \
	X(maxTexture2D[1], 408, 424, 23, 4) \
	X(maxTexture3D[0], 440, 456, 24, 4) \
	X(maxTexture3D[1], 444, 460, 25, 4) \
	X(maxTexture3D[2], 448, 464, 26, 4) \
	X(maxTexture2DLayered[0], 476, 492, 27, 4) \
	X(maxTexture2DLayered[1], 480, 496, 28, 4) \
	X(maxTexture2DLayered[2], 484, 500, 29, 4) \
	X(surfaceAlignment, 552, 568, 30, 8) \
	X(concurrentKernels, 560, 576, 31, 4) \
	X(ECCEnabled, 564, 580, 32, 4) \
	X(pciBusID, 568, 584, 33, 4) \
	X(pciDeviceID, 572, 588, 34, 4) \
	X(pciDomainID, 576, 592, 50, 4) \
	X(tccDriver, 580, 596, 35, 4) \
	X(asyncEngineCount, 584, 600, 40, 4) \
	X(unifiedAddressing, 588, 604, 41, 4) \
	X(memoryBusWidth, 592, 612, 37, 4) \
	X(l2CacheSize, 596, 616, 38, 4) \
	X(persistingL2CacheMaxSize, 600, 620, 108, 4) \
	X(maxThreadsPerMultiProcessor, 604, 624, 39, 4) \
	X(streamPrioritiesSupported, 608, 628, 78, 4) \
	X(globalL1CacheSupported, 612, 632, 79, 4) \
	X(localL1CacheSupported, 616, 636, 80, 4) \
	X(sharedMemPerMultiprocessor, 624, 640, 81, 8) \
	X(regsPerMultiprocessor, 632, 648, 82, 4) \
	X(managedMemory, 636, 652, 83, 4) \
	X(isMultiGpuBoard, 640, 656, 84, 4) \
	X(multiGpuBoardGroupID, 644, 660, 85, 4) \
	X(hostNativeAtomicSupported, 648, 664, 86, 4) \
	X(pageableMemoryAccess, 652, 672, 88, 4) \
	X(concurrentManagedAccess, 656, 676, 89, 4) \
	X(computePreemptionSupported, 660, 680, 90, 4) \
	X(canUseHostPointerForRegisteredMem, 664, 684, 91, 4) \
	X(cooperativeLaunch, 668, 688, 95, 4) \
	X(sharedMemPerBlockOptin, 672, 696, 97, 8) \
	X(pageableMemoryAccessUsesHostPageTables, 680, 704, 100, 4) \
	X(directManagedMemAccessFromHost, 684, 708, 101, 4) \
	X(maxBlocksPerMultiProcessor, 688, 712, 106, 4) \
	X(accessPolicyMaxWindowSize, 692, 716, 109, 4) \
	X(reservedSharedMemPerBlock, 696, 720, 111, 8) \
	X(hostRegisterSupported, 704, 728, 99, 4) \
	X(memoryPoolsSupported, 720, 744, 115, 4) \
	X(clusterLaunch, 748, 772, 120, 4)

// X(field that CUDA 13 has no more, where it is in CUDA 12, the attribute's number, bytes)
#define PROPERTIES_12(X) \
	X(clockRate, 348, 13, 4) \
	X(deviceOverlap, 384, 15, 4) \
	X(kernelExecTimeoutEnabled, 392, 17, 4) \
	X(computeMode, 404, 20, 4) \
	X(memoryClockRate, 608, 36, 4) \
	X(singleToDoublePrecisionPerfRatio, 668, 87, 4) \
	X(cooperativeMultiDeviceLaunch, 692, 96, 4)

struct dim { unsigned x, y, z; };

// cudaLaunchAttribute, cudaLaunchConfig_t.
struct attribute { int32_t id, pad; union {
	uint32_t dim[3];
	int32_t number;
	uint64_t event;
	struct { uint64_t event; int32_t flags, at_block_start; } trigger;
	char room[64];
} value; };
struct config { struct dim grid, block; size_t shared; uint64_t stream; const struct attribute *attributes; unsigned n; };

// cudaFuncAttributes.
struct func_attributes {
	size_t shared, constant, local;
	int32_t max_threads, registers, ptx, binary, cache, max_dynamic, carveout, cluster_set, cluster[3], policy, non_portable, node_update, shared_mode, reserved[14];
};

// cudaPointerAttributes; CUDA 12 has no reserved.
struct pointer_attributes { int32_t type, device; void *device_pointer, *host_pointer; int64_t reserved[8]; };

// cudaResourceViewDesc, the same in both APIs; that of CUDA 13 has reserved words behind it.
struct view { int32_t format; size_t width, height, depth; uint32_t level[2], layer[2]; };

// cudaPitchedPtr, cudaExtent, cudaPos, cudaMemcpy3DParms.
struct pitched { void *ptr; size_t pitch, x, y; };
struct extent { size_t width, height, depth; };
struct position { size_t x, y, z; };
struct params3d {
	void *src_array; struct position src_pos; struct pitched src;
	void *dst_array; struct position dst_pos; struct pitched dst;
	struct extent extent; int kind;
};

#endif
