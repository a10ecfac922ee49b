package ptxvm

// This file names what a report of a sanitizer is, so that tools can tell reports apart and know one again.

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/kernelname"
	"ptxvm.invalid/ptxvm/internal/machine"
)

// reportChecks are the checks by the codes of their reports.
var reportChecks = map[diag.Code]string{
	diag.UninitializedRead: "init", diag.DataRace: "race", diag.SyncMisuse: "sync", diag.ProxyOrder: "async", diag.AsyncInUse: "async",
	diag.TensorOrder: "async", diag.Leak: "leak", diag.OutsideObject: "mem", diag.AfterFree: "mem",
}

// reportID is a hash of the kind, the kernel and the two instructions: by function, text, and which of those with the same
// text in the function it is. Lines that move do not change it.
func (k *Kernel) reportID(r *Report, here, other *machine.Place) string {
	return hashed(r.Code.String(), r.Kind, k.info.Name, k.program.named(here), k.program.named(other))
}

// hashed is words as an id.
func hashed(words ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(words, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// named is an instruction apart from its line; empty where there is none.
func (p *Program) named(at *machine.Place) string {
	if at.Func == nil {
		return ""
	}
	_, _, text := p.locate(at.Func, at.PC)
	f, number := decode.FuncOf(at.Func), 0
	for pc := range at.PC {
		if f == nil {
			break
		}
		if _, _, earlier := p.locate(at.Func, pc); earlier == text {
			number++
		}
	}
	return fmt.Sprintf("%s %d %s", at.Func.Name, number, text)
}

// FoldReports joins reports of several launches: those of the same instructions, and those that instances of one template
// have made at the same lines. The first keeps the places, and names the other instances. Launches without reports of their
// own are left out.
func FoldReports(launches []*SanitizerError) (out []*SanitizerError) {
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
