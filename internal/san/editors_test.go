package san

import (
	"encoding/json"
	"os"
	"slices"
	"testing"
)

// TestEditors: the debugger of the extension of Visual Studio Code offers every check and option, and no other.
func TestEditors(t *testing.T) {
	want := []string{"all"}
	for i := range Checks {
		want = append(want, Checks[i].Name)
		for _, o := range Checks[i].Options {
			want = append(want, Checks[i].Name+":"+o.Name)
		}
	}
	text, err := os.ReadFile("../../editors/vscode/package.json")
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct {
		Contributes struct {
			Debuggers []struct {
				ConfigurationAttributes struct {
					Launch struct {
						Properties struct {
							Sanitize struct{ Items struct{ Enum []string } }
						}
					}
				}
			}
		}
	}
	if err := json.Unmarshal(text, &manifest); err != nil {
		t.Fatal(err)
	}
	slices.Sort(want)
	for _, d := range manifest.Contributes.Debuggers {
		got := d.ConfigurationAttributes.Launch.Properties.Sanitize.Items.Enum
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("the extension offers %q, there are %q", got, want)
		}
	}
	if len(manifest.Contributes.Debuggers) == 0 {
		t.Error("the extension has no debugger")
	}
}
