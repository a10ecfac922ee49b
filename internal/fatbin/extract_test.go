package fatbin_test

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/fatbin"
	"ptxvm.invalid/ptxvm/internal/testkit/nvcc"
)

const embeddedPTX = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n"

// fatbinOf packs texts as nvcc does without compression: a header of 16 bytes, then for each text one of 64 and the text.
func fatbinOf(texts ...string) []byte {
	var body []byte
	for i, text := range texts {
		size := (len(text) + 8) / 8 * 8 // at least one NUL
		head := make([]byte, 64)
		binary.LittleEndian.PutUint16(head, 1) // PTX
		binary.LittleEndian.PutUint16(head[2:], 0x101)
		binary.LittleEndian.PutUint32(head[4:], 64)
		binary.LittleEndian.PutUint64(head[8:], uint64(size))
		binary.LittleEndian.PutUint32(head[28:], uint32(80+10*i))
		body = append(append(body, head...), text...)
		body = append(body, make([]byte, size-len(text))...)
	}
	out := binary.LittleEndian.AppendUint32(nil, 0xba55ed50)
	out = binary.LittleEndian.AppendUint16(out, 1)
	out = binary.LittleEndian.AppendUint16(out, 16)
	return append(binary.LittleEndian.AppendUint64(out, uint64(len(body))), body...)
}

func TestExtractPTX(t *testing.T) {
	newer := strings.Replace(embeddedPTX, "sm_80", "sm_90", 1)
	intermediate := fatbinOf("for linking")
	binary.LittleEndian.PutUint16(intermediate[16:], 8) // LTO, of one architecture
	for _, c := range []struct {
		name, data, arch, want string
	}{
		{"one", string(fatbinOf(embeddedPTX)), "", embeddedPTX},
		{"newest", string(fatbinOf(embeddedPTX, newer)), "", newer},
		{"behind units without PTX", string(fatbinOf()) + string(intermediate) + string(fatbinOf(embeddedPTX)) + string(intermediate), "", embeddedPTX},
		{"for the device", string(fatbinOf(embeddedPTX, newer)), "sm_86", embeddedPTX},
		{"cuobjdump with machine code", "\nFatbin elf code:\n================\narch = sm_80\n\nFatbin ptx code:\n================\narch = sm_80\n\n" + embeddedPTX, "", embeddedPTX},
		{"cuobjdump", "\nFatbin ptx code:\n================\narch = sm_80\n\n" + embeddedPTX, "", embeddedPTX},
	} {
		got, ok, err := fatbin.ExtractPTX([]byte(c.data), c.arch)
		if !ok || err != nil || len(got) != 1 || strings.TrimSpace(string(got[0].PTX)) != strings.TrimSpace(c.want) {
			t.Errorf("%s: %d modules, %v, %v", c.name, len(got), ok, err)
			continue
		}
		if _, err := ptxvm.Compile("k", got[0].PTX, nil); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if _, ok, err := fatbin.ExtractPTX([]byte(embeddedPTX), ""); ok || err != nil {
		t.Errorf("PTX itself: %v, %v", ok, err)
	}
	if _, ok, err := fatbin.ExtractPTX(fatbinOf(newer)[:40], ""); ok || err == nil {
		t.Errorf("cut: %v, %v", ok, err)
	}
	if _, ok, err := fatbin.ExtractPTX(append(fatbinOf(), append(intermediate, intermediate...)...), ""); !ok || err == nil || strings.Count(err.Error(), "sm_80") != 1 {
		t.Errorf("no PTX in any unit: %v, %v", ok, err)
	}
	if _, ok, err := fatbin.ExtractPTX(fatbinOf(newer), "sm_70"); !ok || err == nil || !strings.Contains(err.Error(), "PTX for") {
		t.Errorf("too new: %v, %v", ok, err)
	}
}

// TestExtractFromCompiler: what nvcc makes holds the kernel, compressed or beside machine code.
func TestExtractFromCompiler(t *testing.T) {
	compiler, err := nvcc.Find()
	if err != nil {
		t.Skip(nvcc.SkipMark + err.Error())
	}
	dir := t.TempDir()
	for _, kind := range [][]string{{"k.fatbin", "-fatbin"}, {"k.cubin", "-cubin", "-lineinfo"}, {"k.o", "-c"}, {"k.so", "-shared", "-Xcompiler=-fPIC"}} {
		file := filepath.Join(dir, kind[0])
		if out, err := exec.Command(compiler, append(kind[1:], "-arch=sm_90", "-o", file, "../../testdata/cuda/saxpy.cu")...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts, ok, err := fatbin.ExtractPTX(data, "sm_90")
		if !ok || err != nil || len(texts) != 1 {
			t.Errorf("%s: %d modules, %v, %v", kind[0], len(texts), ok, err)
			continue
		}
		m, err := ptxvm.Compile(kind[0], texts[0].PTX, nil)
		if err != nil || len(m.Kernels()) != 1 {
			t.Errorf("%s: %v", kind[0], err)
		}
	}
}
