package cudaabi

import (
	"strings"
	"testing"
)

// TestErrors: every row of the C tables is read, and codes are in order.
func TestErrors(t *testing.T) {
	names, rows := 0, strings.Count(runtimeTable, "\n\t{")+strings.Count(driverTable, "\n\t{")
	for i, e := range Errors() {
		if e.Runtime != "" {
			names++
		}
		if e.Driver != "" {
			names++
		}
		if i > 0 && e.Code <= Errors()[i-1].Code {
			t.Errorf("%v comes after %v", e, Errors()[i-1])
		}
		if e.Code == 700 && e != (Error{700, "cudaErrorIllegalAddress", "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"}) {
			t.Errorf("700 is %v", e)
		}
	}
	if names != rows || rows == 0 {
		t.Errorf("%d names read, %d rows", names, rows)
	}
}
