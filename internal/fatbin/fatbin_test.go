package fatbin

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"ptxvm.invalid/ptxvm/internal/isa"
)

// spec is an entry that a test makes.
type spec struct {
	kind   kind
	target string
	flags  uint64
	data   []byte
	size   uint64 // promised; 0: the right one
}

// text is PTX for a target.
func text(target string) []byte {
	return []byte("\n.version 8.0\n.target " + target + "\n.address_size 64\n" + strings.Repeat("// padding that packs well\n", 20))
}

func pack(t testing.TB, s spec) (payload []byte) {
	t.Helper()
	switch {
	case s.flags&flagZstd != 0:
		w, err := zstd.NewWriter(nil)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		return w.EncodeAll(s.data, nil)
	case s.flags&flagLZ4 != 0:
		out := make([]byte, lz4.CompressBlockBound(len(s.data)))
		n, err := lz4.CompressBlock(s.data, out, nil)
		if err != nil {
			t.Fatal(err)
		}
		return out[:n]
	}
	return s.data
}

// build writes a fat binary the way the facts sheet says.
func build(t testing.TB, specs ...spec) []byte {
	t.Helper()
	le := binary.LittleEndian
	var body []byte
	for _, s := range specs {
		target := isa.MustTarget(s.target)
		payload := pack(t, s)
		padded := append(bytes.Clone(payload), make([]byte, -len(payload)&7)...)
		h := make([]byte, entrySize)
		le.PutUint16(h[atKind:], uint16(s.kind))
		le.PutUint32(h[atHeader:], entrySize)
		le.PutUint64(h[atPayload:], uint64(len(padded)))
		flags := s.flags | map[byte]uint64{'a': flagArch, 'f': flagFamily}[target.Suffix]
		if flags&(flagZstd|flagLZ4) != 0 {
			le.PutUint32(h[atPacked:], uint32(len(payload)))
			le.PutUint64(h[atUnpacked:], max(s.size, uint64(len(s.data))))
		}
		le.PutUint32(h[atArch:], uint32(target.Arch))
		le.PutUint64(h[atFlags:], flags)
		body = append(append(body, h...), padded...)
	}
	h := le.AppendUint32(nil, containMagic)
	h = le.AppendUint64(le.AppendUint16(le.AppendUint16(h, 1), containSize), uint64(len(body)))
	return append(h, body...)
}

func sample(t testing.TB) []byte {
	return build(t,
		spec{kind: kindPTX, target: "sm_75", data: text("sm_75")},
		spec{kind: kindPTX, target: "sm_90", flags: flagZstd, data: text("sm_90")},
		spec{kind: kindPTX, target: "sm_90a", flags: flagLZ4, data: text("sm_90a")},
		spec{kind: kindPTX, target: "sm_100f", flags: flagZstd, data: text("sm_100f")},
		spec{kind: kindLTO, target: "sm_80", data: []byte("code")})
}

// TestChoose: the newest that a device runs, specific before plain.
func TestChoose(t *testing.T) {
	units, err := Read(sample(t), 0)
	if err != nil || len(units) != 1 || len(units[0].Texts) != 4 || len(units[0].LTO) != 1 {
		t.Fatalf("read %+v, %v", units, err)
	}
	for _, c := range []struct{ device, want string }{
		{"sm_70", ""}, {"sm_75", "sm_75"}, {"sm_89", "sm_75"}, {"sm_90", "sm_90a"}, {"sm_90a", "sm_90a"},
		{"sm_100", "sm_100f"}, {"sm_103", "sm_100f"}, {"sm_120", "sm_90"},
	} {
		got, err := units[0].Choose(isa.MustTarget(c.device))
		if c.want == "" {
			var none *NoMatchError
			if !errors.As(err, &none) || !errors.Is(err, ErrNoPTX) || !strings.Contains(err.Error(), "sm_100f, sm_75, sm_90, sm_90a") {
				t.Errorf("%s: %v", c.device, err)
			}
			continue
		}
		if err != nil || got.Target.String() != c.want || !bytes.Equal(got.PTX, text(c.want)) {
			t.Errorf("%s: %v %.60q, %v; want %s", c.device, got.Target, got.PTX, err, c.want)
		}
	}
}

// TestBroken: wrong and cut off files, and those that unpack to more than they may, are errors.
func TestBroken(t *testing.T) {
	whole := sample(t)
	for n := range whole {
		if _, err := Read(whole[:n], 0); err == nil {
			t.Fatalf("cut off after %d of %d bytes: no error", n, len(whole))
		}
	}
	zeros := make([]byte, 8<<20)
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"magic":     {append([]byte("\x51"), whole[1:]...), "neither a fat binary nor ELF"},
		"second":    {append(bytes.Clone(whole), "junk after"...), "cut off"},
		"too long":  {build(t, spec{kind: kindPTX, target: "sm_75", flags: flagZstd, data: text("sm_75"), size: 1 << 40}), ErrLimit.Error()},
		"lz4 bomb":  {build(t, spec{kind: kindPTX, target: "sm_75", flags: flagLZ4, data: text("sm_75"), size: 1 << 30}), "cannot stand for"},
		"zstd less": {build(t, spec{kind: kindPTX, target: "sm_75", flags: flagZstd, data: text("sm_75"), size: 5000}), "the header promises 5000"},
		"limit": {build(t, spec{kind: kindPTX, target: "sm_75", flags: flagZstd, data: zeros},
			spec{kind: kindPTX, target: "sm_80", flags: flagLZ4, data: zeros}), ErrLimit.Error()},
		"elf": {[]byte(elfMagic + "\x02\x01\x01"), "ELF"},
	} {
		_, err := Read(c.data, 12<<20)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	lying := build(t, spec{kind: kindPTX, target: "sm_75", flags: flagZstd, data: zeros})
	binary.LittleEndian.PutUint64(lying[containSize+atUnpacked:], 100)
	if _, err := Read(lying, 0); err == nil || !strings.Contains(err.Error(), "zstd") {
		t.Errorf("8 MiB that promise to be 100 bytes: %v", err)
	}
}

// FuzzRead: nothing crashes, and what is unpacked stays within the limit.
func FuzzRead(f *testing.F) {
	f.Add(sample(f))
	f.Add(build(f, spec{kind: kindELF, target: "sm_75", data: []byte(elfMagic)}))
	const limit = 1 << 20
	f.Fuzz(func(t *testing.T, data []byte) {
		units, err := Read(data, limit)
		if err != nil {
			return
		}
		for i := range units {
			total := 0
			for _, x := range units[i].Texts {
				total += len(x.PTX)
			}
			if total > limit+len(data) {
				t.Errorf("%d bytes of PTX", total)
			}
			_, _ = units[i].Choose(isa.MustTarget("sm_90"))
		}
	})
}
