//go:build unix

package hook_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/core/drivestate"
	"warp/internal/durable"
	"warp/internal/hook"
	"warp/internal/testkit/gittest"
	"warp/internal/turnstile"
)

const owner = "11111111-2222-4333-8444-555555555555"

// project is a real repository with a drive that owner's session owns.
type project struct {
	fs       durable.FS // nil: the operating system's
	t        *testing.T
	root     string
	drive    *turnstile.Drive
	env      map[string]string // of hooks, besides what they always have
	untested bool              // no tests are said to have passed
	parent   int               // who calls hooks; 0: this process
}

func newProject(t *testing.T) *project {
	t.Helper()
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_SYSTEM", os.DevNull)
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		t.Setenv("GIT_"+who+"_NAME", "t")
		t.Setenv("GIT_"+who+"_EMAIL", "t@example.invalid")
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &project{t: t, root: root, drive: turnstile.Open(root, turnstile.System())}
	gittest.Copy(t, root, `git init -q -b main; echo '# x' > README.md; echo .claude/ > .gitignore
git add -A; git commit -q -m 'chore: begin'; git switch -q -c feature/issue-42-x`)
	return p
}

// driven is a project whose drive has come to a phase.
func driven(t *testing.T, to drivestate.Phase) *project {
	t.Helper()
	p := newProject(t)
	p.write(".claude/issues/42.md", "- [ ] AC-01: parse mail\n- [ ] AC-02: keep attachments\n")
	start := turnstile.Start{Level: 3, Issue: "42", PID: os.Getpid(), ClaudeSession: owner}
	if _, err := p.drive.Init(t.Context(), start); err != nil {
		t.Fatal(err)
	}
	if _, err := p.drive.Criteria.RecordFromFile("42"); err != nil {
		t.Fatal(err)
	}
	p.walk(to)
	return p
}

// walk fires the events that lead through one chunk to a phase.
func (p *project) walk(to drivestate.Phase) {
	p.t.Helper()
	for _, step := range []struct {
		at   drivestate.Phase
		on   drivestate.Event
		data string
		do   func()
	}{
		{drivestate.Prerequisites, drivestate.PrerequisitesOK, "", nil},
		{drivestate.Discovering, drivestate.WorkSelected, "", nil},
		{drivestate.Planning, drivestate.PlanReady, "", nil},
		{drivestate.Chunking, drivestate.ChunksDefined, `{"chunks":[["AC-01"],["AC-02"]]}`, nil},
		{drivestate.Coding, drivestate.CodeComplete, "", func() { p.write("a.go", "package a\n") }},
		{drivestate.UpdatingDocs, drivestate.DocsUpdated, "", func() { p.check("AC-01") }},
		{drivestate.Testing, drivestate.TestsPassed, "", nil},
		{drivestate.Committing, drivestate.Committed, "", func() { p.commit("feat: a") }},
		{drivestate.Reporting, drivestate.ReportFiled, "", nil},
		{drivestate.ChunkComplete, drivestate.RequirementDone, "", nil},
		{drivestate.RequirementComplete, drivestate.MergeReady, "", nil},
		{drivestate.Merging, drivestate.Merged, "", nil},
	} {
		if p.phase() == to {
			return
		}
		if p.phase() != step.at {
			continue
		}
		if step.do != nil {
			step.do()
		}
		p.fire(step.on, step.data)
	}
	if p.phase() != to {
		p.t.Fatalf("in %s, want %s", p.phase(), to)
	}
}

func (p *project) fire(on drivestate.Event, data string) {
	p.t.Helper()
	// What the tests say is what these tests say.
	var tested string
	if on == drivestate.TestsPassed && !p.untested {
		var err error
		if tested, err = p.drive.Tree.Fingerprint(); err != nil {
			p.t.Fatal(err)
		}
	}
	shown := turnstile.Gate{Name: "proof", Tested: &tested, Run: func(context.Context, *drivestate.State) (string, error) { return "", nil }}
	if _, err := p.drive.Fire(p.t.Context(), on, data, shown); err != nil {
		p.t.Fatalf("%s: %v", on, err)
	}
}

func (p *project) check(ids ...string) {
	p.t.Helper()
	if err := p.drive.Criteria.CheckOff("42", ids, true); err != nil {
		p.t.Fatal(err)
	}
}

func (p *project) commit(message string) string {
	p.t.Helper()
	p.git("add", "-A")
	if v, err := p.drive.Read(); err == nil && v.State.Phase == drivestate.Committing { // as a drive's commits are
		message += "\n\n" + drivestate.Trailer(v.State, v.State.Chunk.Index)
	}
	p.git("commit", "-q", "--allow-empty", "-m", message)
	return p.git("rev-parse", "HEAD")
}

func (p *project) git(args ...string) string {
	p.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = p.root
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func (p *project) write(name, text string) {
	p.t.Helper()
	path := filepath.Join(p.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func (p *project) state() *drivestate.State {
	p.t.Helper()
	v, err := p.drive.Read()
	if err != nil {
		p.t.Fatal(err)
	}
	return v.State
}

func (p *project) phase() drivestate.Phase { p.t.Helper(); return p.state().Phase }

// answer is what a hook said.
type answer struct {
	Exit     int
	Out, Err string
	Decision string `json:"decision"`
	Reason   string `json:"reason"`
	Message  string `json:"systemMessage"`
	Specific struct {
		Event    string `json:"hookEventName"`
		Decision string `json:"permissionDecision"`
		Reason   string `json:"permissionDecisionReason"`
		Context  string `json:"additionalContext"`
	} `json:"hookSpecificOutput"`
}

func (a answer) denied() bool { return a.Specific.Decision == "deny" }

// payload is an event of the owner's session.
type payload map[string]any

func (p *project) hook(event string, more payload) answer {
	p.t.Helper()
	all := payload{"session_id": owner, "transcript_path": "/none.jsonl", "cwd": p.root, "hook_event_name": event}
	for k, v := range more {
		all[k] = v
	}
	text, err := json.Marshal(all)
	if err != nil {
		p.t.Fatal(err)
	}
	return p.raw(string(text), event)
}

func (p *project) raw(stdin string, args ...string) answer {
	p.t.Helper()
	var out, errs bytes.Buffer
	env := map[string]string{"CLAUDE_PROJECT_DIR": p.root, "HOME": "/nonexistent"}
	maps.Copy(env, p.env)
	parent := cmp.Or(p.parent, os.Getpid())
	if strings.Contains(stdin, `"session_id":"another"`) || strings.Contains(stdin, `"session_id":"b"`) {
		parent = 1 // another agent, which lives as long as the machine
	}
	system := turnstile.System()
	system.FS = p.fs
	code := hook.Run(args, hook.Env{
		In: strings.NewReader(stdin), Out: &out, Err: &errs, Dir: func() string { return p.root },
		Getenv: func(k string) string { return env[k] }, Parent: parent, System: system,
	})
	a := answer{Exit: code, Out: out.String(), Err: errs.String()}
	if a.Out != "" {
		if err := json.Unmarshal(out.Bytes(), &a); err != nil {
			p.t.Fatalf("the answer is no JSON: %v\n%s", err, a.Out)
		}
	}
	return a
}

func (p *project) bash(command string) answer {
	p.t.Helper()
	return p.hook("PreToolUse", payload{"tool_name": "Bash", "tool_input": payload{"command": command}, "tool_use_id": "toolu_1"})
}

// ran tells the hook that a command ran.
func (p *project) ran(command string) answer {
	p.t.Helper()
	return p.hook("PostToolUse", payload{"tool_name": "Bash", "tool_input": payload{"command": command}, "tool_response": payload{"stdout": ""}, "tool_use_id": "toolu_1"})
}

func (p *project) edit(event, file string) answer {
	p.t.Helper()
	return p.hook(event, payload{"tool_name": "Write", "tool_input": payload{"file_path": file, "content": "x"}, "tool_use_id": "toolu_1"})
}

// driveOn begins a drive wherever the project is.
func driveOn(t *testing.T, p *project, level int) *turnstile.Drive {
	t.Helper()
	start := turnstile.Start{Level: level, Issue: "42", PID: os.Getpid(), ClaudeSession: owner}
	if _, err := p.drive.Init(t.Context(), start); err != nil {
		t.Fatal(err)
	}
	return p.drive
}
