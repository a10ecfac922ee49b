package cli

// This file says which device a CUDA program needs, by the PTX that it carries.

import (
	"cmp"
	"errors"
	"slices"

	"ptxvm.invalid/ptxvm/internal/fatbin"
	"ptxvm.invalid/ptxvm/internal/isa"
)

// ProgramArch returns the target of the device that an executable or library needs: arch, or the oldest newer one that runs
// the file's PTX, unless fixed. The error says that none does, since there is machine code alone or PTX for newer
// devices. A file without device code needs nothing of a device.
func ProgramArch(file []byte, arch string, fixed bool) (string, error) {
	device, err := isa.ParseTarget(arch)
	if err != nil {
		return arch, err
	}
	units, err := fatbin.Read(file, 0)
	if len(units) == 0 || err != nil {
		return arch, nil // what is damaged is told when it is loaded
	}
	var none *fatbin.NoMatchError
	units, err = fatbin.WithPTX(units, device)
	if errors.As(err, &none) && len(none.Code)+len(none.LTO) == 0 {
		return arch, nil // no device code
	}
	if err != nil {
		return arch, err
	}
	first := runs(units, device)
	if first == nil || fixed {
		return arch, first
	}
	for _, t := range ptxTargets(units) {
		if runs(units, t) == nil {
			return t.String(), nil
		}
	}
	return arch, first
}

// runs says why a device cannot run all units.
func runs(units []fatbin.Unit, device isa.Target) error {
	for i := range units {
		if _, err := units[i].Choose(device); err != nil {
			return err
		}
	}
	return nil
}

// ptxTargets lists what the PTX of the units is for, the oldest first.
func ptxTargets(units []fatbin.Unit) (list []isa.Target) {
	for i := range units {
		for _, t := range units[i].Texts {
			list = append(list, t.Target)
		}
	}
	slices.SortFunc(list, func(a, b isa.Target) int { return cmp.Or(a.Arch-b.Arch, int(a.Suffix)-int(b.Suffix)) })
	return slices.Compact(list)
}
