package sarif

import (
	"bytes"
	"strings"
	"testing"
)

// found is a log of a command with results of the rules, at lines 1, 2, ….
func found(category string, exit int, why string, rules ...string) *Log {
	l := New("1.2.3")
	run := l.Runs[0]
	for i, id := range rules {
		at := Location{Physical: Physical{Artifact{"k.ptx"}, Region{StartLine: i + 1}}}
		run.Results = append(run.Results, Result{RuleID: id, RuleIndex: run.Rule(RuleOf(id, "a-rule", "a rule", "when", "fix", "error")),
			Level: "error", Message: Message{id}, Locations: []Location{at}, Fingerprints: map[string]string{"ptxvm/v1": id}})
	}
	l.Describe(category, exit, why)
	return l
}

// TestMerge: one run of a category, rules once, the same result once with how often, and each result with its own rule.
func TestMerge(t *testing.T) {
	all := Merge(found("run", 3, "", "P2", "P1"), found("check", 0, ""), found("run", 0, ""), found("run", 3, "", "P3", "P1"), found("run", 3, "", "P2"))
	if len(all.Runs) != 2 {
		t.Fatalf("%d runs", len(all.Runs))
	}
	run := all.Runs[0]
	var got []string
	for _, r := range run.Results {
		if run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID {
			t.Errorf("%s has rule %s", r.RuleID, run.Tool.Driver.Rules[r.RuleIndex].ID)
		}
		got = append(got, r.RuleID)
	}
	if have := strings.Join(got, " "); have != "P2 P1 P3" {
		t.Errorf("results %s", have)
	}
	if run.Results[0].Occurrences != 2 || run.Results[1].Occurrences != 2 || run.Results[2].Occurrences != 0 {
		t.Errorf("counts %+v", run.Results)
	}
	if len(run.Tool.Driver.Rules) != 3 || len(run.Invocations) != 2 || run.Tool.Driver.Version != "1.2.3" {
		t.Errorf("%+v", run)
	}
	if why := GitHubRefuses(all); why != "" {
		t.Error(why)
	}
}

// TestGitHubRules: what code scanning refuses is found.
func TestGitHubRules(t *testing.T) {
	twice := found("run", 0, "")
	twice.Runs = append(twice.Runs, found("run", 0, "").Runs...)
	nowhere := found("run", 3, "", "P1")
	nowhere.Runs[0].Results[0].Locations = nil
	lineless := found("run", 3, "", "P1")
	lineless.Runs[0].Results[0].Locations[0].Physical.Region.StartLine = 0
	mute := found("run", 3, "", "P1")
	mute.Runs[0].Results[0].Message.Text = ""
	for want, log := range map[string]*Log{"two runs": twice, "no place": nowhere, "no line": lineless, "no text": mute} {
		if have := GitHubRefuses(log); !strings.Contains(have, want) {
			t.Errorf("have %q, want %q", have, want)
		}
	}
}

// TestRead: what is written reads back; what is no log is refused, and never a fault.
func TestRead(t *testing.T) {
	log := found("run", 2, "no such file", "P1")
	var b, again bytes.Buffer
	if err := log.Write(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	back, err := Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	if err := back.Write(&again); err != nil || again.String() != text {
		t.Errorf("%v\n%s\nis read as\n%s", err, text, again.String())
	}
	if how := back.Runs[0].Invocations[0]; how.Successful || how.ExitCode != 2 || how.Notifications[0].Message.Text != "no such file" {
		t.Errorf("%+v", how)
	}
	for _, bad := range []string{"", "{}", "[]", `{"version":"2.1.0","runs":[null]}`, strings.Replace(text, `"ruleIndex": 0`, `"ruleIndex": 7`, 1),
		strings.Replace(text, `"ruleIndex": 0`, `"ruleIndex": -1`, 1), text[:len(text)/2]} {
		if _, err := Read(strings.NewReader(bad)); err == nil {
			t.Errorf("read: %.40q", bad)
		}
	}
}

// TestURI: names with blanks, colons and other scripts, absolute and relative ones.
func TestURI(t *testing.T) {
	for name, want := range map[string]string{
		"a/b.ptx": "a/b.ptx", "my kernel.ptx": "my%20kernel.ptx", "/x/é.ptx": "file:///x/%C3%A9.ptx", "a:b": "a%3Ab", "50%": "50%25",
	} {
		if have := URI(name); have != want {
			t.Errorf("%s: have %s, want %s", name, have, want)
		}
	}
}
