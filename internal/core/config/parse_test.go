package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warp/internal/core/drivestate"
)

func parsed(t *testing.T, text string) Settings {
	t.Helper()
	s, err := Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return s
}

func TestEachSettingReachesItsField(t *testing.T) {
	s := parsed(t, `{"permissions": {"allow": []}, "_rdb": {"enabled": true, "chat": 7}, "_workflow": {
		"max_acs_per_commit": 11, "test_before_commit": false, "auto_merge": false, "checks": "evidence", "unproven": "ask", "max_phase_minutes": 12, "max_coding_cycles": 13,
		"max_retries_per_chunk": 14, "max_no_progress": 15, "max_edits_per_file": 16, "pre_exit_verification": false,
		"decision_timeout_minutes": 17, "unattended": "wait", "notify": "all", "desktop_notifications": true, "heartbeat_on_commit": false, "reconcile_per_chunk": false, "dev_health_check": false,
		"dev_seed_check": false, "max_total_chunks": 18, "max_session_minutes": 19, "max_session_cost": 2.5, "max_idle_seconds": 20, "phase_timeout_enforcement": "abort", "doc_drift_gate": true,
		"verification_gates": {"code_complete": ["make lint", {"command": "make vet", "timeout_seconds": 5}], "tests_passed": [{"command": "make type-check"}]},
		"reasoning_budget": {"planning": "high", "coding": "low"}, "level": 3, "test_command": "make test", "coverage_command": "make cover", "forge": "gitea", "report_as": "comment", "keep_branches": true, "follow_pulls": false, "agent": "codex", "model": {"code": "opus"}, "effort": "low", "guided_verifier": "session",
		"agent_command": ["my-agent", "--json"], "agents": ["claude", "gemini"], "quality_gates": ["lint=make lint"],
		"max_chunk_cost": 0.5, "max_day_cost": 20, "max_chunk_tokens": 21, "max_session_tokens": 22000000, "max_day_tokens": 23, "stop_at_window_percent": 90,
		"sandbox": "bwrap", "sandbox_network": "off", "sandbox_hosts": ["h"], "sandbox_read": ["/r"], "sandbox_write": ["/w"], "sandbox_env": ["E"], "sandbox_git": "private", "sandbox_container": ["c"],
		"sandbox_processes": 31, "sandbox_memory_mb": 32, "sandbox_file_mb": 33, "sandbox_disk_mb": 34, "sandbox_output_mb": 35, "in_place": true, "worktree_setup": "npm ci", "worktree_copy": [".env"], "protected": ["ci/"]}}`)
	want := Workflow{
		Limits: drivestate.Limits{PhaseMinutes: 12, PhaseEnforcement: "abort", Retries: 14, CodingCycles: 13, NoProgress: 15,
			TotalChunks: 18, SessionMinutes: 19, EditsPerFile: 16, ACsPerCommit: 11},
		DecisionMinutes: 17, Unattended: "wait", Notify: "all", Desktop: new(true), GuidedVerifier: "session", DocDriftGate: true,
		Gates: map[drivestate.Event][]Command{
			drivestate.CodeComplete: {{"make lint", 600}, {"make vet", 5}},
			drivestate.TestsPassed:  {{"make type-check", 600}},
		},
		Reasoning: map[string]string{"planning": "high", "coding": "low"}, Level: 3, TestCommand: "make test", CoverageCommand: "make cover", Forge: "gitea", ReportAs: "comment", KeepBranches: true, FollowPulls: new(false), Agent: "codex",
		AgentCommand: []string{"my-agent", "--json"}, QualityGates: []string{"lint=make lint"}, Agents: []string{"claude", "gemini"}, Remote: true,
		IdleSeconds: 20, SessionMicroUSD: 2_500_000, ChunkMicroUSD: 500_000, DayMicroUSD: 20_000_000,
		ChunkTokens: 21, SessionTokens: 22_000_000, DayTokens: 23, WindowPercent: 90,
		Sandbox: Sandbox{Kind: "bwrap", Network: "off", Hosts: []string{"h"}, Read: []string{"/r"}, Write: []string{"/w"}, Env: []string{"E"}, Container: []string{"c"}, Git: "private",
			Processes: 31, MemoryMB: 32, FileMB: 33, DiskMB: 34, OutputMB: 35},
		InPlace: true, WorktreeSetup: "npm ci", WorktreeCopy: []string{".env"}, Protected: []string{"ci/"},
		Models: PerRole{"code": "opus"}, Efforts: PerRole{"default": "low"}, Checks: "evidence", Unproven: "ask",
	}
	if diff := cmp.Diff(want, s.Workflow); diff != "" || len(s.Warnings) > 0 || len(s.Set) != len(Keys()) {
		t.Errorf("warnings %v, %d set (-want +got):\n%s", s.Warnings, len(s.Set), diff)
	}
	targets := map[drivestate.Event][]string{drivestate.CodeComplete: {"make lint", "make vet"}, drivestate.TestsPassed: {"make type-check"}}
	if diff := cmp.Diff(targets, s.Targets()); diff != "" {
		t.Errorf("targets (-want +got):\n%s", diff)
	}
}

func TestNothingSetMeansTheDefaults(t *testing.T) {
	for _, text := range []string{"", "{}", `{"permissions":{}}`, `{"_workflow":{}}`, `{"_rdb":{}}`, `{"_rdb":{"enabled":false}}`, `{"_rdb":false}`} {
		s := parsed(t, text)
		if diff := cmp.Diff(Default(), s.Workflow); diff != "" || len(s.Set) != 0 || len(s.Warnings) != 0 {
			t.Errorf("%q: %v %v (-want +got):\n%s", text, s.Set, s.Warnings, diff)
		}
		if len(s.Targets()) != 0 {
			t.Errorf("%q: targets %v", text, s.Targets())
		}
		for _, k := range Keys() {
			if s.Value(k) != k.Default || s.Source(k) != "default" {
				t.Errorf("%q: %s is %v from %s", text, k.Name, s.Value(k), s.Source(k))
			}
		}
	}
}

func TestFilesThatAreNoneAreRefused(t *testing.T) {
	const f = ".claude/settings.local.json"
	for _, c := range []struct{ text, want string }{
		{"{", f + " is not valid JSON: line 1, column 2: unexpected end of the document"},
		{`{"_workflow":{"level":2,"level":3}}`, f + ` is not valid JSON: line 1, column 35: the object that ends here has the member "level" twice`},
		{"[]", f + " must be an object, not an array"},
		{"null", f + " must be an object, not null"},
		{`{"_workflow":null}`, f + ": _workflow must be an object, not null"},
		{`{"_workflow":[]}`, f + ": _workflow must be an object, not an array"},
		{`{"_rdb":null}`, f + ": _rdb.enabled must be true or false, not null"},
		{`{"_rdb":"on"}`, f + ": _rdb.enabled must be true or false, not a string"},
		{`{"_rdb":[]}`, f + ": _rdb.enabled must be true or false, not an array"},
		{`{"_rdb":{"enabled":1}}`, f + ": _rdb.enabled must be true or false, not a number"},
		{`{"_rdb":{"enabled":null},"_workflow":{"level":2}}`, f + ": _rdb.enabled must be true or false, not null"},
		{`{"_rdb":7,"_workflow":8}`, f + ": _rdb.enabled must be true or false, not a number\n" + f + ": _workflow must be an object, not a number"},
	} {
		s, err := Parse([]byte(c.text))
		if err == nil || err.Error() != c.want {
			t.Errorf("%s\n got %v\nwant %s", c.text, err, c.want)
		}
		if s.Remote {
			t.Errorf("%s: decisions go to the bridge", c.text)
		}
	}
}

func TestRemoteDecisionsAreSwitchedOnEitherWay(t *testing.T) {
	for _, text := range []string{`{"_rdb":{"enabled":true}}`, `{"_rdb":true}`, `{"_rdb":{"chat":"x","enabled":true},"_workflow":{}}`} {
		if s := parsed(t, text); !s.Remote {
			t.Errorf("%s is not remote", text)
		}
	}
}

func TestEveryMistakeIsToldAtOnce(t *testing.T) {
	s, err := Parse([]byte(`{"_rdb":{"enabled":"yes"},"_workflow":{"level":9,"agent":"codex","max_total_chunks":0,"levle":2}}`))
	want := []string{
		".claude/settings.local.json: _rdb.enabled must be true or false, not a string",
		".claude/settings.local.json: _workflow.level: 9 is not accepted: it must be 2 or 3. Automation level must be 2 or 3",
		".claude/settings.local.json: _workflow.max_total_chunks: 0 is not accepted: it must be a whole number from 1 to 1000000",
	}
	if err == nil || cmp.Diff(want, strings.Split(err.Error(), "\n")) != "" {
		t.Errorf("got %v, want %q", err, want)
	}
	if len(s.Warnings) != 1 || s.Agent != "codex" || len(s.Set) != 1 {
		t.Errorf("%v, agent %s, set %v", s.Warnings, s.Agent, s.Set)
	}
}

func TestMistakesInsideASettingAreLocated(t *testing.T) {
	for _, c := range []struct{ key, value, want string }{
		{"verification_gates", `{"coding":[]}`, `"coding" is not an event; it must be ` + gates},
		{"verification_gates", `{"code_complete":{}}`, "code_complete: it must be " + gates},
		{"verification_gates", `{"code_complete":["ok",7]}`, "code_complete[1]: it must be " + gates},
		{"reasoning_budget", `{"code_complete":"high"}`, `"code_complete" is not a phase; it must be ` + effort},
		{"reasoning_budget", `{"coding":"max"}`, "coding: it must be " + effort},
	} {
		_, err := Parse(file(c.key, c.value))
		if err == nil || !strings.HasSuffix(err.Error(), "is not accepted: "+c.want) {
			t.Errorf("%s: %s\n got %v\nwant … %s", c.key, c.value, err, c.want)
		}
	}
}

func TestNothingMayHoldUpAnAbort(t *testing.T) {
	for _, on := range []string{"abort", "budget_abort"} {
		_, err := Parse([]byte(`{"_workflow":{"verification_gates":{"` + on + `":["false"]}}}`))
		if err == nil || !strings.Contains(err.Error(), "an abort cannot have gates") {
			t.Errorf("%s: %v", on, err)
		}
	}
}

func TestABlankFileSetsNothing(t *testing.T) {
	if _, err := Parse([]byte(" \n")); err != nil {
		t.Error(err)
	}
}

// The one setting that is read alone is the same as among all.
func TestEditsPerFileIsTheOneOfAllSettings(t *testing.T) {
	for _, c := range []struct{ user, project string }{
		{"", ""},
		{"", `{"_workflow":{"max_edits_per_file":7}}`},
		{`{"max_edits_per_file":8}`, ""},
		{`{"max_edits_per_file":8}`, `{"_workflow":{"max_edits_per_file":9,"auto_merge":false}}`},
		{`{"max_edits_per_file":8}`, `{"max_edits_per_file":9}`},
		{`{"max_edits_per_file":8}`, `{"_workflow":{"max_edits_per_file":0}}`},
		{`{"max_edits_per_file":"many"}`, ""},
		{`[8]`, `{"_workflow":{"max_edits_per_file":7}}`},
		{"", "{"},
	} {
		all, wrong := ParseOver("mine", []byte(c.user), []byte(c.project))
		most, err := EditsPerFile("mine", []byte(c.user), []byte(c.project))
		if most != all.Limits.EditsPerFile || (err == nil) != (wrong == nil) {
			t.Errorf("%s over %s: %d, %v; among all: %d, %v", c.project, c.user, most, err, all.Limits.EditsPerFile, wrong)
		}
	}
}
