package recovery

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warp/internal/core/drivestate"
	"warp/internal/engine/forge"
)

// back is what is held against a drive that was brought back.
type back struct {
	Phase  drivestate.Phase
	Index  int
	Chunks [][]string
	Tip    string
	Files  string // that are committed
}

// look reads it from the state and the branch, where the result says they are.
func (m *machine) look(res Result) (b back) {
	m.t.Helper()
	v, err := m.driveIn(res.Root).Read()
	m.ok(err)
	b = back{Phase: v.State.Phase, Index: v.State.Chunk.Index, Chunks: v.State.Chunk.ACs}
	if b.Tip, err = m.gitIn(res.Root, "rev-parse", "HEAD"); err != nil {
		m.t.Error(b.Tip)
	}
	if b.Files, err = m.gitIn(res.Root, "ls-files", "ac-*"); err != nil {
		m.t.Error(b.Files)
	}
	if on, _ := m.gitIn(res.Root, "branch", "--show-current"); res.Commit != "" && on != res.Branch {
		m.t.Errorf("%q is checked out in %s, want %q", on, res.Root, res.Branch)
	}
	if dirty, _ := m.gitIn(res.Root, "status", "--porcelain"); dirty != "" {
		m.t.Errorf("the work tree is not clean:\n%s", dirty)
	}
	return b
}

// Whatever is lost of a drive of which two chunks of three are committed: it is
// back after the second, where it was, with what is left to do split as it was.
func TestADriveIsBroughtBack(t *testing.T) {
	for _, c := range []struct {
		name  string
		apart bool // it has a work tree of its own
		lose  func(*machine)
		phase drivestate.Phase
		kept  string // what the result says was kept
	}{
		{name: "the work tree", apart: true, lose: func(m *machine) { m.lose(m.apart()) }, phase: drivestate.Reporting},
		{name: "the work tree, of which git knows nothing any more", apart: true, lose: func(m *machine) {
			m.lose(m.apart())
			m.git("worktree", "prune")
			m.git("worktree", "add", "-q", "--detach", m.apart()) // by a person, without the branch
			m.lose(m.apart())
		}, phase: drivestate.Reporting},
		{name: "the work tree, with what was staged in it", apart: true, lose: func(m *machine) {
			m.write(".claude/worktrees/issue-1/precious.txt", "precious\n")
			_, err := m.gitIn(m.apart(), "add", "precious.txt")
			m.ok(err)
			m.lose(m.apart())
		}, phase: drivestate.Reporting, kept: "refs/warp/recovered/issue-1-staged-"},
		{name: "the work tree and the branch", apart: true, lose: func(m *machine) {
			m.lose(m.apart())
			m.git("update-ref", "-d", "refs/heads/"+feature)
		}, phase: drivestate.Reporting, kept: "refs/warp/recovered/issue-1-staged-"}, // no commit to hold it against
		{name: "git's own record of the work tree", apart: true, lose: func(m *machine) { m.lose(m.at + "/.git/worktrees") }, phase: drivestate.Reporting},
		{name: "the branch", lose: func(m *machine) {
			m.git("switch", "-q", "main")
			m.git("branch", "-q", "-D", feature)
		}, phase: drivestate.Reporting},
		{name: "the branch, here and on the remote", lose: func(m *machine) {
			m.git("switch", "-q", "main")
			m.git("branch", "-q", "-D", feature)
			m.git("push", "-q", "origin", ":"+feature)
		}, phase: drivestate.Reporting},
		{name: "the last commit of the branch", lose: func(m *machine) { m.git("reset", "-q", "--hard", "HEAD^") }, phase: drivestate.Reporting},
		{name: "the state", lose: func(m *machine) { m.lose(m.at + "/.claude/.warp-drive-state.json") }, phase: drivestate.Reporting},
		{name: "the state, and the last commit here", lose: func(m *machine) {
			m.git("reset", "-q", "--hard", "HEAD^")
			m.lose(m.at + "/.claude/.warp-drive-state.json")
		}, phase: drivestate.Reporting},
		{name: "all of .claude", lose: func(m *machine) { m.lose(m.at + "/.claude") }, phase: drivestate.Reporting},
		{name: "all of .claude, after a report", lose: func(m *machine) {
			m.file(forge.NewIssue{Title: "Chunk 2", Labels: []string{"warp-drive"}, Body: fmt.Sprintf("<!-- warp-drive report #1.2 %d -->", began.UnixMilli())})
			m.lose(m.at + "/.claude")
		}, phase: drivestate.ChunkComplete},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMachine(t)
			commits := m.half(c.apart)
			c.lose(m)
			res, err := m.open().Run(t.Context(), Options{Issue: "1", Level: 3})
			if err != nil {
				t.Fatal(err)
			}
			if c.name == "git's own record of the work tree" { // the folder is moved away, with the state in it
				if len(res.Kept) != 2 || !strings.HasPrefix(res.Kept[0], "refs/warp/recovered/issue-1-folder-") || !strings.Contains(res.Kept[1], "issue-1"+setAside) {
					t.Errorf("kept: %q", res.Kept)
				}
			} else if kept := strings.Join(res.Kept, " "); (kept == "") != (c.kept == "") || !strings.HasPrefix(kept, c.kept) {
				t.Errorf("kept: %q", kept)
			}
			want := back{c.phase, 2, [][]string{criteriaOf(1), criteriaOf(2), criteriaOf(3)}, commits[1], "ac-01.txt\nac-02.txt\nac-03.txt\nac-04.txt\nac-05.txt\nac-06.txt"}
			if diff := cmp.Diff(want, m.look(res)); diff != "" {
				t.Error(diff)
			}
			root, next := m.at, "warp drive 1"
			if c.apart {
				root, next = m.apart(), "warp drive 1 --worktree"
			}
			if res.Root != root || res.Next != next || res.Done != 2 || res.Total != 3 || res.Title != "Seven things" {
				t.Errorf("%+v", res)
			}
			again, err := m.open().Run(t.Context(), Options{Issue: "1"})
			if err != nil || !again.Whole || again.Root != root || again.Next != "warp resume" {
				t.Errorf("the second time: %+v, %v", again, err)
			}
		})
	}
}
