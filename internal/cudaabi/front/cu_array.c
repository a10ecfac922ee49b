// Arrays, texture and surface objects, and tensor maps of the driver API.
#include "cu.h"

#include <string.h>

// The formats of channels by CUarray_format.
static const struct { uint32_t number; const char *name; uint32_t channels; } formats[] = { // channels 0: as the description says
	{0x01, "u8", 0}, {0x02, "u16", 0}, {0x03, "u32", 0}, {0x08, "s8", 0}, {0x09, "s16", 0}, {0x0a, "s32", 0}, {0x10, "f16", 0}, {0x20, "f32", 0},
	{0xc0, "unorm8", 1}, {0xc1, "unorm8", 2}, {0xc2, "unorm8", 4}, {0xc3, "unorm16", 1}, {0xc4, "unorm16", 2}, {0xc5, "unorm16", 4},
	{0xc6, "snorm8", 1}, {0xc7, "snorm8", 2}, {0xc8, "snorm8", 4}, {0xc9, "snorm16", 1}, {0xca, "snorm16", 2}, {0xcb, "snorm16", 4},
};
enum { FORMATS = sizeof formats / sizeof *formats };

static error_t format_of(uint32_t number, uint32_t n, char format[12], uint32_t *channels) {
	for (int i = 0; i < FORMATS; i++) {
		if (formats[i].number != number) continue;
		*channels = formats[i].channels ? formats[i].channels : n;
		strcpy(format, formats[i].name);
		return *channels == 1 || *channels == 2 || *channels == 4 ? SUCCESS : INVALID_VALUE;
	}
	return INVALID_VALUE;
}

static uint32_t number_of(const char *format, uint32_t channels) {
	for (int i = 0; i < FORMATS; i++)
		if (!strcmp(formats[i].name, format) && (!formats[i].channels || formats[i].channels == channels)) return formats[i].number;
	return 0;
}

struct array2 { size_t width, height; uint32_t format, channels; };
struct array3 { size_t width, height, depth; uint32_t format, channels, flags; };

static error_t create(uint64_t *out, const struct array3 *d, unsigned levels) {
	if (!out || !d) return INVALID_VALUE;
	struct pvm_array a = {.width = d->width, .height = d->height, .depth = d->depth, .flags = d->flags, .levels = levels};
	error_t e = format_of(d->format, d->channels, a.format, &a.channels);
	return e ? e : pvm_array_create(T.device, &a, out);
}

static error_t describe(struct array3 *d, uint64_t array) {
	struct pvm_array a;
	if (!d) return INVALID_VALUE;
	error_t e = pvm_array_info(array, &a);
	if (e == SUCCESS) *d = (struct array3){a.width, a.height, a.depth, number_of(a.format, a.channels), a.channels, a.flags};
	return e;
}

static error_t describe2(struct array2 *d, uint64_t array) {
	struct array3 all;
	if (!d) return INVALID_VALUE;
	error_t e = describe(&all, array);
	if (e == SUCCESS) *d = (struct array2){all.width, all.height, all.format, all.channels};
	return e;
}

PUBLIC error_t cuArray3DCreate_v2(uint64_t *out, const struct array3 *d) { WITH(create(out, d, 1)); }
PUBLIC error_t cuArrayCreate_v2(uint64_t *out, const struct array2 *d) {
	WITH(d ? create(out, &(struct array3){d->width, d->height, 0, d->format, d->channels, 0}, 1) : INVALID_VALUE);
}
PUBLIC error_t cuArrayDestroy(uint64_t array) { WITH(array ? pvm_array_destroy(array) : INVALID_HANDLE); }
PUBLIC error_t cuArray3DGetDescriptor_v2(struct array3 *d, uint64_t array) { WITH(describe(d, array)); }
PUBLIC error_t cuArrayGetDescriptor_v2(struct array2 *d, uint64_t array) { WITH(describe2(d, array)); }
PUBLIC error_t cuMipmappedArrayCreate(uint64_t *out, const struct array3 *d, unsigned levels) { WITH(levels ? create(out, d, levels) : INVALID_VALUE); }
PUBLIC error_t cuMipmappedArrayDestroy(uint64_t array) { WITH(array ? pvm_array_destroy(array) : INVALID_HANDLE); }
PUBLIC error_t cuMipmappedArrayGetLevel(uint64_t *out, uint64_t array, unsigned level) { WITH(out ? pvm_array_level(array, level, out) : INVALID_VALUE); }

// Copies of bytes that begin at an offset of a line.
static error_t line(uint64_t array, size_t offset, uint64_t memory, size_t n, int to, int kind, stream_t s, int call) {
	struct pvm_array a;
	error_t e = pvm_array_info(array, &a);
	if (e != SUCCESS) return e;
	struct pvm_copy c = {.width = n, .height = 1, .depth = 1};
	*(to ? &c.dst : &c.src) = a.address + offset;
	*(to ? &c.src : &c.dst) = memory;
	e = array_holds(array, offset, 0, 0, &c);
	return e ? e : pvm_copy(T.device, stream_of(s), &c, kind, call);
}

BOTH(cuMemcpyHtoA_v2, _ptds, (uint64_t a, size_t at, uint64_t src, size_t n), (a, at, src, n)) { WITH(line(a, at, src, n, 1, HOST_TO_DEVICE, 0, PVM_SYNC)); }
BOTH(cuMemcpyAtoH_v2, _ptds, (uint64_t dst, uint64_t a, size_t at, size_t n), (dst, a, at, n)) { WITH(line(a, at, dst, n, 0, DEVICE_TO_HOST, 0, PVM_SYNC)); }
BOTH(cuMemcpyDtoA_v2, _ptds, (uint64_t a, size_t at, uint64_t src, size_t n), (a, at, src, n)) { WITH(line(a, at, src, n, 1, DEVICE_TO_DEVICE, 0, PVM_SYNC)); }
BOTH(cuMemcpyAtoD_v2, _ptds, (uint64_t dst, uint64_t a, size_t at, size_t n), (dst, a, at, n)) { WITH(line(a, at, dst, n, 0, DEVICE_TO_DEVICE, 0, PVM_SYNC)); }
BOTH(cuMemcpyHtoAAsync_v2, _ptsz, (uint64_t a, size_t at, uint64_t src, size_t n, stream_t s), (a, at, src, n, s)) { WITH(line(a, at, src, n, 1, HOST_TO_DEVICE, s, PVM_ASYNC)); }
BOTH(cuMemcpyAtoHAsync_v2, _ptsz, (uint64_t dst, uint64_t a, size_t at, size_t n, stream_t s), (dst, a, at, n, s)) { WITH(line(a, at, dst, n, 0, DEVICE_TO_HOST, s, PVM_ASYNC)); }

// struct resource is CUDA_RESOURCE_DESC, struct reading CUDA_TEXTURE_DESC.
enum { RESOURCE_ARRAY, RESOURCE_MIPMAPPED, RESOURCE_LINEAR, RESOURCE_PITCHED };
struct resource {
	int32_t type, pad;
	union {
		uint64_t array;
		struct { uint64_t ptr; uint32_t format, channels; size_t bytes; } linear;
		struct { uint64_t ptr; uint32_t format, channels; size_t width, height, pitch; } pitched;
		int32_t reserved[32];
	} of;
	uint32_t flags;
};
struct reading { uint32_t mode[3], linear, flags, anisotropy, mip_linear; float bias, least, most, border[4]; int32_t reserved[12]; };
enum { READ_AS_INTEGER = 1, NORMALIZED = 2, SRGB = 16, SEAMLESS = 64 };
_Static_assert(sizeof(struct resource) == 144 && sizeof(struct reading) == 104, "layout");

static uint32_t channel_bytes(const char *format) { return strstr(format, "32") ? 4 : strstr(format, "16") ? 2 : 1; }

static error_t what(const struct resource *r, struct pvm_texture *t) {
	error_t e = INVALID_VALUE;
	switch (r->type) {
	case RESOURCE_ARRAY: case RESOURCE_MIPMAPPED:
		t->array = r->of.array;
		return t->array ? SUCCESS : INVALID_VALUE;
	case RESOURCE_LINEAR:
		e = format_of(r->of.linear.format, r->of.linear.channels, t->format, &t->channels);
		t->address = r->of.linear.ptr;
		if (e == SUCCESS) t->width = r->of.linear.bytes / (t->channels * channel_bytes(t->format));
		return e;
	case RESOURCE_PITCHED:
		t->address = r->of.pitched.ptr;
		t->width = r->of.pitched.width, t->height = r->of.pitched.height, t->pitch = r->of.pitched.pitch;
		return t->height ? format_of(r->of.pitched.format, r->of.pitched.channels, t->format, &t->channels) : INVALID_VALUE;
	}
	return e;
}

// integers tells whether a texture's channels are integers that may be read as floats from 0 to 1.
static error_t integers(const struct pvm_texture *t, int *are) {
	struct pvm_array a;
	const char *format = *t->view_format ? t->view_format : t->format;
	if (t->array && format == t->format) {
		error_t e = pvm_array_info(t->array, &a);
		if (e != SUCCESS) return e;
		format = a.format;
	}
	*are = (*format == 'u' || *format == 's') && strlen(format) <= 3 && channel_bytes(format) < 4;
	return SUCCESS;
}

static error_t make(uint64_t *out, const struct resource *r, const struct reading *d, const struct view *view) {
	static int said;
	struct pvm_texture t = {0};
	int ints;
	if (!out || !r || !d) return INVALID_VALUE;
	error_t e = what(r, &t);
	if (e == SUCCESS && view) e = view_of(view, &t, "cuTexObjectCreate with a view of compressed blocks", &said);
	if (e == SUCCESS) e = integers(&t, &ints);
	if (e != SUCCESS) return e;
	memcpy(t.mode, d->mode, sizeof t.mode);
	memcpy(t.border, d->border, sizeof t.border);
	t.linear = d->linear, t.mip_linear = d->mip_linear, t.bias = d->bias, t.least = d->least, t.most = d->most;
	t.read_normalized = ints && !(d->flags & READ_AS_INTEGER);
	t.normalized = (d->flags & NORMALIZED) != 0, t.srgb = (d->flags & SRGB) != 0;
	t.anisotropy = d->anisotropy, t.seamless = (d->flags & SEAMLESS) != 0;
	return pvm_texture_create(T.device, &t, out);
}

PUBLIC error_t cuTexObjectCreate(uint64_t *out, const struct resource *r, const struct reading *d, const struct view *view) { WITH(make(out, r, d, view)); }
PUBLIC error_t cuTexObjectDestroy(uint64_t object) { WITH(pvm_texture_destroy(object)); }

// asked describes a texture object.
static error_t asked(uint64_t object, struct resource *r, struct reading *d, struct view *v) {
	struct pvm_texture t;
	struct pvm_array a;
	int ints;
	if (!r && !d && !v) return INVALID_VALUE;
	error_t e = pvm_texture_get(object, &t);
	if (e == SUCCESS) e = integers(&t, &ints);
	if (e != SUCCESS) return e;
	if (v) return view_into(&t, v);
	if (d) {
		*d = (struct reading){.linear = t.linear, .anisotropy = t.anisotropy, .mip_linear = t.mip_linear, .bias = t.bias, .least = t.least, .most = t.most};
		d->flags = (ints && !t.read_normalized ? READ_AS_INTEGER : 0u) | (t.normalized ? NORMALIZED : 0u) | (t.srgb ? SRGB : 0u) | (t.seamless ? SEAMLESS : 0u);
		memcpy(d->mode, t.mode, sizeof t.mode);
		memcpy(d->border, t.border, sizeof t.border);
		return SUCCESS;
	}
	memset(r, 0, sizeof *r);
	if (t.array) {
		r->type = pvm_array_info(t.array, &a) == SUCCESS && a.levels > 1 ? RESOURCE_MIPMAPPED : RESOURCE_ARRAY;
		r->of.array = t.array;
		return SUCCESS;
	}
	r->type = t.height ? RESOURCE_PITCHED : RESOURCE_LINEAR;
	r->of.pitched.ptr = t.address, r->of.pitched.format = number_of(t.format, t.channels), r->of.pitched.channels = t.channels;
	if (t.height) r->of.pitched.width = t.width, r->of.pitched.height = t.height, r->of.pitched.pitch = t.pitch;
	else r->of.linear.bytes = t.width * t.channels * channel_bytes(t.format);
	return SUCCESS;
}

PUBLIC error_t cuTexObjectGetResourceDesc(struct resource *r, uint64_t object) { WITH(asked(object, r, NULL, NULL)); }
PUBLIC error_t cuTexObjectGetTextureDesc(struct reading *d, uint64_t object) { WITH(asked(object, NULL, d, NULL)); }
PUBLIC error_t cuTexObjectGetResourceViewDesc(struct view *v, uint64_t object) { WITH(asked(object, NULL, NULL, v)); }

PUBLIC error_t cuSurfObjectCreate(uint64_t *out, const struct resource *r) {
	WITH(!out || !r || r->type != RESOURCE_ARRAY ? INVALID_VALUE : pvm_surface_create(r->of.array, out));
}
PUBLIC error_t cuSurfObjectDestroy(uint64_t object) { WITH(pvm_surface_destroy(object)); }

static error_t surface(struct resource *r, uint64_t object) {
	uint64_t array;
	error_t e = r ? pvm_surface_get(object, &array) : INVALID_VALUE;
	if (e != SUCCESS) return e;
	memset(r, 0, sizeof *r);
	r->of.array = array;
	return SUCCESS;
}

PUBLIC error_t cuSurfObjectGetResourceDesc(struct resource *r, uint64_t object) { WITH(surface(r, object)); }

// Tensor maps need no context.
enum { MAX_RANK = 5 };

// encode_map fills in what every kind of map has, and makes it.
static error_t encode_map(void *map, struct pvm_tensor_map *t, const uint64_t *dims, const uint64_t *strides, const uint32_t *steps, int interleave, int promotion) {
	error_t e = engine();
	if (e != SUCCESS) return e;
	if (!map || ((uintptr_t)map & 63) || t->rank < 1 || t->rank > MAX_RANK || !dims || !steps || (t->rank > 1 && !strides)) return INVALID_VALUE;
	if (promotion < 0 || promotion > 3 || interleave < 0 || interleave > 2) return INVALID_VALUE;
	t->interleave = (uint32_t)interleave;
	memcpy(t->dims, dims, t->rank * sizeof *dims);
	if (t->rank > 1) memcpy(t->strides, strides, (t->rank - 1) * sizeof *strides);
	memcpy(t->steps, steps, t->rank * sizeof *steps);
	return pvm_tensor_map(t, map);
}

PUBLIC error_t cuTensorMapEncodeTiled(void *map, uint32_t type, uint32_t rank, uint64_t address, const uint64_t *dims, const uint64_t *strides, const uint32_t *box,
	const uint32_t *steps, int interleave, uint32_t swizzle, int promotion, int nans) {
	struct pvm_tensor_map t = {.address = address, .type = type, .rank = rank, .swizzle = swizzle, .nans = nans != 0};
	if (!box) return INVALID_VALUE;
	if (rank <= MAX_RANK) memcpy(t.box, box, rank * sizeof *box);
	return encode_map(map, &t, dims, strides, steps, interleave, promotion);
}

PUBLIC error_t cuTensorMapEncodeIm2col(void *map, uint32_t type, uint32_t rank, uint64_t address, const uint64_t *dims, const uint64_t *strides, const int *lower,
	const int *upper, uint32_t channels, uint32_t pixels, const uint32_t *steps, int interleave, uint32_t swizzle, int promotion, int nans) {
	struct pvm_tensor_map t = {.address = address, .type = type, .rank = rank, .swizzle = swizzle, .nans = nans != 0, .mode = 1, .channels = channels, .pixels = pixels};
	if (!lower || !upper || rank < 3 || rank > MAX_RANK) return INVALID_VALUE;
	memcpy(t.lower, lower, (rank - 2) * sizeof *lower);
	memcpy(t.upper, upper, (rank - 2) * sizeof *upper);
	return encode_map(map, &t, dims, strides, steps, interleave, promotion);
}

PUBLIC error_t cuTensorMapEncodeIm2colWide(void *map, uint32_t type, uint32_t rank, uint64_t address, const uint64_t *dims, const uint64_t *strides, int lower,
	int upper, uint32_t channels, uint32_t pixels, const uint32_t *steps, int interleave, int mode, uint32_t swizzle, int promotion, int nans) {
	struct pvm_tensor_map t = {.address = address, .type = type, .rank = rank, .swizzle = swizzle, .nans = nans != 0, .mode = 2 + (mode != 0),
		.lower = {lower}, .upper = {upper}, .channels = channels, .pixels = pixels};
	if (rank < 3 || mode < 0 || mode > 1) return INVALID_VALUE;
	return encode_map(map, &t, dims, strides, steps, interleave, promotion);
}

PUBLIC error_t cuTensorMapReplaceAddress(void *map, uint64_t address) {
	error_t e = engine();
	return e ? e : !map || ((uintptr_t)map & 63) ? INVALID_VALUE : pvm_tensor_map_at(map, address);
}
