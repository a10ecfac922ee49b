// The program's own access to device memory: it faults, as with a device of its own, and is explained before the signal
// goes where it would have gone.
#define _GNU_SOURCE
#include "front.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct block { uint64_t address, size; const char *by; void *callers[PVM_FRAMES]; struct block *next; };

enum { ROOMS = 1024, ALIGN = 256 };
static struct block *blocks[ROOMS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sigaction before;

static struct block **room_of(uint64_t address) { return &blocks[address / ALIGN % ROOMS]; }

// callers_of adds those of the caller that is there: at first it is often a template of a header.
static void callers_of(struct block *b) {
	void *all[16];
	int n = backtrace(all, 16), first = 0;
	while (first < n && all[first] != b->callers[0]) first++;
	for (int i = 1; i < PVM_FRAMES && first + i < n; i++) b->callers[i] = all[first + i];
}

void note_block(uint64_t address, uint64_t size, const char *by, void *caller) {
	struct block *b = address ? malloc(sizeof *b) : NULL;
	if (!b) return;
	*b = (struct block){address, size, by, {caller}, NULL};
	if (caller) callers_of(b);
	pthread_mutex_lock(&lock);
	b->next = *room_of(address);
	*room_of(address) = b;
	pthread_mutex_unlock(&lock);
}

void forget_block(uint64_t address) {
	struct block *found = NULL;
	pthread_mutex_lock(&lock);
	for (struct block **at = room_of(address); *at && !found; at = found ? at : &(*at)->next)
		if ((*at)->address == address) found = *at, *at = found->next;
	pthread_mutex_unlock(&lock);
	free(found);
}

static struct block *holding(uint64_t address) {
	for (int i = 0; i < ROOMS; i++)
		for (struct block *b = blocks[i]; b; b = b->next)
			if (address - b->address < b->size) return b;
	return NULL;
}

int origin_of(uint64_t address, struct pvm_origin *out) {
	int found = 0;
	pthread_mutex_lock(&lock);
	for (struct block *b = *room_of(address); b && !found; b = b->next)
		if (b->address == address) {
			found = 1;
			memset(out, 0, sizeof *out);
			snprintf(out->by, sizeof out->by, "%s", b->by);
			for (int i = 0; i < PVM_FRAMES && b->callers[i]; i++) {
				Dl_info at;
				if (!dladdr(b->callers[i], &at) || !at.dli_fname) break;
				snprintf(out->frames[i].file, sizeof out->frames[i].file, "%s", at.dli_fname);
				out->frames[i].offset = (uint64_t)((char *)b->callers[i] - (char *)at.dli_fbase);
			}
		}
	pthread_mutex_unlock(&lock);
	return found;
}

// place writes where a call is: the file of its code, and how far into it.
static void place(void *code, char *text, size_t room) {
	Dl_info at;
	*text = 0;
	if (!code || !dladdr(code, &at) || !at.dli_fname) return;
	const char *name = strrchr(at.dli_fname, '/');
	name = name ? name + 1 : at.dli_fname;
	snprintf(text, room, at.dli_sname ? ", called by %s (%s+0x%lx)" : ", called by %.0s%s+0x%lx", at.dli_sname ? at.dli_sname : "", name,
		(unsigned long)((char *)code - (char *)at.dli_fbase));
}

static void explain(int signal, siginfo_t *info, void *context) {
	(void)context;
	uint64_t address = (uintptr_t)info->si_addr;
	struct block *b = info->si_code > 0 ? holding(address) : NULL; // from the system, not from kill
	if (b) {
		char text[1024], where[512];
		place(b->callers[0], where, sizeof where);
		int n = snprintf(text, sizeof text, "ptxvm: host code accesses device memory at 0x%lx: byte %lu of %lu bytes from %s%s; copy it with cudaMemcpy, or allocate it with "
			"cudaMallocManaged (PTXVM_HOST_ACCESS=allow lets the access pass)\n", (unsigned long)address, (unsigned long)(address - b->address), (unsigned long)b->size, b->by, where);
		if (n > 0 && write(STDERR_FILENO, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1) < 0) {}
	}
	sigaction(SIGSEGV, &before, NULL); // the access is tried again, and the signal is theirs
	if (info->si_code <= 0) syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), signal, info);
}

void watch_host_access(void) {
	struct sigaction ours = {.sa_sigaction = explain, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	sigemptyset(&ours.sa_mask);
	sigaction(SIGSEGV, &ours, &before);
}
