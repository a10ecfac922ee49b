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
