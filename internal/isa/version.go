package isa

// This file declares PTX ISA versions and which of them exist.

import (
	"fmt"
	"strconv"
	"strings"
)

// Version is a PTX ISA version, major*10 + minor.
type Version uint8

// V makes a Version.
func V(major, minor int) Version { return Version(major*10 + minor) }

// Latest is the newest version that is known.
var Latest = thePrelude.latest()

// Before reports whether v is older than w.
func (v Version) Before(w Version) bool { return v < w }

func (v Version) String() string { return fmt.Sprintf("%d.%d", v/10, v%10) }

// Known reports whether such a version was ever published.
func (v Version) Known() bool { return thePrelude.versions[v] }

// ParseVersion reads a version as ptxas does: two whole numbers, so that leading zeros do not
// count (08.0, 8.00, 9.05) and ten minor steps are a major one (7.10 is 8.0). It fails for versions
// that do not exist.
func ParseVersion(s string) (Version, error) {
	major, minor, ok := strings.Cut(s, ".")
	a, errA := strconv.ParseUint(major, 10, 8)
	b, errB := strconv.ParseUint(minor, 10, 8)
	if !ok || errA != nil || errB != nil || a == 0 {
		return 0, fmt.Errorf("%q is no PTX ISA version; one looks like %v", s, Latest)
	}
	if n := 10*a + b; n <= uint64(Latest) {
		if v := thePrelude.published(Version(n)); v.Known() {
			return v, nil
		}
	}
	return 0, fmt.Errorf("there is no PTX ISA version %s; the newest is %v", s, Latest)
}

// After reports whether v is newer than w.
func (v Version) After(w Version) bool { return v > w }
