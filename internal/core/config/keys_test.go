package config

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warp/internal/core/drivestate"
	"warp/internal/core/lossless"
)

// The kinds of settings: what each accepts and what it refuses, by kind.
const (
	fromZero   = "a whole number from 0 to 1000000"
	fromOne    = "a whole number from 1 to 1000000"
	boolean    = "true or false"
	line       = "a line of text"
	list       = "an array of strings that are not empty"
	agent      = "one of claude, codex, gemini, command, demo, or an object of roles, each with one: default, plan, code, fix, iterate, verify, judge, supervise, scan, choose, check"
	chain      = "an array of agents: claude, codex, gemini, command, demo"
	mode       = "one of warn, block, abort"
	tracker    = "one of auto, github, gitea, local"
	reportAs   = "one of issue, comment, off"
	gates      = `an object of events, each with an array of commands: strings, or {"command": …, "timeout_seconds": …}`
	effort     = "an object of phases, each low, standard or high"
	levels     = "2 or 3"
	money      = "a number of dollars from 0 to 1000000"
	counted    = "a whole number of tokens from 0 to 1000000000000"
	share      = "a whole number from 0 to 100"
	boxes      = "one of auto, bwrap, landlock, container, off"
	networks   = "one of agent, off, on"
	verifiers  = "one of agent, session"
	unanswered = "one of default, give_up, wait"
	checked    = "one of auto, evidence, off"
	held       = "one of merge, pull-request, ask"
	told       = "one of all, important, questions"
	gits       = "one of read-only, private"
)

// documented are the settings with their defaults, in the documented order;
// "" is a setting that is not set by default.
var documented = []struct{ name, byDefault, accepts string }{
	{"max_acs_per_commit", "3", fromOne},
	{"test_before_commit", "true", boolean},
	{"auto_merge", "true", boolean},
	{"checks", `"auto"`, checked}, {"unproven", `"pull-request"`, held},
	{"max_phase_minutes", "30", fromOne},
	{"max_coding_cycles", "3", fromZero},
	{"max_retries_per_chunk", "5", fromZero},
	{"max_no_progress", "3", fromOne},
	{"max_edits_per_file", "5", fromOne},
	{"pre_exit_verification", "true", boolean},
	{"decision_timeout_minutes", "10", fromZero},
	{"unattended", `"default"`, unanswered}, {"notify", `"important"`, told}, {"desktop_notifications", "", boolean},
	{"heartbeat_on_commit", "true", boolean},
	{"reconcile_per_chunk", "true", boolean},
	{"dev_health_check", "true", boolean},
	{"dev_seed_check", "true", boolean},
	{"max_total_chunks", "20", fromOne},
	{"max_session_minutes", "480", fromOne},
	{"max_session_cost", "0", money},
	{"max_idle_seconds", "600", fromOne},
	{"phase_timeout_enforcement", `"warn"`, mode},
	{"doc_drift_gate", "false", boolean},
	{"verification_gates", "", gates},
	{"reasoning_budget", "", effort},
	{"level", "", levels},
	{"test_command", "", line},
	{"coverage_command", "", line},
	{"forge", `"auto"`, tracker},
	{"report_as", `"comment"`, reportAs},
	{"keep_branches", "false", boolean},
	{"follow_pulls", "", boolean},
	{"agent", `"claude"`, agent},
	{"model", "", modelForm},
	{"effort", "", effortForm},
	{"guided_verifier", `"agent"`, verifiers},
	{"quality_gates", "", list},
	{"agent_command", "", list},
	{"agents", "", chain},
	{"max_chunk_cost", "0", money},
	{"max_day_cost", "0", money},
	{"max_chunk_tokens", "0", counted},
	{"max_session_tokens", "0", counted},
	{"max_day_tokens", "0", counted},
	{"stop_at_window_percent", "0", share},
	{"sandbox", `"auto"`, boxes},
	{"sandbox_network", `"agent"`, networks},
	{"sandbox_hosts", "", list},
	{"sandbox_read", "", list},
	{"sandbox_write", "", list},
	{"sandbox_env", "", list},
	{"sandbox_git", `"read-only"`, gits},
	{"sandbox_container", "", list},
	{"sandbox_processes", "4096", fromZero},
	{"sandbox_memory_mb", "16384", fromZero},
	{"sandbox_file_mb", "4096", fromZero},
	{"sandbox_disk_mb", "40960", fromZero},
	{"sandbox_output_mb", "256", fromZero},
	{"in_place", "false", boolean},
	{"worktree_setup", "", line},
	{"protected", "", list},
	{"worktree_copy", "", list},
}

var accepted = map[string][]string{
	fromZero: {"0", "1", "1000000", "3.0", "1e3", "-0"},
	fromOne:  {"1", "1000000", "2.0", "1e6"},
	boolean:  {"true", "false"},
	line:     {`"make test"`, `""`, `"go test ./... -run 'é'"`},
	list:     {`[]`, `["claude"]`, `["sh","-c","exit 0"]`},
	agent:    {`"claude"`, `"codex"`, `"gemini"`, `"command"`, `"demo"`},
	chain:    {`[]`, `["codex"]`, `["demo","claude"]`},
	mode:     {`"warn"`, `"block"`, `"abort"`},
	tracker:  {`"auto"`, `"github"`, `"gitea"`, `"local"`},
	reportAs: {`"issue"`, `"comment"`, `"off"`},
	gates: {`{}`, `{"code_complete":[]}`, `{"code_complete":["make lint"],"tests_passed":["make type-check","true"]}`,
		`{"merge_ready":[{"command":"x","timeout_seconds":1}]}`, `{"merge_ready":[{"timeout_seconds":1000000,"command":"x"},{"command":"y"}]}`},
	effort:     {`{}`, `{"planning":"high","coding":"standard","testing":"low"}`},
	levels:     {"2", "3", "2.0"},
	modelForm:  {`"opus"`, `{}`, `{"code":"opus","verify":"haiku","default":"a/b:c"}`},
	effortForm: {`"low"`, `{"plan":"high"}`},
	money:      {"0", "2.5", "1000000", "0.000001"},
	counted:    {"0", "1", "2500000", "1e12"},
	share:      {"0", "1", "90", "100"},

	boxes:     {`"auto"`, `"bwrap"`, `"landlock"`, `"container"`, `"off"`},
	verifiers: {`"agent"`, `"session"`},
	networks:  {`"agent"`, `"off"`, `"on"`},
	gits:      {`"read-only"`, `"private"`},

	checked:    {`"auto"`, `"evidence"`, `"off"`},
	held:       {`"merge"`, `"pull-request"`, `"ask"`},
	unanswered: {`"default"`, `"give_up"`, `"wait"`},
	told:       {`"all"`, `"important"`, `"questions"`},
}

var refusedValues = map[string][]string{
	counted:  {"-1", "1000000000001", "1.5", `"3"`, "null", "true", "[3]", "{}", "1e400"},
	share:    {"-1", "101", "0.5", `"90%"`, "null", "true", "[3]", "{}"},
	money:    {"-1", "1000001", `"3"`, "null", "true", "[3]", "{}", "1e400"},
	fromZero: {"-1", "1000001", "1.5", `"3"`, "null", "true", "[3]", "{}", "1e400", "9223372036854775808"},
	fromOne:  {"0", "-1", "1000001", "1.5", `"3"`, "null", "false", "[]", "{}", "1e7"},
	boolean:  {"0", "1", `"true"`, "null", "[]", "{}"},
	line:     {"1", "null", "true", `["x"]`, "{}", `"a\nb"`, `"\u0000"`, `"\u001b[2J"`, `"\u007f"`, `"\u009b2J"`},
	list:     {`"claude"`, "null", `{}`, `[""]`, `["a",1]`, `["a",null]`, `[["a"]]`, "1", "true"},
	agent:    {`"clade"`, `"Claude"`, `""`, "7", "null", `["claude"]`},
	chain:    {`"claude"`, `["clade"]`, `["claude",""]`, `["claude",7]`, "null", `{}`},
	mode:     {`"Warn"`, `"stop"`, `""`, "null", "true", `["warn"]`, "0"},
	tracker:  {`"gitlab"`, `""`, "null", "1"},
	reportAs: {`"none"`, `""`, "false", "null"},
	gates: {`[]`, `"make"`, "null", `{"coding":["x"]}`, `{"code_complete":"make lint"}`, `{"code_complete":[""]}`, `{"code_complete":["  "]}`, `{"code_complete":[1]}`,
		`{"code_complete":["a\u0000b"]}`, `{"code_complete":[{}]}`, `{"code_complete":[{"command":7}]}`, `{"code_complete":[{"timeout_seconds":5}]}`, `{"code_complete":[null]}`,
		`{"code_complete":[{"command":"x","timeout_seconds":0}]}`, `{"code_complete":[{"command":"x","timeout_seconds":1000001}]}`, `{"code_complete":[{"command":"x","timeout_seconds":"5"}]}`,
		`{"code_complete":[{"command":"x","timeout":5}]}`, `{"code_complete":["ok",["x"]]}`},
	effort:     {`[]`, "null", `"high"`, `{"resting":"high"}`, `{"planning":"max"}`, `{"planning":1}`, `{"planning":null}`, `{"planning":"High"}`},
	modelForm:  {`""`, `"-m"`, `"a b"`, `"a\u0000"`, `{"cook":"opus"}`, `{"code":""}`, `{"code":1}`, "null", "1", `["opus"]`},
	effortForm: {`"max"`, `{"plan":"High"}`, `{"planning":"high"}`, "null", "2"},
	levels:     {"0", "1", "4", "2.5", `"2"`, "null", "true", "[2]"},

	checked:   {`"on"`, `""`, "true", "null"},
	held:      {`"pull_request"`, `""`, "true", "null"},
	boxes:     {`"docker"`, `""`, "null", "true", "0"},
	networks:  {`"none"`, `""`, "null", "false"},
	verifiers: {`"nobody"`, `""`, "null", "true"},
	gits:      {`"yes"`, `""`, "null", "true"},

	unanswered: {`"never"`, `""`, "null", "true"},
	told:       {`"none"`, `""`, "null", "true"},
}

func TestEverySettingHasItsDocumentedNameDefaultAndForm(t *testing.T) {
	if len(Keys()) != len(documented) {
		t.Fatalf("%d settings, %d documented", len(Keys()), len(documented))
	}
	for i, d := range documented {
		k := Keys()[i]
		def := ""
		if k.Default != nil {
			def = compact(k.Default)
		}
		if k.Name != d.name || def != d.byDefault || k.Accepts != d.accepts || k.Purpose == "" || Find(d.name) != k {
			t.Errorf("setting %d is %s = %s (%s; %s), want %+v", i, k.Name, def, k.Accepts, k.Purpose, d)
		}
	}
	if Find("nothing") != nil || Find("") != nil {
		t.Error("settings that do not exist are found")
	}
}

func compact(v *lossless.Value) string { return string(lossless.AppendCompact(nil, v)) }

func file(key, value string) []byte { return fmt.Appendf(nil, `{"_workflow":{%q:%s}}`, key, value) }

func TestWhatASettingAcceptsIsInForce(t *testing.T) {
	for _, d := range documented {
		for _, v := range accepted[d.accepts] {
			s, err := Parse(file(d.name, v))
			if err != nil || len(s.Warnings) > 0 {
				t.Errorf("%s: %s: %v, %v", d.name, v, err, s.Warnings)
				continue
			}
			k := Find(d.name)
			if compact(s.Value(k)) != v || s.Source(k) != File || len(s.Set) != 1 {
				t.Errorf("%s is %s from %s, want %s from %s", d.name, compact(s.Value(k)), s.Source(k), v, File)
			}
			for _, other := range Keys() {
				if other != k && (s.Value(other) != other.Default || s.Source(other) != "default") {
					t.Errorf("setting %s changes %s", d.name, other.Name)
				}
			}
		}
	}
}

func TestWhatASettingRefusesNamesFileKeyValueAndForm(t *testing.T) {
	for _, d := range documented {
		if len(refusedValues[d.accepts]) == 0 || len(accepted[d.accepts]) == 0 {
			t.Fatalf("nothing is tried for %s", d.name)
		}
		for _, v := range refusedValues[d.accepts] {
			s, err := Parse(file(d.name, v))
			if err == nil {
				t.Errorf("%s: %s is accepted", d.name, v)
				continue
			}
			if got := err.Error(); !strings.HasPrefix(got, ".claude/settings.local.json: _workflow."+d.name+": "+printed(v)+" is not accepted: ") || !strings.Contains(got, "must be "+d.accepts) {
				t.Errorf("%s: %s: %s", d.name, v, got)
			}
			if _, set := s.Set[d.name]; set {
				t.Errorf("%s: %s is refused and set", d.name, v)
			}
			if diff := cmp.Diff(Default(), s.Workflow); diff != "" {
				t.Errorf("%s: %s is refused, but changed:\n%s", d.name, v, diff)
			}
		}
	}
}

// printed is a value as messages show it.
func printed(v string) string {
	p, err := lossless.Parse([]byte(v))
	if err != nil {
		panic(err)
	}
	return compact(p)
}

func TestADefaultIsAcceptedByItsOwnSetting(t *testing.T) {
	want := Workflow{
		Limits: drivestate.Limits{PhaseMinutes: 30, PhaseEnforcement: "warn", Retries: 5, CodingCycles: 3, NoProgress: 3,
			TotalChunks: 20, SessionMinutes: 480, EditsPerFile: 5, ACsPerCommit: 3},
		TestBeforeCommit: true, AutoMerge: true, PreExit: true, DecisionMinutes: 10, Unattended: "default", Notify: "important", GuidedVerifier: "agent", Heartbeat: true, Reconcile: true,
		DevHealth: true, DevSeed: true, Forge: "auto", ReportAs: "comment", Agent: "claude", IdleSeconds: 600, Checks: "auto", Unproven: "pull-request",
		Sandbox: Sandbox{Kind: "auto", Network: "agent", Git: "read-only", Processes: 4096, MemoryMB: 16384, FileMB: 4096, DiskMB: 40960, OutputMB: 256},
	}
	if diff := cmp.Diff(want, Default()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
