package report

// This file names what a report is, so that tools can tell reports apart and know one again, and joins those that are the same.

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/internal/kernelname"
)

// ID is words as an id, of 16 hexadecimal digits: the same for the same words.
func ID(words ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(words, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// FoldLaunches joins reports of several launches: those of the same instructions, and those that instances of one template
// have made at the same lines. The first keeps the places, and names the other instances. Launches without reports of their
// own are left out.
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

// folder is the reports so far by their id, and by what instances of a template share.
type folder map[string][]*Report

// fold returns the reports that are not the same as earlier ones.
func (f folder) fold(list []*Report) (out []*Report) {
	for _, r := range list {
		if first := f.earlier(r); first != nil {
			first.Times += r.Times
			continue
		}
		out = append(out, r)
		f[r.ID] = append(f[r.ID], r)
		if key, ok := r.sharedByInstances(); ok {
			f[key] = append(f[key], r)
		}
	}
	return out
}

// earlier is the report that a report is folded into; nil if there is none.
func (f folder) earlier(r *Report) *Report {
	if same := f[r.ID]; len(same) != 0 {
		return same[0]
	}
	key, ok := r.sharedByInstances()
	if !ok {
		return nil
	}
	// The n-th report of a line in one instance is the n-th of that line in another.
	name := r.symbols()
	for _, first := range f[key] {
		if first.symbols() != name && !slices.Contains(first.Instances, name) {
			first.Instances = append(first.Instances, name)
			f[r.ID] = append(f[r.ID], first)
			return first
		}
	}
	return nil
}

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

// sharedByInstances is what the reports of two instances of a template have in common: kind, names without template
// arguments, and the lines of the source. It is false where there is no line.
func (r *Report) sharedByInstances() (key string, ok bool) {
	words := []string{r.Code.String(), r.Kind, kernelname.Of(r.Kernel).Template()}
	for _, v := range []*Involved{&r.Here, r.Other} {
		if v == nil {
			continue
		}
		if len(v.Source) == 0 {
			return "", false
		}
		words = append(words, kernelname.Of(v.PTX.Function).Template())
		for _, l := range v.Source {
			words = append(words, l.String())
		}
	}
	return strings.Join(words, "\x00"), true
}
