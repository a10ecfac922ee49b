// Words of memory that streams write and wait for.
#include "cu.h"

enum { WAIT_KINDS = 3, WAIT_FLUSH = 1 << 30, WRITE_FLAGS = 1 }; // of what other devices have written, there is nothing to flush

static error_t wait_for(stream_t s, address_t at, uint64_t value, int bits, unsigned flags) {
	struct pvm_value v = {(int32_t)(flags & WAIT_KINDS), bits, at, value};
	return flags & ~(unsigned)(WAIT_KINDS | WAIT_FLUSH) ? INVALID_VALUE : pvm_stream_values(T.device, stream_of(s), &v, 1);
}

static error_t write_to(stream_t s, address_t at, uint64_t value, int bits, unsigned flags) {
	struct pvm_value v = {PVM_WRITE, bits, at, value};
	return flags & ~(unsigned)WRITE_FLAGS ? INVALID_VALUE : pvm_stream_values(T.device, stream_of(s), &v, 1);
}

BOTH(cuStreamWaitValue32, _ptsz, (stream_t s, address_t at, uint32_t value, unsigned flags), (s, at, value, flags)) { WITH(wait_for(s, at, value, 32, flags)); }
BOTH(cuStreamWaitValue64, _ptsz, (stream_t s, address_t at, uint64_t value, unsigned flags), (s, at, value, flags)) { WITH(wait_for(s, at, value, 64, flags)); }
BOTH(cuStreamWriteValue32, _ptsz, (stream_t s, address_t at, uint32_t value, unsigned flags), (s, at, value, flags)) { WITH(write_to(s, at, value, 32, flags)); }
BOTH(cuStreamWriteValue64, _ptsz, (stream_t s, address_t at, uint64_t value, unsigned flags), (s, at, value, flags)) { WITH(write_to(s, at, value, 64, flags)); }
BOTH(cuStreamWaitValue32_v2, _ptsz, (stream_t s, address_t at, uint32_t value, unsigned flags), (s, at, value, flags)) { WITH(wait_for(s, at, value, 32, flags)); }
BOTH(cuStreamWaitValue64_v2, _ptsz, (stream_t s, address_t at, uint64_t value, unsigned flags), (s, at, value, flags)) { WITH(wait_for(s, at, value, 64, flags)); }
BOTH(cuStreamWriteValue32_v2, _ptsz, (stream_t s, address_t at, uint32_t value, unsigned flags), (s, at, value, flags)) { WITH(write_to(s, at, value, 32, flags)); }
BOTH(cuStreamWriteValue64_v2, _ptsz, (stream_t s, address_t at, uint64_t value, unsigned flags), (s, at, value, flags)) { WITH(write_to(s, at, value, 64, flags)); }

// struct operation is CUstreamBatchMemOpParams.
enum { OP_WAIT32 = 1, OP_WRITE32, OP_FLUSH, OP_WAIT64, OP_WRITE64, OP_BARRIER, MOST_OPERATIONS = 256 };
struct operation { int32_t kind; uint64_t address, value; uint32_t flags; uint64_t alias, reserved; };
_Static_assert(sizeof(struct operation) == 48, "layout");

// batch reads all operations before the first is done.
static error_t batch(stream_t s, unsigned count, const struct operation *list, unsigned flags) {
	static int said;
	struct pvm_value values[MOST_OPERATIONS];
	uint64_t n = 0;
	if (flags || count > MOST_OPERATIONS || (count && !list)) return INVALID_VALUE;
	for (unsigned i = 0; i < count; i++) {
		const struct operation *op = &list[i];
		int wide = op->kind == OP_WAIT64 || op->kind == OP_WRITE64, write = op->kind == OP_WRITE32 || op->kind == OP_WRITE64;
		uint64_t value = wide ? op->value : (uint32_t)op->value;
		switch (op->kind) {
		case OP_WAIT32: case OP_WAIT64: case OP_WRITE32: case OP_WRITE64:
			if (op->flags & ~(unsigned)(write ? WRITE_FLAGS : WAIT_KINDS | WAIT_FLUSH)) return INVALID_VALUE;
			values[n++] = (struct pvm_value){write ? PVM_WRITE : (int32_t)(op->flags & WAIT_KINDS), wide ? 64 : 32, op->address, value};
			break;
		case OP_FLUSH: case OP_BARRIER: break; // the order of the stream is one
		default: return unsupported("cuStreamBatchMemOp with an atomic reduction", &said);
		}
	}
	return pvm_stream_values(T.device, stream_of(s), values, n);
}

BOTH(cuStreamBatchMemOp, _ptsz, (stream_t s, unsigned count, const struct operation *list, unsigned flags), (s, count, list, flags)) { WITH(batch(s, count, list, flags)); }
BOTH(cuStreamBatchMemOp_v2, _ptsz, (stream_t s, unsigned count, const struct operation *list, unsigned flags), (s, count, list, flags)) { WITH(batch(s, count, list, flags)); }
