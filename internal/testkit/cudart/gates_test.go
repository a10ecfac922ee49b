package cudart

import (
	"path/filepath"
	"testing"
)

// TestTriggers: a kernel that comes behind an event in the course of a launch, and forgets to wait for its end, is reported, and seen in
// values where the two run beside each other; of a graph it is reported.
func TestTriggers(t *testing.T) {
	needPrograms(t)
	libraries, command := Libraries(t), ptxvm(t)
	source := filepath.Join(Root(t), "testdata", "cudart", "triggers.cu")
	program := Program(t, libraries, []string{source}, read(t, source).flags...)
	passed, timed := []string{"PASSED"}, []string{"an event that a launch triggers keeps no time"}
	race := []string{"P8002", "kernel front(int*) of another launch", "griddepcontrol.wait"}
	for _, c := range []struct {
		want expected
		args []string
	}{
		{expected{stdout: passed, stderr: timed}, []string{"--seed", "1", program}},
		{expected{stdout: passed, stderr: timed}, []string{"--sanitize", "race", program}},
		{expected{stdout: []string{"sum 64\n"}}, []string{program, "missing"}},
		{expected{stdout: []string{"sum 0\n"}}, []string{"--seed", "1", program, "missing"}},
		{expected{stdout: passed, exit: 3, stderr: race}, []string{"--sanitize", "race", program, "missing"}},
		{expected{stdout: passed, exit: 3, stderr: race}, []string{"--sanitize", "race", program, "missing-graph"}},
	} {
		run(t, c.want, libraries, command, append([]string{"exec"}, c.args...)...)
	}
}

// TestGates: reports and faults decide the status of exec, limits hold for each launch, and a table and lines say
// what has run.
func TestGates(t *testing.T) {
	needPrograms(t)
	libraries, command := Libraries(t), ptxvm(t)
	source := filepath.Join(Root(t), "testdata", "cudart", "gates.cu")
	program := Program(t, libraries, []string{source}, read(t, source).flags...)
	passed := []string{"PASSED"}
	never := "the launch of kernel add(int*) failed with 9 cudaErrorInvalidConfiguration, and the program never asked (cudaGetLastError)"
	for _, c := range []struct {
		want expected
		args []string
	}{
		{expected{stdout: passed}, []string{program}},
		{expected{stdout: passed, exit: 3, stderr: []string{never, "exit status 3 in place of the program's 0"}}, []string{program, "unasked"}},
		{expected{stdout: passed, stderr: []string{never}}, []string{"--error-exitcode", "0", program, "unasked"}},
		{expected{stdout: passed, exit: 9, stderr: []string{never}}, []string{"--error-exitcode", "9", program, "unasked"}},
		{expected{stdout: passed, exit: 4, stderr: []string{never}, env: []string{"PTXVM_ERROR_EXITCODE=4"}}, []string{program, "unasked"}},
		{expected{stdout: passed}, []string{program, "asked"}},
		{expected{stdout: passed, exit: 3, stderr: []string{"timeout: kernel spin(int volatile*) has run for more than 500ms (--timeout)", "gates.cu:7"}}, []string{"--timeout", "500ms", program, "spin"}},
		{expected{stdout: passed, exit: 3, stderr: []string{"step limit: kernel spin(int volatile*)"}}, []string{"--max-steps", "100000", program, "spin"}},
		{expected{stdout: passed, exit: 3, stderr: []string{"P8002", "gates.cu:"}}, []string{"--sanitize", "race", program, "late"}},
		{expected{stdout: passed}, []string{"--sanitize", "race", "--kernel", "add", program, "late"}},
		{expected{stdout: passed}, []string{"--sanitize", "race", "--launch-count", "1", program, "late"}},
		{expected{stdout: []string{"sum 32\n"}}, []string{"--schedule", "fair", program, "late"}},
		{expected{stdout: []string{"sum 64\n"}}, []string{program, "dependents"}},
		{expected{stdout: []string{"sum 0\n"}}, []string{"--seed", "1", program, "dependents"}},
		{expected{stdout: []string{"sum 64\n"}}, []string{"--seed", "1", program, "waiting"}},
		{expected{stdout: passed, stderr: []string{"stats: ", "launches", "  add(int*)\n"}}, []string{"--stats", program}},
		{expected{stdout: passed, stderr: []string{"kernel add(int*) grid=(1,1,1) block=(32,1,1) shared=0 stream=0x0: "}}, []string{"--trace", "kernels", program}},
	} {
		run(t, c.want, libraries, command, append([]string{"exec"}, c.args...)...)
	}
}
