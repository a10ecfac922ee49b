package fatbin

import "testing"

// TestContainer: a container gives back its text, and one that is cut off anywhere is an error, whatever its words say.
func TestContainer(t *testing.T) {
	const text = ".version 8.0\n"
	data := Pack([]byte(text))
	if list, ok, err := ExtractPTX(data, ""); !ok || err != nil || len(list) != 1 || string(list[0].PTX) != text || list[0].Linked {
		t.Errorf("%d modules, %v, %v", len(list), ok, err)
	}
	for n := len(containerMagic); n < len(data); n++ {
		if list, ok, err := ExtractPTX(data[:n], ""); !ok || err == nil {
			t.Errorf("%d bytes: %d modules, %v", n, len(list), err)
		}
	}
	data[len(containerMagic)+7] = 0x80 // 2^63 texts
	if _, _, err := ExtractPTX(data, ""); err == nil {
		t.Error("more texts than there are bytes")
	}
}
