// Attributes of streams, for both libraries: hints, which are read back from the stream's own place in a table, and the priority.
#include "api.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { STREAM_ATTRIBUTES = 11, VALUE = 64 };
enum { ACCESS_WINDOW = 1, WAITING = 3, PRIORITY = 8, DOMAIN_MAP = 9, DOMAIN = 10 };
enum { WAITING_AUTO = 1, WAITING_BLOCKS = 4 };
static pthread_mutex_t hints_lock = PTHREAD_MUTEX_INITIALIZER;
static struct hints { stream_t stream; uint8_t values[STREAM_ATTRIBUTES][VALUE]; struct hints *next; } *all_hints;

static struct hints *hints_of(stream_t s) {
	struct hints *h = all_hints;
	while (h && h->stream != s) h = h->next;
	if (!h && (h = calloc(1, sizeof *h))) {
		h->stream = s, h->next = all_hints, all_hints = h;
		h->values[WAITING][0] = WAITING_AUTO;
		h->values[DOMAIN_MAP][1] = 1; // of remote work; that of the rest is 0
	}
	return h;
}

void forget_hints(stream_t s) {
	pthread_mutex_lock(&hints_lock);
	for (struct hints **at = &all_hints; *at; at = &(*at)->next) {
		if ((*at)->stream != s) continue;
		struct hints *h = *at;
		*at = h->next;
		free(h);
		break;
	}
	pthread_mutex_unlock(&hints_lock);
}

// struct window is CUaccessPolicyWindow.
struct window { uint64_t base; size_t bytes; float hits; int32_t hit, miss; };

// hint_ok tells whether a value is one of an attribute.
static int hint_ok(int id, const void *value) {
	const struct window *w = value;
	const uint8_t *bytes = value;
	int32_t number;
	memcpy(&number, value, sizeof number);
	switch (id) {
	case ACCESS_WINDOW: return w->hits >= 0 && w->hits <= 1 && w->hit >= 0 && w->hit <= 2 && (w->miss == 0 || w->miss == 1); // misses do not persist
	case WAITING: return number >= WAITING_AUTO && number <= WAITING_BLOCKS;
	case DOMAIN_MAP: return bytes[0] < 4 && bytes[1] < 4;
	case DOMAIN: return number == 0 || number == 1;
	}
	return 1;
}

static int is_stream_attribute(int id) { return id == ACCESS_WINDOW || id == WAITING || (id >= PRIORITY && id <= DOMAIN); }

static error_t priority(stream_t s, int32_t now, void *value, int set) {
	if (!set) return memset(value, 0, VALUE), memcpy(value, &now, sizeof now), SUCCESS;
	memcpy(&now, value, sizeof now);
	return pvm_stream_priority(s, now > 0 ? 0 : now < -5 ? -5 : now);
}

static error_t hint(stream_t s, int id, void *value, int set) {
	int32_t device, now;
	uint32_t flags;
	if (!value || !is_stream_attribute(id) || (set && !hint_ok(id, value))) return INVALID_VALUE;
	s = stream_of(s);
	error_t e = s > STREAM_LEGACY ? pvm_stream_info(s, &device, &flags, &now) : SUCCESS;
	if (e != SUCCESS) return e;
	if (id == PRIORITY && s > STREAM_LEGACY) return priority(s, now, value, set);
	pthread_mutex_lock(&hints_lock);
	struct hints *h = hints_of(s);
	if (h) set ? memcpy(h->values[id], value, VALUE) : memcpy(value, h->values[id], VALUE);
	pthread_mutex_unlock(&hints_lock);
	return h ? SUCCESS : OUT_OF_MEMORY;
}

static error_t copy_hints(stream_t to, stream_t from) {
	uint8_t value[VALUE];
	error_t e = SUCCESS;
	for (int i = 0; i < STREAM_ATTRIBUTES && e == SUCCESS; i++)
		if (is_stream_attribute(i) && (e = hint(from, i, value, 0)) == SUCCESS) e = hint(to, i, value, 1);
	return e;
}

SHARED_BOTH(StreamSetAttribute, _ptsz, (stream_t s, int id, void *value), (s, id, value)) { DO(hint(s, id, value, 1)); }
SHARED_BOTH(StreamGetAttribute, _ptsz, (stream_t s, int id, void *value), (s, id, value)) { DO(hint(s, id, value, 0)); }
SHARED_BOTH(StreamCopyAttributes, _ptsz, (stream_t to, stream_t from), (to, from)) { DO(copy_hints(to, from)); }
