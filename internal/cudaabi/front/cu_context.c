// Contexts: a stack of them a thread; one primary context a device.
#include "cu.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

enum { STACK = 256, FLAGS = 0xff, MAP_HOST = 8 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct context primary[MAX_DEVICES];
static struct context *others; // also those that have been destroyed: a handle that is used later is known
static uint64_t ids = MAX_DEVICES;

static __thread struct context *stack[STACK];
static __thread int depth;

static __thread uint32_t seen; // of what cudaSetDevice has chosen
static __thread int adopted;   // the runtime's context has been made current

// hold takes a primary context for somebody who will need it.
static struct context *hold(int device, int again) {
	struct context *c = &primary[device];
	pthread_mutex_lock(&lock);
	c->device = device, c->primary = 1, c->id = device + 1;
	if (again || !c->retained) c->retained++;
	__atomic_store_n(&c->alive, 1, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&lock);
	return c;
}

// adopt makes the context that the Runtime API uses on this thread the current one, as that does: where there is none, and when
// cudaSetDevice has been called.
static void adopt(void) {
	const struct pvm_thread *t = T.both;
	if (!t || !t->runtime || (t->chosen == seen && (depth || adopted))) return;
	seen = t->chosen, adopted = 1;
	struct context *c = hold(t->device, 0);
	if (depth) stack[depth - 1] = c;
	else stack[depth++] = c;
}

static struct context *top(void) {
	adopt();
	return depth ? stack[depth - 1] : NULL;
}

// follow makes the device of the current context the thread's.
static void follow(void) {
	if (depth) choose(stack[depth - 1]->device);
}

error_t current(void) {
	error_t e = ready();
	if (e != SUCCESS) return e;
	if (!top()) return INVALID_CONTEXT;
	if (!__atomic_load_n(&top()->alive, __ATOMIC_ACQUIRE)) return CONTEXT_DESTROYED;
	return SUCCESS;
}

// known finds a handle, dead or alive.
static struct context *known(void *handle) {
	struct context *c = handle;
	if (c >= primary && c < primary + MAX_DEVICES && ((char *)c - (char *)primary) % sizeof *c == 0) return c;
	pthread_mutex_lock(&lock);
	for (c = others; c && c != handle; c = c->next) {}
	pthread_mutex_unlock(&lock);
	return c;
}

struct context *context_of(void *handle) {
	struct context *c = handle ? known(handle) : top();
	return c && __atomic_load_n(&c->alive, __ATOMIC_ACQUIRE) ? c : NULL;
}

struct context *primary_of(int device) { return &primary[device]; }

struct context *context_on(int device) { return top() && top()->device == device ? top() : &primary[device]; }

static error_t push(struct context *c) {
	adopt(); // what cudaSetDevice has chosen lies below
	if (depth == STACK) return OUT_OF_MEMORY;
	stack[depth++] = c;
	follow();
	return SUCCESS;
}

static error_t make(void **out, unsigned flags, int device) {
	error_t e = ready();
	if (e == SUCCESS && (!out || flags & ~FLAGS)) e = INVALID_VALUE;
	if (e == SUCCESS) e = device_ok(device);
	if (e != SUCCESS) return e;
	struct context *c = calloc(1, sizeof *c);
	if (!c) return OUT_OF_MEMORY;
	c->device = device, c->flags = flags, c->retained = 1;
	pthread_mutex_lock(&lock);
	c->id = ++ids;
	c->next = others;
	others = c;
	pthread_mutex_unlock(&lock);
	if ((e = push(c))) return e;
	__atomic_store_n(&c->alive, 1, __ATOMIC_RELEASE);
	*out = c;
	return pvm_sticky();
}

// in_use tells whether a device has a context, or the Runtime API is in the process, which uses the primary one unasked.
static int in_use(int device) {
	if (runtime_here()) return 1;
	pthread_mutex_lock(&lock);
	int used = __atomic_load_n(&primary[device].alive, __ATOMIC_ACQUIRE);
	for (struct context *c = others; c && !used; c = c->next) used = c->device == device && __atomic_load_n(&c->alive, __ATOMIC_ACQUIRE);
	pthread_mutex_unlock(&lock);
	return used;
}

// over ends what a context had, when its device has no other: contexts of one device share its memory, streams and events.
static error_t over(int device) { return in_use(device) ? pvm_synchronize(device) : pvm_reset(device); }

PUBLIC error_t cuCtxCreate_v2(void **out, unsigned flags, int device) { return make(out, flags, device); }

PUBLIC error_t cuCtxCreate_v3(void **out, const void *affinity, int n, unsigned flags, int device) {
	return affinity || n ? 224 /* no execution affinity */ : make(out, flags, device);
}

PUBLIC error_t cuCtxCreate_v4(void **out, const void *const *params, unsigned flags, int device) {
	static int said;
	if (params && params[0]) return 224;
	if (params && params[2]) return unsupported("cuCtxCreate with graphics", &said);
	return make(out, flags, device);
}

PUBLIC error_t cuCtxDestroy_v2(void *handle) {
	error_t e = ready();
	if (e != SUCCESS) return e;
	struct context *c = handle ? known(handle) : NULL;
	if (!c || c->primary) return INVALID_CONTEXT;
	if (!__atomic_exchange_n(&c->alive, 0, __ATOMIC_ACQ_REL)) return CONTEXT_DESTROYED;
	if (top() == c) {
		depth--;
		follow();
	}
	return over(c->device);
}

// The last of those who are attached ends the context.
PUBLIC error_t cuCtxDetach(void *handle) {
	struct context *c = handle ? known(handle) : NULL;
	if (c && !c->primary && __atomic_fetch_sub(&c->retained, 1, __ATOMIC_ACQ_REL) > 1) return ready();
	return cuCtxDestroy_v2(handle);
}

PUBLIC error_t cuCtxAttach(void **out, unsigned flags) {
	if (!out || flags) return INVALID_VALUE;
	error_t e = current();
	if (e == SUCCESS && !top()->primary) __atomic_fetch_add(&top()->retained, 1, __ATOMIC_ACQ_REL);
	if (e == SUCCESS) *out = top();
	return e;
}

PUBLIC error_t cuCtxPushCurrent_v2(void *handle) {
	error_t e = ready();
	if (e != SUCCESS) return e;
	return handle && context_of(handle) ? push(handle) : INVALID_CONTEXT;
}

PUBLIC error_t cuCtxPopCurrent_v2(void **out) {
	error_t e = ready();
	if (e != SUCCESS) return e;
	if (!top()) return INVALID_CONTEXT;
	struct context *c = stack[--depth];
	if (out) *out = c;
	follow();
	return SUCCESS;
}

// No context to set means to take the top one away.
PUBLIC error_t cuCtxSetCurrent(void *handle) {
	error_t e = ready();
	if (e != SUCCESS) return e;
	adopt();
	if (!handle) {
		if (depth) depth--;
		follow();
		return SUCCESS;
	}
	if (!context_of(handle)) return INVALID_CONTEXT;
	if (!depth) return push(handle);
	stack[depth - 1] = handle;
	follow();
	return SUCCESS;
}

PUBLIC error_t cuCtxGetCurrent(void **out) {
	error_t e = ready();
	if (e == SUCCESS && !out) e = INVALID_VALUE;
	if (e == SUCCESS) *out = top();
	return e;
}

PUBLIC error_t cuCtxGetDevice(int *device) {
	if (!device) return INVALID_VALUE;
	error_t e = current();
	if (e == SUCCESS) *device = top()->device;
	return e;
}

// about finds the context that a call names, or the current one.
static error_t about(void *handle, struct context **c) {
	error_t e = ready();
	if (e == SUCCESS && !(*c = context_of(handle))) e = INVALID_CONTEXT;
	return e;
}

PUBLIC error_t cuCtxGetDevice_v2(int *device, void *handle) {
	struct context *c;
	error_t e = about(handle, &c);
	if (e == SUCCESS && !device) e = INVALID_VALUE;
	if (e == SUCCESS) *device = c->device;
	return e;
}

PUBLIC error_t cuCtxSynchronize(void) { WITH(pvm_synchronize(T.device)); }

PUBLIC error_t cuCtxSynchronize_v2(void *handle) {
	struct context *c;
	error_t e = about(handle, &c);
	return e ? e : pvm_synchronize(c->device);
}

PUBLIC error_t cuCtxGetId(void *handle, unsigned long long *id) {
	struct context *c;
	error_t e = about(handle, &c);
	if (e == SUCCESS && !id) e = INVALID_VALUE;
	if (e == SUCCESS) *id = c->id;
	return e;
}

PUBLIC error_t cuCtxGetApiVersion(void *handle, unsigned *version) {
	struct context *c;
	error_t e = about(handle, &c);
	if (e == SUCCESS && !version) e = INVALID_VALUE;
	if (e == SUCCESS) *version = VERSION;
	return e;
}

PUBLIC error_t cuCtxGetFlags(unsigned *flags) {
	if (!flags) return INVALID_VALUE;
	error_t e = current();
	if (e == SUCCESS) *flags = top()->flags | MAP_HOST;
	return e;
}

PUBLIC error_t cuCtxSetFlags(unsigned flags) {
	if (flags & ~FLAGS) return INVALID_VALUE;
	error_t e = current();
	if (e == SUCCESS) top()->flags = flags;
	return e;
}

PUBLIC error_t cuCtxGetStreamPriorityRange(int *least, int *greatest) {
	if (least) *least = 0;
	if (greatest) *greatest = -5;
	WITH(SUCCESS);
}

enum { LIMITS = 7 };
static size_t limits[LIMITS] = {1024, 1 << 20, 8 << 20, 2, 2048, 128, 0};

PUBLIC error_t cuCtxGetLimit(size_t *value, int limit) {
	if (!value) return INVALID_VALUE;
	if (limit < 0 || limit >= LIMITS) return UNSUPPORTED_LIMIT;
	*value = limits[limit];
	WITH(SUCCESS);
}

// Stacks and the heap grow as they must; what a program asks for is what it reads back.
PUBLIC error_t cuCtxSetLimit(int limit, size_t value) {
	if (limit < 0 || limit >= LIMITS) return UNSUPPORTED_LIMIT;
	limits[limit] = value;
	WITH(SUCCESS);
}

static int cache, banks = 1;

PUBLIC error_t cuCtxGetCacheConfig(int *c) { WITH(c ? (*c = cache, SUCCESS) : INVALID_VALUE); }
PUBLIC error_t cuCtxSetCacheConfig(int c) { WITH(c < 0 || c > 3 ? INVALID_VALUE : (cache = c, SUCCESS)); }
PUBLIC error_t cuCtxGetSharedMemConfig(int *c) { WITH(c ? (*c = banks, SUCCESS) : INVALID_VALUE); }
PUBLIC error_t cuCtxSetSharedMemConfig(int c) { WITH(c < 0 || c > 2 ? INVALID_VALUE : (banks = c ? c : 1, SUCCESS)); }
PUBLIC error_t cuCtxResetPersistingL2Cache(void) { WITH(SUCCESS); }

// PRIMARY begins a function about the primary context of a device.
#define PRIMARY(device) do { \
	error_t e_ = ready(); \
	if (e_ == SUCCESS) e_ = device_ok(device); \
	if (e_ != SUCCESS) return e_; \
} while (0)

PUBLIC error_t cuDevicePrimaryCtxRetain(void **out, int device) {
	PRIMARY(device);
	if (!out) return INVALID_VALUE;
	*out = hold(device, 1);
	return pvm_sticky();
}

// end takes the primary context away from those who still have its handle; it can be retained again.
static error_t end(int device, int all) {
	struct context *c = &primary[device];
	pthread_mutex_lock(&lock);
	int had = c->retained;
	c->retained = all || !had ? 0 : had - 1;
	int last = had && !c->retained;
	if (last) __atomic_store_n(&c->alive, 0, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&lock);
	if (!had && !all) return INVALID_CONTEXT;
	return last ? over(device) : SUCCESS;
}

PUBLIC error_t cuDevicePrimaryCtxRelease_v2(int device) { PRIMARY(device); return end(device, 0); }
PUBLIC error_t cuDevicePrimaryCtxRelease(int device) { return cuDevicePrimaryCtxRelease_v2(device); }
PUBLIC error_t cuDevicePrimaryCtxReset_v2(int device) { PRIMARY(device); return end(device, 1); }
PUBLIC error_t cuDevicePrimaryCtxReset(int device) { return cuDevicePrimaryCtxReset_v2(device); }

PUBLIC error_t cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active) {
	PRIMARY(device);
	if (!flags || !active) return INVALID_VALUE;
	adopt(); // it is active when the Runtime API has used it
	*flags = primary[device].flags;
	*active = __atomic_load_n(&primary[device].alive, __ATOMIC_ACQUIRE);
	return SUCCESS;
}

PUBLIC error_t cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags) {
	PRIMARY(device);
	if (flags & ~FLAGS) return INVALID_VALUE;
	primary[device].flags = flags;
	return SUCCESS;
}

PUBLIC error_t cuDevicePrimaryCtxSetFlags(int device, unsigned flags) { return cuDevicePrimaryCtxSetFlags_v2(device, flags); }
