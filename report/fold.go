package report

// This file names what a report is, so that tools can tell reports apart and know one again, and joins those that are the same.

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/kernelname"
)

// ID is words as an id, of 16 hexadecimal digits: the same for the same words.
func ID(words ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(words, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// FoldLaunches joins reports of several launches: those of one kind and object at the same two lines, in either order of the two, also
// of instances of one template. The first keeps its places, has the fix that orders all of them, and names the other instances.
// Causes stand before what may come of them. Launches without reports of their own are left out.
func FoldLaunches(launches []*SanitizerError) (out []*SanitizerError) {
	f := folder{}
	for _, l := range launches {
		one := *l
		one.Reports = f.fold(l.Reports)
		if len(one.Reports) != 0 || one.More != 0 {
			out = append(out, &one)
		}
	}
	return out
}

// Fold joins the reports of one launch as FoldLaunches does.
func Fold(list []*Report) []*Report { return folder{}.fold(list) }

// causes are the codes of reports in an order in which what one says may come of what those before it have said: a mask or a barrier
// that threads do not agree on lets them race, a store into another buffer writes what others read, a flag that is overwritten is
// waited for without end, and so on.
var causes = []diag.Code{
	diag.SyncMisuse, diag.AsyncInUse, diag.ProxyOrder, diag.TensorOrder, diag.OutsideObject, diag.AfterFree,
	diag.DataRace, diag.UninitializedRead, diag.NotANumber, diag.Livelock, diag.Leak,
}

// folder is the first report of each kind, object and pair of lines.
type folder map[string]*Report

// fold returns the reports that are not the same as earlier ones.
func (f folder) fold(list []*Report) (out []*Report) {
	for _, r := range list {
		r.countPairs()
		key := r.lines()
		first := f[key]
		if first == nil {
			f[key] = r
			out = append(out, r)
			continue
		}
		first.join(r)
	}
	slices.SortStableFunc(out, func(a, b *Report) int { return slices.Index(causes, a.Code) - slices.Index(causes, b.Code) })
	return out
}

// countPairs takes down the two instructions of a report that has not been folded yet.
func (r *Report) countPairs() {
	if r.pairs != nil {
		return
	}
	places := []Location{r.Here.PTX, {}}
	if r.Other != nil {
		places[1] = r.Other.PTX
	}
	slices.SortFunc(places, func(a, b Location) int { return strings.Compare(a.unique(), b.unique()) })
	r.pairs, r.Pairs = map[[2]Location]bool{{places[0], places[1]}: true}, 1
}

// unique is a place in words, and its function.
func (l Location) unique() string { return l.String() + " " + l.Function }

// join counts another report of the same lines in.
func (r *Report) join(other *Report) {
	r.Times += other.Times
	maps.Copy(r.pairs, other.pairs)
	r.Pairs = len(r.pairs)
	if slices.Index(distances, other.Between) > slices.Index(distances, r.Between) {
		r.Between, r.Missing, r.Fix = other.Between, other.Missing, other.Fix
	}
	if name := other.symbols(); name != r.symbols() && !slices.Contains(r.Instances, name) {
		r.Instances = append(r.Instances, name)
	}
}

// distances are the values of Report.Between: what orders threads that are far from each other orders those that are near.
var distances = []string{"", "warp", "cta", "gpu", "launches"}

// symbols are the functions that a report is about.
func (r *Report) symbols() string {
	names := []string{r.Kernel}
	for _, v := range []*Involved{&r.Here, r.Other} {
		if v != nil && v.PTX.Function != "" && !slices.Contains(names, v.PTX.Function) {
			names = append(names, v.PTX.Function)
		}
	}
	return strings.Join(names, " ")
}

// lines is what reports that are one have in common: kind, object, names without template arguments, and the two lines in either order,
// of the source if it is known.
func (r *Report) lines() string {
	places := []string{r.Here.foldLine(), r.Other.foldLine()}
	slices.Sort(places)
	words := append(places, r.Code.String(), eitherWay(r.Kind), kernelname.Of(r.Kernel).Template(), strconv.FormatBool(r.Between == "launches"))
	return strings.Join(append(words, r.inSource()), "\x00")
}

// inSource is the object that the source names: registers are the compiler's, and those of one line are one.
func (r *Report) inSource() string {
	if r.Extent != nil && r.Extent.Space == "registers" {
		return ""
	}
	if strings.Contains(r.Object, "<") {
		return kernelname.Of(r.Object).Template()
	}
	return r.Object
}

// eitherWay is the kind of a report and of the same two places the other way round: WAR is RAW.
func eitherWay(kind string) string {
	if kind == "WAR" {
		return "RAW"
	}
	return kind
}

// foldLine is the line of a place, and its function without template arguments. Where the source is not known it is the
// instruction itself.
func (v *Involved) foldLine() string {
	if v == nil {
		return ""
	}
	at, ok := Head(v.Source)
	if !ok {
		return v.PTX.unique()
	}
	return fmt.Sprintf("%s:%d %s", at.File, at.Line, kernelname.Of(v.PTX.Function).Template())
}
