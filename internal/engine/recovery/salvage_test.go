package recovery

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warp/internal/core/event"
	"warp/internal/core/evidence"
)

// keptAs is what was kept under a name.
func keptAs(kept []string, part string) string {
	at := slices.IndexFunc(kept, func(k string) bool { return strings.Contains(k, part) })
	if at < 0 {
		return ""
	}
	return kept[at]
}

// Where the branch was, and what an agent left of a chunk that was not committed,
// is kept; what is on the branch anyway is not.
func TestWhatIsNotOnTheBranchIsKept(t *testing.T) {
	m := newMachine(t)
	commits := m.half(false)
	m.write("ac-07.txt", "half of it\n")
	m.git("add", "-A")
	tree := m.git("write-tree")
	m.git("reset", "-q", "--hard")
	store := m.driveIn(m.at).Store()
	m.ok(store.Append(event.Run, evidence.Run{Issue: "1", Chunk: 2, Tree: tree}, evidence.Run{Issue: "1", Chunk: 3, Tree: tree}, evidence.Run{Issue: "2", Chunk: 4, Tree: tree},
		evidence.Run{Issue: "1", Chunk: 5, Tree: strings.Repeat("0", 40)}, evidence.Run{Issue: "1", Chunk: 6, Tree: m.git("rev-parse", "HEAD^{tree}")}))
	m.git("reset", "-q", "--hard", commits[0])
	m.write("theirs.txt", "theirs\n")
	theirs := m.commit("feat: on a branch that has parted") // the remote has more of the drive
	res, err := m.open().Run(t.Context(), Options{Issue: "1"})
	if err != nil {
		t.Fatal(err)
	}
	if res.Commit != commits[1] || len(res.Kept) != 2 {
		t.Errorf("%+v", res)
	}
	if got := m.git("rev-parse", keptAs(res.Kept, "issue-1-branch-")); got != theirs {
		t.Errorf("the branch was at %s, kept is %s", theirs, got)
	}
	if got := m.git("show", keptAs(res.Kept, "issue-1-chunk-3-")+":ac-07.txt"); got != "half of it" {
		t.Errorf("of the chunk that was under way: %q", got)
	}
}

// A folder that stands where the work tree is to be is moved away whole, with
// what git would not keep; its files are a tree besides.
func TestAFolderInTheWayIsKept(t *testing.T) {
	m := newMachine(t)
	m.half(true)
	m.write(".claude/worktrees/issue-1/draft.txt", "draft\n")
	m.write(".claude/worktrees/issue-1/.claude/secret", "secret\n")
	m.lose(m.apart() + "/.gitignore") // git would keep warp's own files, too
	m.lose(m.at + "/.git/worktrees")
	res, err := m.open().Run(t.Context(), Options{Issue: "1"})
	if err != nil {
		t.Fatal(err)
	}
	if got := m.git("show", keptAs(res.Kept, "issue-1-folder-")+":draft.txt"); got != "draft" {
		t.Errorf("kept: %q", got)
	}
	if names := m.git("ls-tree", "-r", "--name-only", keptAs(res.Kept, "issue-1-folder-")); strings.Contains(names, ".claude") {
		t.Errorf("warp's own files are in the tree: %s", names)
	}
	moved := keptAs(res.Kept, setAside)
	for name, want := range map[string]string{"draft.txt": "draft\n", ".claude/secret": "secret\n"} {
		if text, err := os.ReadFile(filepath.Join(moved, name)); err != nil || string(text) != want {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	for _, s := range m.open().listLocalDrives() { // what was moved away is no drive any more
		if s.Root() == moved {
			t.Errorf("%s is taken for a drive", moved)
		}
	}
}

// An empty folder holds nothing that would have to be a tree.
func TestAnEmptyFolderIsOnlyMoved(t *testing.T) {
	m := newMachine(t)
	m.half(false)
	m.git("rm", "-q", ".gitignore") // the project does not keep git from seeing the drive's own files
	m.git("commit", "-q", "-m", "chore: ignore nothing")
	m.git("push", "-q", "origin", feature)
	m.git("switch", "-q", "main")
	m.git("branch", "-q", "-D", feature)
	m.ok(os.MkdirAll(m.apart(), 0o755))
	res, err := m.open().Run(t.Context(), Options{Issue: "1", Apart: true})
	if err != nil || len(res.Kept) != 1 || !strings.Contains(res.Kept[0], setAside) || res.Root != m.apart() {
		t.Errorf("%+v, %v", res, err)
	}
	if v, err := m.driveIn(m.at).Read(); err == nil {
		t.Errorf("the drive is in two places: %+v", v.State)
	}
	if seen, err := m.gitIn(m.apart(), "status", "--porcelain", "--ignored"); err != nil || seen != "!! .claude/" {
		t.Errorf("git sees %q", seen)
	}
}

// What git's own folder of a work tree still has is kept before git forgets the
// work tree: what warp had saved there, and an index with conflicts, of which no
// tree can be made.
func TestWhatAWorkTreeLeavesInGitIsKept(t *testing.T) {
	m := newMachine(t)
	m.half(true)
	m.write(".git/worktrees/issue-1/warp/replaced/settings", "mine\n")
	m.git("switch", "-q", "-c", "side", "main")
	m.write("ac-01.txt", "side\n")
	m.commit("feat: side")
	m.git("switch", "-q", "main")
	if out, err := m.gitIn(m.apart(), "merge", "side"); err == nil {
		t.Fatalf("no conflict: %s", out)
	}
	index, err := os.ReadFile(m.at + "/.git/worktrees/issue-1/index")
	m.ok(err)
	m.lose(m.apart())
	res, err := m.open().Run(t.Context(), Options{Issue: "1", Level: 3})
	if err != nil {
		t.Fatal(err)
	}
	saved := keptAs(res.Kept, "recovered-issue-1-")
	if text, err := os.ReadFile(filepath.Join(saved, "replaced", "settings")); err != nil || string(text) != "mine\n" {
		t.Errorf("%q, %v; kept: %q", text, err, res.Kept)
	}
	if text, err := os.ReadFile(filepath.Join(saved, "index")); err != nil || string(text) != string(index) {
		t.Errorf("the index: %v", err)
	}
}
