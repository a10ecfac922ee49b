package isa

// This file declares target architectures and their families (11.1.2).

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Target is an architecture: 90 and 'a' for sm_90a. The zero value is no target.
type Target struct {
	Arch   int
	Suffix byte // 0, 'a' (this architecture alone) or 'f' (its family)
}

// IsZero reports whether t is no target.
func (t Target) IsZero() bool { return t == Target{} }

// Before reports whether t's architecture is older than that of u.
func (t Target) Before(u Target) bool { return t.Arch < u.Arch }

func (t Target) String() string {
	if t.Suffix == 0 {
		return fmt.Sprintf("sm_%d", t.Arch)
	}
	return fmt.Sprintf("sm_%d%c", t.Arch, t.Suffix)
}

// ParseTarget reads sm_90, sm_90a, compute_75; leading zeros do not count. It fails for
// architectures that do not exist.
func ParseTarget(s string) (Target, error) {
	t, ok := scanTarget(s)
	if !ok {
		return Target{}, fmt.Errorf("%q is no target architecture; one looks like sm_90", s)
	}
	if _, known := thePrelude.targets[t]; !known {
		return Target{}, fmt.Errorf("there is no target %s; there is %s", s, strings.Join(beside(t), " and "))
	}
	return t, nil
}

// beside lists the plain target of t's architecture, or those before and after it.
func beside(t Target) []string {
	var before, after []string
	for _, u := range Targets() {
		switch {
		case u.Suffix != 0:
		case u.Arch == t.Arch:
			return []string{u.String()}
		case u.Before(t):
			before = []string{u.String()}
		case after == nil:
			after = []string{u.String()}
		}
	}
	return append(before, after...)
}

// MustTarget is ParseTarget for targets that are known to exist.
func MustTarget(s string) Target {
	t, err := ParseTarget(s)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return t
}

func scanTarget(s string) (Target, bool) {
	digits, ok := strings.CutPrefix(s, "sm_")
	if !ok {
		digits, ok = strings.CutPrefix(s, "compute_")
	}
	var t Target
	if n := len(digits); ok && n > 0 && (digits[n-1] == 'a' || digits[n-1] == 'f') {
		t.Suffix, digits = digits[n-1], digits[:n-1]
	}
	arch, err := strconv.ParseUint(digits, 10, 16)
	t.Arch = int(arch)
	return t, ok && err == nil
}

// TargetSince returns the first version that knows the target; 0 if it does not exist.
func TargetSince(t Target) Version { return thePrelude.targets[t] }

// Targets lists all targets that exist, oldest first, plain before f before a.
func Targets() []Target {
	var all []Target
	for t := range thePrelude.targets {
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b Target) int {
		if a.Arch != b.Arch {
			return a.Arch - b.Arch
		}
		return suffixRank(a.Suffix) - suffixRank(b.Suffix)
	})
	return all
}

func suffixRank(s byte) int { return strings.IndexByte("\x00fa", s) }

// Satisfies reports whether code for t may use what a gate gives to g: sm_90 means that
// architecture or a later one, sm_100a exactly it, sm_100f its family: the f and a targets
// of the architecture and of later members.
func (t Target) Satisfies(g Target) bool {
	switch g.Suffix {
	case 'a':
		return t == g
	case 'f':
		return t.Suffix != 0 && thePrelude.inFamily(t.Arch, g.Arch)
	}
	return t.Arch >= g.Arch
}

// Runs reports whether a device of architecture t runs code for a target: plain targets up to its own, those of
// its own architecture (sm_90a on sm_90), and those of its family (11.1.2).
func (t Target) Runs(code Target) bool {
	return Target{Arch: t.Arch, Suffix: 'a'}.Satisfies(code)
}
