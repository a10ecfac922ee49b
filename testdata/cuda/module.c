// stderr: frob is no instruction
// stderr: cuIpcGetMemHandle is not supported
// stderr: relink: nvcc
// Modules: functions, variables, libraries, what the compiler says, and the linker.
#include "driver.h"

int main(void) {
	handle m, l, f, g, k;
	ptr at;
	size_t n, offset, size;
	unsigned count;
	const char *name;
	begin();
	OK(cuModuleLoadData(&m, kernels));
	OK(cuModuleGetFunctionCount(&count, m));
	WANT(count, 2);
	OK(cuModuleGetFunction(&f, m, "add"));
	OK(cuModuleGetFunction(&g, m, "add"));
	WANT(f, g);
	WANT(cuModuleGetFunction(&g, m, "sub"), 500);
	OK(cuFuncGetModule(&g, f));
	WANT(g, m);
	OK(cuFuncGetName(&name, f));
	WANT(strcmp(name, "add"), 0);
	OK(cuFuncGetParamInfo(f, 1, &offset, &size));
	WANT(offset, 8);
	WANT(size, 4);
	WANT(cuFuncGetParamInfo(f, 3, &offset, &size), 1);
	unsigned total = 0;
	OK(cuModuleGetGlobal_v2(&at, &n, m, "total"));
	WANT(n, 4);
	OK(cuMemcpyDtoH_v2(&total, at, 4));
	WANT(total, 7);
	WANT(cuModuleGetGlobal_v2(&at, &n, m, "missing"), 500);
	OK(cuModuleUnload(m));
	WANT(cuModuleUnload(m), 400);
	WANT(cuModuleGetFunction(&f, m, "add"), 400);
	WANT(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, NULL, NULL), 400);

	OK(cuLibraryLoadData(&l, kernels, NULL, NULL, 0, NULL, NULL, 0));
	OK(cuLibraryGetKernel(&k, l, "other"));
	OK(cuKernelGetFunction(&f, k));
	OK(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, 0, NULL, NULL));
	OK(cuLaunchKernel(k, 1, 1, 1, 32, 1, 1, 0, 0, NULL, NULL));
	OK(cuKernelGetLibrary(&g, k));
	WANT(g, l);
	OK(cuLibraryUnload(l));

	// The compiler's words are in the program's buffer, cut to its room.
	char log[64];
	int options[] = {5, 6};
	void *values[] = {log, (void *)sizeof log};
	memset(log, 1, sizeof log);
	WANT(cuModuleLoadDataEx(&m, ".version 8.0\n.target sm_75\n.address_size 64\n.entry k() { frob; }\n", 2, options, values), 218);
	WANT((size_t)values[1], strlen(log) + 1);
	WANT(strstr(log, "error") != NULL, 1);
	WANT(cuModuleLoadData(&m, ""), 200);
	WANT(cuModuleLoadData(&m, NULL), 1);

	// Two texts that need each other.
	static const char callee[] = ".version 8.0\n.target sm_75\n.address_size 64\n.visible .func (.param .b32 r) twice(.param .b32 x)\n"
		"{ .reg .b32 %a; ld.param.b32 %a, [x]; add.u32 %a, %a, %a; st.param.b32 [r], %a; ret; }\n";
	static const char caller[] = ".version 8.0\n.target sm_75\n.address_size 64\n.extern .func (.param .b32 r) twice(.param .b32 x);\n"
		".visible .entry store(.param .u64 p, .param .u32 v)\n{ .reg .b64 %p; .reg .b32 %a; ld.param.u64 %p, [p]; ld.param.u32 %a, [v];\n"
		"{ .param .b32 r, x; st.param.b32 [x], %a; call (r), twice, (x); ld.param.b32 %a, [r]; }\nst.global.u32 [%p], %a; ret; }\n";
	void *image;
	OK(cuLinkCreate_v2(0, NULL, NULL, &l));
	OK(cuLinkAddData_v2(l, 1, caller, sizeof caller, "caller.ptx", 0, NULL, NULL));
	OK(cuLinkAddData_v2(l, 1, callee, sizeof callee, "callee.ptx", 0, NULL, NULL));
	OK(cuLinkComplete(l, &image, &n));
	char *copy = malloc(n); // programs keep the image and end the linker
	memcpy(copy, image, n);
	OK(cuLinkDestroy(l));
	OK(cuModuleLoadData(&m, copy));
	free(copy);
	OK(cuModuleGetFunction(&f, m, "store"));
	OK(cuMemAlloc_v2(&at, 4));
	unsigned v = 21;
	OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, (void *[]){&at, &v}, NULL));
	OK(cuMemcpyDtoH_v2(&v, at, 4));
	WANT(v, 42);

	WANT(cuIpcGetMemHandle(&l, at), 801); // names itself
	const void *table = &table;
	WANT(cuGetExportTable(&table, "0123456789abcde"), 500);
	passed();
}
