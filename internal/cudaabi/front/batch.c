// Several copies, or ranges of memory that programs give advice about, in one call, for both libraries.
#include "api.h"

#include <string.h>

// struct location is cudaMemLocation; struct copy_attributes is cudaMemcpyAttributes: when the source is read. Where memory is to be,
// and how the copy is made, are hints.
struct location { int32_t type, id; };
struct copy_attributes { int32_t order; struct location src, dst; uint32_t flags; };
enum { ORDER_STREAM = 1, ORDER_DURING_CALL, ORDER_ANY };
_Static_assert(sizeof(struct copy_attributes) == 24, "layout");

static error_t copy_as(uint64_t dst, uint64_t src, size_t n, const struct copy_attributes *a, stream_t s) {
	struct pvm_copy c = {dst, n, n, src, n, n, n, 1, 1};
	if (a && (a->order < ORDER_STREAM || a->order > ORDER_ANY)) return INVALID_VALUE;
	return pvm_copy(T.device, stream_of(s), &c, COPY_DEFAULT, a && a->order == ORDER_DURING_CALL ? PVM_DURING : PVM_ASYNC);
}

// copies makes copy i with the last attributes that begin at it or before. failed is the first that is refused.
static error_t copies(const uint64_t *dst, const uint64_t *src, const size_t *size, size_t n, const struct copy_attributes *a, const size_t *begin, size_t attributes,
	size_t *failed, stream_t s) {
	if (failed) *failed = SIZE_MAX; // none in particular
	if (!dst || !src || !size || !n || !a || !begin || !attributes || attributes > n || begin[0]) return INVALID_VALUE;
	for (size_t i = 1; i < attributes; i++)
		if (begin[i] <= begin[i - 1] || begin[i] >= n) return INVALID_VALUE;
	for (size_t i = 0, k = 0; i < n; i++) {
		if (k + 1 < attributes && begin[k + 1] == i) k++;
		error_t e = copy_as(dst[i], src[i], size[i], &a[k], s);
		if (e == SUCCESS) continue;
		if (failed) *failed = i;
		return e;
	}
	return SUCCESS;
}

SHARED2_BOTH(MemcpyBatchAsync, _ptsz, (const uint64_t *dst, const uint64_t *src, const size_t *size, size_t n, const struct copy_attributes *a, const size_t *begin, size_t attributes, stream_t s), (dst, src, size, n, a, begin, attributes, s)) {
	DO(copies(dst, src, size, n, a, begin, attributes, NULL, s));
}

// As it was before CUDA 13.
#ifdef DRIVER
BOTH(cuMemcpyBatchAsync, _ptsz, (const uint64_t *dst, const uint64_t *src, const size_t *size, size_t n, const struct copy_attributes *a, const size_t *begin, size_t attributes, size_t *failed, stream_t s), (dst, src, size, n, a, begin, attributes, failed, s)) {
	DO(copies(dst, src, size, n, a, begin, attributes, failed, s));
}
#else
BOTH(cudaMemcpyBatchAsync_v12, _ptsz, (const uint64_t *dst, const uint64_t *src, const size_t *size, size_t n, const struct copy_attributes *a, const size_t *begin, size_t attributes, size_t *failed, stream_t s), (dst, src, size, n, a, begin, attributes, failed, s)) {
	DO(copies(dst, src, size, n, a, begin, attributes, failed, s));
}
#endif

SHARED_BOTH(MemcpyWithAttributesAsync, _ptsz, (uint64_t dst, uint64_t src, size_t n, const struct copy_attributes *a, stream_t s), (dst, src, n, a, s)) {
	DO(a ? copy_as(dst, src, n, a, s) : INVALID_VALUE);
}

// managed says whether ranges are of managed memory. All memory is near, and what a program discards may keep its content.
static error_t managed(const uint64_t *p, const size_t *size, size_t n, uint64_t flags) {
	uint64_t start, room;
	int32_t kind;
	if (!p || !size || !n || flags) return INVALID_VALUE;
	for (size_t i = 0; i < n; i++) {
		error_t e = pvm_holding(p[i], &start, &room, NULL, &kind);
		if (e == SUCCESS && (kind != MEMORY_MANAGED || size[i] > start + room - p[i])) e = INVALID_VALUE;
		if (e != SUCCESS) return e;
	}
	return SUCCESS;
}

static error_t prefetches(const uint64_t *p, const size_t *size, size_t n, const struct location *to, const size_t *begin, size_t locations, uint64_t flags) {
	return !to || !begin || !locations || locations > n || begin[0] ? INVALID_VALUE : managed(p, size, n, flags);
}

SHARED_BOTH(MemPrefetchBatchAsync, _ptsz, (const uint64_t *p, const size_t *size, size_t n, const struct location *to, const size_t *begin, size_t locations, unsigned long long flags, stream_t s), (p, size, n, to, begin, locations, flags, s)) {
	(void)s;
	DO(prefetches(p, size, n, to, begin, locations, flags));
}

SHARED_BOTH(MemDiscardAndPrefetchBatchAsync, _ptsz, (const uint64_t *p, const size_t *size, size_t n, const struct location *to, const size_t *begin, size_t locations, unsigned long long flags, stream_t s), (p, size, n, to, begin, locations, flags, s)) {
	(void)s;
	DO(prefetches(p, size, n, to, begin, locations, flags));
}

SHARED_BOTH(MemDiscardBatchAsync, _ptsz, (const uint64_t *p, const size_t *size, size_t n, unsigned long long flags, stream_t s), (p, size, n, flags, s)) {
	(void)s;
	DO(managed(p, size, n, flags));
}

// Who reaches managed memory by it: everybody does, whatever is said, but it must be said of such memory, all of it (0: the same).
enum { ATTACH_GLOBAL = 1, ATTACH_HOST = 2, ATTACH_SINGLE = 4 };

static error_t attach(stream_t s, uint64_t p, size_t n, unsigned how) {
	uint64_t start, size;
	int32_t kind;
	if (how != ATTACH_GLOBAL && how != ATTACH_HOST && how != ATTACH_SINGLE) return INVALID_VALUE;
	error_t e = stream_ok(stream_of(s));
	if (e == SUCCESS) e = pvm_holding(p, &start, &size, NULL, &kind);
	return e ? e : kind != MEMORY_MANAGED || p != start || (n && n != size) ? INVALID_VALUE : SUCCESS;
}

SHARED_BOTH(StreamAttachMemAsync, _ptsz, (stream_t s, uint64_t p, size_t n, unsigned how), (s, p, n, how)) { DO(attach(s, p, n, how)); }

// Advice is taken and has no effect, so a range has none: no preference, read by no device alone.
enum { RANGE_READ_MOSTLY = 1, RANGE_PREFERRED, RANGE_ACCESSED_BY, RANGE_LAST_PREFETCH, RANGES_END = 9 };

static error_t range(int32_t *out, size_t size, int attribute, uint64_t p, size_t n) {
	if (!out || size < 4 || attribute < RANGE_READ_MOSTLY || attribute >= RANGES_END) return INVALID_VALUE;
	error_t e = managed(&p, &n, 1, 0);
	if (e != SUCCESS) return e;
	for (size_t i = 0; i + 4 <= size; i += 4) out[i / 4] = attribute == RANGE_READ_MOSTLY ? 0 : -2; // none
	return SUCCESS;
}

static error_t ranges(int32_t *const *out, const size_t *size, const int *attribute, size_t attributes, uint64_t p, size_t n) {
	if (!out || !size || !attribute || !attributes) return INVALID_VALUE;
	error_t e = SUCCESS;
	for (size_t i = 0; i < attributes && e == SUCCESS; i++) e = range(out[i], size[i], attribute[i], p, n);
	return e;
}

SHARED(MemRangeGetAttribute)(void *out, size_t size, int attribute, uint64_t p, size_t n) { DO(range(out, size, attribute, p, n)); }
SHARED(MemRangeGetAttributes)(int32_t *const *out, const size_t *size, const int *attribute, size_t attributes, uint64_t p, size_t n) { DO(ranges(out, size, attribute, attributes, p, n)); }

// How the host function is waited for is a hint.
SHARED_BOTH(LaunchHostFunc_v2, _ptsz, (stream_t s, void *fn, void *data, unsigned how), (s, fn, data, how)) {
	DO(!fn || how > 1 ? INVALID_VALUE : pvm_host_function(T.device, stream_of(s), (uintptr_t)fn, (uintptr_t)data));
}
