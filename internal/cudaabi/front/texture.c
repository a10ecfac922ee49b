// Arrays, texture and surface objects of the Runtime API.
#include "cudart.h"

#include <string.h>

// struct channels is cudaChannelFormatDesc: bits of each channel, and what they are.
struct channels { int32_t bits[4], kind; };
enum { SIGNED, UNSIGNED, FLOAT, NONE, UNORM8 = 5, UNORM16 = 8, SNORM8 = 11, SNORM16 = 14, NORMALS_END = 17 };
enum { INVALID_CHANNELS = 20 };

// format_of writes the format of a channel, and how many there are.
static error_t format_of(const struct channels *c, char format[12], uint32_t *n) {
	static const char *const plain[] = {"s", "u", "f"}, *const normal[] = {"unorm8", "unorm16", "snorm8", "snorm16"};
	for (*n = 0; *n < 4 && c->bits[*n]; ++*n)
		if (c->bits[*n] != c->bits[0]) return INVALID_CHANNELS;
	if (c->kind >= UNORM8 && c->kind < NORMALS_END) {
		static const uint32_t counts[] = {1, 2, 4};
		*n = counts[(c->kind - UNORM8) % 3];
		strcpy(format, normal[(c->kind - UNORM8) / 3]);
		return SUCCESS;
	}
	int bits = c->bits[0], ok = bits == 32 || bits == 16 || (bits == 8 && c->kind != FLOAT);
	if (c->kind < SIGNED || c->kind > FLOAT || !ok || *n == 0 || *n == 3) return INVALID_CHANNELS;
	strcpy(format, plain[c->kind]);
	strcat(format, bits == 32 ? "32" : bits == 16 ? "16" : "8");
	return SUCCESS;
}

// channels_of is format_of's opposite.
static struct channels channels_of(const char *format, uint32_t n) {
	struct channels c = {{0}, 0};
	const char *digits = strpbrk(format, "1238"); // of 8, 16, 32
	int bits = !digits ? 0 : *digits == '8' ? 8 : *digits == '1' ? 16 : 32;
	for (uint32_t i = 0; i < n && i < 4; i++) c.bits[i] = bits;
	int which = n == 4 ? 2 : (int)n - 1;
	if (!strncmp(format, "unorm", 5)) c.kind = (bits == 8 ? UNORM8 : UNORM16) + which;
	else if (!strncmp(format, "snorm", 5)) c.kind = (bits == 8 ? SNORM8 : SNORM16) + which;
	else c.kind = *format == 's' ? SIGNED : *format == 'u' ? UNSIGNED : FLOAT;
	return c;
}

PUBLIC struct channels cudaCreateChannelDesc(int x, int y, int z, int w, int kind);
PUBLIC struct channels cudaCreateChannelDesc(int x, int y, int z, int w, int kind) { return (struct channels){{x, y, z, w}, kind}; }

static error_t create(uint64_t *out, const struct channels *c, struct extent x, unsigned levels, unsigned flags) {
	struct pvm_array a = {.width = x.width, .height = x.height, .depth = x.depth, .flags = flags, .levels = levels};
	error_t e = engine();
	if (e == SUCCESS && (!out || !c)) e = INVALID_VALUE;
	if (e == SUCCESS) e = format_of(c, a.format, &a.channels);
	return done(e ? e : pvm_array_create(T.device, &a, out));
}

PUBLIC error_t cudaMallocArray(uint64_t *out, const struct channels *c, size_t width, size_t height, unsigned flags) {
	return create(out, c, (struct extent){width, height, 0}, 1, flags);
}

PUBLIC error_t cudaMalloc3DArray(uint64_t *out, const struct channels *c, struct extent x, unsigned flags) { return create(out, c, x, 1, flags); }

PUBLIC error_t cudaMallocMipmappedArray(uint64_t *out, const struct channels *c, struct extent x, unsigned levels, unsigned flags) {
	unsigned most = 1; // levels end at one sample
	for (size_t n = x.width > x.height ? x.width : x.height; n > 1; n /= 2) most++;
	return create(out, c, x, levels < 1 ? 1 : levels > most ? most : levels, flags);
}

PUBLIC error_t cudaFreeArray(uint64_t array) { CALL(pvm_array_destroy(array)); }
PUBLIC error_t cudaFreeMipmappedArray(uint64_t array) { CALL(pvm_array_destroy(array)); }
PUBLIC error_t cudaGetMipmappedArrayLevel(uint64_t *out, uint64_t array, unsigned level) { CALL(out ? pvm_array_level(array, level, out) : INVALID_VALUE); }

PUBLIC error_t cudaArrayGetInfo(struct channels *c, struct extent *x, unsigned *flags, uint64_t array) {
	struct pvm_array a;
	error_t e = engine();
	if (e == SUCCESS) e = pvm_array_info(array, &a);
	if (e != SUCCESS) return done(e);
	if (c) *c = channels_of(a.format, a.channels);
	if (x) *x = (struct extent){a.width, a.height, a.depth};
	if (flags) *flags = a.flags;
	return SUCCESS;
}

PUBLIC error_t cudaGetChannelDesc(struct channels *c, uint64_t array) { return c ? cudaArrayGetInfo(c, NULL, NULL, array) : done(INVALID_VALUE); }

// Copies between arrays and memory. Offsets are in bytes and rows.
struct end { uint64_t array; size_t x, y; void *ptr; size_t pitch; };

static error_t place(const struct end *end, size_t height, uint64_t *at, uint64_t *pitch, uint64_t *slice) {
	struct pvm_array a;
	if (!end->array) {
		*at = (uintptr_t)end->ptr, *pitch = end->pitch, *slice = end->pitch * height;
		return SUCCESS;
	}
	error_t e = pvm_array_info(end->array, &a);
	return e ? e : array_place(&a, end->x, end->y, 0, at, pitch, slice);
}

static error_t copy(struct end dst, struct end src, size_t width, size_t height, int kind, stream_t s, int call) {
	struct pvm_copy c = {.width = width, .height = height, .depth = 1};
	error_t e = engine();
	if (e == SUCCESS) e = place(&dst, height, &c.dst, &c.dst_pitch, &c.dst_slice);
	if (e == SUCCESS) e = place(&src, height, &c.src, &c.src_pitch, &c.src_slice);
	if (e == SUCCESS && ((!dst.array && width > dst.pitch) || (!src.array && width > src.pitch))) e = INVALID_PITCH;
	if (e == SUCCESS && dst.array) e = array_holds(dst.array, dst.x, dst.y, 0, &c);
	if (e == SUCCESS && src.array) e = array_holds(src.array, src.x, src.y, 0, &c);
	return done(e ? e : pvm_copy(T.device, stream_of(s), &c, kind, call));
}

static struct end memory(const void *p, size_t pitch) { return (struct end){.ptr = (void *)p, .pitch = pitch}; }
static struct end in_array(uint64_t array, size_t x, size_t y) { return (struct end){.array = array, .x = x, .y = y}; }

BOTH(cudaMemcpy2DToArray, _ptds, (uint64_t dst, size_t x, size_t y, const void *src, size_t pitch, size_t w, size_t h, int kind), (dst, x, y, src, pitch, w, h, kind)) {
	return copy(in_array(dst, x, y), memory(src, pitch), w, h, kind, 0, PVM_SYNC);
}

BOTH(cudaMemcpy2DFromArray, _ptds, (void *dst, size_t pitch, uint64_t src, size_t x, size_t y, size_t w, size_t h, int kind), (dst, pitch, src, x, y, w, h, kind)) {
	return copy(memory(dst, pitch), in_array(src, x, y), w, h, kind, 0, PVM_SYNC);
}

BOTH(cudaMemcpy2DArrayToArray, _ptds, (uint64_t dst, size_t dx, size_t dy, uint64_t src, size_t sx, size_t sy, size_t w, size_t h, int kind), (dst, dx, dy, src, sx, sy, w, h, kind)) {
	return copy(in_array(dst, dx, dy), in_array(src, sx, sy), w, h, kind, 0, PVM_SYNC);
}

BOTH(cudaMemcpy2DToArrayAsync, _ptsz, (uint64_t dst, size_t x, size_t y, const void *src, size_t pitch, size_t w, size_t h, int kind, stream_t s), (dst, x, y, src, pitch, w, h, kind, s)) {
	return copy(in_array(dst, x, y), memory(src, pitch), w, h, kind, s, PVM_ASYNC);
}

BOTH(cudaMemcpy2DFromArrayAsync, _ptsz, (void *dst, size_t pitch, uint64_t src, size_t x, size_t y, size_t w, size_t h, int kind, stream_t s), (dst, pitch, src, x, y, w, h, kind, s)) {
	return copy(memory(dst, pitch), in_array(src, x, y), w, h, kind, s, PVM_ASYNC);
}

// rows copies bytes that fill rows of an array from a place on: the first row's rest, whole rows, what is left.
static error_t rows(uint64_t array, size_t x, size_t y, char *p, size_t n, int kind, stream_t s, int to, int call) {
	struct pvm_array a;
	error_t e = engine();
	if (e == SUCCESS) e = pvm_array_info(array, &a);
	if (e != SUCCESS) return done(e);
	for (size_t row = a.width * a.element; n && e == SUCCESS; x = 0) {
		if (x >= row) return done(INVALID_VALUE);
		size_t w = x || n < row ? (n < row - x ? n : row - x) : row, h = w == row ? n / row : 1;
		struct end there = in_array(array, x, y), here = memory(p, w);
		e = to ? copy(there, here, w, h, kind, s, call) : copy(here, there, w, h, kind, s, call);
		p += w * h, n -= w * h, y += h;
	}
	return e;
}

BOTH(cudaMemcpyToArray, _ptds, (uint64_t dst, size_t x, size_t y, const void *src, size_t n, int kind), (dst, x, y, src, n, kind)) {
	return rows(dst, x, y, (char *)src, n, kind, 0, 1, PVM_SYNC);
}

BOTH(cudaMemcpyFromArray, _ptds, (void *dst, uint64_t src, size_t x, size_t y, size_t n, int kind), (dst, src, x, y, n, kind)) {
	return rows(src, x, y, dst, n, kind, 0, 0, PVM_SYNC);
}

BOTH(cudaMemcpyToArrayAsync, _ptsz, (uint64_t dst, size_t x, size_t y, const void *src, size_t n, int kind, stream_t s), (dst, x, y, src, n, kind, s)) {
	return rows(dst, x, y, (char *)src, n, kind, s, 1, PVM_ASYNC);
}

BOTH(cudaMemcpyFromArrayAsync, _ptsz, (void *dst, uint64_t src, size_t x, size_t y, size_t n, int kind, stream_t s), (dst, src, x, y, n, kind, s)) {
	return rows(src, x, y, dst, n, kind, s, 0, PVM_ASYNC);
}

// struct resource is cudaResourceDesc: what is read.
enum { RESOURCE_ARRAY, RESOURCE_MIPMAPPED, RESOURCE_LINEAR, RESOURCE_PITCHED };
struct resource {
	int32_t type, pad;
	union {
		uint64_t array;
		struct { uint64_t ptr; struct channels channels; size_t bytes; } linear;
		struct { uint64_t ptr; struct channels channels; size_t width, height, pitch; } pitched;
		int32_t reserved[32];
	} of;
	uint32_t flags;
};

// struct reading is cudaTextureDesc: how.
struct reading {
	uint32_t mode[3], linear, normalized_floats;
	int32_t srgb;
	float border[4];
	int32_t normalized;
	uint32_t anisotropy, mip_linear;
	float bias, least, most;
	int32_t no_trilinear, seamless;
};
_Static_assert(sizeof(struct resource) == 144 && sizeof(struct reading) == 72 && sizeof(struct channels) == 20, "layout");

static error_t what(const struct resource *r, struct pvm_texture *t) {
	switch (r->type) {
	case RESOURCE_ARRAY: case RESOURCE_MIPMAPPED:
		t->array = r->of.array;
		return t->array ? SUCCESS : INVALID_VALUE;
	case RESOURCE_LINEAR: {
		error_t e = format_of(&r->of.linear.channels, t->format, &t->channels);
		t->address = r->of.linear.ptr;
		if (e == SUCCESS) t->width = r->of.linear.bytes / (t->channels * (uint32_t)r->of.linear.channels.bits[0] / 8);
		return e;
	}
	case RESOURCE_PITCHED:
		t->address = r->of.pitched.ptr;
		t->width = r->of.pitched.width, t->height = r->of.pitched.height, t->pitch = r->of.pitched.pitch;
		return t->height ? format_of(&r->of.pitched.channels, t->format, &t->channels) : INVALID_VALUE;
	}
	return INVALID_VALUE;
}

PUBLIC error_t cudaCreateTextureObject(uint64_t *out, const struct resource *r, const struct reading *d, const struct view *view) {
	static int said;
	struct pvm_texture t = {0};
	error_t e = engine();
	if (e == SUCCESS && (!out || !r || !d)) e = INVALID_VALUE;
	if (e == SUCCESS) e = what(r, &t);
	if (e == SUCCESS && view) e = view_of(view, &t, "cudaCreateTextureObject with a view of compressed blocks", &said);
	if (e != SUCCESS) return done(e);
	memcpy(t.mode, d->mode, sizeof t.mode);
	memcpy(t.border, d->border, sizeof t.border);
	t.linear = d->linear, t.read_normalized = d->normalized_floats, t.srgb = d->srgb != 0, t.normalized = d->normalized != 0;
	t.mip_linear = d->mip_linear, t.bias = d->bias, t.least = d->least, t.most = d->most;
	t.anisotropy = d->anisotropy, t.seamless = d->seamless != 0;
	return done(pvm_texture_create(T.device, &t, out));
}

PUBLIC error_t cudaDestroyTextureObject(uint64_t object) { CALL(object ? pvm_texture_destroy(object) : SUCCESS); }

PUBLIC error_t cudaGetTextureObjectResourceDesc(struct resource *r, uint64_t object) {
	struct pvm_texture t;
	error_t e = engine();
	if (e == SUCCESS && !r) e = INVALID_VALUE;
	if (e == SUCCESS) e = pvm_texture_get(object, &t);
	if (e != SUCCESS) return done(e);
	memset(r, 0, sizeof *r);
	if (t.array) {
		struct pvm_array a;
		if (pvm_array_info(t.array, &a) == SUCCESS && a.levels > 1) r->type = RESOURCE_MIPMAPPED;
		r->of.array = t.array;
		return SUCCESS;
	}
	struct channels c = channels_of(t.format, t.channels);
	r->type = t.height ? RESOURCE_PITCHED : RESOURCE_LINEAR;
	r->of.pitched.ptr = t.address, r->of.pitched.channels = c;
	if (t.height) r->of.pitched.width = t.width, r->of.pitched.height = t.height, r->of.pitched.pitch = t.pitch;
	else r->of.linear.bytes = t.width * t.channels * (uint32_t)c.bits[0] / 8;
	return SUCCESS;
}

PUBLIC error_t cudaGetTextureObjectResourceViewDesc(struct view *v, uint64_t object) {
	struct pvm_texture t;
	error_t e = engine();
	if (e == SUCCESS) e = v ? pvm_texture_get(object, &t) : INVALID_VALUE;
	return done(e ? e : view_into(&t, v));
}

PUBLIC error_t cudaGetTextureObjectTextureDesc(struct reading *d, uint64_t object) {
	struct pvm_texture t;
	error_t e = engine();
	if (e == SUCCESS && !d) e = INVALID_VALUE;
	if (e == SUCCESS) e = pvm_texture_get(object, &t);
	if (e != SUCCESS) return done(e);
	memset(d, 0, sizeof *d);
	memcpy(d->mode, t.mode, sizeof t.mode);
	memcpy(d->border, t.border, sizeof t.border);
	d->linear = t.linear, d->normalized_floats = t.read_normalized, d->srgb = (int)t.srgb, d->normalized = (int)t.normalized;
	d->mip_linear = t.mip_linear, d->bias = t.bias, d->least = t.least, d->most = t.most;
	d->anisotropy = t.anisotropy, d->seamless = (int)t.seamless;
	return SUCCESS;
}

PUBLIC error_t cudaCreateSurfaceObject(uint64_t *out, const struct resource *r) {
	CALL(!out || !r || r->type != RESOURCE_ARRAY ? INVALID_VALUE : pvm_surface_create(r->of.array, out));
}

PUBLIC error_t cudaDestroySurfaceObject(uint64_t object) { CALL(object ? pvm_surface_destroy(object) : SUCCESS); }

PUBLIC error_t cudaGetSurfaceObjectResourceDesc(struct resource *r, uint64_t object) {
	uint64_t array;
	error_t e = engine();
	if (e == SUCCESS) e = r ? pvm_surface_get(object, &array) : INVALID_VALUE;
	if (e != SUCCESS) return done(e);
	memset(r, 0, sizeof *r);
	r->of.array = array;
	return SUCCESS;
}
