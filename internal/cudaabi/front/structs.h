// The layouts of CUDA structures, as measured: x86-64, CUDA 13.5. Compared with the installed headers by layout_check.cc.
#ifndef STRUCTS_H
#define STRUCTS_H

#include <stddef.h>
#include <stdint.h>

enum { PROP_SIZE = 1008, PROP_UUID = 256, PROP_GLOBAL = 288 };

// X(field of cudaDeviceProp that is an attribute of the device, where it is, the attribute's number, bytes)
#define PROPERTIES(X) \
	X(sharedMemPerBlock, 296, 8, 8) \
	X(regsPerBlock, 304, 12, 4) \
	X(warpSize, 308, 10, 4) \
	X(memPitch, 312, 11, 8) \
	X(maxThreadsPerBlock, 320, 1, 4) \
	X(maxThreadsDim[0], 324, 2, 4) \
	X(maxThreadsDim[1], 328, 3, 4) \
	X(maxThreadsDim[2], 332, 4, 4) \
	X(maxGridSize[0], 336, 5, 4) \
	X(maxGridSize[1], 340, 6, 4) \
	X(maxGridSize[2], 344, 7, 4) \
	X(totalConstMem, 352, 9, 8) \
	X(major, 360, 75, 4) \
	X(minor, 364, 76, 4) \
	X(textureAlignment, 368, 14, 8) \
	X(texturePitchAlignment, 376, 51, 8) \
	X(multiProcessorCount, 384, 16, 4) \
	X(integrated, 388, 18, 4) \
	X(canMapHostMemory, 392, 19, 4) \
	X(concurrentKernels, 560, 31, 4) \
	X(ECCEnabled, 564, 32, 4) \
	X(pciBusID, 568, 33, 4) \
	X(pciDeviceID, 572, 34, 4) \
	X(pciDomainID, 576, 50, 4) \
	X(tccDriver, 580, 35, 4) \
	X(asyncEngineCount, 584, 40, 4) \
	X(unifiedAddressing, 588, 41, 4) \
	X(memoryBusWidth, 592, 37, 4) \
	X(l2CacheSize, 596, 38, 4) \
	X(persistingL2CacheMaxSize, 600, 108, 4) \
	X(maxThreadsPerMultiProcessor, 604, 39, 4) \
	X(streamPrioritiesSupported, 608, 78, 4) \
	X(globalL1CacheSupported, 612, 79, 4) \
	X(localL1CacheSupported, 616, 80, 4) \
	X(sharedMemPerMultiprocessor, 624, 81, 8) \
	X(regsPerMultiprocessor, 632, 82, 4) \
	X(managedMemory, 636, 83, 4) \
	X(isMultiGpuBoard, 640, 84, 4) \
	X(multiGpuBoardGroupID, 644, 85, 4) \
	X(hostNativeAtomicSupported, 648, 86, 4) \
	X(pageableMemoryAccess, 652, 88, 4) \
	X(concurrentManagedAccess, 656, 89, 4) \
	X(computePreemptionSupported, 660, 90, 4) \
	X(canUseHostPointerForRegisteredMem, 664, 91, 4) \
	X(cooperativeLaunch, 668, 95, 4) \
	X(sharedMemPerBlockOptin, 672, 97, 8) \
	X(pageableMemoryAccessUsesHostPageTables, 680, 100, 4) \
	X(directManagedMemAccessFromHost, 684, 101, 4) \
	X(maxBlocksPerMultiProcessor, 688, 106, 4) \
	X(accessPolicyMaxWindowSize, 692, 109, 4) \
	X(reservedSharedMemPerBlock, 696, 111, 8) \
	X(hostRegisterSupported, 704, 99, 4) \
	X(memoryPoolsSupported, 720, 115, 4) \
	X(clusterLaunch, 748, 120, 4)

struct dim { unsigned x, y, z; };

// cudaLaunchAttribute, cudaLaunchConfig_t.
struct attribute { int32_t id, pad; union { uint32_t dim[3]; int32_t number; char room[64]; } value; };
struct config { struct dim grid, block; size_t shared; uint64_t stream; const struct attribute *attributes; unsigned n; };

// cudaFuncAttributes.
struct func_attributes {
	size_t shared, constant, local;
	int32_t max_threads, registers, ptx, binary, cache, max_dynamic, carveout, cluster_set, cluster[3], policy, non_portable, reserved[16];
};

// cudaPointerAttributes.
struct pointer_attributes { int32_t type, device; void *device_pointer, *host_pointer; int64_t reserved[8]; };

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
