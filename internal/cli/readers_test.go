package cli_test

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/cli"
	"warp/internal/cli/app"
	"warp/internal/cli/netcommands"
	"warp/internal/core/lossless"
	"warp/internal/core/questions"
	"warp/internal/core/sessionstate"
	"warp/internal/core/workflowstate/claim"
	"warp/internal/testkit/need"
	"warp/internal/turnstile"
)

// reader is a command that reads files of .claude, or a hook with its payload.
type reader struct {
	args []string
	in   string
}

func reads(line string) reader { return reader{args: strings.Fields(line)} }

func hears(event, more string) reader {
	return reader{[]string{"hook", event}, `{"session_id":"session-uuid-5678","hook_event_name":"` + event + `","agent_id":"agent-uuid-1234","agent_type":"x","tool_use_id":"t",` + more + `}`}
}

var (
	starts   = hears("SessionStart", `"source":"resume"`)
	compacts = hears("SessionStart", `"source":"compact"`)
	stops    = hears("Stop", `"reason":"x"`)
	ends     = hears("SessionEnd", `"reason":"other"`)
	fails    = hears("PostToolUseFailure", `"tool_name":"Bash","tool_input":{"command":"x"},"error":"Exit code 1\nSyntaxError: x"`)
	runs     = hears("PostToolUse", `"tool_name":"Bash","tool_input":{"command":"x"}`)
	edits    = hears("PreToolUse", `"tool_name":"Write","tool_input":{"file_path":"a"}`)
	prompts  = hears("UserPromptSubmit", `"prompt":"go on"`)
	backsUp  = hears("PreCompact", `"trigger":"auto"`)
	begins   = hears("SubagentStart", `"x":1`)
	finishes = hears("SubagentStop", `"last_assistant_message":"{\"findings\":[{\"severity\":\"S1\",\"title\":\"t\"}]}"`)
)

// seen are the files of .claude that others can write, and what reads each of them.
var seen = []struct {
	file, seed string // the seed is a text, or the name of a file that has it
	readers    []reader
}{
	{"state/session/current.json", "../core/telemetry/testdata/current.json", []reader{reads("telemetry --json"), reads("telemetry session"), reads("doctor --quick --json"), reads("clean -n"), starts, stops, backsUp, ends}},
	{"state/session/metrics.json", "../core/telemetry/testdata/metrics.json", []reader{reads("telemetry"), starts, ends}},
	{"state/session/session-uuid-5678.json", "../core/telemetry/testdata/current.json", []reader{reads("doctor --quick"), stops, starts, ends}},
	{"state/agents/active.json", "../core/telemetry/testdata/active.json", []reader{reads("telemetry agents"), begins, finishes, backsUp, ends}},
	{"state/agents/results/agent-uuid-1234.json", "../core/telemetry/testdata/result.json", []reader{reads("telemetry agents --json"), finishes, runs, ends}},
	{"state/agents/unread", "session-uuid-5678\nother\n", []reader{runs, prompts, ends}},
	{"state/errors/classified.json", "../core/telemetry/testdata/classified.json", []reader{reads("telemetry errors"), fails, runs, ends}},
	{"state/compaction/backup_20260129T104500.000Z.json", "../core/telemetry/testdata/backup.json", []reader{compacts, backsUp, ends}},
	{"state/coverage.json", `{"percent":81.5,"at":"2026-01-29T10:00:00Z","by":"x"}`, []reader{starts, ends}},
	{"state/loop/work_queue.json", "../core/workqueue/testdata/work_queue.json", []reader{reads("queue list --all"), reads("queue add x"), reads("queue done 1"), reads("queue move 2 S0"), reads("doctor --quick"), fails, starts}},
	{"state/inbox.json", string(lossless.AppendCompact(nil, lossless.Encode(questions.Book{Version: 1, Items: []questions.Item{{ID: "q1", Session: "s", Options: []string{"a"}}}}, nil))), []reader{reads("inbox --json"), reads("inbox"), reads("answer q1 a"), starts, prompts}},
	{"state/answers", "session-uuid-5678\n", []reader{prompts, runs}},
	{"state/events.jsonl", `{"at":"2026-01-29T10:00:00Z","kind":"edit","data":{"session":"s","file":"a"}}` + "\n", []reader{reads("log"), reads("doctor --quick"), reads("evidence 1"), starts, stops}},
	{".warp-drive-state.json", "", []reader{reads("status --json"), reads("status"), reads("state status ."), reads("state inject ."), reads("doctor --quick"), reads("log"), starts, edits, runs, stops}},
	{".warp-drive-owner.json", `{"claude_session_id":"s","pid":1}`, []reader{reads("status"), edits}},
	{"settings.local.json", `{"_workflow":{"level":2,"test_command":"x","quality_gates":["a=b"],"verification_gates":{"code_complete":["x"]}},"_rdb":{"enabled":true},"permissions":{"allow":["Bash(warp:*)"]}}`, []reader{reads("config list --json"), reads("level"), reads("status"), reads("trust --json"), reads("doctor --quick"), starts}},
	{"settings.json", `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"warp-hook Stop"}]}]},"enabledPlugins":{"warp@x":true},"permissions":{"allow":[]}}`, []reader{reads("doctor --quick"), reads("init --dry-run"), starts}},
	{"agent-state.json", "../core/workflowstate/testdata/seed.json", []reader{reads("workflow status --json"), reads("workflow status"), reads("checkpoint list"), reads("doctor --quick")}},
	{"locks.json", string(lossless.AppendCompact(nil, lossless.Encode(claim.Locks{}, nil))), []reader{reads("workflow status")}},
	{"pipeline-runs/s/state.json", string(lossless.AppendCompact(nil, lossless.Encode(sessionstate.State{}, nil))), []reader{reads("sessions list --json"), reads("sessions show s"), reads("clean -n")}},
	{"learnings.jsonl", `{"type":"pattern","lesson":"x","pattern":"y","context":"z","at":"2026-01-29T10:00:00Z"}` + "\n", []reader{reads("learnings list --json"), reads("learnings")}},
	{"locks/s.lock", `{"session":"s","pid":1,"host":"h","at":"2026-01-29T10:00:00Z"}`, []reader{reads("locks list"), reads("doctor --quick"), reads("clean -n")}},
	{"prices.json", `{"models":{"x":{"input":1,"output":2}}}`, []reader{reads("cost --json"), reads("cost")}},
	{"issues/1.md", "---\ntitle: a\nstate: closed\nlabels: req\n---\n\n- [ ] AC-01: x\n\n## Comments\n", []reader{reads("issue list --json"), reads("issue show 1"), starts}},
	{"pipelines/p.yaml", "name: p\nstages:\n  - name: a\n    prompt: x\n", []reader{reads("pipeline list"), reads("pipeline lint p")}},
}

// desk is a project that one file after the other is put into.
type desk struct {
	root string
	env  map[string]string
}

func newDesk(t testing.TB) *desk {
	t.Helper()
	need.Tool(t, "git")
	d := &desk{root: t.TempDir()}
	d.env = map[string]string{"HOME": t.TempDir(), "PATH": os.Getenv("PATH"), "WARP_SANDBOX": "off", "CLAUDE_PROJECT_DIR": d.root}
	git := exec.Command("git", "init", "-q", "-b", "main", d.root)
	if out, err := git.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return d
}

// read has a command read what is there. A panic ends the test by itself, but for hooks,
// which must answer whatever happens: they note it.
func (d *desk) read(t testing.TB, r reader) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var environ []string
	for k, v := range d.env {
		environ = append(environ, k+"="+v)
	}
	var said strings.Builder
	a := &app.App{In: strings.NewReader(r.in), Out: io.Discard, Err: &said, Dir: d.root, Environ: environ, Getenv: func(k string) string { return d.env[k] }, Env: turnstile.System()}
	cli.Run(ctx, a, r.args, netcommands.Commands...)
	rows, _ := os.ReadFile(filepath.Join(d.root, ".claude/state/events.jsonl")) // it may be what was made unreadable
	if strings.Contains(said.String(), "warp-hook crashed") || strings.Contains(string(rows), `"why":"it broke: `) {
		t.Errorf("%s panics: %s%s", strings.Join(r.args, " "), said.String(), rows)
	}
}

// try puts a text into a file and has all read it that do.
func (d *desk) try(t testing.TB, which int, text []byte) {
	t.Helper()
	for _, r := range seen[which].readers {
		path := filepath.Join(d.root, ".claude", filepath.FromSlash(seen[which].file))
		if err := os.RemoveAll(filepath.Join(d.root, ".claude")); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		d.read(t, r)
		if t.Failed() {
			t.Fatalf("%s with\n%s", seen[which].file, text)
		}
	}
}

// seedOf is a document as it is written.
func (d *desk) seedOf(t testing.TB, which int) []byte {
	t.Helper()
	switch s := seen[which]; {
	case s.seed == "":
		if err := os.RemoveAll(filepath.Join(d.root, ".claude")); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(d.root, ".claude"), 0o755); err != nil {
			t.Fatal(err)
		}
		if _, err := turnstile.Open(d.root, turnstile.System()).Init(t.Context(), turnstile.Start{Level: 2, Issue: "42", PID: os.Getpid(), ClaudeSession: "session-uuid-5678"}); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(d.root, ".claude", s.file))
		if err != nil {
			t.Fatal(err)
		}
		return text
	case strings.HasPrefix(s.seed, "../"):
		text, err := os.ReadFile(s.seed)
		if err != nil {
			t.Fatal(err)
		}
		return text
	default:
		return []byte(s.seed)
	}
}

// FuzzReaders has everything that reads a file of .claude read whatever others make of
// it: it may be refused, set aside or passed over, but nothing breaks.
func FuzzReaders(f *testing.F) {
	d := newDesk(f)
	for which := range seen {
		seed := d.seedOf(f, which)
		for _, text := range [][]byte{seed, []byte("null"), []byte("{}"), []byte("[null]"), seed[:len(seed)/2]} {
			f.Add(uint8(which), text)
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, text []byte) {
		d.try(t, int(which)%len(seen), text)
	})
}

// stand-ins take the place of a value in a document.
var standIns = []string{"null", "7", `"x"`, "[]", "{}", "[null]", "[{}]", "-1", "1e400", "true", `{"a":null}`}

// nodes are the values of a document, the outer ones first.
func nodes(v *lossless.Value) (list []*lossless.Value) {
	list = append(list, v)
	for _, e := range v.Elems {
		list = append(list, nodes(e)...)
	}
	for _, m := range v.Members {
		list = append(list, nodes(m.Value)...)
	}
	return list
}

// mutated is a document with one value replaced; what is no JSON is left as it is.
func mutated(t testing.TB, text []byte, node, with int) []byte {
	v, err := lossless.Parse(text)
	if err != nil {
		return text
	}
	all := nodes(v)
	in, err := lossless.Parse([]byte(standIns[with%len(standIns)]))
	if err != nil {
		t.Fatal(err)
	}
	return lossless.ReplaceValue(text, all[node%len(all)], in)
}

// FuzzReadersOfOddValues is FuzzReaders with documents that are JSON, and have a value of
// another kind somewhere. With WARP_SWEEP set, each value is replaced by each kind.
func FuzzReadersOfOddValues(f *testing.F) {
	d := newDesk(f)
	seeds := make([][]byte, len(seen))
	for which := range seen {
		seeds[which] = d.seedOf(f, which)
		v, err := lossless.Parse(seeds[which])
		if err != nil {
			continue
		}
		n := len(nodes(v))
		for i := range n * len(standIns) {
			if os.Getenv("WARP_SWEEP") != "" || i%(1+n*len(standIns)/3) == which {
				f.Add(uint8(which), uint16(i/len(standIns)), uint8(i%len(standIns)))
			}
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, node uint16, with uint8) {
		at := int(which) % len(seen)
		d.try(t, at, mutated(t, seeds[at], int(node), int(with)))
	})
}
