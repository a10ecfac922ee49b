package main

// This file looks at the flags of exec before anything starts: what the libraries read at the first CUDA call would come too
// late, or never.

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/driver"
)

// check refuses values that the libraries would refuse.
func (f *execFlags) check() error {
	for _, v := range execVariables {
		value := *f.values[v.variable]
		if value == "" {
			continue
		}
		if err := checkVariable(v.variable, value); err != nil {
			return fmt.Errorf("exec --%s %s: %s", v.flag, diag.Escape(value), strings.TrimPrefix(err.Error(), "ptxvm: "))
		}
	}
	return nil
}

// checkVariable is what a variable is set to.
func checkVariable(variable, value string) error {
	switch variable {
	case "PTXVM_TRACE":
		if kind, _, _ := strings.Cut(value, ":"); !slices.Contains([]string{"calls", "errors", "kernels"}, kind) {
			return errors.New("want calls, errors or kernels, and :FILE behind it")
		}
		return nil
	case "PTXVM_REPORT":
		if err := checkReportName(value); err != nil {
			return err
		}
		file, err := os.OpenFile(value, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			return err
		}
		return file.Close()
	}
	_, _, err := driver.Configure([]string{variable + "=" + value})
	if inner := errors.Unwrap(err); inner != nil {
		return inner // without the name of the variable
	}
	return err
}

// noteMisplaced says which flags of exec stand behind the program, whose they are then.
func noteMisplaced(w io.Writer, args []string) {
	for _, arg := range args[1:] {
		name, _, _ := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
		isFlag := name == "capture" || slices.ContainsFunc(execVariables, func(v execVariable) bool { return v.flag == name })
		if strings.HasPrefix(arg, "--") && isFlag {
			fmt.Fprintf(w, "ptxvm: note: --%s stands behind the program and is passed to it; exec's own flags stand before it\n", name)
		}
	}
}
