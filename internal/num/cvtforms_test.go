// Every legal cvt against the model of cvtmodel_test.go. The list of forms is
// what ptxas accepts.

package num

import (
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

// cvtForms reads the recorded forms: by pair of types and rounding.
func cvtForms(t *testing.T) map[string][]Cvt {
	t.Helper()
	text, err := os.ReadFile("../testkit/judge/testdata/cvt.txt")
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]Type{}
	for typ := range numTypes {
		byName[typ.String()] = typ
	}
	forms := map[string][]Cvt{}
	for line := range strings.Lines(string(text)) {
		pairs, mods, ok := strings.Cut(line, " : ")
		if !ok || !strings.HasPrefix(line, "  ") {
			continue
		}
		for pair := range strings.FieldsSeq(pairs) {
			dst, src, _ := strings.Cut(pair, ".")
			c := Cvt{Dst: byName[elementType(dst)], Src: byName[elementType(src)]}
			for m := range strings.FieldsSeq(mods) {
				f := c.with(m)
				key := elementType(dst) + "." + elementType(src) + f.rounding(m)
				if !slices.Contains(forms[key], f) {
					forms[key] = append(forms[key], f)
				}
			}
		}
	}
	return forms
}

func elementType(name string) string {
	return strings.TrimSuffix(strings.TrimSuffix(name, "x2"), "x4")
}

var cvtModes = []struct {
	name string
	mode Mode
}{
	{".rni", RN}, {".rzi", RZ}, {".rmi", RM}, {".rpi", RP},
	{".rna", RNA}, {".rn", RN}, {".rz", RZ}, {".rm", RM}, {".rp", RP}, {".rs", RS},
}

func (c Cvt) rounding(mods string) string {
	for _, m := range cvtModes {
		if strings.HasPrefix(mods, m.name) {
			return m.name
		}
	}
	return ""
}

// with adds the modifiers of a form, written as in the record.
func (c Cvt) with(mods string) Cvt {
	name := c.rounding(mods)
	for _, m := range cvtModes {
		if m.name == name {
			c.Round = m.mode
		}
	}
	c.Integral = strings.HasSuffix(name, "i") && c.Dst.Format() != nil
	c.Ftz = strings.Contains(mods, ".ftz")
	c.Sat = strings.Contains(mods, ".sat") && !strings.Contains(mods, ".satfinite")
	c.Satfinite = strings.Contains(mods, ".satfinite")
	c.Relu = strings.Contains(mods, ".relu")
	c.Pzo = strings.Contains(mods, ".pzo")
	c.Flush = strings.Contains(mods, "::n1")
	c.Scaled = strings.Contains(mods, ".scaled")
	if c.Round == RS {
		c.Random = RandomHalves.Width(c.Dst)
	}
	return c
}

// around is a source value at, or one place beside, a value of the destination or the middle
// between two: where results change.
func around(r *rand.Rand, c *Cvt) uint64 {
	f := c.Dst.Format()
	if f == nil || c.Src.Format() == nil {
		return r.Uint64()
	}
	x := modelDecode(c.Dst, r.Uint64N(2*f.Max))
	if x.class != finite {
		return r.Uint64()
	}
	if r.IntN(2) == 0 {
		x.m = x.m.Add(x.m.Lsh(x.m, 1), big.NewInt(1))
		x.e--
	}
	back := Cvt{Dst: c.Src, Round: RZ}
	return modelRound(&back, x, 0) + uint64(r.IntN(3)) - 1
}

var edgeScales = []uint8{127, 0, 1, 100, 126, 128, 140, 253, 254, 255}

// quicks are the prepared conversions of the forms.
var quicks = map[Cvt]*Quick{}

// checkForm compares the quick result with the slow one, and that with the model.
func checkForm(t *testing.T, c *Cvt, v uint64, r *rand.Rand) {
	scale, random := uint8(0), uint32(0)
	if c.Scaled {
		scale = edgeScales[r.IntN(len(edgeScales))]
	}
	if c.Round == RS {
		random = r.Uint32() >> r.IntN(12) & (1<<c.Random - 1)
	}
	if quicks[*c] == nil {
		quicks[*c] = c.Quick()
	}
	if got, want := quicks[*c].ConvertWith(v, scale, random), c.ApplyWith(v, scale, random); got != want {
		t.Fatalf("quick %v.%v %+v of %x, scale %d, random %x = %x, slow %x", c.Dst, c.Src, *c, v&(1<<c.Src.Width()-1), scale, random, got, want)
	}
	if got, want := c.ApplyWith(v, scale, random), modelCvt(c, v, scale, random); got != want {
		t.Fatalf("%v.%v %+v of %x, scale %d, random %x = %x, want %x", c.Dst, c.Src, *c, v&(1<<c.Src.Width()-1), scale, random, got, want)
	}
}

// TestCvtForms: with -num.full each form with sources of at most 16 bits on all values, each
// form with wider sources on edge values, and each pair and rounding of these on a million
// random ones. Without it the forms of a pair and rounding share a sixteenth of the values, or
// 10,000 random ones.
func TestCvtForms(t *testing.T) {
	forms, count, values := cvtForms(t), 0, 0
	keys := make([]string, 0, len(forms))
	for k := range forms {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, key := range keys {
		r := rand.New(rand.NewPCG(9, uint64(len(key))))
		list := forms[key]
		count += len(list)
		if list[0].Src.Width() <= 16 {
			values += everyValue(t, list, r)
		} else {
			values += someValues(t, list, r)
		}
	}
	t.Logf("%d forms of %d pairs and roundings, %d values", count, len(keys), values)
}

func everyValue(t *testing.T, list []Cvt, r *rand.Rand) int {
	n := 0
	if *full {
		for i := range list {
			for v := range uint64(1) << list[i].Src.Width() {
				checkForm(t, &list[i], v, r)
				n++
			}
		}
		return n
	}
	step := uint64(1) << max(int(list[0].Src.Width())-12, 0)
	for v := range uint64(1) << min(list[0].Src.Width(), 12) {
		checkForm(t, &list[r.IntN(len(list))], v*step+r.Uint64N(step), r)
		n++
	}
	return n
}

func someValues(t *testing.T, list []Cvt, r *rand.Rand) int {
	src, n := list[0].Src, 10000
	if *full {
		n = 1000000
	}
	edges := intEdges(src.Width())
	draw := func(c *Cvt) uint64 { return intOperand(r, src.Width()) }
	if f := src.Format(); f != nil {
		o := newOracle(f)
		edges = append(edges, o.edges()...)
		draw = func(c *Cvt) uint64 {
			if r.IntN(2) == 0 {
				return around(r, c)
			}
			return o.sample(r)
		}
	}
	for i := range list {
		for _, v := range edges {
			checkForm(t, &list[i], v, r)
		}
	}
	for range n {
		c := &list[r.IntN(len(list))]
		checkForm(t, c, draw(c), r)
	}
	return n + len(list)*len(edges)
}

// TestCvtBoundaries: each value of a narrow format, each middle between two, and the places
// beside them, from f32 in every mode.
func TestCvtBoundaries(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 10))
	for _, list := range cvtForms(t) {
		if list[0].Src != F32 || list[0].Dst.Width() > 8 || list[0].Dst.Format() == nil {
			continue
		}
		for i := range list {
			c := &list[i]
			for code := range uint64(1) << c.Dst.Width() {
				x := modelDecode(c.Dst, code)
				if x.class != finite {
					continue
				}
				y := exact{finite, x.neg, new(big.Int).Add(new(big.Int).Lsh(x.m, 1), big.NewInt(1)), x.e - 1}
				for _, z := range []exact{x, y} {
					v := modelRound(&Cvt{Dst: F32, Round: RZ}, z, 0)
					for d := range uint64(3) {
						checkForm(t, c, v+d-1, r)
					}
				}
			}
		}
	}
}

// TestCvtQuickly: packed conversions by prepared elements and one by one are equal, in every
// layout of operands, factors and random bits.
func TestCvtQuickly(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 11))
	for _, list := range cvtForms(t) {
		for i := range list {
			c := &list[i]
			if c.Src.Width() > 32 || c.Dst.Width() > 16 || c.Src.Format() == nil || c.Dst.Format() == nil {
				continue
			}
			p := Packing{Cvt: *c, N: 2, Packed: c.Src != F32, Each: !c.Flush, Fields: RandomHalves}
			if c.Round == RS && c.Dst.Width() <= 8 {
				p.N, p.Fields = 4, RandomBits(1+r.IntN(3))
			}
			q := c.Quick()
			for range 200 {
				src := [4]uint32{r.Uint32(), r.Uint32(), uint32(around(r, c)), uint32(around(r, c))}
				scale, random := r.Uint32(), r.Uint32()
				if have, want := p.Quickly(q, &src, scale, random), p.Convert(&src, scale, random); have != want {
					t.Fatalf("%+v of %x, %x, %x: %x, one by one %x", p, src, scale, random, have, want)
				}
			}
		}
	}
}
