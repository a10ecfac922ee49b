// NVIDIA's closed libraries: machine code without PTX, which only NVIDIA can build anew.
#define _GNU_SOURCE // dladdr
#include "front.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

// struct closed is a library: the names of its files begin with stem. spare are functions that compute nothing, without which a
// program that calls no others of it runs; instead is what else there is to say.
struct closed { const char *stem, *name, *spare, *instead; };

static const struct closed closed[] = {
	{"libcublas", "cuBLAS", "cublasCreate, cublasSetStream, cublasSetMathMode, cublasSetWorkspace and cublasDestroy", "CUTLASS, which is source, multiplies here"},
	{"libnvblas", "cuBLAS", "cublasCreate and cublasDestroy", "CUTLASS, which is source, multiplies here"},
	{"libcudnn", "cuDNN", "cudnnCreate, cudnnSetStream, cudnnDestroy and those that make descriptors", ""},
	{"libcufft", "cuFFT", "cufftCreate, cufftSetStream and cufftDestroy", ""},
	{"libcusparse", "cuSPARSE", "cusparseCreate, cusparseSetStream, cusparseDestroy and those that make descriptors", ""},
	{"libcusolver", "cuSOLVER", "cusolverDnCreate, cusolverSpCreate, cusolverDnSetStream and cusolverDnDestroy", ""},
	{"libcurand", "cuRAND's host half", "curandCreateGenerator, curandSetStream, curandSetPseudoRandomGeneratorSeed and curandDestroyGenerator",
		"curand_kernel.h, its half for kernels, is source and runs"},
	{"libnpp", "NPP", "nppSetStream and nppGetStreamContext", ""},
	{"libnccl", "NCCL", "ncclGetUniqueId, ncclCommInitRank, ncclCommInitAll and ncclCommDestroy, with one device", "its source is public: build it with the shared runtime and PTX"},
	{"libnvjpeg", "nvJPEG", "nvjpegCreate and nvjpegDestroy", ""},
	{"libcutensor", "cuTENSOR", "cutensorCreate, cutensorDestroy and those that make descriptors", ""},
};

int closed_library(const char *file, char *text, size_t room) {
	const char *slash = file ? strrchr(file, '/') : NULL, *base = slash ? slash + 1 : file;
	for (size_t i = 0; base && i < sizeof closed / sizeof *closed; i++) {
		const struct closed *c = &closed[i];
		if (strncmp(base, c->stem, strlen(c->stem)) || !strstr(base, ".so")) continue;
		snprintf(text, room, "%s is %s, which holds machine code and no PTX for these kernels, and which only NVIDIA can build anew. A program that calls "
			"nothing but %s does without it: leave those calls out, or go on where they fail%s%s", base, c->name, c->spare, *c->instead ? "; " : "", c->instead);
		return 1;
	}
	return 0;
}

struct pvm_holder holder_of(const void *image, char text[CLOSED_TEXT]) {
	struct pvm_holder h = {NULL, NULL};
	Dl_info at;
	if (dladdr(image, &at) && at.dli_fname) h.file = at.dli_fname;
	if (closed_library(h.file, text, CLOSED_TEXT)) h.without = text;
	return h;
}
