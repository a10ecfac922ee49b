package diag

// This file writes zcodes.go, the Go names of the codes, from the catalogue.

import (
	"fmt"
	"go/format"
	"strings"
)

//go:generate go test -tags interp -run TestConstants -update
//go:generate go test -tags interp -run TestErrorsDocument -update

// ConstantsSource returns the text of zcodes.go. It depends on codes.txt alone, so the
// generated file can be deleted and made again.
func ConstantsSource() ([]byte, error) {
	var b strings.Builder
	b.WriteString("// Code generated from codes.txt by go generate ./diag; DO NOT EDIT.\n\n")
	b.WriteString("package diag\n\n// The codes, each explained in codes.txt.\nconst (\n")
	for _, e := range Catalog() {
		fmt.Fprintf(&b, "\t%s Code = %d // %s\n", e.Name, e.Code, e.Title)
	}
	b.WriteString(")\n")
	return format.Source([]byte(b.String()))
}
