#define _GNU_SOURCE // memmem
#include "linked.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char magic[8] = "\177PTXVM\1";

enum { BEHIND = 64 }; // zeros behind an image: a text's NUL, and room for a header to be looked at

int is_linked(const void *image) { return !strncmp(image, magic, sizeof magic); }

int parts_begin(struct parts *p) {
	p->size = sizeof(struct linked);
	if (!(p->image = calloc(1, p->size))) return 0;
	memcpy(p->image, magic, sizeof magic);
	return 1;
}

static int grow(struct parts *p, size_t by) {
	char *image = realloc(p->image, p->size + by);
	if (!image) return 0;
	memset(image + p->size, 0, by);
	p->image = image;
	return 1;
}

static int add_one(struct parts *p, const void *data, size_t size) {
	size_t room = (size + BEHIND) & ~(size_t)7;
	if (!grow(p, 8 + room)) return 0;
	memcpy(p->image + p->size, &(uint64_t){room}, 8);
	memcpy(p->image + p->size + 8, data, size);
	p->size += 8 + room;
	((struct linked *)p->image)->n++;
	return 1;
}

int parts_add(struct parts *p, const void *data, size_t size) {
	if (size < sizeof(struct linked) || !is_linked(data)) return add_one(p, data, size);
	const char *at = (const char *)data + sizeof(struct linked), *end = (const char *)data + size;
	for (uint64_t n = ((const struct linked *)data)->n; n > 0 && end - at >= 8; n--) {
		uint64_t one = *(const uint64_t *)at;
		if (one > (uint64_t)(end - at) - 8) break; // it is cut off
		if (!add_one(p, at + 8, one)) return 0;
		at += 8 + one;
	}
	return 1;
}

void parts_cut(struct parts *p, size_t size, uint64_t n) {
	p->size = size;
	((struct linked *)p->image)->n = n;
}

// The last word of the workspace that a cooperative launch has counts the blocks that have arrived, of all barriers together: a block
// waits until as many have come as make up its barrier.
static const char device_runtime[] =
	".version 7.0\n.target sm_70\n.address_size 64\n"
	".visible .func (.param .b64 handle) cudaCGGetIntrinsicHandle(.param .b32 scope)\n{\n"
	"\t.reg .b64 %w;\n\tmov.b64 %w, 1;\n\tst.param.b64 [handle], %w;\n\tret;\n}\n"
	".visible .func (.param .b32 error) cudaCGSynchronize(.param .b64 handle, .param .b32 flags)\n{\n"
	"\t.reg .b64 %w; .reg .b32 %x, %y, %z, %high, %low, %all, %now; .reg .pred %p;\n"
	"\tbarrier.sync 0;\n"
	"\tmov.u32 %x, %tid.x; mov.u32 %y, %tid.y; mov.u32 %z, %tid.z; or.b32 %x, %x, %y; or.b32 %x, %x, %z;\n"
	"\tsetp.ne.u32 %p, %x, 0;\n\t@%p bra DONE;\n"
	"\tmov.u32 %x, %nctaid.x; mov.u32 %y, %nctaid.y; mov.u32 %z, %nctaid.z; mul.lo.u32 %all, %x, %y; mul.lo.u32 %all, %all, %z;\n"
	"\tmov.b32 %high, %envreg1; mov.b32 %low, %envreg2; mov.b64 %w, {%low, %high};\n"
	"\tatom.global.add.acq_rel.gpu.u32 %x, [%w+252], 1;\n"
	"\tdiv.u32 %x, %x, %all; add.u32 %x, %x, 1; mul.lo.u32 %x, %x, %all;\n"
	"WAIT:\n\tld.acquire.gpu.global.u32 %now, [%w+252];\n\tsub.u32 %now, %now, %x;\n\tsetp.lt.s32 %p, %now, 0;\n\t@%p bra WAIT;\n"
	"DONE:\n\tbarrier.sync 0;\n\tst.param.b32 [error], 0;\n\tret;\n}\n";

int add_device_runtime(struct parts *p, const void *library, size_t size) {
	static const char name[] = "cuda_device_runtime"; // of its one object file
	if (!memmem(library, size, name, sizeof name - 1)) return 1;
	if (memmem(p->image, p->size, device_runtime, sizeof device_runtime)) return 1; // it is there
	return add_one(p, device_runtime, sizeof device_runtime);
}

char *contents(const char *path, size_t *size) {
	FILE *f = fopen(path, "rb");
	char *text = NULL;
	long n;
	if (!f) return NULL;
	if (fseek(f, 0, SEEK_END) == 0 && (n = ftell(f)) >= 0 && (text = calloc(1, n + BEHIND))) {
		rewind(f);
		*size = fread(text, 1, n, f);
	}
	fclose(f);
	return text;
}
