package platforms

import (
	"flag"
	"strings"
	"testing"
)

var on = flag.String("platforms", "", "check the whole module for these platforms, GOOS/GOARCH, separated by blanks")

// TestPlatforms checks what is built for other platforms, without building it.
func TestPlatforms(t *testing.T) {
	if *on == "" {
		t.Skip(".ci/run names the platforms")
	}
	for _, platform := range strings.Fields(*on) {
		t.Run(platform, func(t *testing.T) {
			t.Parallel()
			if err := Check("../../..", platform, "./..."); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestPlanted finds an error in a file that one platform alone has, one in a test, and one of the size of int.
func TestPlanted(t *testing.T) {
	for platform, want := range map[string][]string{
		"windows/386":  {"only_windows.go", "undefined: absent", "wide.go", "overflows"},
		"darwin/arm64": {"planted_darwin_test.go", "declared and not used: unused"},
		"linux/amd64":  nil,
	} {
		err := Check(".", platform, "./testdata/planted")
		if want == nil {
			if err != nil {
				t.Errorf("%s: %v; want no error", platform, err)
			}
			continue
		}
		for _, word := range want {
			if err == nil || !strings.Contains(err.Error(), word) {
				t.Errorf("%s: %v; want %q", platform, err, word)
			}
		}
	}
}

func TestNoPlatform(t *testing.T) {
	if err := Check(".", "linux", "."); err == nil || !strings.Contains(err.Error(), "GOOS/GOARCH") {
		t.Errorf("got %v", err)
	}
}
