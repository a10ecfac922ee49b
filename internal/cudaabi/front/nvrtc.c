// libnvrtc.so.13 in front of NVIDIA's: a program that is to be compiled to machine code is compiled to PTX, which is then
// given as the cubin. All else is NVIDIA's.
#include "forward.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PUBLIC __attribute__((visibility("default")))

typedef struct program *program_t; // NVIDIA's

enum { SUCCESS = 0, OUT_OF_MEMORY = 1, INVALID_INPUT = 3, INTERNAL_ERROR = 11 };

static void *real;

// at is a function of the real library; NULL: there is no such library, or it is older than the function.
static void *at(const char *name, const void *caller) {
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static int looked;
	pthread_mutex_lock(&lock);
	if (!looked) {
		looked = 1;
		real = real_library("libnvrtc.so.13", caller);
		if (!real) fprintf(stderr, "ptxvm: NVRTC is not installed (libnvrtc.so.13): pip install nvidia-cuda-nvrtc\n");
	}
	pthread_mutex_unlock(&lock);
	return real ? dlsym(real, name) : NULL;
}

// CALL answers with what the real function of a name does.
#define CALL(name, parameters, ...) do { \
	int(*f_) parameters = (int(*) parameters)at(name, __builtin_return_address(0)); \
	return f_ ? f_(__VA_ARGS__) : INTERNAL_ERROR; \
} while (0)

// PASSED defines a function that only passes its arguments on.
#define PASSED(name, parameters, ...) PUBLIC int name parameters; PUBLIC int name parameters { CALL(#name, parameters, __VA_ARGS__); }

PASSED(nvrtcVersion, (int *major, int *minor), major, minor)
PASSED(nvrtcGetNumSupportedArchs, (int *n), n)
PASSED(nvrtcGetSupportedArchs, (int *list), list)
PASSED(nvrtcCreateProgram, (program_t *p, const char *text, const char *name, int n, const char *const *headers, const char *const *names), p, text, name, n, headers, names)
PASSED(nvrtcGetPTXSize, (program_t p, size_t *size), p, size)
PASSED(nvrtcGetPTX, (program_t p, char *text), p, text)
PASSED(nvrtcGetLTOIRSize, (program_t p, size_t *size), p, size)
PASSED(nvrtcGetLTOIR, (program_t p, char *code), p, code)
PASSED(nvrtcGetOptiXIRSize, (program_t p, size_t *size), p, size)
PASSED(nvrtcGetOptiXIR, (program_t p, char *code), p, code)
PASSED(nvrtcGetTileIRSize, (program_t p, size_t *size), p, size)
PASSED(nvrtcGetTileIR, (program_t p, char *code), p, code)
PASSED(nvrtcGetProgramLogSize, (program_t p, size_t *size), p, size)
PASSED(nvrtcGetProgramLog, (program_t p, char *log), p, log)
PASSED(nvrtcAddNameExpression, (program_t p, const char *name), p, name)
PASSED(nvrtcGetLoweredName, (program_t p, const char *name, const char **lowered), p, name, lowered)
PASSED(nvrtcGetPCHHeapSize, (size_t *size), size)
PASSED(nvrtcSetPCHHeapSize, (size_t size), size)
PASSED(nvrtcGetPCHCreateStatus, (program_t p), p)
PASSED(nvrtcGetPCHHeapSizeRequired, (program_t p, size_t *size), p, size)
PASSED(nvrtcSetFlowCallback, (program_t p, int (*callback)(void *, void *), void *payload), p, callback, payload)
PASSED(nvrtcInstallBundledHeaders, (const char *path, unsigned flags, const char **log), path, flags, log)
PASSED(nvrtcGetBundledHeadersInfo, (void *info, const char **log), info, log)
PASSED(nvrtcRemoveBundledHeaders, (const char *path, const char **log), path, log)

PUBLIC const char *nvrtcGetErrorString(int code);
PUBLIC const char *nvrtcGetErrorString(int code) {
	const char *(*f)(int) = (const char *(*)(int))at("nvrtcGetErrorString", __builtin_return_address(0));
	return f ? f(code) : "NVRTC_ERROR_INTERNAL_ERROR";
}

// Programs whose machine code was asked for.
static struct turned { program_t program; struct turned *next; } *turned;
static pthread_mutex_t turned_lock = PTHREAD_MUTEX_INITIALIZER;

static int is_turned(program_t p) {
	pthread_mutex_lock(&turned_lock);
	struct turned *t = turned;
	while (t && t->program != p) t = t->next;
	pthread_mutex_unlock(&turned_lock);
	return t != NULL;
}

static void forget(program_t p) {
	pthread_mutex_lock(&turned_lock);
	for (struct turned **t = &turned; *t;) {
		struct turned *one = *t;
		if (one->program != p) {
			t = &one->next;
			continue;
		}
		*t = one->next;
		free(one);
	}
	pthread_mutex_unlock(&turned_lock);
}

static int note(program_t p) {
	struct turned *t = malloc(sizeof *t);
	if (!t) return 0;
	pthread_mutex_lock(&turned_lock);
	*t = (struct turned){p, turned};
	turned = t;
	pthread_mutex_unlock(&turned_lock);
	return 1;
}

// architecture is where an option names what to compile for, or the option behind one that says that it does.
static const char *architecture(const char *option, const char *before) {
	static const char *const names[] = {"--gpu-architecture", "-gpu-architecture", "--arch", "-arch"};
	for (int i = 0; i < 4; i++) {
		size_t n = strlen(names[i]);
		if (before && !strcmp(before, names[i])) return option;
		if (!strncmp(option, names[i], n) && option[n] == '=') return option + n + 1;
	}
	return NULL;
}

static const char machine[] = "sm_", virtual[] = "compute_";

// turn makes an option that asks for machine code one that asks for PTX; NULL: it is none, or there is no memory.
static char *turn(const char *option, const char *before) {
	const char *arch = architecture(option, before);
	if (!arch || strncmp(arch, machine, sizeof machine - 1)) return NULL;
	char *text = malloc(strlen(option) + sizeof virtual);
	if (!text) return NULL;
	memcpy(text, option, arch - option);
	strcpy(text + (arch - option), virtual);
	strcat(text, arch + sizeof machine - 1);
	return text;
}

static int compile(int (*f)(program_t, int, const char *const *), program_t p, int n, const char *const *options) {
	const char **list = calloc(n + 1, sizeof *list);
	char **made = calloc(n + 1, sizeof *made);
	int code = list && made ? SUCCESS : OUT_OF_MEMORY, any = 0;
	for (int i = 0; i < n && code == SUCCESS; i++) {
		list[i] = options[i];
		if (!options[i] || !(made[i] = turn(options[i], i ? options[i - 1] : NULL))) continue;
		list[i] = made[i];
		any = 1;
	}
	if (code == SUCCESS) code = f(p, n, list);
	forget(p);
	if (code == SUCCESS && any && !note(p)) code = OUT_OF_MEMORY;
	for (int i = 0; made && i < n; i++) free(made[i]);
	free(made);
	free(list);
	return code;
}

PUBLIC int nvrtcCompileProgram(program_t p, int n, const char *const *options);
PUBLIC int nvrtcCompileProgram(program_t p, int n, const char *const *options) {
	int (*f)(program_t, int, const char *const *) = (int (*)(program_t, int, const char *const *))at("nvrtcCompileProgram", __builtin_return_address(0));
	if (!f) return INTERNAL_ERROR;
	if (n <= 0 || !options) return f(p, n, options);
	return compile(f, p, n, options);
}

PUBLIC int nvrtcDestroyProgram(program_t *p);
PUBLIC int nvrtcDestroyProgram(program_t *p) {
	if (p) forget(*p);
	CALL("nvrtcDestroyProgram", (program_t *), p);
}

PUBLIC int nvrtcGetCUBINSize(program_t p, size_t *size);
PUBLIC int nvrtcGetCUBINSize(program_t p, size_t *size) {
	CALL(is_turned(p) ? "nvrtcGetPTXSize" : "nvrtcGetCUBINSize", (program_t, size_t *), p, size);
}

PUBLIC int nvrtcGetCUBIN(program_t p, char *code);
PUBLIC int nvrtcGetCUBIN(program_t p, char *code) {
	CALL(is_turned(p) ? "nvrtcGetPTX" : "nvrtcGetCUBIN", (program_t, char *), p, code);
}
