// libgpuocelot.so, as tinygrad's MOCKGPU loads it: one function that runs a kernel whose pointers are memory of the host.
#define _GNU_SOURCE
#include "front.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REGIONS = 64, KEPT = 256, LOG = 64 << 10 };

// struct region is memory of the process that kernels may use while one runs.
struct region { uint64_t start, end; };

// region_of finds the writable memory around an address.
static struct region region_of(uint64_t address) {
	struct region r = {0, 0}, none = {0, 0};
	char line[512], rights[8];
	FILE *maps = fopen("/proc/self/maps", "r");
	int found = 0;
	while (maps && !found && fgets(line, sizeof line, maps))
		found = sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s", &r.start, &r.end, rights) == 3 && r.start <= address && address < r.end && rights[1] == 'w';
	if (maps) fclose(maps);
	return found ? r : none;
}

// struct lent is what a launch has lent to the device.
struct lent { struct region list[REGIONS]; int n; };

// lend gives the device's address of what an argument points to; what points to no memory is a number.
static error_t lend(struct lent *l, uint64_t *argument) {
	uint64_t start, size;
	int32_t device, kind;
	int known = *argument == 0 || pvm_holding(*argument, &start, &size, &device, &kind) == SUCCESS;
	for (int i = 0; i < l->n; i++) known |= l->list[i].start <= *argument && *argument < l->list[i].end;
	if (!known) {
		struct region r = region_of(*argument);
		if (!r.end) return SUCCESS;
		if (l->n == REGIONS) return OUT_OF_MEMORY;
		error_t e = pvm_register(0, r.start, r.end - r.start);
		if (e != SUCCESS) return e;
		l->list[l->n++] = r;
	}
	if (*argument) pvm_device_pointer(*argument, argument);
	return SUCCESS;
}

// kernel_of loads a text, or finds it among those that were loaded last.
static error_t kernel_of(const char *text, uint64_t *kernel) {
	static struct { char *text; uint64_t module; } kept[KEPT];
	static int next;
	int i = 0;
	while (i < KEPT && (!kept[i].text || strcmp(kept[i].text, text))) i++;
	if (i == KEPT) {
		char log[LOG];
		uint64_t module, image = (uintptr_t)text;
		error_t e = pvm_load(&image, 1, NULL, &module, log, sizeof log);
		if (e != SUCCESS) return e;
		i = next++ % KEPT;
		if (kept[i].text) pvm_unload(kept[i].module), free(kept[i].text);
		kept[i].text = strdup(text);
		kept[i].module = module;
	}
	return pvm_function_at(0, kept[i].module, 0, kernel);
}

static error_t run(const char *text, int n, uint64_t *arguments, struct pvm_launch *how) {
	uint64_t kernel;
	size_t offset, size;
	void *list[n + 1];
	struct lent lent = {.n = 0};
	error_t e = kernel_of(text, &kernel);
	if (e != SUCCESS) return e;
	if (pvm_function_param(kernel, n, &offset, &size) == SUCCESS || (n && pvm_function_param(kernel, n - 1, &offset, &size) != SUCCESS)) {
		say("ptx_run: the kernel does not have %d parameters", n);
		return INVALID_VALUE;
	}
	if (how->shared) e = pvm_function_set(0, kernel, 8, (int32_t)how->shared); // its limit
	for (int i = 0; i < n && e == SUCCESS; i++) {
		list[i] = &arguments[i];
		if (pvm_function_param(kernel, i, &offset, &size) == SUCCESS && size == 8) e = lend(&lent, &arguments[i]);
	}
	how->arguments = (uintptr_t)list;
	if (e == SUCCESS) e = pvm_launch(0, 0, kernel, how);
	if (e == SUCCESS) e = pvm_synchronize(0);
	while (lent.n > 0) pvm_unregister(lent.list[--lent.n].start);
	return e;
}

// ptx_run runs the first kernel of a text. Arguments are values, whatever their size; l is the size of a block, g of the grid.
PUBLIC int ptx_run(const char *text, int n, void **arguments, int lx, int ly, int lz, int gx, int gy, int gz, int shared);
PUBLIC int ptx_run(const char *text, int n, void **arguments, int lx, int ly, int lz, int gx, int gy, int gz, int shared) {
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	if (!text || n < 0 || n > 4096 || (n && !arguments) || shared < 0) return INVALID_VALUE;
	error_t e = engine();
	if (e != SUCCESS) return e;
	uint64_t values[n + 1];
	for (int i = 0; i < n; i++) values[i] = (uintptr_t)arguments[i];
	struct pvm_launch how = {.grid = {gx, gy, gz}, .block = {lx, ly, lz}, .shared = shared};
	pthread_mutex_lock(&lock);
	e = run(text, n, values, &how);
	pthread_mutex_unlock(&lock);
	return e;
}
