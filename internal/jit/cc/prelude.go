package cc

// This file has what each function of C begins with: types, the state of compiled code by the offsets that package machine
// has, and the protocol of batches (machine/nativebatch.go).

import (
	"fmt"
	"strings"
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/machine/abi"
)

var state abi.State

// offsets are the fields of the state, by their names in C.
var offsets = []struct {
	name string
	off  uintptr
}{
	{"GLOBAL", unsafe.Offsetof(state.GlobalHost)}, {"PARAMS", unsafe.Offsetof(state.Params)}, {"BOUNDS", unsafe.Offsetof(state.Bounds)},
	{"MASK", unsafe.Offsetof(state.Mask)}, {"STEPS", unsafe.Offsetof(state.Steps)}, {"OPS", unsafe.Offsetof(state.Ops)},
	{"EXITED", unsafe.Offsetof(state.Exited)}, {"LOOPED", unsafe.Offsetof(state.Looped)}, {"PLACED", unsafe.Offsetof(state.N)},
	{"POLL", unsafe.Offsetof(state.PollFuel)}, {"PLACES", unsafe.Offsetof(state.Places)}, {"MISSED", unsafe.Offsetof(state.Missed)},
	{"SHARED", unsafe.Offsetof(state.Shared)}, {"SHAREDBYTES", unsafe.Offsetof(state.SharedBytes)},
	{"FORCED", unsafe.Offsetof(state.Save)},
	{"WARPS", batch(unsafe.Offsetof(state.Batch.Warps))}, {"WARP", batch(unsafe.Offsetof(state.Batch.Warp))},
	{"BUDGET", batch(unsafe.Offsetof(state.Batch.Budget))}, {"REST", batch(unsafe.Offsetof(state.Batch.Rest))},
	{"BEGAN", batch(unsafe.Offsetof(state.Batch.Began))}, {"CURRENT", batch(unsafe.Offsetof(state.Batch.Current))},
	{"ALIVE", batch(unsafe.Offsetof(state.Batch.Alive))}, {"WAITING", batch(unsafe.Offsetof(state.Batch.Waiting))},
	{"BARRIER", batch(unsafe.Offsetof(state.Batch.Barrier))}, {"LATER", batch(unsafe.Offsetof(state.Batch.Later))},
	{"PASSED", batch(unsafe.Offsetof(state.Batch.Passed))}, {"PASSLIMIT", batch(unsafe.Offsetof(state.Batch.PassLimit))},
	{"MOVED", batch(unsafe.Offsetof(state.Batch.Moved))}, {"CTAS", batch(unsafe.Offsetof(state.Batch.CTAs))},
	{"DONE", batch(unsafe.Offsetof(state.Batch.Done))}, {"ALLWARPS", batch(unsafe.Offsetof(state.Batch.All))},
	{"TURN", batch(unsafe.Offsetof(state.Batch.Turn))}, {"SLICE", batch(unsafe.Offsetof(state.Batch.Slice))},
	{"PLACE", batch(unsafe.Offsetof(state.Batch.Place))}, {"GRID", batch(unsafe.Offsetof(state.Batch.Grid))},
	{"SMS", batch(unsafe.Offsetof(state.Batch.SMs))},
	{"WREGS", unsafe.Offsetof(abi.Warp{}.Regs)}, {"WAT", unsafe.Offsetof(abi.Warp{}.At)},
	{"WPC", unsafe.Offsetof(abi.Warp{}.PC)}, {"WFUEL", unsafe.Offsetof(abi.Warp{}.Fuel)}, {"WMASK", unsafe.Offsetof(abi.Warp{}.Mask)},
	{"WLANES", unsafe.Offsetof(abi.Warp{}.Lanes)}, {"WSIZE", unsafe.Sizeof(abi.Warp{})},
	{"BSTART", unsafe.Offsetof(abi.Bounds{}.Start)}, {"BEND", unsafe.Offsetof(abi.Bounds{}.End)},
	{"BWRITE", unsafe.Offsetof(abi.Bounds{}.WriteEnd)}, {"BSIZE", unsafe.Sizeof(abi.Bounds{})},
	{"PSIZE", unsafe.Sizeof(abi.Place{})}, {"PMASK", unsafe.Offsetof(abi.Place{}.Mask)},
	{"PFUEL", unsafe.Offsetof(abi.Place{}.Fuel)}, {"PFLAGS", unsafe.Offsetof(abi.Place{}.Flags)},
}

func batch(off uintptr) uintptr { return unsafe.Offsetof(state.Batch) + off }

// prelude is the text in front of each function; waits says that warps wait at barriers.
func prelude(waits bool) string {
	var b strings.Builder
	for _, o := range offsets {
		fmt.Fprintf(&b, "#define %s %d\n", o.name, o.off)
	}
	fmt.Fprintf(&b, "#define BEGINCTA %d\n#define AGAIN %d\n#define OUT %d\n#define FUELOUT %d\n#define BEHIND %d\n", abi.ByCTA, abi.ByStart, abi.ByOut, abi.FuelOut, abi.ByBarrier)
	warps := protocol
	if waits {
		warps = passes
	}
	return b.String() + types + places + warps + lanewise + gathers
}

// types are vectors of 32 bytes: w8 and x4 of integers, f8 and d4 of floats. The others are of narrow elements, unaligned.
const types = `
typedef unsigned char u8; typedef unsigned short u16; typedef unsigned u32; typedef unsigned long long u64;
typedef signed char s8; typedef short s16; typedef int s32; typedef long long s64;
typedef s32 w8 __attribute__((vector_size(32))); typedef u32 uw8 __attribute__((vector_size(32)));
typedef s64 x4 __attribute__((vector_size(32))); typedef u64 ux4 __attribute__((vector_size(32)));
typedef float f8 __attribute__((vector_size(32))); typedef double d4 __attribute__((vector_size(32)));
typedef short h16 __attribute__((vector_size(32))); typedef char c32 __attribute__((vector_size(32))); typedef char c16 __attribute__((vector_size(16))); typedef c16 c16m __attribute__((aligned(1), may_alias));
typedef float f4 __attribute__((vector_size(16))); typedef short h8 __attribute__((vector_size(16))); typedef u16 uh8 __attribute__((vector_size(16)));
typedef s32 w4 __attribute__((vector_size(16))); typedef u32 uw4 __attribute__((vector_size(16)));
typedef w8 w8m __attribute__((aligned(1), may_alias)); typedef x4 x4m __attribute__((aligned(1), may_alias));
typedef u8 b8m __attribute__((vector_size(8), aligned(1), may_alias)); typedef s8 sb8m __attribute__((vector_size(8), aligned(1), may_alias));
typedef u16 h8m __attribute__((vector_size(16), aligned(1), may_alias)); typedef s16 sh8m __attribute__((vector_size(16), aligned(1), may_alias));
typedef u8 u8m __attribute__((may_alias)); typedef u16 u16m __attribute__((aligned(1), may_alias));
typedef u32 u32m __attribute__((aligned(1), may_alias)); typedef u64 u64m __attribute__((aligned(1), may_alias));
#define inline static inline __attribute__((always_inline))
#ifdef __clang__
#define apart static __attribute__((noinline, cold))
#else
#define apart static __attribute__((noinline, cold, no_caller_saved_registers, target("general-regs-only"))) // the caller's vectors stay in registers
#endif
#define rare(c) __builtin_expect(!!(c), 0)
#define U32(o) (*(u32m *)(s + (o)))
#define U64(o) (*(u64m *)(s + (o)))
#define splat(k) ((w8){k, k, k, k, k, k, k, k})
#define splatx(k) ((x4){k, k, k, k})
inline w8 wu(u32 k) { return (w8){k, k, k, k, k, k, k, k}; }
inline x4 xu(u64 k) { return (x4){k, k, k, k}; }
inline w8 pickw(w8 m, w8 a, w8 b) { return (w8)__builtin_ia32_pblendvb256((c32)b, (c32)a, (c32)m); }
inline x4 pickx(x4 m, x4 a, x4 b) { return (x4)__builtin_ia32_pblendvb256((c32)b, (c32)a, (c32)m); }
inline u32 bits(w8 m) { // clang would make five instructions of it
	u32 r;
	__asm__("vmovmskps %1, %0" : "=r"(r) : "x"(m));
	return r;
}
inline c32 packed(w8 a, w8 b, w8 c, w8 d) { return (c32)__builtin_ia32_packsswb256((h16)__builtin_ia32_packssdw256(a, b), (h16)__builtin_ia32_packssdw256(c, d)); }
inline u32 bits32(w8 a, w8 b, w8 c, w8 d) {
	return __builtin_ia32_pmovmskb256((c32)__builtin_ia32_permvarsi256((w8)packed(a, b, c, d), (w8){0, 4, 1, 5, 2, 6, 3, 7}));
}
inline u32 count32(w8 a, w8 b, w8 c, w8 d) { return __builtin_popcount(__builtin_ia32_pmovmskb256(packed(a, b, c, d))); }
inline w8 lanes8(u32 m) { return (wu(m) & (w8){1, 2, 4, 8, 16, 32, 64, 128}) != 0; }
inline w4 low(w8 a) { return __builtin_shufflevector(a, a, 0, 1, 2, 3); }
inline w4 high(w8 a) { return __builtin_shufflevector(a, a, 4, 5, 6, 7); }
inline x4 sextw(w4 a) { return __builtin_convertvector(a, x4); }
inline x4 zextw(w4 a) { return (x4)__builtin_convertvector((uw4)a, ux4); }
inline x4 f2d(w4 a) { return (x4)__builtin_convertvector((f4)a, d4); }
inline x4 i2d(w4 a) { return (x4)__builtin_convertvector(a, d4); }
inline w4 d2f(x4 a) { return (w4)__builtin_convertvector((d4)a, f4); }
inline w4 d2i(x4 a) { return __builtin_ia32_cvttpd2dq256((d4)a); }
inline w8 joined(w4 a, w4 b) { return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7); }
inline w8 even(x4 a, x4 b) { return __builtin_shufflevector((w8)a, (w8)b, 0, 2, 4, 6, 8, 10, 12, 14); }
inline w8 halves(w8 a, w8 b) { return (w8)__builtin_ia32_permdi256((x4)__builtin_ia32_packusdw256(a & 0xffff, b & 0xffff), 0xd8); }
inline w8 bytes(w8 a, w8 b, w8 c, w8 d) {
	return __builtin_ia32_permvarsi256((w8)__builtin_ia32_packuswb256(__builtin_ia32_packusdw256(a & 255, b & 255), __builtin_ia32_packusdw256(c & 255, d & 255)), (w8){0, 4, 1, 5, 2, 6, 3, 7});
}
inline c32 both(c16 a, c16 b) {
	return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);
}
typedef u32 u32a __attribute__((may_alias)); typedef u64 u64a __attribute__((may_alias));
inline u64 addf64(u64 a, u64 b) { union { u64 u; double d; } x = {a}, y = {b}; y.d += x.d; return y.u; }
inline u32 addf32(u32 a, u32 b) { union { u32 u; float f; } x = {a}, y = {b}; x.f += y.f; return x.f != x.f ? 0x7fffffff : x.u; }
inline u32 flat(u32 a) { return a & 0x7f800000 ? a : a & 0x80000000; }
inline w8 canon(w8 a) { return pickw((w8)((f8)a != (f8)a), splat(0x7fffffff), a); }
inline u32 shlw(u32 a, u32 n) { return n < 32 ? a << n : 0; }
inline u32 shrw(u32 a, u32 n) { return n < 32 ? a >> n : 0; }
inline u32 sarw(u32 a, u32 n) { return (s32)a >> (n < 32 ? n : 31); }
inline u64 shlx(u64 a, u64 n) { return n < 64 ? a << n : 0; }
inline u64 shrx(u64 a, u64 n) { return n < 64 ? a >> n : 0; }
inline u64 sarx(u64 a, u64 n) { return (s64)a >> (n < 64 ? n : 63); }
inline w8 shlw8(w8 a, w8 n) { return (w8)((uw8)n < 32) & (w8)((uw8)a << (uw8)(n & 31)); }
inline w8 shrw8(w8 a, w8 n) { return (w8)((uw8)n < 32) & (w8)((uw8)a >> (uw8)(n & 31)); }
inline w8 sarw8(w8 a, w8 n) { return a >> pickw((w8)((uw8)n < 32), n, splat(31)); }
inline x4 shlx4(x4 a, x4 n) { return (x4)((ux4)n < 64) & (x4)((ux4)a << (ux4)(n & 63)); }
inline x4 shrx4(x4 a, x4 n) { return (x4)((ux4)n < 64) & (x4)((ux4)a >> (ux4)(n & 63)); }
inline x4 sarx4(x4 a, x4 n) { return a >> pickx((x4)((ux4)n < 64), n, splatx(63)); }
inline w8 mulhiu8(w8 a, w8 b) {
	ux4 e = (ux4)__builtin_ia32_pmuludq256(a, b), o = (ux4)__builtin_ia32_pmuludq256((w8)((ux4)a >> 32), (w8)((ux4)b >> 32));
	return (w8)(e >> 32 | (o & 0xffffffff00000000));
}
inline w8 mulhis8(w8 a, w8 b) {
	ux4 e = (ux4)__builtin_ia32_pmuldq256(a, b), o = (ux4)__builtin_ia32_pmuldq256((w8)((ux4)a >> 32), (w8)((ux4)b >> 32));
	return (w8)(e >> 32 | (o & 0xffffffff00000000));
}
inline uw8 counts(w8 a) { // of bytes
	uw8 v = (uw8)a;
	v -= v >> 1 & 0x55555555;
	v = (v & 0x33333333) + (v >> 2 & 0x33333333);
	return (v + (v >> 4)) & 0x0f0f0f0f;
}
inline w8 popcw8(w8 a) { return (w8)(counts(a) * 0x01010101 >> 24); }
inline x4 popcx4(x4 a) { return (x4)((ux4)counts((w8)a) * 0x0101010101010101 >> 56); }
inline w8 h2f8(w8 a) { return (w8)__builtin_ia32_vcvtph2ps256(__builtin_convertvector(a, h8)); }
#define f2h8(a, how) (w8)__builtin_convertvector((uh8)__builtin_ia32_vcvtps2ph256((f8)(a), how), uw8)
#define FIRST(name, what) /* a compiler would exchange the operands, of which the first NaN counts */ \
inline x4 name(x4 a, x4 b) { \
	d4 r; \
	__asm__(what " %2, %1, %0" : "=x"(r) : "x"(a), "xm"(b)); \
	return (x4)r; }
FIRST(addd4, "vaddpd") FIRST(muld4, "vmulpd")
#define EACH(name, vector, type, n, e) \
inline vector name(vector a, vector b) { \
	vector r; \
	for (int i = 0; i < n; i++) { type x = a[i], y = b[i]; r[i] = y ? e : -1; } \
	return r; }
EACH(divuw8, w8, u32, 8, x / y) EACH(remuw8, w8, u32, 8, x % y)
EACH(divux4, x4, u64, 4, (x | y) >> 32 ? x / y : (u32)x / (u32)y) EACH(remux4, x4, u64, 4, (x | y) >> 32 ? x % y : (u32)x % (u32)y)
inline w8 u2f8(w8 a) { return (w8)__builtin_convertvector((uw8)a, f8); }
`

// places are what a CTA and a warp leave behind: the next CTA's place, where lanes stand, and what tests of addresses compute.
const places = `
inline void nextcta(char *s, u64 steps) {
	for (u64 at = U64(SHARED), end = at + U64(SHAREDBYTES); at < end; at += 64) ((x4m *)at)[0] = ((x4m *)at)[1] = (x4){0}; // a multiple of 64 bytes is the CTA's own
	U32(DONE)++;
	U64(BEGAN) = steps;
	U32(PASSED) = 1;
	U32(PASSLIMIT) = U32(SLICE);
	if (++U64(PLACE + 24) >= U64(SMS)) U64(PLACE + 24) = 0;
	if (++U64(PLACE) >= U64(GRID)) {
		U64(PLACE) = 0;
		if (++U64(PLACE + 8) >= U64(GRID + 8)) {
			U64(PLACE + 8) = 0;
			U64(PLACE + 16)++;
		}
	}
}
apart void place(char *s, u32 pc, u32 mask, u32 fuel, u32 flags) {
	if (!mask) return;
	u64 p = PLACES + PSIZE * U32(PLACED)++;
	U32(p) = pc;
	U32(p + PMASK) = mask;
	U32(p + PFUEL) = fuel;
	U32(p + PFLAGS) = flags;
	U32(EXITED) &= ~mask;
}
inline u64 fits(u64 size, u64 n) { return size >= n ? size - n + 1 : 0; }
inline u64 size(u64 b, u64 end) { return *(u64m *)(b + end) > *(u64m *)(b + BSTART) ? *(u64m *)(b + end) - *(u64m *)(b + BSTART) : 0; }
`

// protocol goes from warp to warp and from CTA to CTA. What it keeps of the batch is in variables (struct batch) and is written
// back when the code returns; what follows from the warps that are still to run is found only then. Of a CTA that the code itself has begun,
// all warps are as the last CTA has left them.
const protocol = `
struct batch { u32 later, begun, alive, all, moved, own, ctas, w, runs; u64 warps, budget, rest; };
inline struct batch enter(char *s, u64 how) {
	struct batch b = {U32(LATER), U32(LATER), U32(ALIVE), U32(ALLWARPS), U32(MOVED), 0, U32(CTAS), 0, 0, U64(WARPS), U64(BUDGET), U64(REST)};
	if (how == BEGINCTA) b.later = b.begun = b.alive = b.all, b.moved = 0, b.own = 1;
	return b;
}
inline u32 ended(struct batch *b) { return b->begun & ~b->later & ~(b->runs << b->w); }
inline void leavebatch(char *s, struct batch *b) {
	U32(LATER) = b->later; U32(ALIVE) = b->alive & ~ended(b); U32(CURRENT) = b->runs << b->w; U32(MOVED) = b->moved | (ended(b) != 0);
	U32(CTAS) = b->ctas; U64(WARP) = b->warps + WSIZE * b->w;
}
inline u32 pick(char *s, struct batch *b, u64 steps, u32 *w, u32 *fuel) {
	b->runs = 0;
	if (rare(!b->later) || rare(steps > b->budget)) return 0;
	*w = b->w = __builtin_ctz(b->later);
	*fuel = U32(TURN);
	if (rare(!b->own)) {
		u64 warp = b->warps + WSIZE * b->w;
		if (*(u64m *)(warp + WAT) == OUT) return 0;
		*fuel = *(u32m *)(warp + WFUEL);
	}
	b->runs = 1;
	b->later &= b->later - 1;
	return 1;
}
inline u32 endwarp(char *s, struct batch *b, u64 steps, u32 *w, u32 *fuel) {
	if (rare(!b->own)) {
		u64 warp = b->warps + WSIZE * b->w;
		*(u64m *)(warp + WAT) = AGAIN;
		*(u32m *)(warp + WFUEL) = U32(TURN);
		*(u32m *)(warp + WMASK) = *(u32m *)(warp + WLANES);
	}
	return pick(s, b, steps, w, fuel);
}
inline u32 endcta(char *s, struct batch *b, u64 steps, u32 *w, u32 *fuel) {
	if (rare(b->later | b->alive & ~ended(b))) return 0;
	if (steps > b->rest || !b->ctas) return 0;
	b->ctas--;
	nextcta(s, steps);
	b->later = b->begun = b->alive = b->all, b->moved = 0, b->own = 1;
	return pick(s, b, steps, w, fuel);
}
`

// passes is protocol where warps wait at barriers. In each pass the warps that can run have their turn, in ascending order, until they
// wait or end; who is the last to come to a barrier goes on, and those behind it in this pass. Each warp says itself where it goes on.
const passes = `
struct batch { u32 later, alive, waiting, all, moved, ctas, w, runs; u64 warps, budget, rest; };
inline struct batch enter(char *s, u64 how) {
	struct batch b = {U32(LATER), U32(ALIVE), U32(WAITING), U32(ALLWARPS), U32(MOVED), U32(CTAS), 0, 0, U64(WARPS), U64(BUDGET), U64(REST)};
	if (how == BEGINCTA) b.later = b.alive = b.all, b.waiting = b.moved = 0;
	return b;
}
inline void leavebatch(char *s, struct batch *b) {
	U32(LATER) = b->later; U32(ALIVE) = b->alive; U32(WAITING) = b->waiting; U32(CURRENT) = b->runs << b->w; U32(MOVED) = b->moved;
	U32(CTAS) = b->ctas; U64(WARP) = b->warps + WSIZE * b->w;
}
inline u32 turn(char *s, struct batch *b, u64 steps, u32 *w, u32 *fuel, u32 *entry) {
	b->runs = 0;
	if (!b->later) {
		u32 run = b->alive & ~b->waiting;
		if (!run || U32(PASSED) >= U32(PASSLIMIT) || !b->moved) return 0;
		U32(PASSED)++;
		b->later = run;
		b->moved = 0;
	}
	if (rare(steps > b->budget)) return 0;
	*w = b->w = __builtin_ctz(b->later);
	u64 warp = b->warps + WSIZE * b->w, at = *(u64m *)(warp + WAT);
	if (rare(at == OUT)) return 0;
	*fuel = *(u32m *)(warp + WFUEL);
	*entry = at >= BEHIND ? at - BEHIND : 0;
	b->runs = 1;
	b->later &= b->later - 1;
	return 1;
}
inline void release(struct batch *b) { b->later |= b->waiting & -2u << b->w; b->waiting = 0; }
inline u32 pick(char *s, struct batch *b, u64 steps, u32 *w, u32 *fuel, u32 *entry) { return b->later ? turn(s, b, steps, w, fuel, entry) : 0; }
inline u32 endwarp(char *s, struct batch *b, u64 steps, u32 *w, u32 *fuel, u32 *entry) {
	u64 warp = b->warps + WSIZE * b->w;
	*(u64m *)(warp + WAT) = AGAIN;
	*(u32m *)(warp + WFUEL) = U32(TURN);
	*(u32m *)(warp + WMASK) = *(u32m *)(warp + WLANES);
	b->alive &= ~(1u << b->w);
	b->moved = 1;
	if (b->waiting && b->waiting == b->alive) release(b);
	return turn(s, b, steps, w, fuel, entry);
}
inline u32 elsewhere(char *s, struct batch *b, u32 id) { return b->waiting && U32(BARRIER) != id; }
inline u32 barrier(char *s, struct batch *b, u32 id, u32 pc, u32 fuel, u32 entry) {
	U32(BARRIER) = id;
	if ((b->waiting | 1u << b->w) == b->alive) {
		release(b);
		return 1;
	}
	u64 warp = b->warps + WSIZE * b->w;
	*(u64m *)(warp + WAT) = BEHIND + entry;
	*(u32m *)(warp + WPC) = pc;
	*(u32m *)(warp + WFUEL) = fuel;
	b->waiting |= 1u << b->w;
	b->moved = 1;
	return 0;
}
inline u32 endcta(char *s, struct batch *b, u64 steps, u32 *w, u32 *fuel, u32 *entry) {
	if (b->later | b->alive || steps > b->rest || !b->ctas) return 0;
	b->ctas--;
	nextcta(s, steps);
	b->later = b->alive = b->all, b->waiting = b->moved = 0;
	return turn(s, b, steps, w, fuel, entry);
}
`

// lanewise are accesses lane by lane, in ascending order: all are tested before the first is made. Those of all lanes have loops of
// their own.
const lanewise = `
apart u32 outside(const u64 *a, u32 m, u64 start, u64 fit, u64 align) {
	u64 bad = 0;
	if (m == -1u) {
		for (u32 i = 0; i < 32; i++) bad |= (a[i] - start >= fit) | (a[i] & align);
		return bad != 0;
	}
	for (; m; m &= m - 1) {
		u64 at = a[__builtin_ctz(m)];
		bad |= (at - start >= fit) | (at & align);
	}
	return bad != 0;
}
#define CLEAR(t) for (u32 i = 0; i < sizeof t / 32; i++) ((x4m *)t)[i] = (x4){0}; // an initializer would be a call of memset
#define LANES(name, type, elem) \
apart void load##name(u32 *to, const u64 *a, u32 m, u64 g) { \
	if (m == -1u) { for (u32 i = 0; i < 32; i++) to[i] = (u32)(elem)*(type *)(a[i] + g); return; } \
	for (; m; m &= m - 1) { u32 i = __builtin_ctz(m); to[i] = (u32)(elem)*(type *)(a[i] + g); } } \
apart void loadx##name(u64 *to, const u64 *a, u32 m, u64 g) { \
	for (; m; m &= m - 1) { u32 i = __builtin_ctz(m); to[i] = (u64)(elem)*(type *)(a[i] + g); } } \
apart void every##name(const u32 *from, u64 at, s64 step) { \
	for (u32 i = 0; i < 32; i++, at += step) *(type *)at = from[i]; } \
apart void store##name(const u32 *from, const u64 *a, u32 m, u64 g) { \
	for (; m; m &= m - 1) { u32 i = __builtin_ctz(m); *(type *)(a[i] + g) = from[i]; } } \
apart void storex##name(const u64 *from, const u64 *a, u32 m, u64 g) { \
	for (; m; m &= m - 1) { u32 i = __builtin_ctz(m); *(type *)(a[i] + g) = from[i]; } }
LANES(u1, u8m, u8) LANES(u2, u16m, u16) LANES(u4, u32m, u32) LANES(u8, u64m, u64)
LANES(s1, u8m, s8) LANES(s2, u16m, s16) LANES(s4, u32m, s32)
`
