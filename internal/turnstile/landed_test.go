//go:build unix

package turnstile_test

import (
	"testing"

	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/workflowstate"
	sysgit "warp/internal/sys/git"
	"warp/internal/turnstile"
)

// Pull requests of workflows are listed while they may be open.
func TestPullsThatMayBeOpen(t *testing.T) {
	root := repository(t)
	git(t, root, "branch", "workflow/a")
	d := turnstile.Open(root, turnstile.System())
	home := d.Project.Home()
	listed := func() (branches []string) {
		t.Helper()
		list, err := turnstile.ListPulls(home, sysgit.Repo{Dir: root})
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
	root := repository(t)
	d := turnstile.Open(root, turnstile.System())
	for _, text := range []string{"", "{", "{}", `{"status": "executing", "current_step": 5}`} {
		if text != "" {
			write(t, root, ".claude/"+workflowstate.File, text)
		}
		if s := turnstile.PeekWorkflow(d.Store()); s != nil {
			t.Errorf("%q is taken for a workflow", text)
		}
	}
}
