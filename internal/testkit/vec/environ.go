package vec

// Memory of the blocks: capital names stand for addresses that the kernels set up. Each lane
// has laneBytes of its own, zeros at first.
//
//	G GW     global memory of the lane, and common to the warp (the generic address, too)
//	S SW     shared memory of the lane, and common to the warp
//	SG SWG   the same as generic addresses
//	L LG     local memory, and its generic address
//	C CG     constant memory, bytes 0x80 0x81 … , and its generic address
//	X…       handles of surfaces (images.go)
//	T…       textures (textures.go)
//	M MM     multicast addresses of the lane: of two copies, and of three
//	M0 M1 M2 the copies, each on a device of its own
//	E0 E1    numbers of endpoints of the fabric over M0 and M1 of all lanes, EM of one over both, EMM over all three,
//	         ED of one that fails with status 0x5a; EO: the lane's offset in them
//	P        the kernel parameter with the same bytes, as a name; PG: its generic address

import (
	"fmt"
	"strings"
)

const (
	laneBytes = 64
	warpBytes = 32 * laneBytes
)

// place is a capital name with the statements that set it up.
type place struct {
	name  string
	decl  string // in the kernel
	setup string
}

// places are in an order in which each may use those before it. %lane is 64 times the lane.
var places = []place{
	{"P", "", ""},
	{"G", "", "ld.param.u64 G, [pmem]; add.u64 G, G, %lane;"},
	{"GW", "", "ld.param.u64 GW, [pmem]; add.u64 GW, GW, " + fmt.Sprint(warpBytes) + ";"},
	{"M", "", multicastAt("M", 0)}, {"MM", "", multicastAt("MM", 1)},
	{"M0", "", multicastAt("M0", 2)}, {"M1", "", multicastAt("M1", 3)}, {"M2", "", multicastAt("M2", 4)},
	{"EO", "", "mov.u64 EO, %lane;"},
	{"E0", "", endpointAt("E0", 0)}, {"E1", "", endpointAt("E1", 1)},
	{"EM", "", endpointAt("EM", 2)}, {"EMM", "", endpointAt("EMM", 3)}, {"ED", "", endpointAt("ED", 4)},
	{"S", sharedDecl, "mov.u64 S, shared_bytes; add.u64 S, S, %lane;" + zeroShared},
	{"SW", sharedDecl, "mov.u64 SW, shared_bytes+" + fmt.Sprint(warpBytes) + ";" + zeroShared},
	{"SG", sharedDecl, "mov.u64 SG, shared_bytes; add.u64 SG, SG, %lane; cvta.shared.u64 SG, SG;" + zeroShared},
	{"SWG", sharedDecl, "mov.u64 SWG, shared_bytes+" + fmt.Sprint(warpBytes) + "; cvta.shared.u64 SWG, SWG;" + zeroShared},
	{"L", localDecl, "mov.u64 L, local_bytes;" + zeroLocal},
	{"LG", localDecl, "mov.u64 LG, local_bytes; cvta.local.u64 LG, LG;" + zeroLocal},
	{"C", "", "mov.u64 C, const_bytes;"},
	{"CG", "", "mov.u64 CG, const_bytes; cvta.const.u64 CG, CG;"},
	{"PG", "", "mov.b64 PG, P; cvta.param.u64 PG, PG;"},
}

const (
	sharedDecl = ".shared .align 128 .b8 shared_bytes[2304];"
	localDecl  = ".local .align 16 .b8 local_bytes[64];"
)

// Zeros for all of the lane's memory, and for the warp's.
var (
	zeroShared = zeros("shared", "%zero", "mov.u64 %zero, shared_bytes; add.u64 %zero, %zero, %lane;", laneBytes) +
		zeros("shared", "%zero", "mov.u64 %zero, shared_bytes+2048;", laneBytes)
	zeroLocal = zeros("local", "%zero", "mov.u64 %zero, local_bytes;", laneBytes)
)

func zeros(space, base, setup string, n int) string {
	for i := 0; i < n; i += 8 {
		setup += fmt.Sprintf(" st.%s.u64 [%s+%d], 0;", space, base, i)
	}
	return setup
}

// constants declares the constant bytes.
func constants() string {
	var b strings.Builder
	b.WriteString(".const .align 16 .b8 const_bytes[64] = {")
	for i := range laneBytes {
		fmt.Fprintf(&b, "%s%d", []string{"", ", "}[min(i, 1)], patternByte(i))
	}
	return b.String() + "};\n"
}

// patternByte is byte i of constant memory and of the parameter P.
func patternByte(i int) byte { return byte(0x80 + i) }

// used lists the places whose names the statements have.
func used(stmts []*Statement) (list []place) {
	names := map[string]bool{}
	for _, s := range stmts {
		for _, word := range nameRE.FindAllString(s.Text, -1) {
			names[word] = true
		}
	}
	for _, p := range places {
		if names[p.name] {
			list = append(list, p)
		}
	}
	return list
}

// endpointAt reads the number of an endpoint, behind the multicast addresses.
func endpointAt(name string, k int) string {
	return fmt.Sprintf("ld.param.u64 %s, [pmem]; ld.global.u64 %s, [%s+%d];", name, name, name, handlesAt+warpBytes+8*(5+k))
}

// multicastAt reads an address of the lane: those of all stand behind the handles of the images.
func multicastAt(name string, k int) string {
	return fmt.Sprintf("ld.param.u64 %s, [pmem]; ld.global.u64 %s, [%s+%d]; add.u64 %s, %s, %%lane;", name, name, name, handlesAt+warpBytes+8*k, name, name)
}
