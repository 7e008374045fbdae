package config

import (
	"testing"

	"warp/internal/core/lossless"
)

func TestUnknownKeysAreAWarningWithASuggestion(t *testing.T) {
	for _, c := range []struct{ key, suggestion string }{
		{"max_acs_per_comit", "max_acs_per_commit"},
		{"Max_acs_per_commit", "max_acs_per_commit"},
		{"levle", "level"},
		{"forg", "forge"},
		{"agnts", "agents"},
		{"agentss", "agents"},
		{"max_phase_minute", "max_phase_minutes"},
		{"test_comand", "test_command"},
		{"max_no_progess", "max_no_progress"},
		{"levl-", ""}, // two slips in a short word
		{"le-el-s", ""},
		{"something_else", ""},
		{"", ""},
		{"le", ""},
	} {
		s, err := Parse(file(c.key, "1"))
		if err != nil || len(s.Set) != 0 {
			t.Errorf("%s: %v, set %v", c.key, err, s.Set)
		}
		want := ".claude/settings.local.json: _workflow." + c.key + " is not a setting that warp knows"
		if c.suggestion != "" {
			want += "; did you mean " + c.suggestion + "?"
		}
		if len(s.Warnings) != 1 || s.Warnings[0] != want {
			t.Errorf("got %q, want %q", s.Warnings, want)
		}
	}
}

func TestTypedTextIsReadAsTheKeyNeedsIt(t *testing.T) {
	for _, c := range []struct{ key, typed, want string }{
		{"max_total_chunks", "7", "7"},
		{"max_total_chunks", " 7 ", "7"},
		{"max_total_chunks", "1e2", "1e2"},
		{"auto_merge", "false", "false"},
		{"level", "2", "2"},
		{"phase_timeout_enforcement", "block", `"block"`},
		{"forge", "local", `"local"`},
		{"test_command", "make test", `"make test"`},
		{"test_command", "true", `"true"`},
		{"test_command", `"quoted"`, `"\"quoted\""`},
		{"test_command", "", `""`},
		{"agent", "codex", `"codex"`},
		{"agents", `["claude","codex"]`, `["claude","codex"]`},
		{"verification_gates", `{"code_complete": ["make lint"]}`, `{"code_complete":["make lint"]}`},
		{"reasoning_budget", `{"planning":"high"}`, `{"planning":"high"}`},
	} {
		k, v, err := Read(c.key, nil, c.typed)
		if err != nil || k != Find(c.key) || compact(v) != c.want {
			t.Errorf("%s %s: %v, want %s", c.key, c.typed, err, c.want)
			continue
		}
		if _, err := Parse(file(c.key, compact(v))); err != nil {
			t.Errorf("what was read is not accepted: %v", err)
		}
	}
}

func TestTypedTextIsRefusedWithTheForm(t *testing.T) {
	for _, c := range []struct{ key, typed, want string }{
		{"max_total_chunks", "0", `max_total_chunks: "0" is not accepted: it must be a whole number from 1 to 1000000`},
		{"max_total_chunks", "1000001", `max_total_chunks: "1000001" is not accepted: it must be a whole number from 1 to 1000000`},
		{"max_total_chunks", "many", `max_total_chunks: "many" is not accepted: it must be a whole number from 1 to 1000000`},
		{"max_total_chunks", "", `max_total_chunks: "" is not accepted: it must be a whole number from 1 to 1000000`},
		{"auto_merge", "yes", `auto_merge: "yes" is not accepted: it must be true or false`},
		{"level", "1", `level: "1" is not accepted: it must be 2 or 3. Automation level must be 2 or 3`},
		{"phase_timeout_enforcement", "stop", `phase_timeout_enforcement: "stop" is not accepted: it must be one of warn, block, abort`},
		{"phase_timeout_enforcement", `"warn"`, `phase_timeout_enforcement: "\"warn\"" is not accepted: it must be one of warn, block, abort`},
		{"test_command", "a\nb", `test_command: "a\nb" is not accepted: it must be a line of text`},
		{"agent", "clade", `agent: "clade" is not accepted: it must be one of claude, codex, gemini, command, demo, or an object of roles, each with one: default, plan, code, fix, iterate, verify, judge, supervise, scan, choose, check`},
		{"agent_command", "a | b", `agent_command: "a | b" is not accepted: it is more than one program with arguments; name a script instead`},
		{"agents", "clade", `agents: "clade" is not accepted: it must be an array of agents: claude, codex, gemini, command, demo`},
		{"agents", `["claude"`, `agents: "[\"claude\"" is not accepted: it must be an array of agents: claude, codex, gemini, command, demo`},
		{"agents", `["codex","clade"]`, `agents: "[\"codex\",\"clade\"]" is not accepted: it must be an array of agents: claude, codex, gemini, command, demo`},
		{"levels", "2", `there is no setting "levels"; did you mean level?; warp config lists them`},
		{"colour", "red", `there is no setting "colour"; warp config lists them`},
	} {
		k, v, err := Read(c.key, nil, c.typed)
		if err == nil || err.Error() != c.want || k != nil || v != nil {
			t.Errorf("%s %q\n got %v\nwant %s", c.key, c.typed, err, c.want)
		}
	}
}

func TestALimitOfAMillionIsTheLargest(t *testing.T) {
	for _, k := range Keys() {
		if k.Accepts != fromZero && k.Accepts != fromOne {
			continue
		}
		if _, _, err := Read(k.Name, nil, "1000000"); err != nil {
			t.Error(err)
		}
		if _, _, err := Read(k.Name, nil, "1000001"); err == nil {
			t.Errorf("%s accepts 1000001", k.Name)
		}
	}
}

func TestWhatIsTypedForListsAndRoles(t *testing.T) {
	now := map[string]string{"model": `"sonnet"`, "effort": `{"code":"low"}`}
	for _, c := range []struct {
		key   string
		typed []string
		want  string // "": refused
	}{
		{"agent_command", []string{"my-agent", "--flag", "two words"}, `["my-agent","--flag","two words"]`},
		{"agent_command", []string{`my-agent --flag "two words"`}, `["my-agent","--flag","two words"]`},
		{"agent_command", []string{`["a b", "c"]`}, `["a b","c"]`},
		{"agent_command", []string{`a | b`}, ""},
		{"agents", []string{"codex", "gemini"}, `["codex","gemini"]`},
		{"agents", []string{"codex gemini"}, `["codex","gemini"]`},
		{"agents", []string{"emacs"}, ""},
		{"quality_gates", []string{"lint=make lint"}, `["lint=make lint"]`},
		{"protected", []string{"1"}, `["1"]`},
		{"level", []string{"2", "3"}, ""},
		{"model", []string{"opus"}, `"opus"`},
		{"model", []string{"--opus"}, ""},
		{"model.verify", []string{"haiku"}, `{"default":"sonnet","verify":"haiku"}`},
		{"model.cook", []string{"haiku"}, ""},
		{"effort.verify", []string{"high"}, `{"code":"low","verify":"high"}`},
		{"effort.verify", []string{"great"}, ""},
		{"reasoning_budget.coding", []string{"low"}, `{"coding":"low"}`},
		{"level.x", []string{"2"}, ""},
	} {
		_, v, err := Read(c.key, func(k *Key) *lossless.Value {
			v, _ := lossless.Parse([]byte(now[k.Name]))
			return v
		}, c.typed...)
		if got := ""; c.want == "" && err == nil || c.want != "" && (err != nil || string(lossless.AppendCompact(nil, v)) != c.want) {
			t.Errorf("%s %q: %s, %v, want %s", c.key, c.typed, got, err, c.want)
		}
	}
}

func TestTheUsersFileIsBelowTheProjects(t *testing.T) {
	s, err := ParseOver("user.json", []byte(`{"model": {"code": "opus", "verify": "haiku"}, "max_total_chunks": 5, "leve": 2}`), []byte(`{"_workflow": {"max_total_chunks": 7}}`))
	if err != nil {
		t.Fatal(err)
	}
	if s.Limits.TotalChunks != 7 || s.Source(Find("max_total_chunks")) != File {
		t.Errorf("the project's: %d from %s", s.Limits.TotalChunks, s.Source(Find("max_total_chunks")))
	}
	if s.Source(Find("model")) != "user.json" || s.Source(Find("level")) != "default" {
		t.Error("sources")
	}
	if len(s.Warnings) != 1 || s.Warnings[0] != "user.json: leve is not a setting that warp knows; did you mean level?" {
		t.Error(s.Warnings)
	}
	for role, want := range map[string]string{"code": "opus", "fix": "opus", "iterate": "opus", "verify": "haiku", "judge": "haiku", "plan": ""} {
		if got := s.Models.Of(role); got != want {
			t.Errorf("%s: %q, want %q", role, got, want)
		}
	}
	if _, err := ParseOver("user.json", []byte(`{"level": 9}`), nil); err == nil || err.Error() != "user.json: level: 9 is not accepted: it must be 2 or 3. Automation level must be 2 or 3" {
		t.Error(err)
	}
}
