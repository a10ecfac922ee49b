package lower

import (
	"fmt"
	"strings"
	"testing"
)

// TestConstantsBeside: constants of another kind than the elements of their vector are valid beside
// untyped registers, as for ptxas, and refused by name; those of the elements' kind are executed.
func TestConstantsBeside(t *testing.T) {
	const text = ".version 9.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 p) { .reg .b64 a; .reg .b32 r; .reg .b16 h; .reg .b64 d; .reg .f32 f; ld.param.u64 a, [p]; %s; ret; }\n"
	for stmt, refused := range map[string]string{
		"st.v2.f32 [a], {1, r}":                  ".f32",
		"st.v2.f32 [a], {WARP_SZ, r}":            ".f32",
		"st.v2.f32 [a], {1.0, r}":                "",
		"st.v2.f32 [a], {0f3F800000, f}":         "",
		"st.v2.s32 [a], {1.0, r}":                ".s32",
		"st.v2.s32 [a], {WARP_SZ, r}":            "",
		"st.v2.b32 [a], {0d3FF0000000000000, r}": ".b32",
		"st.v2.b32 [a], {0f3F800000, r}":         "",
		"st.v2.f64 [a], {1, d}":                  ".f64",
		"st.v2.b64 [a], {1.0, d}":                "",
		"st.v2.b64 [a], {0f3F800000, d}":         ".b64",
		"st.v2.b16 [a], {1.0, h}":                ".b16",
		"st.v2.b16 [a], {7, h}":                  "",
		"multimem.st.v2.f16 [a], {7, h}":         ".f16",
	} {
		if refused != "" {
			refused = "another kind"
		}
		wantRefusal(t, text, stmt, refused)
	}
}

// TestOddElements: what ptxas takes in vectors and as addresses beyond the manual is valid, and refused by
// name where it would mean nothing; special registers among what is read are executed.
func TestOddElements(t *testing.T) {
	const text = ".version 9.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 p) { .reg .b64 a; .reg .b32 r; .reg .pred q; .reg .f16x2 x; .reg .b16 h; .reg .b128 w; .reg .f64 d; .const .b32 c[4]; .shared .b8 s[64]; ld.param.u64 a, [p]; %s; ret; }\n"
	for stmt, refused := range map[string]string{
		"ld.global.v2.u32 {r, %laneid}, [a]":               "read-only",
		"ld.global.v2.u32 {q, r}, [a]":                     "one bit",
		"and.pred x, q, q":                                 "packed register",
		"or.pred q, x, q":                                  "packed register",
		"mov.pred q, x":                                    "packed register",
		"and.b32 r, x, x":                                  "",
		"mov.b64 {r, %clock}, a":                           "read-only",
		"ld.shared.u32 r, [%laneid]":                       "as an address",
		"ld.shared.u32 r, [%laneid+4]":                     "as an address",
		"ld.u32 r, [%clock64]":                             "as an address",
		"cp.async.ca.shared.global [s], [%clock64], 4":     "as an address",
		"st.async.mbarrier::complete_tx::bytes.u32 [s], r": "without one",
		"red.async.relaxed.cluster.mbarrier::complete_tx::bytes.add.u32 [s], r": "without one",
		"st.async.mbarrier::complete_tx::bytes.u32 [s], r, [s]":                 "",
		"st.global.v2.u32 [a], {r, %laneid}":                                    "",
		"st.global.v2.f32 [a], {%laneid, r}":                                    "",
		"mov.b64 a, {%laneid, r}":                                               "",
		"mov.b64 a, {%laneid, q}":                                               "one bit",
		"mov.v2.b32 {r, _}, {r, q}":                                             "one bit",
		"mov.v2.b32 {r, _}, {_, r}":                                             "has no value",
		"mov.b32 r, {0, _}":                                                     "has no value",
		"mov.b64 a, {0, h}":                                                     "narrower",
		"mov.v4.u32 {r, _, _, _}, %tid":                                         "",
		"mov.b128 w, %ctaid":                                                    "",
		"ld.global.v2.u32 {r, _}, [a]":                                          "",
		"mov.b32 r, {3, r}":                                                     "",
		"mov.b64 a, {3, 5, r, 7}":                                               "",
		"mov.u32 r, c":                                                          "",
		"ld.const.u32 r, [r]":                                                   "",
		"ld.const.u32 r, [a]":                                                   "",
		"ld.const.u32 r, [c+4]":                                                 "",
		"add.u32 r, r, %laneid+1":                                               "",
		"add.f64 d, d, d+1":                                                     "no whole number",
		"mov.u32 r, %laneid+1":                                                  "",
		"mov.u64 a, c":                                                          "",
		"cp.async.bulk.prefetch.tensor.1d.L2.global [d, {r}]":                   "no whole number",
		"fence.proxy.tensormap::generic.acquire.gpu [d], 128":                   "no whole number",
		"st.async.mbarrier::complete_tx::bytes.v2.u32 [s], 1, [s]":              "one constant",
		"sust.b.1d.v2.b32.trap [a, {r}], 1":                                     "one constant",
		"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [a], 16, 3": "without one",
	} {
		wantRefusal(t, text, stmt, refused)
	}
}

// wantRefusal holds a statement, put into a text, to one refusal whose reason has some words, or to none.
func wantRefusal(t *testing.T, text, stmt, reason string) {
	t.Helper()
	list := module(t, stmt, fmt.Appendf(nil, text, stmt)).Funcs[0].Refused
	switch {
	case reason == "" && len(list) > 0:
		t.Errorf("%s is refused: %v", stmt, list)
	case reason != "" && (len(list) != 1 || !strings.Contains(list[0].Odd.String(), reason)):
		t.Errorf("%s: refused %v, want one with %q", stmt, list, reason)
	}
}
