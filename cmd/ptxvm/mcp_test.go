package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"ptxvm.invalid/ptxvm/docs"
	"ptxvm.invalid/ptxvm/internal/mcp"
)

// inProcess runs command lines of this command by doMain; there is no Python.
func inProcess(ctx context.Context, program string, args []string, most int) (mcp.Done, error) {
	if program != mcp.Self {
		return mcp.Done{}, errors.New("no python")
	}
	out, errs := kept{most: most}, kept{most: most}
	exit := doMain(ctx, args, strings.NewReader(""), &out, &errs)
	return mcp.Done{Out: out.bytes, Err: errs.bytes, Cut: out.cut + errs.cut, Exit: exit}, nil
}

// connect has the client of the protocol's own SDK talk to a server whose calls run in this process.
func connect(t *testing.T, run mcp.Runner) *sdk.ClientSession {
	t.Helper()
	server := &mcp.Server{Version: "1", Run: run, Pages: docs.Pages, Folder: t.TempDir(), Timeout: time.Minute, Memory: "1G", Output: 1 << 16}
	asked, ask := io.Pipe()
	told, tell := io.Pipe()
	go func() { _ = tell.CloseWithError(server.Serve(t.Context(), asked, tell)) }()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &sdk.IOTransport{Reader: told, Writer: ask}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// wrongBarrier waits at a barrier that half of the CTA goes round.
const wrongBarrier = `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
	.reg .b32 %t, %v;
	.reg .pred %half;
	mov.u32 %t, %tid.x;
	setp.ge.u32 %half, %t, 32;
	@%half bra skip;
	bar.sync 0;
skip:
	mov.u32 %v, %t;
	ret;
}
`

// doubles stores twice the number of each thread.
const doubles = `.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
	.reg .b32 %t, %v;
	.reg .b64 %o;
	mov.u32 %t, %tid.x;
	ld.param.u64 %o, [out];
	mad.wide.u32 %o, %t, 4, %o;
	add.u32 %v, %t, %t;
	st.global.u32 [%o], %v;
	ret;
}
`

func TestMCPTools(t *testing.T) {
	t.Parallel()
	session := connect(t, inProcess)
	race := filepath.Join("..", "..", "examples", "race", "race.ptx")
	for _, c := range []struct {
		tool   string
		args   map[string]any
		failed bool
		want   []string
	}{
		{"sanitize", map[string]any{"ptx": wrongBarrier, "block": "64", "args": []string{"out:u32x64"}}, false,
			[]string{".ptx:11:2: P8003", "went round it", "fix:", "move it out of the branch", "\nreplay: ptxvm run ", "--block=64 --arg=out:u32x64 --sanitize=all"}},
		{"sanitize", map[string]any{"path": race, "block": "256", "args": []string{"in:f32x256=iota", "out:f32x1"}, "checks": "race"}, false, []string{"P8002", "race.cu:", "--sanitize=race"}},
		{"run", map[string]any{"ptx": wrongBarrier}, true, []string{"k takes 1 argument, 0 given", "--arg inout:"}},
		{"run", map[string]any{"path": "../../examples/saxpy/saxpy.ptx", "block": "4", "args": []string{"s32:4", "f32:2", "in:f32:1,2,3,4", "inout:f32:1,1,1,1"}}, false, []string{"3 5 7 9", "replay: ptxvm run /"}},
		{"run", map[string]any{"path": "none.ptx"}, true, []string{"none.ptx"}},
		{"check", map[string]any{"ptx": strings.Replace(wrongBarrier, "mov.u32", "mov.u23", 1)}, false, []string{".ptx:8:", "fix:", "replay: ptxvm check "}},
		{"check", map[string]any{"ptx": wrongBarrier}, false, []string{"no errors"}},
		{"check", map[string]any{"ptx": wrongBarrier, "arch": "sm_1"}, true, []string{"sm_1"}},
		{"diff", map[string]any{"ptx": doubles, "other_ptx": strings.Replace(doubles, "add.u32", "sub.u32", 1), "block": "4", "args": []string{"out:u32x4"}}, false,
			[]string{"differs: out: 3 of 4 elements", ".ptx:11 ", "sub.u32", "replay: ptxvm diff "}},
		{"diff", map[string]any{"ptx": doubles, "vary": []string{"arch=sm_80,sm_90"}, "block": "4", "args": []string{"out:u32x4"}}, false, []string{"equal", "--arch=sm_80,sm_90"}},
		{"diff", map[string]any{"ptx": doubles, "block": "4", "args": []string{"out:u32x4"}}, true, []string{"two modules"}},
		{"diff", map[string]any{"ptx": doubles, "other_ptx": doubles, "expect": []string{"0=1"}}, true, []string{"leave out expect"}},
		{"explain", map[string]any{"topic": "P8003"}, false, []string{"barrier"}},
		{"explain", map[string]any{"topic": "nonsense"}, true, []string{"nothing is called"}},
		{"isa", map[string]any{"name": "bar.sync", "target": "sm_90"}, false, []string{"bar"}},
		{"grade", map[string]any{"text": wrongBarrier, "kind": "ptx", "reference": "r.py"}, true, []string{"pip install", "no python"}},
	} {
		have, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: c.tool, Arguments: c.args})
		if err != nil {
			t.Errorf("%s %v: %v", c.tool, c.args, err)
			continue
		}
		text := have.Content[0].(*sdk.TextContent).Text
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s %v: no %q in\n%s", c.tool, c.args, want, text)
			}
		}
		if have.IsError != c.failed {
			t.Errorf("%s %v: isError %v\n%s", c.tool, c.args, have.IsError, text)
		}
	}
}

// TestMCPReplay: the line that an answer ends with gives the same again, and its object has the report.
func TestMCPReplay(t *testing.T) {
	t.Parallel()
	session := connect(t, inProcess)
	have, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "sanitize", Arguments: map[string]any{"ptx": wrongBarrier, "block": "64", "args": []string{"out:u32x64"}}})
	if err != nil {
		t.Fatal(err)
	}
	var told struct {
		Exit   int
		Replay string
		Report struct {
			Sanitizer []struct{ Code string }
		}
	}
	object, err := json.Marshal(have.StructuredContent)
	if err != nil || json.Unmarshal(object, &told) != nil || len(told.Report.Sanitizer) != 1 {
		t.Fatalf("%v: %s", err, object)
	}
	var out, errs bytes.Buffer
	words := strings.Fields(told.Replay)
	if exit := doMain(t.Context(), words[1:], strings.NewReader(""), &out, &errs); exit != told.Exit || exit != exitFault {
		t.Errorf("%s: exit %d, want %d", told.Replay, exit, told.Exit)
	}
	if text := have.Content[0].(*sdk.TextContent).Text; !strings.HasPrefix(text, strings.TrimSpace(out.String()+errs.String())) {
		t.Errorf("have %s\nwant %s", text, errs.String())
	}
}

func TestMCPLists(t *testing.T) {
	t.Parallel()
	session := connect(t, inProcess)
	tools, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range tools.Tools {
		names = append(names, tool.Name)
		if schema, ok := tool.InputSchema.(map[string]any); !ok || schema["type"] != "object" || tool.Description == "" {
			t.Errorf("%s has the schema %v", tool.Name, tool.InputSchema)
		}
	}
	if want := []string{"check", "run", "sanitize", "diff", "explain", "isa", "grade"}; !slices.Equal(names, want) {
		t.Errorf("tools %v, want %v", names, want)
	}
	pages, err := session.ListResources(t.Context(), nil)
	if err != nil || len(pages.Resources) < 15 {
		t.Fatal(err, pages)
	}
	for _, page := range pages.Resources {
		have, err := session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: page.URI})
		file, fileErr := os.ReadFile(filepath.Join("..", "..", "docs", filepath.FromSlash(page.Name)))
		if err != nil || fileErr != nil || page.Title == "" || have.Contents[0].Text != string(file) {
			t.Error(page.URI, page.Title, err, fileErr)
		}
	}
}

// TestMCPForever: a kernel that never ends is ended by the time of a call.
func TestMCPForever(t *testing.T) {
	t.Parallel()
	forever := strings.Replace(wrongBarrier, "skip:\n", "skip:\n\tbra skip;\n", 1)
	session := connect(t, func(ctx context.Context, program string, args []string, most int) (mcp.Done, error) {
		at := slices.Index(args, "--timeout=1m0s")
		if at < 0 {
			t.Error("no limit of time:", args)
		} else {
			args = slices.Replace(slices.Clone(args), at, at+1, "--max-steps=100000")
		}
		return inProcess(ctx, program, args, most)
	})
	have, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "run", Arguments: map[string]any{"ptx": forever, "args": []string{"null"}, "block": "64"}})
	if err != nil || have.IsError || !strings.Contains(have.Content[0].(*sdk.TextContent).Text, "steps:") {
		t.Error(err, have.Content[0])
	}
}
