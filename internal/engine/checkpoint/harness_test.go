package checkpoint

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warp/internal/core/lossless"
	"warp/internal/core/workflowstate"
	"warp/internal/durable"
	"warp/internal/sys/gitwrite"
	"warp/internal/sys/seal"
)

// A box is a throw-away repository with a workflow.
type box struct {
	*Keeper
	t     *testing.T
	clock time.Time
}

// newBox makes one whose project is a folder of the repository, or its top.
func newBox(t *testing.T, folder ...string) *box {
	t.Helper()
	home := t.TempDir()
	for name, value := range map[string]string{"HOME": home, "XDG_CONFIG_HOME": home, "GIT_CONFIG_NOSYSTEM": "1"} {
		t.Setenv(name, value)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &box{t: t, clock: time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)}
	b.Keeper = &Keeper{Now: func() time.Time { return b.clock }, PID: os.Getpid(), Host: "here"}
	b.Work.Dir = dir
	b.git("init", "-q", "-b", "main")
	b.git("config", "user.name", "User")
	b.git("config", "user.email", "user@example.org")
	dir = filepath.Join(append([]string{dir}, folder...)...)
	b.ok(os.MkdirAll(dir, 0o755))
	b.Work, err = gitwrite.Open(dir)
	b.ok(err)
	key, err := seal.Open(func(string) string { return "" }, filepath.Join(t.TempDir(), "user"))
	if err != nil {
		t.Fatal(err)
	}
	b.Store = durable.New(durable.Config{Dir: filepath.Join(dir, ownFolder), Now: b.Now, PID: b.PID, Signer: key})
	b.write("a.txt", "a\n")
	b.write("sub/b.txt", "b\n")
	b.write("run.sh", "#!/bin/sh\n")
	b.write(".gitignore", ".claude/*\n!.claude/commands/\n*.log\n")
	b.write(".claude/commands/mine.md", "mine\n")
	b.commit("first")
	b.git("switch", "-q", "-c", "feature")
	plan := workflowstate.Plan{ID: "20260115T120000Z", TaskDoc: "/task.md", Phases: 2, Limits: workflowstate.DefaultLimits, Level: 2, Branch: "feature", Base: b.git("rev-parse", "HEAD")}
	for _, id := range []string{"1.1", "1.2", "1.3", "2.1", "2.2"} {
		plan.Tasks = append(plan.Tasks, workflowstate.Planned{Task: id, Name: "Task " + id})
	}
	_, err = b.records().document().Update(func(tx *durable.Tx[workflowstate.State]) error {
		tx.Doc = workflowstate.Begin(plan, b.clock)
		return tx.Doc.Fire(workflowstate.PlanApproved, "", "", b.clock)
	})
	b.ok(err)
	return b
}

func (b *box) ok(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *box) path(name string) string { return filepath.Join(b.Work.Dir, filepath.FromSlash(name)) }

func (b *box) git(args ...string) string {
	b.t.Helper()
	c := exec.Command("git", args...)
	c.Dir = b.Work.Dir
	out, err := c.CombinedOutput()
	if err != nil {
		b.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSuffix(string(out), "\n")
}

func (b *box) write(name, text string) {
	b.t.Helper()
	b.ok(os.MkdirAll(filepath.Dir(b.path(name)), 0o755))
	b.ok(os.WriteFile(b.path(name), []byte(text), 0o644))
}

func (b *box) remove(name string) { b.t.Helper(); b.ok(os.RemoveAll(b.path(name))) }

func (b *box) has(name, want string) {
	b.t.Helper()
	text, err := os.ReadFile(b.path(name))
	if err != nil || string(text) != want {
		b.t.Errorf("%s is %q (%v), want %q", name, text, err, want)
	}
}

func (b *box) commit(message string) string {
	b.t.Helper()
	b.git("add", "-A")
	b.git("commit", "-q", "-m", message)
	return b.git("rev-parse", "HEAD")
}

// update changes the state as a workflow does.
func (b *box) update(what string, fn func(*workflowstate.State) error) error {
	_, err := b.records().document().Update(func(tx *durable.Tx[workflowstate.State]) error {
		if tx.Doc == nil {
			return errors.New("there is no workflow")
		}
		tx.Log(what, nil)
		return fn(tx.Doc)
	})
	return err
}

// make makes a checkpoint.
func (b *box) make(task string) int {
	b.t.Helper()
	b.clock = b.clock.Add(time.Minute)
	n, err := b.Make(b.t.Context(), b.update, 0, task)
	b.ok(err)
	return n
}

// done completes a task.
func (b *box) done(task string) {
	b.t.Helper()
	b.ok(b.update("task", func(s *workflowstate.State) error {
		s.TaskBegun(task, b.clock)
		s.IterationDone(task, 1, 250_000, time.Minute)
		s.TaskDone(workflowstate.Finish{Task: task, Commit: b.git("rev-parse", "HEAD")}, b.clock)
		return nil
	}))
}

func (b *box) now() *workflowstate.State {
	b.t.Helper()
	v, err := b.records().read()
	b.ok(err)
	return v.Doc
}

// tree is the hash of the whole work tree but .claude.
func (b *box) tree() string {
	b.t.Helper()
	hash, err := b.Work.Repo().Snapshot(ownFolder)
	b.ok(err)
	return hash
}

func (b *box) restore(n int) Restored {
	b.t.Helper()
	b.clock = b.clock.Add(time.Minute)
	r, err := b.Restore(b.t.Context(), n)
	b.ok(err)
	return r
}

// bare is a state as a file has it, without its checkpoints.
func bare(s *workflowstate.State) string {
	c := *s
	c.Checkpoints = nil
	return string(lossless.AppendIndent(nil, lossless.Encode(&c, nil)))
}

// killed runs something that dies at a point.
func (b *box) killed(point string, fn func()) {
	b.t.Helper()
	b.Passed = func(p string) {
		if p == point {
			panic(point)
		}
	}
	defer func() {
		b.Passed = nil
		if got := recover(); got != point {
			b.t.Fatalf("it was to die at %s: %v", point, got)
		}
	}()
	fn()
}

// refused wants a reason.
func (b *box) refused(n int, why Reason) {
	b.t.Helper()
	tree, tip, state := b.tree(), b.git("rev-parse", "HEAD"), bare(b.now())
	_, err := b.Restore(b.t.Context(), n)
	var r *refusedError
	if !errors.As(err, &r) || r.Reason != why || r.Why == "" || r.Do == "" {
		b.t.Errorf("want %s, got %v", why, err)
	}
	if tree != b.tree() || tip != b.git("rev-parse", "HEAD") || state != bare(b.now()) {
		b.t.Errorf("%s: something was changed", why)
	}
	if _, under, _ := b.Interrupted(); under {
		b.t.Errorf("%s: it says that it is under way", why)
	}
}
