//go:build unix

package documents_test

import (
	"os"
	"path/filepath"
	"testing"

	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/workflowstate"
	"warp/internal/durable"
	"warp/internal/sys/git"
	"warp/internal/testkit/gittest"
	"warp/internal/turnstile"
	"warp/internal/turnstile/documents"
)

func TestMain(m *testing.M) { gittest.Main(m) }

// Pull requests of workflows are listed while they may be open.
func TestPullsThatMayBeOpen(t *testing.T) {
	root := t.TempDir()
	gittest.Sh(t, root, "git init -q -b main && git -c user.name=t -c user.email=t@example.invalid commit -q --allow-empty -m 'chore: begin' && git branch workflow/a")
	d := turnstile.Open(root, turnstile.System())
	home := d.Project.Home()
	listed := func() (branches []string) {
		t.Helper()
		list, err := documents.ListPulls(home, git.Repo{Dir: root})
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range list {
			branches = append(branches, l.Branch)
		}
		return branches
	}
	if list := listed(); len(list) != 0 {
		t.Fatalf("before any landed: %v", list)
	}
	for _, row := range []evidence.Landed{
		{Branch: "workflow/a", Pull: 1}, {Branch: "workflow/gone", Pull: 2}, {Branch: "workflow/merged"}, {Branch: "feature/issue-1", Issue: "1", Pull: 3},
	} {
		if err := home.Append(event.Landed, row); err != nil {
			t.Fatal(err)
		}
	}
	if list := listed(); len(list) != 1 || list[0] != "workflow/a" {
		t.Errorf("open: %v", list)
	}
	if err := home.Append(event.Landed, evidence.Landed{Branch: "workflow/a", Pull: 1, Settled: true}); err != nil {
		t.Fatal(err)
	}
	if list := listed(); len(list) != 0 {
		t.Errorf("settled: %v", list)
	}
}

// A peek repairs nothing, and takes nothing for a workflow that is none.
func TestPeekAtAWorkflow(t *testing.T) {
	root := t.TempDir()
	gittest.Sh(t, root, "git init -q -b main")
	d := turnstile.Open(root, turnstile.System())
	for _, text := range []string{"", "{", "{}", `{"status": "executing", "current_step": 5}`} {
		if text != "" {
			gittest.Must(t, os.MkdirAll(filepath.Join(root, ".claude"), 0o755))
			gittest.Must(t, os.WriteFile(filepath.Join(root, ".claude", workflowstate.File), []byte(text), 0o644))
		}
		if s := documents.PeekWorkflow(d.Store()); s != nil {
			t.Errorf("%q is taken for a workflow", text)
		}
	}
}

// A state of the system before this one is told from a damaged one, and stays as it is.
func TestAnOldStateIsRecognised(t *testing.T) {
	root := t.TempDir()
	gittest.Sh(t, root, "git init -q -b main")
	store := turnstile.Open(root, turnstile.System()).Store()
	path := filepath.Join(root, ".claude", workflowstate.File)
	gittest.Must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	for text, isOld := range map[string]bool{
		`{"status": "executing", "current_step": 5, "total_steps": 10}`: true,
		`{"current_step": 5`: false, // damaged
		`{"current_step":`:   false,
		`{}`:                 false,
	} {
		gittest.Must(t, os.WriteFile(path, []byte(text), 0o644))
		if err := documents.RecogniseOld(store); (err != nil) != isOld {
			t.Errorf("%s: %v", text, err)
		}
		if have, err := os.ReadFile(path); err != nil || string(have) != text {
			t.Errorf("it was changed to %s, %v", have, err)
		}
	}
	gittest.Must(t, os.Remove(path))
	if err := documents.RecogniseOld(store); err != nil {
		t.Errorf("where there is none: %v", err)
	}
	for name, read := range map[string]func() error{
		"a workflow": func() error { _, err := documents.OpenWorkflow(store).Read(); return err },
		"a session":  func() error { _, err := documents.OpenSession(store, "none").Read(); return err },
	} {
		if err := read(); !durable.IsMissing(err) {
			t.Errorf("%s that was never begun: %v", name, err)
		}
	}
}
