package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"os"
	"strings"
	"testing"
)

// TestLanesAreCurrent: the stamped loops are what the tables and functions make today.
func TestLanesAreCurrent(t *testing.T) {
	want, err := lanes("../..")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../sem/zlanes.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("internal/sem/zlanes.go is out of date; run go generate ./...")
	}
}

// TestShapes: what signature can be stamped.
func TestShapes(t *testing.T) {
	for sig, want := range map[string]string{
		"func(a, b uint32) uint32":                      "",
		"func(a uint64) uint32":                         "",
		"func(a, b uint64, c uint32) bool":              "",
		"func(a, b, c, e uint32) uint32":                "",
		"func(a, b, cin uint32) (d, cout uint32)":       "",
		"func(a uint64, cin uint32) (uint64, uint32)":   "",
		"func(a int) uint32":                            "fits no shape",
		"func() uint32":                                 "fits no shape",
		"func(a, b, c, d, e uint32) uint32":             "fits no shape",
		"func(a uint32)":                                "fits no shape",
		"func(a, cin uint32) (bool, uint32)":            "fits no shape",
		"func(a, b, c, d, cin uint32) (uint32, uint32)": "fits no shape",
	} {
		e, err := parser.ParseExpr(sig)
		if err != nil {
			t.Fatal(err)
		}
		_, err = newLaneFunc("F", map[string]*ast.FuncType{"F": e.(*ast.FuncType)}, nil)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", sig, err, want)
		}
	}
}
