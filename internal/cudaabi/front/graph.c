// Graphs and captures, for both libraries.
#include "api.h"

#include <string.h>

typedef uint64_t graph_t, node_t, exec_t;

enum { KERNEL, COPY, FILL, HOST, CHILD, EMPTY, WAIT, RECORD, ALLOC = 10, FREE = 11, CONDITIONAL = 13 };

// The structures of nodes that are the same in both APIs.
struct fill_params { uint64_t dst; size_t pitch; unsigned value, element; size_t width, height; };
struct host_params { uint64_t fn, data; };
struct alloc_params { struct { int32_t type, handles, location, id; uint8_t more[72]; } pool; const void *access; size_t accesses, size; uint64_t ptr; };
struct conditional_params { uint64_t handle; int32_t type; unsigned bodies; const graph_t *graphs; void *context; };
enum { KERNEL_PARAMS_OLD = 56, KERNEL_PARAMS = 72 };
_Static_assert(sizeof(struct fill_params) == 40 && sizeof(struct alloc_params) == 120 && sizeof(struct conditional_params) == 32, "layout");

static error_t into_fill(const struct fill_params *p, struct pvm_node *n) {
	if (!p || p->height == 0 || p->width > SIZE_MAX / 4) return INVALID_VALUE;
	size_t bytes = p->width * p->element;
	n->copy = (struct pvm_copy){.dst = p->dst, .dst_pitch = p->height > 1 ? p->pitch : bytes, .width = bytes, .height = p->height, .depth = 1};
	n->size = p->element, n->value = p->value;
	return SUCCESS;
}

static error_t out_of_fill(const struct pvm_node *n, struct fill_params *p) {
	*p = (struct fill_params){n->copy.dst, n->copy.dst_pitch, n->value, (unsigned)n->size, n->copy.width / n->size, n->copy.height};
	return SUCCESS;
}

static error_t into_host(const struct host_params *p, struct pvm_node *n) {
	if (!p) return INVALID_VALUE;
	n->function = p->fn, n->argument = p->data;
	return SUCCESS;
}

static error_t into_alloc(const struct alloc_params *p, struct pvm_node *n) {
	if (!p || p->pool.type != 1 || p->pool.handles || p->pool.location != 1) return INVALID_VALUE; // pinned, on a device
	n->size = p->size;
	return SUCCESS;
}

static error_t into_conditional(const struct conditional_params *p, struct pvm_node *n) {
	if (!p) return INVALID_VALUE;
	n->handle = p->handle, n->value = (uint32_t)p->type, n->size = p->bodies;
	return SUCCESS;
}

// struct child_params is CUDA_CHILD_GRAPH_NODE_PARAMS: moved is whether the graph itself becomes the child.
struct child_params { graph_t graph; int32_t moved; };

static error_t into_child(const struct child_params *p, struct pvm_node *n) {
	if (p->moved != 0 && p->moved != 1) return INVALID_VALUE;
	n->handle = p->graph, n->value = (uint32_t)p->moved;
	return SUCCESS;
}

// into reads the parameters of a kind of nodes.
static error_t into(int kind, const void *params, struct pvm_node *n) {
	memset(n, 0, sizeof *n);
	n->kind = kind;
	switch (kind) {
	case KERNEL: return params ? into_kernel(params, n) : INVALID_VALUE;
	case COPY: return params ? into_copy(params, n) : INVALID_VALUE;
	case FILL: return into_fill(params, n);
	case HOST: return into_host(params, n);
	case ALLOC: return into_alloc(params, n);
	case CHILD: return into_child(params, n);
	case WAIT: case RECORD: n->handle = *(const uint64_t *)params; return SUCCESS;
	case FREE: n->address = *(const uint64_t *)params; return SUCCESS;
	case CONDITIONAL: return into_conditional(params, n);
	case EMPTY: return SUCCESS;
	}
	static int said;
	return unsupported("a graph node of this kind", &said);
}

static error_t add(node_t *out, graph_t g, const node_t *after, size_t count, int kind, const void *params, uint64_t *address) {
	struct pvm_node n;
	if (!out || (count && !after)) return INVALID_VALUE;
	error_t e = into(kind, params, &n);
	if (e == SUCCESS) e = pvm_node_add(T.device, g, after, count, &n, out);
	if (e == SUCCESS && address) *address = n.address;
	return e;
}

static error_t set(node_t node, int kind, const void *params) {
	struct pvm_node n;
	error_t e = into(kind, params, &n);
	return e ? e : pvm_node_set(node, &n);
}

static error_t set_exec(exec_t x, node_t node, int kind, const void *params) {
	struct pvm_node n;
	error_t e = into(kind, params, &n);
	return e ? e : pvm_exec_set(x, node, &n);
}

// get reads a node of a kind.
static error_t get(node_t node, int kind, struct pvm_node *n) {
	error_t e = pvm_node_get(node, n, NULL, NULL);
	return e ? e : n->kind == kind ? SUCCESS : INVALID_VALUE;
}

// get_params writes the parameters of a node of a kind.
static error_t get_params(node_t node, int kind, void *params) {
	struct pvm_node n;
	if (!params) return INVALID_VALUE;
	error_t e = get(node, kind, &n);
	if (e != SUCCESS) return e;
	switch (kind) {
	case KERNEL: return out_of_kernel(&n, params);
	case COPY: return out_of_copy(&n, params);
	case FILL: return out_of_fill(&n, params);
	case HOST: *(struct host_params *)params = (struct host_params){n.function, n.argument}; return SUCCESS;
	case CHILD: case WAIT: case RECORD: *(uint64_t *)params = n.handle; return SUCCESS;
	case FREE: *(uint64_t *)params = n.address; return SUCCESS;
	case CONDITIONAL:
		*(struct conditional_params *)params = (struct conditional_params){n.handle, (int32_t)n.value, (unsigned)n.size, (const graph_t *)n.address, NULL};
		return SUCCESS;
	}
	static int said;
	if (kind != ALLOC) return unsupported("the parameters of a graph node of this kind", &said);
	struct alloc_params *a = params;
	memset(a, 0, sizeof *a);
	a->pool.type = a->pool.location = 1;
	a->size = n.size, a->ptr = n.address;
	return SUCCESS;
}

SHARED(GraphCreate)(graph_t *out, unsigned flags) { DO(!out || flags ? INVALID_VALUE : pvm_graph_create(out)); }
SHARED(GraphDestroy)(graph_t g) { DO(pvm_graph_destroy(g)); }
SHARED(GraphClone)(graph_t *out, graph_t g) { DO(out ? pvm_graph_clone(g, out) : INVALID_VALUE); }
SHARED(GraphNodeFindInClone)(node_t *out, node_t n, graph_t clone) { DO(out ? pvm_node_find(n, clone, out) : INVALID_VALUE); }
SHARED(GraphDestroyNode)(node_t n) { DO(pvm_node_destroy(n)); }
SHARED(GraphDebugDotPrint)(graph_t g, const char *path, unsigned flags) { (void)flags; DO(path ? pvm_graph_dot(g, path) : INVALID_VALUE); }

static error_t about(node_t node, int *kind, graph_t *graph, unsigned *id) {
	struct pvm_node n;
	error_t e = pvm_node_get(node, &n, graph, id);
	if (e == SUCCESS && kind) *kind = n.kind;
	return e;
}

SHARED(GraphNodeGetType)(node_t n, int *kind) { DO(kind ? about(n, kind, NULL, NULL) : INVALID_VALUE); }
SHARED(GraphNodeGetContainingGraph)(node_t n, graph_t *g) { DO(g ? about(n, NULL, g, NULL) : INVALID_VALUE); }
SHARED(GraphNodeGetLocalId)(node_t n, unsigned *id) { DO(id ? about(n, NULL, NULL, id) : INVALID_VALUE); }
// told stores a number unless the call has failed.
static error_t told(error_t e, unsigned long long *to, uint64_t n) {
	if (e == SUCCESS) *to = n;
	return e;
}

SHARED(GraphNodeGetToolsId)(node_t n, unsigned long long *id) { DO(id ? told(about(n, NULL, NULL, NULL), id, n) : INVALID_VALUE); }
SHARED(GraphGetId)(graph_t g, unsigned *id) { size_t n; DO(id ? (*id = (unsigned)g, pvm_graph_list(g, PVM_NODES, NULL, NULL, &n)) : INVALID_VALUE); }
SHARED(GraphExecGetId)(exec_t x, unsigned *id) { uint64_t flags; DO(id ? (*id = (unsigned)x, pvm_exec_flags(x, &flags)) : INVALID_VALUE); }

// Attributes of kernels: those of launches (struct attribute).
SHARED(GraphKernelNodeGetAttribute)(node_t n, int id, void *value) { DO(value ? pvm_node_attribute(n, id, value, 0) : INVALID_VALUE); }
SHARED(GraphKernelNodeSetAttribute)(node_t n, int id, void *value) { DO(value ? pvm_node_attribute(n, id, value, 1) : INVALID_VALUE); }
SHARED(GraphKernelNodeCopyAttributes)(node_t to, node_t from) { DO(pvm_node_attributes(to, from)); }

SHARED(GraphGetNodes)(graph_t g, node_t *out, size_t *n) { DO(pvm_graph_list(g, PVM_NODES, out, NULL, n)); }
SHARED(GraphGetRootNodes)(graph_t g, node_t *out, size_t *n) { DO(pvm_graph_list(g, PVM_ROOTS, out, NULL, n)); }

static error_t edges(graph_t g, node_t *from, node_t *to, void *data, size_t *n) {
	if (!n || !from != !to || (data && !from)) return INVALID_VALUE;
	size_t room = *n;
	error_t e = pvm_graph_list(g, PVM_EDGE_FROM, from, data, n);
	return e == SUCCESS && to ? pvm_graph_list(g, PVM_EDGE_TO, to, NULL, &room) : e;
}

static error_t around(node_t node, int what, node_t *out, void *data, size_t *n) {
	// how much room there is, is said of both
	return data && !out ? INVALID_VALUE : pvm_graph_list(node, what, out, data, n);
}

// link_nodes makes or ends edges.
static error_t link_nodes(graph_t g, const node_t *from, const node_t *to, const void *data, size_t n, int end) {
	return n && (!from || !to) ? INVALID_VALUE : pvm_graph_link(g, from, to, data, n, end);
}

SHARED2(GraphGetEdges)(graph_t g, node_t *from, node_t *to, void *data, size_t *n) { DO(edges(g, from, to, data, n)); }
SHARED2(GraphNodeGetDependencies)(node_t node, node_t *out, void *data, size_t *n) { DO(around(node, PVM_BEFORE, out, data, n)); }
SHARED2(GraphNodeGetDependentNodes)(node_t node, node_t *out, void *data, size_t *n) { DO(around(node, PVM_AFTER, out, data, n)); }

SHARED2(GraphAddDependencies)(graph_t g, const node_t *from, const node_t *to, const void *data, size_t n) {
	DO(link_nodes(g, from, to, data, n, 0));
}

SHARED2(GraphRemoveDependencies)(graph_t g, const node_t *from, const node_t *to, const void *data, size_t n) {
	DO(link_nodes(g, from, to, data, n, 1));
}

#ifdef DRIVER // before edges had data
PUBLIC error_t cuGraphGetEdges(graph_t g, node_t *from, node_t *to, size_t *n) { WITH(edges(g, from, to, NULL, n)); }
PUBLIC error_t cuGraphNodeGetDependencies(node_t node, node_t *out, size_t *n) { WITH(around(node, PVM_BEFORE, out, NULL, n)); }
PUBLIC error_t cuGraphNodeGetDependentNodes(node_t node, node_t *out, size_t *n) { WITH(around(node, PVM_AFTER, out, NULL, n)); }
PUBLIC error_t cuGraphAddDependencies(graph_t g, const node_t *from, const node_t *to, size_t n) { WITH(link_nodes(g, from, to, NULL, n, 0)); }
PUBLIC error_t cuGraphRemoveDependencies(graph_t g, const node_t *from, const node_t *to, size_t n) { WITH(link_nodes(g, from, to, NULL, n, 1)); }
#endif

// Nodes, kind by kind.
#define ADD (node_t *out, graph_t g, const node_t *after, size_t n

SHARED2(GraphAddKernelNode) ADD, const void *params) { DO(add(out, g, after, n, KERNEL, params, NULL)); }
SHARED2(GraphKernelNodeGetParams)(node_t n, void *params) { DO(get_params(n, KERNEL, params)); }
SHARED2(GraphKernelNodeSetParams)(node_t n, const void *params) { DO(set(n, KERNEL, params)); }
SHARED2(GraphExecKernelNodeSetParams)(exec_t x, node_t n, const void *params) { DO(set_exec(x, n, KERNEL, params)); }

#ifdef DRIVER // before a node could name a kernel of a library: the structure ends before that
static const void *longer(const void *params, void *room) {
	if (!params) return NULL;
	memset(room, 0, KERNEL_PARAMS);
	return memcpy(room, params, KERNEL_PARAMS_OLD);
}

PUBLIC error_t cuGraphAddKernelNode ADD, const void *params) {
	char room[KERNEL_PARAMS];
	WITH(add(out, g, after, n, KERNEL, longer(params, room), NULL));
}
PUBLIC error_t cuGraphKernelNodeGetParams(node_t n, void *params) {
	char room[KERNEL_PARAMS];
	error_t e = current();
	if (e == SUCCESS && !params) e = INVALID_VALUE;
	if (e == SUCCESS) e = get_params(n, KERNEL, room);
	if (e == SUCCESS) memcpy(params, room, KERNEL_PARAMS_OLD);
	return e;
}
PUBLIC error_t cuGraphKernelNodeSetParams(node_t n, const void *params) {
	char room[KERNEL_PARAMS];
	WITH(set(n, KERNEL, longer(params, room)));
}
PUBLIC error_t cuGraphExecKernelNodeSetParams(exec_t x, node_t n, const void *params) {
	char room[KERNEL_PARAMS];
	WITH(set_exec(x, n, KERNEL, longer(params, room)));
}
#endif

SHARED(GraphAddMemcpyNode) ADD, const void *params AND_CONTEXT) { DO(add(out, g, after, n, COPY, params, NULL)); }
SHARED(GraphMemcpyNodeGetParams)(node_t n, void *params) { DO(get_params(n, COPY, params)); }
SHARED(GraphMemcpyNodeSetParams)(node_t n, const void *params) { DO(set(n, COPY, params)); }
SHARED(GraphExecMemcpyNodeSetParams)(exec_t x, node_t n, const void *params AND_CONTEXT) { DO(set_exec(x, n, COPY, params)); }

SHARED(GraphAddMemsetNode) ADD, const void *params AND_CONTEXT) { DO(add(out, g, after, n, FILL, params, NULL)); }
SHARED(GraphMemsetNodeGetParams)(node_t n, void *params) { DO(get_params(n, FILL, params)); }
SHARED(GraphMemsetNodeSetParams)(node_t n, const void *params) { DO(set(n, FILL, params)); }
SHARED(GraphExecMemsetNodeSetParams)(exec_t x, node_t n, const void *params AND_CONTEXT) { DO(set_exec(x, n, FILL, params)); }

SHARED(GraphAddHostNode) ADD, const void *params) { DO(add(out, g, after, n, HOST, params, NULL)); }
SHARED(GraphHostNodeGetParams)(node_t n, void *params) { DO(get_params(n, HOST, params)); }
SHARED(GraphHostNodeSetParams)(node_t n, const void *params) { DO(set(n, HOST, params)); }
SHARED(GraphExecHostNodeSetParams)(exec_t x, node_t n, const void *params) { DO(set_exec(x, n, HOST, params)); }

SHARED(GraphAddChildGraphNode) ADD, graph_t child) { DO(add(out, g, after, n, CHILD, &(struct child_params){child, 0}, NULL)); }
SHARED(GraphChildGraphNodeGetGraph)(node_t n, graph_t *child) { DO(get_params(n, CHILD, child)); }
SHARED(GraphExecChildGraphNodeSetParams)(exec_t x, node_t n, graph_t child) { DO(set_exec(x, n, CHILD, &(struct child_params){child, 0})); }

SHARED(GraphAddEmptyNode) ADD) { DO(add(out, g, after, n, EMPTY, NULL, NULL)); }

SHARED(GraphAddEventRecordNode) ADD, event_t event) { DO(add(out, g, after, n, RECORD, &event, NULL)); }
SHARED(GraphEventRecordNodeGetEvent)(node_t n, event_t *event) { DO(get_params(n, RECORD, event)); }
SHARED(GraphEventRecordNodeSetEvent)(node_t n, event_t event) { DO(set(n, RECORD, &event)); }
SHARED(GraphExecEventRecordNodeSetEvent)(exec_t x, node_t n, event_t event) { DO(set_exec(x, n, RECORD, &event)); }
SHARED(GraphAddEventWaitNode) ADD, event_t event) { DO(add(out, g, after, n, WAIT, &event, NULL)); }
SHARED(GraphEventWaitNodeGetEvent)(node_t n, event_t *event) { DO(get_params(n, WAIT, event)); }
SHARED(GraphEventWaitNodeSetEvent)(node_t n, event_t event) { DO(set(n, WAIT, &event)); }
SHARED(GraphExecEventWaitNodeSetEvent)(exec_t x, node_t n, event_t event) { DO(set_exec(x, n, WAIT, &event)); }

SHARED(GraphAddMemAllocNode) ADD, struct alloc_params *params) { DO(add(out, g, after, n, ALLOC, params, params ? &params->ptr : NULL)); }
SHARED(GraphMemAllocNodeGetParams)(node_t n, void *params) { DO(get_params(n, ALLOC, params)); }
SHARED(GraphAddMemFreeNode) ADD, uint64_t ptr) { DO(add(out, g, after, n, FREE, &ptr, NULL)); }
SHARED(GraphMemFreeNodeGetParams)(node_t n, uint64_t *ptr) { DO(get_params(n, FREE, ptr)); }

// struct any is a node of any kind: its kind, and the structure of that. Copies have a few words before it.
struct any { int32_t kind, reserved[3]; union { uint8_t bytes[232]; struct { int32_t flags, reserved; void *context; uint8_t params[1]; } copy; struct alloc_params alloc; struct conditional_params conditional; struct child_params child; } of; int64_t more; };
_Static_assert(sizeof(struct any) == 256, "layout");

static void *inside(struct any *p) { return p->kind == COPY ? p->of.copy.params : p->of.bytes; }

static error_t add_any(node_t *out, graph_t g, const node_t *after, size_t n, struct any *p) {
	uint64_t told = 0;
	if (!p) return INVALID_VALUE;
	error_t e = add(out, g, after, n, p->kind, inside(p), &told);
	if (e == SUCCESS && p->kind == ALLOC) p->of.alloc.ptr = told;
	if (e == SUCCESS && p->kind == CONDITIONAL) p->of.conditional.graphs = (const graph_t *)told;
	return e;
}

// add_behind adds a node whose edges say something.
static error_t add_behind(node_t *out, graph_t g, const node_t *after, const uint64_t *data, size_t n, struct any *p) {
	if (!after) return INVALID_VALUE;
	error_t e = add_any(out, g, NULL, 0, p);
	for (size_t i = 0; i < n && e == SUCCESS; i++) {
		e = pvm_graph_link(g, &after[i], out, &data[i], 1, 0);
		if (e != SUCCESS) pvm_node_destroy(*out);
	}
	return e;
}

SHARED2(GraphAddNode)(node_t *out, graph_t g, const node_t *after, const void *data, size_t n, struct any *p) {
	DO(data && n ? add_behind(out, g, after, data, n, p) : add_any(out, g, after, n, p));
}

#ifdef DRIVER
PUBLIC error_t cuGraphAddNode(node_t *out, graph_t g, const node_t *after, size_t n, struct any *p) { WITH(add_any(out, g, after, n, p)); }
#endif

SHARED(GraphNodeSetParams)(node_t n, struct any *p) { DO(p ? set(n, p->kind, inside(p)) : INVALID_VALUE); }

#ifdef DRIVER
PUBLIC error_t cuGraphAddNode_v3(node_t *out, graph_t g, const node_t *after, const void *data, size_t n, struct any *p) { return cuGraphAddNode_v2(out, g, after, data, n, p); }
PUBLIC error_t cuGraphNodeSetParams_v2(node_t n, struct any *p) { return cuGraphNodeSetParams(n, p); }
#endif

SHARED(GraphExecNodeSetParams)(exec_t x, node_t n, struct any *p) { DO(p ? set_exec(x, n, p->kind, inside(p)) : INVALID_VALUE); }

static error_t get_any(node_t n, struct any *p) {
	int kind;
	if (!p) return INVALID_VALUE;
	error_t e = about(n, &kind, NULL, NULL);
	if (e != SUCCESS) return e;
	memset(p, 0, sizeof *p);
	p->kind = kind;
	if (kind == CHILD) p->of.child.moved = -1; // what is told is not to be given to a second node by mistake
	return kind == EMPTY ? SUCCESS : get_params(n, kind, inside(p));
}

SHARED(GraphNodeGetParams)(node_t n, struct any *p) { DO(get_any(n, p)); }

// Conditions, and objects that live as long as graphs.
#ifdef DRIVER
PUBLIC error_t cuGraphConditionalHandleCreate(uint64_t *out, graph_t g, void *context, unsigned value, unsigned flags) {
	(void)context; // ours have one device each
	WITH(out ? pvm_condition_create(T.device, g, value, flags, out) : INVALID_VALUE);
}
#else
PUBLIC error_t cudaGraphConditionalHandleCreate(uint64_t *out, graph_t g, unsigned value, unsigned flags) {
	CALL(out ? pvm_condition_create(T.device, g, value, flags, out) : INVALID_VALUE);
}
PUBLIC error_t cudaGraphConditionalHandleCreate_v2(uint64_t *out, graph_t g, void *context, unsigned value, unsigned flags) {
	(void)context;
	CALL(out ? pvm_condition_create(T.device, g, value, flags, out) : INVALID_VALUE);
}
#endif

SHARED(UserObjectCreate)(uint64_t *out, void *ptr, void *destroy, unsigned count, unsigned flags) {
	DO(out ? pvm_object_create((uintptr_t)ptr, (uintptr_t)destroy, count, flags, out) : INVALID_VALUE);
}
SHARED(UserObjectRetain)(uint64_t object, unsigned count) { DO(pvm_object_retain(object, count)); }
SHARED(UserObjectRelease)(uint64_t object, unsigned count) { DO(pvm_object_release(object, count)); }
SHARED(GraphRetainUserObject)(graph_t g, uint64_t object, unsigned count, unsigned flags) { DO(pvm_graph_retain(g, object, count, flags)); }
SHARED(GraphReleaseUserObject)(graph_t g, uint64_t object, unsigned count) { DO(pvm_graph_release(g, object, count)); }

// What is launched.
enum { UPLOAD = 2 }; // where a structure says into which stream

static error_t instantiate(exec_t *out, graph_t g, uint64_t flags, node_t *at) {
	return out && !(flags & UPLOAD) ? pvm_graph_instantiate(g, flags, out, at) : INVALID_VALUE;
}

SHARED(GraphInstantiateWithFlags)(exec_t *out, graph_t g, unsigned long long flags) { DO(instantiate(out, g, flags, NULL)); }

#ifdef DRIVER
PUBLIC error_t cuGraphInstantiate(exec_t *out, graph_t g, node_t *at, char *log, size_t room) {
	if (at) *at = 0;
	if (log && room) *log = 0;
	WITH(instantiate(out, g, 0, at));
}
PUBLIC error_t cuGraphInstantiate_v2(exec_t *out, graph_t g, node_t *at, char *log, size_t room) { return cuGraphInstantiate(out, g, at, log, room); }
#else
PUBLIC error_t cudaGraphInstantiate(exec_t *out, graph_t g, unsigned long long flags) { CALL(instantiate(out, g, flags, NULL)); }
#endif

struct instantiation { uint64_t flags; stream_t upload; node_t error; int32_t result; };
enum { MADE = 0, NOT_MADE = 1, BAD_STRUCTURE = 2 };

static error_t instantiate_with(exec_t *out, graph_t g, struct instantiation *how) {
	if (!how) return INVALID_VALUE;
	how->error = 0;
	error_t e = out ? pvm_graph_instantiate(g, how->flags, out, &how->error) : INVALID_VALUE;
	how->result = e == SUCCESS ? MADE : how->error ? BAD_STRUCTURE : NOT_MADE;
	return e;
}

SHARED_BOTH(GraphInstantiateWithParams, _ptsz, (exec_t *out, graph_t g, struct instantiation *how), (out, g, how)) { DO(instantiate_with(out, g, how)); }
SHARED(GraphExecGetFlags)(exec_t x, unsigned long long *flags) { DO(flags ? pvm_exec_flags(x, (uint64_t *)flags) : INVALID_VALUE); }
SHARED(GraphExecDestroy)(exec_t x) { DO(pvm_exec_destroy(x)); }
SHARED(GraphNodeSetEnabled)(exec_t x, node_t n, unsigned on) { DO(pvm_exec_enable(x, n, on != 0)); }
SHARED(GraphNodeGetEnabled)(exec_t x, node_t n, unsigned *on) { DO(on ? pvm_exec_enabled(x, n, on) : INVALID_VALUE); }
SHARED_BOTH(GraphLaunch, _ptsz, (exec_t x, stream_t s), (x, s)) { DO(pvm_graph_launch(T.device, stream_of(s), x)); }

// upload has nothing to bring anywhere: a graph is where it runs.
static error_t upload(exec_t x, stream_t s) {
	uint64_t how;
	error_t e = pvm_exec_flags(x, &how);
	return e ? e : stream_ok(stream_of(s));
}

SHARED_BOTH(GraphUpload, _ptsz, (exec_t x, stream_t s), (x, s)) { DO(upload(x, s)); }

struct update { int32_t result; node_t at, from; };

static error_t update(exec_t x, graph_t g, struct update *out) {
	struct update u = {0, 0, 0};
	error_t e = pvm_exec_update(x, g, &u.result, &u.at, &u.from);
	if (out) *out = u;
	return e;
}

SHARED2(GraphExecUpdate)(exec_t x, graph_t g, struct update *out) { DO(update(x, g, out)); }

#ifdef DRIVER
static error_t update_old(exec_t x, graph_t g, node_t *at, int *result) {
	struct update u;
	error_t e = update(x, g, &u);
	if (at) *at = u.at;
	if (result) *result = u.result;
	return e;
}

PUBLIC error_t cuGraphExecUpdate(exec_t x, graph_t g, node_t *at, int *result) { WITH(update_old(x, g, at, result)); }
#endif

// Captures.
SHARED2_BOTH(StreamBeginCapture, _ptsz, (stream_t s, int mode), (s, mode)) { DO(pvm_capture_begin(T.device, stream_of(s), 0, NULL, 0, mode)); }

#ifdef DRIVER
BOTH(cuStreamBeginCapture, _ptsz, (stream_t s), (s)) { WITH(pvm_capture_begin(T.device, stream_of(s), 0, NULL, 0, 0)); }
#endif

SHARED_BOTH(StreamBeginCaptureToGraph, _ptsz, (stream_t s, graph_t g, const node_t *after, const void *data, size_t n, int mode), (s, g, after, data, n, mode)) {
	(void)data;
	DO(!g || (n && !after) ? INVALID_VALUE : pvm_capture_begin(T.device, stream_of(s), g, after, n, mode));
}

// end_capture gives no graph where the capture has been invalidated: it says so, other than calls that store nothing.
static error_t end_capture(stream_t s, graph_t *out) {
	if (out) *out = 0;
	return pvm_capture_end(T.device, stream_of(s), out);
}

SHARED_BOTH(StreamEndCapture, _ptsz, (stream_t s, graph_t *out), (s, out)) { DO(end_capture(s, out)); }

SHARED_BOTH(StreamIsCapturing, _ptsz, (stream_t s, int *status), (s, status)) {
	DO(status ? pvm_capture_info(T.device, stream_of(s), status, NULL, NULL, NULL, NULL, NULL) : INVALID_VALUE);
}

enum { TIPS = 1024 };
static __thread node_t tips[TIPS]; // what a thread was told last
static __thread uint64_t says[TIPS]; // the same, of the edges from them

static error_t capture_info(stream_t s, int *status, uint64_t *id, graph_t *g, const node_t **nodes, const void **data, size_t *n) {
	uint64_t room = TIPS;
	if (!status) return INVALID_VALUE;
	error_t e = pvm_capture_info(T.device, stream_of(s), status, id, g, tips, nodes && !data ? NULL : says, &room);
	if (nodes) *nodes = tips;
	if (data) *data = says;
	if (n) *n = room;
	return e;
}

#ifdef DRIVER
BOTH(cuStreamGetCaptureInfo, _ptsz, (stream_t s, int *status, uint64_t *id), (s, status, id)) { WITH(capture_info(s, status, id, NULL, NULL, NULL, NULL)); }
BOTH(cuStreamGetCaptureInfo_v2, _ptsz, (stream_t s, int *status, uint64_t *id, graph_t *g, const node_t **nodes, size_t *n), (s, status, id, g, nodes, n)) {
	WITH(capture_info(s, status, id, g, nodes, NULL, n));
}
BOTH(cuStreamGetCaptureInfo_v3, _ptsz, (stream_t s, int *status, uint64_t *id, graph_t *g, const node_t **nodes, const void **data, size_t *n), (s, status, id, g, nodes, data, n)) {
	WITH(capture_info(s, status, id, g, nodes, data, n));
}
BOTH(cuStreamUpdateCaptureDependencies, _ptsz, (stream_t s, const node_t *nodes, size_t n, unsigned how), (s, nodes, n, how)) {
	WITH(how > 1 ? INVALID_VALUE : pvm_capture_depend(T.device, stream_of(s), nodes, NULL, n, how));
}
#else
BOTH(cudaStreamGetCaptureInfo, _ptsz, (stream_t s, int *status, uint64_t *id, graph_t *g, const node_t **nodes, const void **data, size_t *n), (s, status, id, g, nodes, data, n)) {
	CALL(capture_info(s, status, id, g, nodes, data, n));
}
#endif

SHARED2_BOTH(StreamUpdateCaptureDependencies, _ptsz, (stream_t s, const node_t *nodes, const void *data, size_t n, unsigned how), (s, nodes, data, n, how)) {
	DO(how > 1 || (n && !nodes) ? INVALID_VALUE : pvm_capture_depend(T.device, stream_of(s), nodes, data, n, how));
}

// The mode of a thread, which says whose captures keep it from calls that may wait. The engine has it: both libraries change one.
SHARED(ThreadExchangeStreamCaptureMode)(int *mode) { DO(mode ? pvm_capture_mode(mode) : INVALID_VALUE); }
