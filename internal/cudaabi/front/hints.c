// Attributes of streams, for both libraries: hints. What is set is read back from the stream's own place in a table.
#include "api.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { STREAM_ATTRIBUTES = 18, VALUE = 64 };
static pthread_mutex_t hints_lock = PTHREAD_MUTEX_INITIALIZER;
static struct hints { stream_t stream; uint8_t values[STREAM_ATTRIBUTES][VALUE]; struct hints *next; } *all_hints;

static struct hints *hints_of(stream_t s) {
	struct hints *h = all_hints;
	while (h && h->stream != s) h = h->next;
	if (!h && (h = calloc(1, sizeof *h))) h->stream = s, h->next = all_hints, all_hints = h;
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

static error_t hint(stream_t s, int id, void *value, int set) {
	int32_t device, priority;
	uint32_t flags;
	if (!value || id < 0 || id >= STREAM_ATTRIBUTES) return INVALID_VALUE;
	s = stream_of(s);
	error_t e = s > STREAM_LEGACY ? pvm_stream_info(s, &device, &flags, &priority) : SUCCESS;
	if (e != SUCCESS) return e;
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
		if ((e = hint(from, i, value, 0)) == SUCCESS) e = hint(to, i, value, 1);
	return e;
}

SHARED_BOTH(StreamSetAttribute, _ptsz, (stream_t s, int id, void *value), (s, id, value)) { DO(hint(s, id, value, 1)); }
SHARED_BOTH(StreamGetAttribute, _ptsz, (stream_t s, int id, void *value), (s, id, value)) { DO(hint(s, id, value, 0)); }
SHARED_BOTH(StreamCopyAttributes, _ptsz, (stream_t to, stream_t from), (to, from)) { DO(copy_hints(to, from)); }
