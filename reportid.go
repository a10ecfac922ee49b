package ptxvm

// This file names what a report of a sanitizer is, so that tools can tell reports apart and know one again.

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/machine"
)

// reportKinds are the words of Report.Kind.
var reportKinds = map[machine.ReportKind]string{
	machine.ReadBeforeDone: "early-read", machine.WriteBeforeDone: "early-write", machine.WriteBeforeRead: "overwrite", machine.OpenAtExit: "open-at-exit",
	machine.NeverWritten: "unwritten-load", machine.UnwrittenDecides: "unwritten", machine.UnwrittenResult: "unwritten-result",
	machine.OutsideObject: "outside", machine.AfterFree: "after-free",
	machine.NoProxyFence: "proxy-fence", machine.NoFenceBefore: "tensor-fence-before", machine.NoFenceAfter: "tensor-fence-after",
	machine.RaceRAW: "RAW", machine.RaceWAR: "WAR", machine.RaceWAW: "WAW", machine.RaceScope: "scope", machine.SyncMisuse: "misuse",
	machine.TensorKept: "tensor-memory", machine.BytesMissing: "expected-bytes", machine.NotWaited: "not-waited", machine.HeapKept: "malloc",
}

// reportChecks are the checks by the codes of their reports.
var reportChecks = map[diag.Code]string{
	diag.UninitializedRead: "init", diag.DataRace: "race", diag.SyncMisuse: "sync", diag.ProxyOrder: "async", diag.AsyncInUse: "async",
	diag.TensorOrder: "async", diag.Leak: "leak", diag.OutsideObject: "mem", diag.AfterFree: "mem",
}

// reportID is a hash of the kind, the kernel and the two instructions: by function, text, and which of those with the same
// text in the function it is. Lines that move do not change it.
func (k *Kernel) reportID(r *Report, here, other *machine.Place) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{r.Code.String(), r.Kind, k.info.Name, k.program.named(here), k.program.named(other)}, "\x00")))
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
