// Linked images: what cuLinkComplete and nvJitLinkComplete give, and the driver loads.
#ifndef LINKED_H
#define LINKED_H

#include <stddef.h>
#include <stdint.h>

// A linked image is a list of the images that went in: a magic number, how many, then for each its size and bytes.
struct linked { char magic[8]; uint64_t n; };

int is_linked(const void *image);

// struct parts is a linked image that grows. parts_begin and parts_add give 0 where there is no memory; what is linked
// already is added part by part.
struct parts { char *image; size_t size; };

int parts_begin(struct parts *p);
int parts_add(struct parts *p, const void *data, size_t size);

// parts_cut takes back what was added since there were n parts of a size.
void parts_cut(struct parts *p, size_t size, uint64_t n);

static inline uint64_t parts_count(const struct parts *p) { return ((const struct linked *)p->image)->n; }

// part_at is the image that was added at a size.
static inline void *part_at(const struct parts *p, size_t size) { return p->image + size + 8; }

// add_device_runtime adds what we have of the device's own runtime in the place of NVIDIA's, libcudadevrt.a, which is machine code:
// barriers of whole grids. Another library of machine code adds nothing: what it lacks shows at the end.
int add_device_runtime(struct parts *p, const void *library, size_t size);

// contents reads a file whole, with zeros behind it; NULL where it cannot.
char *contents(const char *path, size_t *size);

#endif
