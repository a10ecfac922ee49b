package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// dapLaunch is a session from initialize to the end, of examples/saxpy.
const dapLaunch = `{"seq":1,"type":"request","command":"initialize","arguments":{"adapterID":"ptxvm"}}
{"seq":2,"type":"request","command":"launch","arguments":{"program":"../../examples/saxpy/saxpy.ptx","args":["--block","32","--arg","s32:32","--arg","f32:2","--arg","in:f32x32=iota","--arg","inout:f32x32=1"],"sanitize":["mem","race"]}}
{"seq":3,"type":"request","command":"configurationDone"}
{"seq":4,"type":"request","command":"disconnect"}`

// dapMessages puts a header before each line.
func dapMessages(lines string) string {
	var b strings.Builder
	for line := range strings.Lines(lines) {
		line = strings.TrimSpace(line)
		fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n%s", len(line), line)
	}
	return b.String()
}

// TestDAP runs a launch by the protocol on standard input and output, to its results and its exit code.
func TestDAP(t *testing.T) {
	fault := strings.Replace(dapLaunch, "inout:f32x32=1", "null", 1)
	run := []string{"../../examples/saxpy/saxpy.ptx", "--block", "32", "--arg", "s32:32", "--arg", "f32:2", "--arg", "in:f32x32=iota", "--arg", "inout:f32x32=1"}
	bare := regexp.MustCompile(`"arguments":\{"program".*\}\}`).ReplaceAllString(dapLaunch, `"arguments":{}}`)
	for _, c := range []struct {
		name, lines string
		flags       []string
		want        []string
	}{
		{"launch", dapLaunch, nil, []string{`1 3 5 7`, `"exitCode":0`, `"event":"terminated"`}},
		{"fault", fault, nil, []string{`"reason":"exception"`, `fault P7003`}},
		{"command line", bare, run, []string{`1 3 5 7`, `"exitCode":0`}},
		{"both", dapLaunch, run, []string{"has files of its own"}},
		{"nothing", bare, nil, []string{"needs \\\"program\\\""}},
		{"flag", strings.Replace(dapLaunch, `"--block"`, `"--blok"`, 1), nil, []string{"blok"}},
		{"refused flag", strings.Replace(dapLaunch, `"--block","32"`, `"--trace","0"`, 1), nil, []string{"does not take --trace"}},
		{"own flag", strings.Replace(dapLaunch, `"--block","32"`, `"--at","3"`, 1), nil, []string{"are not for an editor"}},
		{"check", strings.Replace(dapLaunch, `"mem"`, `"men"`, 1), nil, []string{"men"}},
		{"no file", strings.Replace(dapLaunch, "saxpy.ptx", "none.ptx", 1), nil, []string{"none.ptx"}},
		{"no folder", strings.Replace(dapLaunch, `"sanitize"`, `"cwd":"none","sanitize"`, 1), nil, []string{"cwd: "}},
		{"not PTX", strings.Replace(dapLaunch, "saxpy.ptx", "saxpy.cu", 1), nil, []string{`"success":false,"command":"launch"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out, errs bytes.Buffer
			code := doMain(t.Context(), append([]string{"debug", "--dap"}, c.flags...), strings.NewReader(dapMessages(c.lines)), &out, &errs)
			if code != exitDone || errs.Len() > 0 {
				t.Errorf("exit %d, %s", code, errs.String())
			}
			for _, want := range c.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("%s lacks %s", out.String(), want)
				}
			}
		})
	}
}

// TestDAPAddress serves the first client of a port, and refuses what is no address.
func TestDAPAddress(t *testing.T) {
	for _, c := range [][2]string{{"--dap=somewhere", "want stdio"}, {"--dap=example.com:1", "IPv4"}, {"--dap=:99999", "up to 65535"}, {"--dap=stdio -x k.txt", "reads no commands"}} {
		var errs bytes.Buffer
		if code := doMain(t.Context(), append([]string{"debug"}, strings.Fields(c[0])...), strings.NewReader(""), io.Discard, &errs); code != exitUsage || !strings.Contains(errs.String(), c[1]) {
			t.Errorf("%s: exit %d, %s", c[0], code, errs.String())
		}
	}
	if runtime.GOOS == "windows" {
		t.Skip("addresses are served on Unix alone")
	}
	said, errs := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- doMain(t.Context(), []string{"debug", "--dap", "localhost:0"}, strings.NewReader(""), io.Discard, errs)
	}()
	line, err := bufio.NewReader(said).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	at := regexp.MustCompile(`127\.0\.0\.1:[0-9]+`).FindString(line)
	client, err := net.Dial("tcp", at)
	if err != nil {
		t.Fatal(line, err)
	}
	if _, err := io.WriteString(client, dapMessages(dapLaunch)); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(client)
	if err != nil || !strings.Contains(string(got), `"exitCode":0`) {
		t.Errorf("%s, %v", got, err)
	}
	if c := <-code; c != exitDone {
		t.Errorf("exit %d", c)
	}
}
