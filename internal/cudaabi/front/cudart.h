// What the sources of libcudart share.
#ifndef CUDART_H
#define CUDART_H

#include "front.h"
#include "structs.h"

struct module;

// struct kernel is a registered kernel: a cudaKernel_t.
struct kernel { struct module *module; const char *name; uint64_t function; const void *host; struct kernel *next; };

struct variable { struct module *module; const char *name; size_t size; int managed; };

// kernel_of finds a kernel by its host function or cudaKernel_t; f is the engine's function.
error_t kernel_of(const void *host, struct kernel **k, uint64_t *f);

// kernel_for is the kernel of a library that is one of the engine's functions.
error_t kernel_for(uint64_t function, struct kernel **out);

error_t device_ok(int device);

// properties fills a cudaDeviceProp of one of the sizes that there have been.
error_t properties(char *prop, int device, size_t size);

// host_of finds the host function of one of the engine's.
const void *host_of(uint64_t function);

// box_of says what a 3-D copy copies.
error_t box_of(const struct params3d *p, struct pvm_copy *c);

// symbol_at finds n bytes at an offset of a variable, which its shadow on the host names.
error_t symbol_at(const void *host, size_t n, size_t offset, char **at);

// symbol_of finds a variable by its shadow on the host.
error_t symbol_of(const void *host, uint64_t *addr, uint64_t *size);

// renew_managed loads modules with managed variables again after a reset, and tells the program where those are now.
void renew_managed(void);

#endif
