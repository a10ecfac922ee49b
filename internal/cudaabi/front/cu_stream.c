// Streams and events of the driver API.
#include "cu.h"

#include <pthread.h>
#include <stdlib.h>

// Streams that were made in a context other than their device's primary one.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct place { stream_t stream; struct context *in; struct place *next; } *places;

// placed finds a stream's place in the list; the lock is held.
static struct place **placed(stream_t s) {
	struct place **at = &places;
	while (*at && (*at)->stream != s) at = &(*at)->next;
	return at;
}

static error_t note_context(stream_t s, struct context *in) {
	if (in->primary) return SUCCESS;
	struct place *p = malloc(sizeof *p);
	if (!p) return OUT_OF_MEMORY;
	pthread_mutex_lock(&lock);
	*p = (struct place){s, in, places};
	places = p;
	pthread_mutex_unlock(&lock);
	return SUCCESS;
}

static void forget_context(stream_t s) {
	pthread_mutex_lock(&lock);
	struct place **at = placed(s), *p = *at;
	if (p) *at = p->next;
	pthread_mutex_unlock(&lock);
	free(p);
}

static error_t make(stream_t *out, unsigned flags, int priority) {
	if (!out) return INVALID_VALUE;
	error_t e = pvm_stream_create(T.device, flags, priority > 0 ? 0 : priority < -5 ? -5 : priority, out);
	return e ? e : note_context(*out, context_of(NULL));
}

static error_t create(stream_t *out, unsigned flags, int priority) { WITH(make(out, flags, priority)); }

PUBLIC error_t cuStreamCreate(stream_t *out, unsigned flags) { return create(out, flags, 0); }
PUBLIC error_t cuStreamCreateWithPriority(stream_t *out, unsigned flags, int priority) { return create(out, flags, priority); }
PUBLIC error_t cuStreamDestroy_v2(stream_t s) {
	if (s > STREAM_PER_THREAD) forget_hints(s), forget_context(s);
	WITH(s <= STREAM_PER_THREAD ? INVALID_HANDLE : pvm_stream_destroy(s));
}

BOTH(cuStreamSynchronize, _ptsz, (stream_t s), (s)) { WITH(pvm_stream_synchronize(T.device, stream_of(s))); }
BOTH(cuStreamQuery, _ptsz, (stream_t s), (s)) { WITH(pvm_stream_query(T.device, stream_of(s))); }

BOTH(cuStreamWaitEvent, _ptsz, (stream_t s, event_t e, unsigned flags), (s, e, flags)) {
	WITH(flags > 1 ? INVALID_VALUE : pvm_stream_wait(T.device, stream_of(s), e, flags));
}

// info tells what a stream was made with; the default stream with nothing.
static error_t info(stream_t s, int *device, unsigned *flags, int *priority) {
	s = stream_of(s);
	if (s > STREAM_LEGACY) return pvm_stream_info(s, device, flags, priority);
	*device = T.device, *flags = 0, *priority = 0;
	return SUCCESS;
}

BOTH(cuStreamGetFlags, _ptsz, (stream_t s, unsigned *out), (s, out)) {
	int device, priority;
	WITH(out ? info(s, &device, out, &priority) : INVALID_VALUE);
}

BOTH(cuStreamGetPriority, _ptsz, (stream_t s, int *out), (s, out)) {
	int device;
	unsigned flags;
	WITH(out ? info(s, &device, &flags, out) : INVALID_VALUE);
}

BOTH(cuStreamGetDevice, _ptsz, (stream_t s, int *out), (s, out)) {
	int priority;
	unsigned flags;
	WITH(out ? info(s, out, &flags, &priority) : INVALID_VALUE);
}

BOTH(cuStreamGetId, _ptsz, (stream_t s, unsigned long long *out), (s, out)) { WITH(out ? (*out = stream_id(s), SUCCESS) : INVALID_VALUE); }

// made_in is the context that a stream was made in; those of the runtime are in the primary one.
static struct context *made_in(stream_t s, int device) {
	pthread_mutex_lock(&lock);
	struct place *p = *placed(s);
	struct context *in = p ? p->in : primary_of(device);
	pthread_mutex_unlock(&lock);
	return in;
}

BOTH(cuStreamGetCtx, _ptsz, (stream_t s, struct context **out), (s, out)) {
	int device, priority;
	unsigned flags;
	if (!out) return INVALID_VALUE;
	error_t e = current();
	if (e == SUCCESS) e = info(s, &device, &flags, &priority);
	if (e == SUCCESS) *out = s <= STREAM_PER_THREAD ? context_of(NULL) : made_in(s, device);
	return e;
}

BOTH(cuStreamGetCtx_v2, _ptsz, (stream_t s, struct context **out, void **green), (s, out, green)) {
	if (green) *green = NULL;
	return cuStreamGetCtx(s, out);
}

// A callback of the old kind: the stream and an error code come first.
struct callback { void (*fn)(stream_t, error_t, void *); stream_t stream; void *data; };

static void call_back(void *p) {
	struct callback c = *(struct callback *)p;
	free(p);
	c.fn(c.stream, pvm_sticky(), c.data);
}

BOTH(cuStreamAddCallback, _ptsz, (stream_t s, void (*fn)(stream_t, error_t, void *), void *data, unsigned flags), (s, fn, data, flags)) {
	error_t e = current();
	if (e == SUCCESS && (flags || !fn)) e = INVALID_VALUE;
	if (e != SUCCESS) return e;
	struct callback *c = malloc(sizeof *c);
	if (!c) return OUT_OF_MEMORY;
	*c = (struct callback){fn, s, data};
	e = pvm_host_function(T.device, stream_of(s), (uintptr_t)call_back, (uintptr_t)c);
	if (e != SUCCESS) free(c);
	return e;
}

PUBLIC error_t cuEventCreate(event_t *out, unsigned flags) { WITH(out ? pvm_event_create(T.device, flags, out) : INVALID_VALUE); }
PUBLIC error_t cuEventDestroy_v2(event_t e) { WITH(pvm_event_destroy(e)); }
PUBLIC error_t cuEventQuery(event_t e) { WITH(pvm_event_query(e)); }
PUBLIC error_t cuEventSynchronize(event_t e) { WITH(pvm_event_synchronize(e)); }

BOTH(cuEventRecord, _ptsz, (event_t e, stream_t s), (e, s)) { WITH(pvm_event_record(T.device, e, stream_of(s), 0)); }

BOTH(cuEventRecordWithFlags, _ptsz, (event_t e, stream_t s, unsigned flags), (e, s, flags)) {
	WITH(flags > 1 ? INVALID_VALUE : pvm_event_record(T.device, e, stream_of(s), flags));
}

PUBLIC error_t cuEventElapsedTime_v2(float *ms, event_t from, event_t to) { WITH(ms ? pvm_event_elapsed(from, to, ms) : INVALID_VALUE); }
PUBLIC error_t cuEventElapsedTime(float *ms, event_t from, event_t to) { return cuEventElapsedTime_v2(ms, from, to); }
