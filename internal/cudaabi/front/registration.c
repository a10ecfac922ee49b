// What nvcc's host code calls before main and around <<<>>>: registration stores pointers and no more; the first use of
// a kernel or variable loads its module.
#include "cudart.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct wrapper { uint32_t magic, version; const void *data; const void *const *list; };

// struct module is one fat binary that a program has registered.
struct module {
	const struct wrapper *image;
	uint64_t handle;
	error_t error;   // of loading
	int loaded;
	struct managed *managed;
	struct module *next;
};

struct managed { void **at; const char *name; struct managed *next; };

// A table from host addresses to what they stand for: open addressing, never shrunk.
struct table { const void **keys; void **values; size_t used, room; };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;       // of the tables
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;    // of modules
static struct table kernels, variables;
static struct module *modules;
static struct kernel *all_kernels;

static size_t slot(const struct table *t, const void *key) {
	size_t i = ((uintptr_t)key >> 3) * 0x9e3779b97f4a7c15u % t->room;
	while (t->keys[i] && t->keys[i] != key) i = (i + 1) % t->room;
	return i;
}

static void insert(struct table *t, const void *key, void *value) {
	if (t->used * 2 >= t->room) {
		struct table bigger = {NULL, NULL, 0, t->room ? t->room * 2 : 64};
		bigger.keys = calloc(bigger.room, sizeof *bigger.keys);
		bigger.values = calloc(bigger.room, sizeof *bigger.values);
		if (!bigger.keys || !bigger.values) abort();
		for (size_t i = 0; i < t->room; i++)
			if (t->keys[i]) insert(&bigger, t->keys[i], t->values[i]);
		free(t->keys);
		free(t->values);
		*t = bigger;
	}
	size_t i = slot(t, key);
	if (!t->keys[i]) t->used++;
	t->keys[i] = key;
	t->values[i] = value;
}

static void *find(struct table *t, const void *key) {
	if (!key || !t->room) return NULL;
	pthread_mutex_lock(&lock);
	void *v = t->values[slot(t, key)];
	pthread_mutex_unlock(&lock);
	return v;
}

static void add(struct table *t, const void *key, void *value) {
	pthread_mutex_lock(&lock);
	insert(t, key, value);
	pthread_mutex_unlock(&lock);
}

PUBLIC void **__cudaRegisterFatBinary(void *image) {
	struct module *m = calloc(1, sizeof *m);
	if (!m) abort();
	m->image = image;
	pthread_mutex_lock(&lock);
	m->next = modules;
	modules = m;
	pthread_mutex_unlock(&lock);
	return (void **)m;
}

PUBLIC void __cudaRegisterFatBinaryEnd(void **h) { (void)h; }

// The end of the process, or of a library: kernels that still run finish, and what they have printed comes out.
PUBLIC void __cudaUnregisterFatBinary(void **h) {
	struct module *m = (struct module *)h;
	if (!engine_loaded()) return;
	if (pvm_finish() == NOT_READY) return; // a host function ends the process, for whose end its stream would wait
	if (m->loaded && m->error == SUCCESS) pvm_unload(m->handle);
	m->loaded = 0;
}

PUBLIC void __cudaRegisterFunction(void **h, const void *host, char *device, const char *name, int limit, void *tid, void *bid,
	void *block, void *grid, int *warp) {
	(void)device, (void)limit, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
	struct kernel *k = calloc(1, sizeof *k);
	if (!k) abort();
	k->module = (struct module *)h;
	k->name = name;
	k->host = host;
	pthread_mutex_lock(&lock);
	k->next = all_kernels;
	all_kernels = k;
	pthread_mutex_unlock(&lock);
	add(&kernels, host, k);
	add(&kernels, k, k); // a cudaKernel_t, where the program passes one
}

static struct variable *add_variable(void **h, const void *host, const char *name, size_t size) {
	struct variable *v = calloc(1, sizeof *v);
	if (!v) abort();
	v->module = (struct module *)h;
	v->name = name;
	v->size = size;
	add(&variables, host, v);
	return v;
}

PUBLIC void __cudaRegisterVar(void **h, char *host, char *device, const char *name, int ext, size_t size, int constant, int global) {
	(void)device, (void)ext, (void)constant, (void)global;
	add_variable(h, host, name, size);
}

PUBLIC void __cudaRegisterHostVar(void **h, const char *name, char *host, size_t size) { add_variable(h, host, name, size); }

PUBLIC void __cudaRegisterManagedVar(void **h, void **host, char *device, const char *name, int ext, size_t size, int constant, int global) {
	(void)device, (void)ext, (void)constant, (void)global;
	struct module *m = (struct module *)h;
	struct managed *v = calloc(1, sizeof *v);
	if (!v) abort();
	v->at = host;
	v->name = name;
	v->next = m->managed;
	m->managed = v;
	add_variable(h, host, name, size)->managed = 1;
}

// images lists the fat binaries of a module; a wrapper of version 2 lists those that were linked.
static int images(const struct wrapper *w, uint64_t *list, int room) {
	if (w->magic != 0x466243b1) return 0;
	if (w->version != 2) {
		list[0] = (uintptr_t)w->data;
		return 1;
	}
	int n = 0;
	for (const void *const *p = w->list; *p; p++)
		if (n++ < room) list[n - 1] = (uintptr_t)*p;
	return n;
}

// place_managed tells the program where a module's managed variables are.
static void place_managed(struct module *m) {
	for (struct managed *v = m->managed; v; v = v->next) {
		uint64_t addr = 0;
		if (pvm_variable(T.device, m->handle, v->name, &addr, NULL) == SUCCESS) *v->at = (void *)addr;
	}
}

void renew_managed(void) {
	pthread_mutex_lock(&lock);
	for (struct module *m = modules; m; m = m->next)
		if (__atomic_load_n(&m->loaded, __ATOMIC_ACQUIRE) && m->error == SUCCESS) place_managed(m);
	pthread_mutex_unlock(&lock);
}

static error_t load(struct module *m) {
	uint64_t few[64], *list = few;
	int n = images(m->image, few, 64);
	if (n == 0) return INVALID_IMAGE;
	if (n > 64) {
		list = malloc(n * sizeof *list);
		if (!list) return OUT_OF_MEMORY;
		images(m->image, list, n);
	}
	char text[CLOSED_TEXT];
	const struct pvm_holder from = holder_of(m->image, text);
	error_t e = pvm_load(list, n, &from, &m->handle, NULL, 0);
	if (list != few) free(list);
	if (e == SUCCESS) place_managed(m);
	return e;
}

static error_t need(struct module *m) {
	error_t e = engine();
	if (e != SUCCESS) return e;
	if (__atomic_load_n(&m->loaded, __ATOMIC_ACQUIRE)) return m->error;
	pthread_mutex_lock(&loading);
	if (!m->loaded) {
		m->error = load(m);
		__atomic_store_n(&m->loaded, 1, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&loading);
	return m->error;
}

PUBLIC char __cudaInitModule(void **h) {
	done(need((struct module *)h));
	return 1;
}

const char *kernel_name(const void *host) {
	struct kernel *k = find(&kernels, host);
	return k ? k->name : NULL;
}

error_t kernel_of(const void *host, struct kernel **k, uint64_t *f) {
	*k = find(&kernels, host);
	if (!*k) return INVALID_DEVICE_FUNCTION;
	if (!(*k)->module) return *f = (*k)->function, SUCCESS; // of a library
	error_t e = need((*k)->module);
	if (e != SUCCESS) return e;
	*f = __atomic_load_n(&(*k)->function, __ATOMIC_ACQUIRE);
	if (*f) return SUCCESS;
	e = pvm_function(T.device, (*k)->module->handle, (*k)->name, f);
	if (e == SYMBOL_NOT_FOUND) return INVALID_DEVICE_FUNCTION;
	if (e == SUCCESS) __atomic_store_n(&(*k)->function, *f, __ATOMIC_RELEASE);
	return e;
}

enum { NAME = 16 << 10 };

error_t kernel_for(uint64_t function, struct kernel **out) {
	char name[NAME];
	error_t e = pvm_function_name(function, name, sizeof name);
	if (e != SUCCESS) return e;
	pthread_mutex_lock(&lock);
	struct kernel *k = all_kernels;
	while (k && (k->module || k->function != function)) k = k->next;
	if (!k && (k = calloc(1, sizeof *k)) && (k->name = strdup(name))) {
		k->function = function, k->host = k, k->next = all_kernels, all_kernels = k;
		insert(&kernels, k, k);
	}
	pthread_mutex_unlock(&lock);
	*out = k;
	return k ? SUCCESS : OUT_OF_MEMORY;
}

const void *host_of(uint64_t function) {
	pthread_mutex_lock(&lock);
	struct kernel *k = all_kernels;
	while (k && __atomic_load_n(&k->function, __ATOMIC_ACQUIRE) != function) k = k->next;
	pthread_mutex_unlock(&lock);
	return k ? k->host : NULL;
}

error_t symbol_of(const void *host, uint64_t *addr, uint64_t *size) {
	struct variable *v = find(&variables, host);
	if (!v) return INVALID_SYMBOL;
	error_t e = need(v->module);
	if (e != SUCCESS) return e;
	e = pvm_variable(T.device, v->module->handle, v->name, addr, size);
	return e == SYMBOL_NOT_FOUND ? INVALID_SYMBOL : e;
}

// <<<>>> pushes its shape, evaluates arguments, and pops.
PUBLIC unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, stream_t stream) {
	if (T.pushed == PUSHED) return done(MISSING_CONFIGURATION), 1;
	T.shapes[T.pushed++] = (struct launch_shape){grid, block, shared, stream};
	return 0;
}

PUBLIC error_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, stream_t *stream) {
	if (T.pushed == 0) return done(MISSING_CONFIGURATION);
	struct launch_shape *s = &T.shapes[--T.pushed];
	T.popped = 1;
	*grid = s->grid;
	*block = s->block;
	*shared = s->shared;
	*stream = s->stream;
	return SUCCESS;
}

// The host code asks once and keeps the answer, also a bad one.
PUBLIC error_t __cudaGetKernel(void **out, const void *host) {
	*out = find(&kernels, host);
	return *out ? SUCCESS : done(INVALID_DEVICE_FUNCTION);
}
