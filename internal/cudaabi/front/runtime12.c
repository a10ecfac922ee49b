// The Runtime API of CUDA 12, where it differs: names of its own library (cudart12.txt), made of the functions of CUDA 13.
#include "cudart.h"

#include <string.h>

typedef uint64_t graph_t, node_t;

// Those of CUDA 13.
error_t cudaPointerGetAttributes(struct pointer_attributes *out, const void *p);
error_t cudaGetTextureObjectResourceDesc(void *out, uint64_t object);
error_t cudaGetSurfaceObjectResourceDesc(void *out, uint64_t object);
error_t cudaMemAdvise(const void *p, size_t n, int advice, uint64_t location);
error_t cudaMemPrefetchAsync(const void *p, size_t n, uint64_t location, unsigned flags, stream_t stream);
error_t cudaGraphGetEdges(graph_t g, node_t *from, node_t *to, void *data, size_t *n);
error_t cudaGraphNodeGetDependencies(node_t node, node_t *out, void *data, size_t *n);
error_t cudaGraphNodeGetDependentNodes(node_t node, node_t *out, void *data, size_t *n);
error_t cudaGraphAddDependencies(graph_t g, const node_t *from, const node_t *to, const void *data, size_t n);
error_t cudaGraphRemoveDependencies(graph_t g, const node_t *from, const node_t *to, const void *data, size_t n);
error_t cudaGraphAddNode(node_t *out, graph_t g, const node_t *after, const void *data, size_t n, void *params);
error_t cudaStreamGetCaptureInfo(stream_t s, int *status, uint64_t *id, graph_t *g, const node_t **nodes, const void **data, size_t *n);
error_t cudaStreamUpdateCaptureDependencies(stream_t s, const node_t *nodes, const void *data, size_t n, unsigned how);

enum { VERSION_12 = 12090 };

PUBLIC error_t cudaRuntimeGetVersion_v12(int *version) { return version ? (*version = VERSION_12, SUCCESS) : done(INVALID_VALUE); }

PUBLIC error_t cudaGetDeviceProperties_v11(char *prop, int device) { return properties(prop, device, PROP_SIZE_11); }
PUBLIC error_t cudaGetDeviceProperties_v12(char *prop, int device) { return properties(prop, device, PROP_SIZE_12); }

PUBLIC error_t cudaPointerGetAttributes_v12(void *out, const void *p) {
	struct pointer_attributes a;
	error_t e = cudaPointerGetAttributes(out ? &a : NULL, p);
	if (e == SUCCESS) memcpy(out, &a, offsetof(struct pointer_attributes, reserved));
	return e;
}

// cudaResourceDesc was shorter.
enum { RESOURCE = 144, RESOURCE_12 = 64 };

static error_t shorter(error_t (*get)(void *, uint64_t), void *out, uint64_t object) {
	uint8_t all[RESOURCE];
	error_t e = get(out ? all : NULL, object);
	if (e == SUCCESS) memcpy(out, all, RESOURCE_12);
	return e;
}

PUBLIC error_t cudaGetTextureObjectResourceDesc_v12(void *out, uint64_t object) { return shorter(cudaGetTextureObjectResourceDesc, out, object); }
PUBLIC error_t cudaGetSurfaceObjectResourceDesc_v12(void *out, uint64_t object) { return shorter(cudaGetSurfaceObjectResourceDesc, out, object); }

// Where memory is wanted was a device: -1 is the host.
enum { LOCATION_DEVICE = 1, LOCATION_HOST };

static uint64_t location(int device) {
	return device < 0 ? LOCATION_HOST : LOCATION_DEVICE | (uint64_t)(uint32_t)device << 32;
}

PUBLIC error_t cudaMemAdvise_v12(const void *p, size_t n, int advice, int device) { return cudaMemAdvise(p, n, advice, location(device)); }

BOTH(cudaMemPrefetchAsync_v12, _ptsz, (const void *p, size_t n, int device, stream_t stream), (p, n, device, stream)) {
	return cudaMemPrefetchAsync(p, n, location(device), 0, stream);
}

// Before edges of graphs had data.
PUBLIC error_t cudaGraphGetEdges_v12(graph_t g, node_t *from, node_t *to, size_t *n) { return cudaGraphGetEdges(g, from, to, NULL, n); }
PUBLIC error_t cudaGraphNodeGetDependencies_v12(node_t node, node_t *out, size_t *n) { return cudaGraphNodeGetDependencies(node, out, NULL, n); }
PUBLIC error_t cudaGraphNodeGetDependentNodes_v12(node_t node, node_t *out, size_t *n) { return cudaGraphNodeGetDependentNodes(node, out, NULL, n); }
PUBLIC error_t cudaGraphAddDependencies_v12(graph_t g, const node_t *from, const node_t *to, size_t n) { return cudaGraphAddDependencies(g, from, to, NULL, n); }
PUBLIC error_t cudaGraphRemoveDependencies_v12(graph_t g, const node_t *from, const node_t *to, size_t n) { return cudaGraphRemoveDependencies(g, from, to, NULL, n); }
PUBLIC error_t cudaGraphAddNode_v12(node_t *out, graph_t g, const node_t *after, size_t n, void *params) { return cudaGraphAddNode(out, g, after, NULL, n, params); }

BOTH(cudaStreamGetCaptureInfo_v12, _ptsz, (stream_t s, int *status, uint64_t *id), (s, status, id)) {
	return cudaStreamGetCaptureInfo(s, status, id, NULL, NULL, NULL, NULL);
}

BOTH(cudaStreamGetCaptureInfo_v12_2, _ptsz, (stream_t s, int *status, uint64_t *id, graph_t *g, const node_t **nodes, size_t *n), (s, status, id, g, nodes, n)) {
	return cudaStreamGetCaptureInfo(s, status, id, g, nodes, NULL, n);
}

BOTH(cudaStreamUpdateCaptureDependencies_v12, _ptsz, (stream_t s, const node_t *nodes, size_t n, unsigned how), (s, nodes, n, how)) {
	return cudaStreamUpdateCaptureDependencies(s, nodes, NULL, n, how);
}
