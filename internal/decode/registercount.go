package decode

// This file finds how many registers the threads of a kernel begin with, where setmaxnreg changes that. ptxas 13.5 counts so, and
// says what it has counted (-v): the largest number that its directives allow (11.4), but no more than what any setmaxnreg.inc asks
// for; where they do not tell, and where what is called by address has to find the registers that it expects, it leaves setmaxnreg out
// (package check says where it does).

import (
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/machine/sizes"
	"ptxvm.invalid/ptxvm/internal/sem"
)

const (
	registerUnit  = 8 // registers are given to threads in such pieces
	fewest, most  = 24, 256
	partitions    = 4   // of a multiprocessor, which share its warps
	partitionRoom = 512 // registers of each of the 32 lanes of a partition
)

// registers is that number, 0 if the kernel does not change it, calls by address, or its directives do not tell.
func (d *Decoder) registers(kernel *ir.Func, reach *reachable) uint32 {
	if reach.indirect {
		return 0
	}
	changes, asked := false, uint32(0)
	for _, f := range reach.funcs {
		for i := range f.Insts {
			if n, more, ok := sem.Registers(&f.Insts[i]); ok {
				if changes = true; more {
					asked = max(asked, n)
				}
			}
		}
	}
	if !changes {
		return 0
	}
	n := allowed(&kernel.Perf, sizes.Of(d.mod.Target.Arch).WarpsPerSM)
	if asked != 0 {
		n = min(n, asked)
	}
	return n
}

// allowed is the registers that directives allow a thread, in whole pieces; 0 if none does.
func allowed(p *ir.Perf, warpsPerSM int) uint32 {
	n := uint32(0)
	if p.MaxNReg > 0 && p.MaxNReg < most {
		n = (max(uint32(p.MaxNReg), fewest) + registerUnit - 1) / registerUnit * registerUnit
	}
	if warps := residentWarps(p); warps > 0 && warps <= warpsPerSM {
		fit := uint32(partitionRoom / ((warps + partitions - 1) / partitions) / registerUnit * registerUnit)
		if n == 0 || fit < n {
			n = min(fit, most)
		}
	}
	return n
}

// residentWarps is how many warps of a kernel a multiprocessor must have room for, 0 if its directives do not say.
func residentWarps(p *ir.Perf) int {
	threads := int(p.MaxNTid[0]) * int(p.MaxNTid[1]) * int(p.MaxNTid[2])
	if threads == 0 {
		threads = int(p.ReqNTid[0]) * int(p.ReqNTid[1]) * int(p.ReqNTid[2])
	}
	return (threads + 31) / 32 * int(p.MinNCTA)
}
