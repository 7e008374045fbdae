package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"warp/internal/core/drivestate"
	"warp/internal/sys/pinned"
	"warp/internal/turnstile"
)

const owner = "11111111-2222-4333-8444-555555555555"

// guarded creates a repository on its own branch, with a drive in committing that belongs to owner.
func (b *bench) guarded(name string, guided bool) (string, error) {
	root := filepath.Join(b.dir, name)
	if err := os.MkdirAll(filepath.Join(root, ".claude"), 0o755); err != nil {
		return "", err
	}
	settings := `{"_workflow":{"max_edits_per_file":1000000}}`
	if err := os.WriteFile(filepath.Join(root, ".claude", "settings.local.json"), []byte(settings), 0o644); err != nil {
		return "", err
	}
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"}, {"config", "user.name", "t"}, {"config", "user.email", "t@example.invalid"},
		{"commit", "-q", "--allow-empty", "-m", "chore: begin"}, {"switch", "-q", "-c", "feature/issue-42-mail"},
	} {
		if err := command(append([]string{"git", "-C", root}, args...)...); err != nil {
			return "", err
		}
	}
	ctx := context.Background()
	d := turnstile.Open(root, turnstile.System())
	if _, err := d.Init(ctx, turnstile.Start{Level: 3, Issue: "42", PID: os.Getpid(), ClaudeSession: owner}); err != nil {
		return "", err
	}
	for _, step := range []struct {
		on   drivestate.Event
		data string
	}{
		{drivestate.PrerequisitesOK, ""}, {drivestate.WorkSelected, ""}, {drivestate.PlanReady, ""}, {drivestate.ChunksDefined, `{"chunks":[["AC-01"]]}`},
		{drivestate.CodeComplete, ""}, {drivestate.DocsUpdated, ""}, {drivestate.TestsPassed, ""},
	} {
		if step.on == drivestate.CodeComplete {
			if guided {
				return root, guide(d)
			}
			if err := os.WriteFile(filepath.Join(root, "a.go"), []byte("package a\n"), 0o644); err != nil {
				return "", err
			}
			if err := d.Criteria.CheckOff("42", []string{"AC-01"}, true); err != nil {
				return "", err
			}
		}
		if _, err := d.Fire(ctx, step.on, step.data); err != nil {
			return "", err
		}
	}
	return root, nil
}

// guide makes this process the engine of a drive in which the session codes, and pins the files that
// hooks compare, with a tracker of 50 issues.
func guide(d *turnstile.Drive) error {
	if _, err := d.Claim(os.Getpid(), turnstile.Mind{Session: owner, PID: os.Getpid()}); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(d.Root(), ".claude", "issues"), 0o755); err != nil {
		return err
	}
	for n := range 50 {
		if err := os.WriteFile(filepath.Join(d.Root(), ".claude", "issues", strconv.Itoa(100+n)+".md"), []byte("- [ ] AC-01: x\n"), 0o644); err != nil {
			return err
		}
	}
	book, _ := pinned.Open(d.Root()) // it was just made
	return book.Begin()
}

// payload is what Claude Code sends, about 2 KB.
func payload(root, event, tool string, input map[string]string, more ...any) []byte {
	p := map[string]any{
		"session_id": owner, "transcript_path": "/home/u/.claude/projects/p/" + owner + ".jsonl", "cwd": root, "hook_event_name": event,
		"permission_mode": "acceptEdits", "effort": map[string]string{"level": "medium"}, "prompt_id": "28b3756d-3948-4478-98c7-31cda8721ade",
		"tool_name": tool, "tool_input": input, "tool_use_id": "toolu_01", "future": strings.Repeat("x", 1200),
	}
	if len(more) > 0 {
		p["tool_response"] = more[0]
	}
	text, err := json.Marshal(p)
	if err != nil {
		panic(err) // strings and maps of them
	}
	return text
}

// call is a program with its stdin.
type call struct {
	argv  []string
	stdin []byte
	dir   string
}

func (c call) run() (time.Duration, error) {
	cmd := exec.Command(c.argv[0], c.argv[1:]...)
	cmd.Stdin = bytes.NewReader(c.stdin)
	cmd.Env = append(os.Environ(), "CLAUDE_PROJECT_DIR="+c.dir)
	began := time.Now()
	out, err := cmd.Output()
	took := time.Since(began)
	if err != nil || len(out) > 0 {
		return 0, fmt.Errorf("%s: %v, it said %q", strings.Join(c.argv, " "), err, out)
	}
	return took, nil
}

// hooks measures what a hook costs on every tool call.
func hooks(b *bench) ([]figure, error) {
	root, err := b.guarded("hooks", false)
	if err != nil {
		return nil, err
	}
	mind, err := b.guarded("guided", true)
	if err != nil {
		return nil, err
	}
	script, err := filepath.Abs(filepath.Join("bench", "seedway", "gate.sh"))
	if err != nil {
		return nil, err
	}
	plain := payload(root, "PreToolUse", "Bash", map[string]string{"command": "go test ./... | tail -20", "description": "run the tests"})
	pre := payload(root, "PreToolUse", "Bash", map[string]string{"command": "git add a.go && git commit -m 'feat(mail): parse it'", "description": "commit"})
	edit := payload(root, "PostToolUse", "Edit", map[string]string{"file_path": filepath.Join(root, "a.go"), "old_string": "a", "new_string": "b"})
	big := payload(root, "PreToolUse", "Bash", map[string]string{"command": "git status"}, map[string]string{"stdout": strings.Repeat("line of output \"quoted\"\n", 420_000)})
	calls := []call{
		{[]string{"/bin/true"}, pre, root},
		{[]string{b.empty}, pre, root},
		{[]string{b.hook, "PreToolUse"}, plain, root},
		{[]string{b.hook, "PostToolUse"}, edit, root},
		{[]string{b.hook, "PreToolUse"}, pre, root},
		{[]string{b.hook, "PreToolUse"}, payload(mind, "PreToolUse", "Bash", map[string]string{"command": "go test ./... | tail -20"}), mind},
		{[]string{b.hook, "PostToolUse"}, payload(mind, "PostToolUse", "Edit", map[string]string{"file_path": filepath.Join(mind, "a.go"), "old_string": "a", "new_string": "b"}), mind},
	}
	m, err := raceCalls(400, calls...)
	if err != nil {
		return nil, err
	}
	slow, err := raceCalls(30, call{[]string{b.hook, "PreToolUse"}, pre, root}, call{[]string{"bash", script}, pre, root}, call{[]string{b.hook, "PreToolUse"}, big, root})
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(b.hook)
	if err != nil {
		return nil, err
	}
	out := []figure{
		{name: "warp-hook PreToolUse, against an empty Go program", value: ratio(m[2], m[1]), unit: "x", most: 1.4},
		{name: "warp-hook PreToolUse (git commit, allowed), against the same", value: ratio(m[4], m[1]), unit: "x"},
		{name: "warp-hook PreToolUse, against /bin/true", value: ratio(m[2], m[0]), unit: "x", note: fmt.Sprintf("  (an empty Go program: %.2f)", ratio(m[1], m[0]))},
		{name: "warp-hook PostToolUse (edit tracker), against the same", value: ratio(m[3], m[1]), unit: "x", most: 1.8},
		{name: "warp-hook PreToolUse in a guided session, against the same", value: ratio(m[5], m[1]), unit: "x", most: 1.8},
		{name: "warp-hook PostToolUse in a guided session (edit tracker), against the same", value: ratio(m[6], m[1]), unit: "x", most: 2.2},
		{name: "hooks of bash + jq + node on a Bash call, against warp-hook", value: ratio(slow[1], slow[0]), unit: "x", least: 60},
		{name: "a payload of 10 MB", value: float64(slow[2].Microseconds()) / 1000, unit: "ms", most: 50},
		{name: "size of warp-hook", value: float64(info.Size()) / 1e6, unit: "MB", most: 4.6},
	}
	more, err := instructions(b, calls[1:5])
	return append(out, more...), err
}

func raceCalls(rounds int, calls ...call) ([]time.Duration, error) {
	times := make([][]time.Duration, len(calls))
	for range rounds {
		for i, c := range calls {
			took, err := c.run()
			if err != nil {
				return nil, err
			}
			times[i] = append(times[i], took)
		}
	}
	return medians(times), nil
}

// instructions counts instructions, which are the same in every run, whatever else the machine
// does.
func instructions(b *bench, calls []call) ([]figure, error) {
	if _, err := exec.LookPath("valgrind"); err != nil {
		fmt.Println("valgrind is not installed: no instructions are counted")
		return nil, nil
	}
	names := []string{"an empty Go program", "warp-hook PreToolUse", "warp-hook PostToolUse (edit tracker)", "warp-hook PreToolUse (git commit)"}
	var out []figure
	for i, c := range calls {
		argv := append([]string{"--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"}, c.argv...)
		cmd := exec.Command("valgrind", argv...)
		cmd.Stdin = bytes.NewReader(c.stdin)
		cmd.Env = append(os.Environ(), "CLAUDE_PROJECT_DIR="+c.dir, "GOMAXPROCS=1")
		text, err := cmd.CombinedOutput()
		if err != nil {
			return nil, fmt.Errorf("valgrind: %w\n%s", err, text)
		}
		n, err := counted(string(text))
		if err != nil {
			return nil, err
		}
		out = append(out, figure{name: "instructions: " + names[i], value: n / 1e6, unit: "M"})
	}
	return out, nil
}

// counted parses the line "I refs: 1,234" of valgrind's report.
func counted(report string) (float64, error) {
	for line := range strings.Lines(report) {
		if _, after, ok := strings.Cut(line, "refs:"); ok && strings.Contains(line, "I ") {
			return strconv.ParseFloat(strings.ReplaceAll(strings.TrimSpace(after), ",", ""), 64)
		}
	}
	return 0, errors.New("valgrind printed no count:\n" + report)
}

// load runs 64 hooks at once on one project.
func load(b *bench) ([]figure, error) {
	root, err := b.guarded("load", false)
	if err != nil {
		return nil, err
	}
	const at = 64
	edit := payload(root, "PostToolUse", "Edit", map[string]string{"file_path": filepath.Join(root, "a.go")})
	var slowest time.Duration
	for range 5 {
		times, errs := make([]time.Duration, at), make([]error, at)
		var wg sync.WaitGroup
		for i := range at {
			wg.Go(func() {
				cmd := call{[]string{b.hook, "PostToolUse"}, edit, root}
				times[i], errs[i] = cmd.runQuietly()
			})
		}
		wg.Wait()
		if err := errors.Join(errs...); err != nil {
			return nil, err
		}
		for _, t := range times {
			slowest = max(slowest, t)
		}
	}
	v, err := turnstile.Open(root, turnstile.System()).Read()
	if err != nil {
		return nil, err
	}
	if n := v.State.EditCounts["a.go"]; n != 5*at {
		return nil, fmt.Errorf("%d edits were counted of %d", n, 5*at)
	}
	return []figure{{name: "slowest of 64 hooks at once, none lost", value: float64(slowest.Microseconds()) / 1000, unit: "ms", most: 1000}}, nil
}

// runQuietly ignores the program's output: a warning is no failure.
func (c call) runQuietly() (time.Duration, error) {
	cmd := exec.Command(c.argv[0], c.argv[1:]...)
	cmd.Stdin = bytes.NewReader(c.stdin)
	cmd.Env = append(os.Environ(), "CLAUDE_PROJECT_DIR="+c.dir)
	began := time.Now()
	err := cmd.Run()
	return time.Since(began), err
}
