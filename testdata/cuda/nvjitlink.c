// stderr: frobnicate is no instruction
// PTX linked by libnvJitLink.so.13, which exec loads first, and what it refuses.
#include "driver.h"

#include <dlfcn.h>

static int (*create)(void **, uint32_t, const char **), (*destroy)(void **), (*add)(void *, int, const void *, size_t, const char *);
static int (*complete)(void *), (*cubin_size)(void *, size_t *), (*cubin)(void *, void *), (*ptx_size)(void *, size_t *);
static int (*log_size)(void *, size_t *), (*get_log)(void *, char *), (*info_size)(void *, size_t *);

static void *library;
static void *at(const char *name) {
	void *f = dlsym(library, name);
	if (!f) fprintf(stderr, "no %s\n", name), exit(1);
	return f;
}

enum { CUBIN = 1, PTX = 2, LIBRARY = 6 };
enum { UNRECOGNIZED_OPTION = 1, MISSING_ARCH, INVALID_INPUT, PTX_COMPILE, FINALIZE = 9, NULL_INPUT };

static const char *arch[] = {"-arch=sm_90", "-lineinfo"};

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"
static const char caller[] = HEAD
	".extern .func (.param .b32 r) twice(.param .b32 x);\n"
	".visible .entry each(.param .u64 p) {\n.reg .b64 %a; .reg .b32 %v;\nld.param.u64 %a, [p]; ld.global.u32 %v, [%a];\n"
	"{ .param .b32 x; .param .b32 r; st.param.b32 [x], %v; call (r), twice, (x); ld.param.b32 %v, [r]; }\nst.global.u32 [%a], %v; ret;\n}\n";
static const char called[] = HEAD
	".visible .func (.param .b32 r) twice(.param .b32 x) {\n.reg .b32 %v; ld.param.b32 %v, [x]; add.u32 %v, %v, %v; st.param.b32 [r], %v; ret;\n}\n";

// linked gives the image of some inputs.
static void *linked(const char *const *texts, int n, size_t *size) {
	void *l, *image;
	OK(create(&l, 2, arch));
	for (int i = 0; i < n; i++) OK(add(l, PTX, texts[i], strlen(texts[i]), "text"));
	OK(complete(l));
	WANT(complete(l), INVALID_INPUT);
	WANT(ptx_size(l, size), INVALID_INPUT); // nothing was optimised
	OK(cubin_size(l, size));
	image = malloc(*size);
	OK(cubin(l, image));
	OK(destroy(&l));
	WANT(destroy(&l), INVALID_INPUT);
	return image;
}

static void run(const void *image) {
	handle m, f;
	ptr d;
	unsigned v = 21, got;
	OK(cuModuleLoadData(&m, image));
	OK(cuModuleGetFunction(&f, m, "each"));
	OK(cuMemAlloc_v2(&d, 4));
	OK(cuMemcpyHtoD_v2(d, &v, 4));
	OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, (void *[]){&d}, NULL));
	OK(cuMemcpyDtoH_v2(&got, d, 4));
	WANT(got, 42);
	OK(cuMemFree_v2(d));
	OK(cuModuleUnload(m));
}

static void refused(void) {
	void *l;
	size_t n;
	char log[4096];
	static const char bad[] = HEAD ".visible .entry e() { frobnicate; }\n";
	WANT(create(&l, 0, NULL), MISSING_ARCH);
	WANT(create(&l, 1, (const char *[]){"sm_90"}), UNRECOGNIZED_OPTION);
	WANT(create(NULL, 2, arch), INVALID_INPUT);
	WANT(add(NULL, PTX, bad, sizeof bad, NULL), NULL_INPUT);
	OK(create(&l, 2, arch));
	WANT(complete(l), INVALID_INPUT); // without an input
	WANT(add(l, PTX, NULL, 3, NULL), INVALID_INPUT);
	WANT(cubin_size(l, &n), INVALID_INPUT);
	WANT(add(l, PTX, bad, sizeof bad, "bad"), PTX_COMPILE);
	OK(log_size(l, &n));
	WANT(n > 1 && n <= sizeof log, 1);
	OK(get_log(l, log));
	WANT(strstr(log, "frobnicate") != NULL, 1);
	OK(info_size(l, &n));
	WANT(n, 1);
	OK(add(l, PTX, caller, sizeof caller, "caller"));
	OK(add(l, LIBRARY, "!<arch>\n", 8, "machine code")); // which is passed over
	WANT(complete(l), FINALIZE);                          // twice is missing
	OK(add(l, PTX, called, sizeof called, "called"));
	OK(complete(l));
	OK(destroy(&l));
}

int main(void) {
	if (!(library = dlopen("libnvJitLink.so.13", RTLD_NOW))) return fprintf(stderr, "%s\n", dlerror()), 1;
	create = at("nvJitLinkCreate"), destroy = at("__nvJitLinkDestroy_13_5"), add = at("nvJitLinkAddData"), complete = at("nvJitLinkComplete");
	cubin_size = at("__nvJitLinkGetLinkedCubinSize_13_0"), cubin = at("nvJitLinkGetLinkedCubin"), ptx_size = at("nvJitLinkGetLinkedPtxSize");
	log_size = at("nvJitLinkGetErrorLogSize"), get_log = at("nvJitLinkGetErrorLog"), info_size = at("nvJitLinkGetInfoLogSize");
	begin();
	size_t one, both;
	void *image = linked((const char *const[]){caller, called}, 2, &both), *again;
	run(image);
	again = linked((const char *const[]){called}, 1, &one);
	WANT(one < both, 1);
	// What is linked is linked again with more.
	void *l;
	OK(create(&l, 2, arch));
	OK(add(l, CUBIN, again, one, NULL));
	OK(add(l, PTX, caller, sizeof caller, NULL));
	OK(complete(l));
	OK(cubin_size(l, &both));
	free(image);
	image = malloc(both);
	OK(cubin(l, image));
	OK(destroy(&l));
	run(image);
	free(image);
	free(again);
	refused();
	passed();
}
