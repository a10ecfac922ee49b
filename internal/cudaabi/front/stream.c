// Streams and events of the Runtime API.
#include "cudart.h"

#include <stdlib.h>

static error_t create(stream_t *out, unsigned flags, int priority) {
	if (!out) return done(INVALID_VALUE);
	CALL(pvm_stream_create(T.device, flags, priority > 0 ? 0 : priority < -5 ? -5 : priority, out));
}

PUBLIC error_t cudaStreamCreate(stream_t *out) { return create(out, 0, 0); }
PUBLIC error_t cudaStreamCreateWithFlags(stream_t *out, unsigned flags) { return create(out, flags, 0); }
PUBLIC error_t cudaStreamCreateWithPriority(stream_t *out, unsigned flags, int priority) { return create(out, flags, priority); }

PUBLIC error_t cudaStreamDestroy(stream_t stream) {
	if (stream <= STREAM_PER_THREAD) return done(400);
	forget_hints(stream);
	CALL(pvm_stream_destroy(stream));
}

BOTH(cudaStreamSynchronize, _ptsz, (stream_t stream), (stream)) { CALL(pvm_stream_synchronize(T.device, stream_of(stream))); }
BOTH(cudaStreamQuery, _ptsz, (stream_t stream), (stream)) { CALL(pvm_stream_query(T.device, stream_of(stream))); }

BOTH(cudaStreamWaitEvent, _ptsz, (stream_t stream, event_t event, unsigned flags), (stream, event, flags)) {
	if (flags > 1) return done(INVALID_VALUE);
	CALL(pvm_stream_wait(T.device, stream_of(stream), event, flags));
}

// info tells what a stream was made with; the default stream with nothing.
static error_t info(stream_t stream, int *device, unsigned *flags, int *priority) {
	error_t e = engine();
	if (e != SUCCESS) return done(e);
	stream = stream_of(stream);
	if (stream <= STREAM_LEGACY) {
		*device = T.device, *flags = 0, *priority = 0;
		return SUCCESS;
	}
	return done(pvm_stream_info(stream, device, flags, priority));
}

BOTH(cudaStreamGetFlags, _ptsz, (stream_t stream, unsigned *out), (stream, out)) {
	int device, priority;
	return out ? info(stream, &device, out, &priority) : done(INVALID_VALUE);
}

BOTH(cudaStreamGetPriority, _ptsz, (stream_t stream, int *out), (stream, out)) {
	int device;
	unsigned flags;
	return out ? info(stream, &device, &flags, out) : done(INVALID_VALUE);
}

BOTH(cudaStreamGetDevice, _ptsz, (stream_t stream, int *out), (stream, out)) {
	int priority;
	unsigned flags;
	return out ? info(stream, out, &flags, &priority) : done(INVALID_VALUE);
}

BOTH(cudaStreamGetId, _ptsz, (stream_t stream, unsigned long long *out), (stream, out)) {
	return out ? (*out = stream_id(stream), SUCCESS) : done(INVALID_VALUE);
}

// A callback of the old kind: the stream and an error code come first.
struct callback { void (*fn)(stream_t, error_t, void *); stream_t stream; void *data; };

static void call_back(void *p) {
	struct callback c = *(struct callback *)p;
	free(p);
	c.fn(c.stream, pvm_sticky(), c.data);
}

BOTH(cudaStreamAddCallback, _ptsz, (stream_t stream, void (*fn)(stream_t, error_t, void *), void *data, unsigned flags), (stream, fn, data, flags)) {
	error_t e = engine();
	if (e == SUCCESS && (flags || !fn)) e = INVALID_VALUE;
	if (e != SUCCESS) return done(e);
	struct callback *c = malloc(sizeof *c);
	if (!c) return done(OUT_OF_MEMORY);
	*c = (struct callback){fn, stream, data};
	return done(pvm_host_function(T.device, stream_of(stream), (uintptr_t)call_back, (uintptr_t)c));
}

PUBLIC error_t cudaEventCreateWithFlags(event_t *out, unsigned flags) {
	if (!out) return done(INVALID_VALUE);
	CALL(pvm_event_create(T.device, flags, out));
}

PUBLIC error_t cudaEventCreate(event_t *out) { return cudaEventCreateWithFlags(out, 0); }
PUBLIC error_t cudaEventDestroy(event_t event) { CALL(pvm_event_destroy(event)); }
PUBLIC error_t cudaEventQuery(event_t event) { CALL(pvm_event_query(event)); }
PUBLIC error_t cudaEventSynchronize(event_t event) { CALL(pvm_event_synchronize(event)); }

BOTH(cudaEventRecord, _ptsz, (event_t event, stream_t stream), (event, stream)) { CALL(pvm_event_record(T.device, event, stream_of(stream), 0)); }

BOTH(cudaEventRecordWithFlags, _ptsz, (event_t event, stream_t stream, unsigned flags), (event, stream, flags)) {
	CALL(flags > 1 ? INVALID_VALUE : pvm_event_record(T.device, event, stream_of(stream), flags));
}

PUBLIC error_t cudaEventElapsedTime(float *ms, event_t from, event_t to) { CALL(pvm_event_elapsed(from, to, ms)); }
