package trustledger

import (
	"errors"
	"strings"
	"testing"
)

const settings = "/p/.claude/settings.local.json"

func TestOnlyCommandsOfTheSettingsCount(t *testing.T) {
	for text, want := range map[string]string{
		``: "", `{}`: "", `{"_workflow": {"level": 3}}`: "",
		`{"_workflow": {"test_command": "", "agent_command": [], "verification_gates": {}}}`: "",
		`{"_workflow": {"test_command": "make test"}, "permissions": {"allow": ["x"]}}`:      "make test",
		`{"_workflow": {"agent_command": ["sh"]}}`:                                           "agent_command",
		`{"_workflow": {"verification_gates": {"code_complete": ["lint"]}}}`:                 "lint",
		`{"_workflow": {"forge": "github"}, "_rdb": {}}`:                                     "",
		`{"_workflow": {"forge": "gitea"}}`:                                                  "gitea",
		`{"_rdb": {"enabled": false, "webhook": "https://evil.example"}}`:                    "evil.example",
		`no JSON`: "no JSON",
	} {
		got := string(Subject(settings, []byte(text)))
		if (got == "") != (want == "") || !strings.Contains(got, want) || strings.Contains(got, "permissions") {
			t.Errorf("%s: %q", text, got)
		}
	}
	if got := string(Subject("/p/dev.json", []byte("{}"))); got != "{}" {
		t.Errorf("of another file %q counts", got)
	}
}

func TestTrustIsInAContentAtAPath(t *testing.T) {
	var l Ledger
	check := func(path, text string) (refused, changed bool) {
		var not *Untrusted
		refused = errors.As(l.Check(path, []byte(text)), &not)
		return refused, refused && not.Changed
	}
	if refused, changed := check("/p/dev.json", "a"); !refused || changed {
		t.Error("nobody has trusted it")
	}
	l.Allow("/p/dev.json", []byte("a"), "now")
	if refused, _ := check("/p/dev.json", "a"); refused {
		t.Error("what was allowed is refused")
	}
	if refused, changed := check("/p/dev.json", "b"); !refused || !changed {
		t.Error("a changed file does not ask again")
	}
	if refused, _ := check("/q/dev.json", "a"); !refused {
		t.Error("trust went to another project")
	}
	// An entry that was copied to another path does not fit there.
	l.Files = append(l.Files, Entry{Path: "/q/dev.json", Hash: l.Files[0].Hash})
	if refused, _ := check("/q/dev.json", "a"); !refused {
		t.Error("the hash does not hold the path")
	}
	l.Allow("/p/dev.json", []byte("b"), "later")
	if refused, _ := check("/p/dev.json", "a"); !refused {
		t.Error("what was trusted once is trusted for ever")
	}
	if !l.Revoke("/p/dev.json") || l.Revoke("/p/dev.json") {
		t.Error("revoke tells otherwise")
	}
	if refused, _ := check("/p/dev.json", "b"); !refused {
		t.Error("what was revoked is trusted")
	}
}

func TestHarmlessSettingsNeedNoTrust(t *testing.T) {
	var l Ledger
	l.Allow(settings, []byte(`{"_workflow": {"test_command": "x"}}`), "now")
	for text, want := range map[string]bool{
		`{"_workflow": {"level": 3}}`:                                 true,
		`{"permissions": {}, "_workflow": {"test_command":   "x"}}`:   true,
		`{"_workflow": {"test_command": "x", "agent_command":["y"]}}`: false,
	} {
		if got := l.Check(settings, []byte(text)) == nil; got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
	if l.Allow(settings, []byte(`{}`), "now"); len(l.Files) != 0 {
		t.Error("nothing is kept as trusted")
	}
}

func TestDiff(t *testing.T) {
	if got := Diff("a\nb\nc\n", "a\nx\nc\nd"); got != " a\n-b\n+x\n c\n+d\n" {
		t.Errorf("%q", got)
	}
	long := strings.Repeat("l\n", most+1)
	if got := Diff(long, "x\n"); strings.Count(got, "-l\n") != most+1 || !strings.HasSuffix(got, "+x\n") {
		t.Error("a long text is not told whole")
	}
}
