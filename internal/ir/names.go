package ir

// This file names types, special registers, versions and targets in the text form, as PTX
// does but without the leading point or percent sign.

import (
	"strings"

	"ptxvm.invalid/ptxvm/internal/isa"
)

func typeName(t isa.Type) string { return strings.TrimPrefix(t.String(), ".") }

func parseType(s string) isa.Type {
	t, ok := isa.LookupType("." + s)
	if !ok {
		fail("no type %q", s)
	}
	return t
}

var componentNames = [...]string{".x", ".y", ".z", ".w"}

func parseVersion(s string) isa.Version {
	v, err := isa.ParseVersion(s)
	if err != nil {
		fail("%v", err)
	}
	return v
}

func parseTarget(s string) isa.Target {
	t, err := isa.ParseTarget(s)
	if err != nil {
		fail("%v", err)
	}
	return t
}

// specialName writes a special register with its component: %tid.x.
func specialName(s isa.Special, comp uint8) string {
	if info := s.Info(); info.Lanes > 1 && comp < uint8(len(componentNames)) {
		return info.Name + componentNames[comp]
	}
	return s.String()
}

func parseSpecial(text string) (isa.Special, uint8) {
	name, comp := text, uint8(0)
	for i, c := range componentNames {
		if head, ok := strings.CutSuffix(text, c); ok {
			name, comp = head, uint8(i)
		}
	}
	s, ok := isa.LookupSpecial(name)
	if !ok {
		fail("no special register %q", text)
	}
	if s.Info().Lanes > 1 && name == text {
		fail("%s is a vector: name one component", text)
	}
	return s, comp
}
