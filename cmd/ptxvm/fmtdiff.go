package main

import (
	"github.com/pmezard/go-difflib/difflib"
)

// unifiedDiff compares a file with its formatted form, as diff -u prints it.
func unifiedDiff(name string, before, after []byte) string {
	text, err := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{
		A: difflib.SplitLines(string(before)), B: difflib.SplitLines(string(after)),
		FromFile: name, ToFile: name + " (formatted)", Context: 3,
	})
	if err != nil {
		panic("BUG: a diff into memory cannot fail: " + err.Error())
	}
	return text
}
