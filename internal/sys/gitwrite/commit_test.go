package gitwrite

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestCommitTakesTheChunkAndLeavesTheUsers(t *testing.T) {
	b := newBox(t)
	b.write("mine", "untracked\n")
	b.write("b", with(lines("b", 9), "b5", "mine"))
	b.write("sub/staged", "staged\n")
	b.git("add", "sub/staged")
	b.write(".gitignore", "*.o\n")
	b.write(".claude/state", "1")
	b.write(".claude/tracked", "1")
	b.git("add", "-f", ".claude/tracked")
	b.git("commit", "-q", "-m", "m", "--", ".claude/tracked")
	base := b.snap()
	b.write("a", with(lines("a", 9), "a2", "chunk"))
	b.write("new/deep", "new\n")
	b.write("x.o", "ignored")
	b.write(".claude/state", "2")
	b.write(".claude/tracked", "2")
	b.ok(os.Remove(b.path("sub/c")))
	hash := b.commitSince(base)
	b.wantChanged(hash, "M a", "A new/deep", "D sub/c")
	b.wantStatus(" M .claude/tracked", "?? .claude/state", "?? .gitignore", "?? mine", " M b", "A  sub/staged")
	b.wantFile("b", with(lines("b", 9), "b5", "mine"))
	b.wantFile("mine", "untracked\n")
	if got := b.git("log", "-1", "--format=%B%an %ae %cn"); got != "feat: a chunk\n\nwith a body\nUser user@example.org User" {
		t.Errorf("got %q", got)
	}
	if got := b.git("reflog", "-1", "--format=%gs"); got != "commit: feat: a chunk" {
		t.Errorf("reflog %q", got)
	}
	if _, err := b.Commit(context.Background(), b.change(b.snap())); !errors.Is(err, ErrNothing) {
		t.Errorf("got %v", err)
	}
}

func TestCommitOnlyTheChunksPartOfAFile(t *testing.T) {
	b := newBox(t)
	mine := with(lines("a", 9), "a1", "mine")
	staged := with(lines("b", 9), "b1", "staged")
	b.write("a", mine)
	b.write("b", staged)
	b.git("add", "b")
	b.write("b", with(staged, "b9", "not staged"))
	base := b.snap()
	b.write("a", with(mine, "a5", "chunk"))
	b.write("b", with(with(staged, "b9", "not staged"), "b5", "chunk"))
	b.commitSince(base)
	b.wantBlob("HEAD:a", with(lines("a", 9), "a5", "chunk"))
	b.wantBlob(":a", with(lines("a", 9), "a5", "chunk"))
	b.wantFile("a", with(mine, "a5", "chunk"))
	b.wantBlob("HEAD:b", with(lines("b", 9), "b5", "chunk"))
	b.wantBlob(":b", with(staged, "b5", "chunk")) // what was staged still is
	b.wantStatus(" M a", "MM b")
}

func TestCommitRefusesWhatCannotBeToldApart(t *testing.T) {
	for name, c := range map[string]struct{ before, after func(b box) }{
		"the same line": {
			func(b box) { b.write("a", with(lines("a", 9), "a5", "mine")) },
			func(b box) { b.write("a", with(lines("a", 9), "a5", "chunk")) }},
		"an untracked file": {
			func(b box) { b.write("a", lines("a", 9)); b.write("u", "mine\n") },
			func(b box) { b.write("u", "mine\nchunk\n"); b.write("a", "x") }},
		"a changed file deleted": {
			func(b box) { b.write("a", with(lines("a", 9), "a5", "mine")) },
			func(b box) { b.ok(os.Remove(b.path("a"))) }},
		"a deleted file made": {
			func(b box) { b.ok(os.Remove(b.path("a"))) },
			func(b box) { b.write("a", "chunk\n") }},
		"binary": {
			func(b box) { b.write("bin", "\x00mine\n") },
			func(b box) { b.write("bin", "\x00chunk\n") }},
		"a folder in place of a deleted file": {
			func(b box) { b.ok(os.Remove(b.path("a"))) },
			func(b box) { b.write("a/x", "chunk\n") }},
		"a file in place of a deleted folder": {
			func(b box) { b.ok(os.RemoveAll(b.path("sub"))) },
			func(b box) { b.write("sub", "chunk\n") }},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBox(t)
			b.write("bin", "\x00\n")
			head := b.commit()
			c.before(b)
			base := b.snap()
			c.after(b)
			now, status := b.snap(), b.git("status", "--porcelain")
			_, err := b.Commit(context.Background(), b.change(base))
			if e := wantAs[*MixedError](t, err); len(e.Paths) != 1 {
				t.Errorf("got %q", e.Paths)
			}
			if b.git("rev-parse", "HEAD") != head || b.snap() != now || b.git("status", "--porcelain") != status {
				t.Error("something has changed")
			}
			b.clean()
		})
	}
}

func TestCommitModesLinksRenames(t *testing.T) {
	notOnWindows(t)
	b := newBox(t)
	b.ok(os.Symlink("a", b.path("link")))
	b.commit()
	b.write("b", with(lines("b", 9), "b9", "mine"))
	base := b.snap()
	b.ok(os.Rename(b.path("a"), b.path("sub/moved")))
	b.ok(os.Chmod(b.path("b"), 0o755))
	b.ok(os.Remove(b.path("link")))
	b.ok(os.Symlink("sub/moved", b.path("link")))
	b.ok(os.Remove(b.path("sub/c")))
	b.ok(os.Symlink("moved", b.path("sub/c")))
	hash := b.commitSince(base)
	b.wantChanged(hash, "D a", "A sub/moved", "M b", "M link", "T sub/c")
	b.wantBlob("HEAD:b", lines("b", 9))
	if got := b.git("ls-tree", "HEAD", "b", "link"); !strings.HasPrefix(got, "100755") || !strings.Contains(got, "120000") {
		t.Errorf("got %s", got)
	}
	b.wantStatus(" M b")
}

func TestCommitOddNames(t *testing.T) {
	notOnWindows(t)
	b := newBox(t)
	names := []string{"a b", "-A", "--", "line\nend", "tab\t", "quote\"'", "*", ":(top)", "ü", "back\\slash", " ", ":!x"}
	if runtime.GOOS == "linux" {
		names = append(names, "not utf-8 \xff\xfe")
	}
	for _, n := range names[1:] {
		b.write("dir/"+n, "old\n")
	}
	b.commit()
	b.write("dir/"+names[1], "mine\n")
	base := b.snap()
	var want []string
	for _, n := range names {
		b.write(n, n)
		want = append(want, "A "+n)
	}
	for _, n := range names[2:] {
		b.write("dir/"+n, "new\n")
		want = append(want, "M dir/"+n)
	}
	b.wantChanged(b.commitSince(base), want...)
	b.wantStatus(" M dir/" + names[1])
}

func TestCommitAfterTheAgentStaged(t *testing.T) {
	notOnWindows(t)
	b := newBox(t)
	b.write("mine", "1\n")
	b.write(".gitignore", "*.o\n")
	b.commit()
	b.write("mine", "2\n")
	base := b.snap()
	b.write("a", "half way\n")
	b.write("forced.o", "1")
	b.write(":(no)magic", "1")
	b.git("add", "-A")
	b.git("add", "-f", "forced.o")
	b.write("a", "chunk\n")
	b.write("new", "n\n")
	b.git("add", "-N", "new")
	hash := b.commitSince(base)
	b.wantChanged(hash, "M a", "A new", "A :(no)magic")
	b.wantStatus("M  mine", "A  forced.o")
}

func TestCommitLeavesSubmodulesAlone(t *testing.T) {
	b := newBox(t)
	lib := b.path("lib")
	b.git("init", "-q", "-b", "main", lib)
	inner := b.in(lib)
	inner.git("-c", "user.name=x", "-c", "user.email=y", "commit", "-q", "--allow-empty", "-m", "1")
	b.git("-c", "advice.addEmbeddedRepo=false", "add", "lib")
	b.commit()
	base := b.snap()
	inner.git("-c", "user.name=x", "-c", "user.email=y", "commit", "-q", "--allow-empty", "-m", "2")
	b.git("init", "-q", b.path("other"))
	b.in(b.path("other")).git("-c", "user.name=x", "-c", "user.email=y", "commit", "-q", "--allow-empty", "-m", "2")
	if _, err := b.Commit(context.Background(), b.change(base)); !errors.Is(err, ErrNothing) {
		t.Errorf("got %v", err)
	}
	b.write("a", "chunk\n")
	b.wantChanged(b.commitSince(base), "M a")
	b.wantStatus(" M lib", "?? other/")
}

func TestCommitLeavesAConflictInTheIndexAlone(t *testing.T) {
	b := newBox(t)
	b.write("a", with(lines("a", 9), "a5", "stashed"))
	b.git("stash", "-q")
	b.write("a", with(lines("a", 9), "a5", "committed"))
	b.commit()
	if out, err := b.try("stash", "pop"); err == nil {
		t.Fatalf("no conflict: %s", out)
	}
	base := b.snap()
	text, err := os.ReadFile(b.path("a"))
	b.ok(err)
	b.write("b", "chunk\n")
	b.wantChanged(b.commitSince(base), "M b")
	b.wantStatus("UU a")
	base = b.snap()
	b.write("a", with(string(text), "a1", "chunk"))
	_, err = b.Commit(context.Background(), b.change(base))
	wantAs[*MixedError](t, err)
	b.wantStatus("UU a")
}

func TestFirstCommit(t *testing.T) {
	b := newBox(t)
	b.git("checkout", "-q", "--orphan", "fresh")
	b.git("rm", "-rfq", "--cached", ".")
	base := b.snap()
	b.write("new", "1\n")
	hash := b.commitSince(base)
	b.wantChanged(hash, "A new")
	b.wantStatus("?? a", "?? b", "?? sub/c")
	if got := b.git("symbolic-ref", "HEAD"); got != "refs/heads/fresh" {
		t.Errorf("on %s", got)
	}
}

func TestCommitDetachedInAWorktreeAndASubfolder(t *testing.T) {
	b := newBox(t)
	b.git("checkout", "-q", "--detach")
	base := b.snap()
	b.write("a", "chunk\n")
	b.wantChanged(b.commitSince(base), "M a")
	if b.git("rev-parse", "main") == b.git("rev-parse", "HEAD") {
		t.Error("the branch has moved")
	}
	dir := filepath.Join(realTemp(t), "w")
	b.git("worktree", "add", "-q", "-b", "w", dir)
	w := b.in(filepath.Join(dir, "sub"))
	w.write(".claude/x", "1")
	w.write("../mine", "1")
	base = w.snap()
	w.write(".claude/x", "2")
	w.write("c", "chunk\n")
	w.write("../b", "chunk\n")
	hash := w.commitSince(base)
	w.wantChanged(hash, "M b", "M sub/c")
	w.wantStatus("?? mine", "?? sub/.claude/x")
	if w.git("rev-parse", "w") != hash {
		t.Error("the branch has not moved")
	}
	b.wantStatus()
}

func TestCommitSha256(t *testing.T) {
	b := newBox(t, "--object-format=sha256")
	b.write("b", with(lines("b", 9), "b1", "mine"))
	base := b.snap()
	b.ok(os.Remove(b.path("a")))
	b.write("b", with(with(lines("b", 9), "b1", "mine"), "b9", "chunk"))
	b.wantChanged(b.commitSince(base), "D a", "M b")
	b.wantStatus(" M b")
}

func TestRefreshAfterACrash(t *testing.T) {
	b := newBox(t)
	staged := with(lines("b", 9), "b1", "mine")
	b.write("b", staged)
	b.write("other", "staged\n")
	b.git("add", "b", "other")
	base := b.snap()
	b.write("a", "chunk\n")
	b.write("b", with(staged, "b9", "chunk"))
	b.ok(os.Remove(b.path("sub/c")))
	b.write("new", "n\n")
	index, err := os.ReadFile(b.path(".git/index"))
	b.ok(err)
	hash := b.commitSince(base)
	b.ok(os.WriteFile(b.path(".git/index"), index, 0o644)) // as if we had died
	for range 2 {
		b.ok(b.Refresh(context.Background(), hash))
		b.wantStatus("M  b", "A  other")
		b.wantBlob(":b", with(staged, "b9", "chunk"))
	}
	b.clean()
}

func TestCommitWhileTheIndexIsLocked(t *testing.T) {
	b := newBox(t)
	base := b.snap()
	b.write("a", "chunk\n")
	b.write(".git/index.lock", "")
	hash, err := b.Commit(context.Background(), b.change(base))
	if err == nil || hash != b.git("rev-parse", "HEAD") {
		t.Errorf("got %q, %v", hash, err)
	}
	b.ok(os.Remove(b.path(".git/index.lock")))
	b.ok(b.Refresh(context.Background(), hash))
	b.wantStatus()
}

func TestIndexAfterACommitWasTakenBack(t *testing.T) {
	b := newBox(t)
	was := b.git("rev-parse", "HEAD")
	b.write("other", "staged\n")
	b.git("add", "other")
	b.write("a", "agent\n")
	b.git("commit", "-q", "-m", "the agent's", "--", "a")
	agents := b.git("rev-parse", "HEAD")
	b.ok(b.Move(context.Background(), "main", was, agents))
	for range 2 {
		b.ok(b.Index(context.Background(), agents, was))
		b.wantStatus(" M a", "A  other")
	}
}

func TestCommitWithoutAnIdentity(t *testing.T) {
	b := newBox(t)
	b.git("config", "--unset", "user.name")
	b.git("config", "--unset", "user.email")
	b.git("config", "user.useConfigOnly", "true")
	base := b.snap()
	b.write("a", "chunk\n")
	_, err := b.Commit(context.Background(), b.change(base))
	if !errors.Is(err, errIdentity) {
		t.Errorf("got %v", err)
	}
	t.Setenv("GIT_AUTHOR_NAME", "E")
	t.Setenv("GIT_AUTHOR_EMAIL", "e@example.org")
	t.Setenv("GIT_COMMITTER_NAME", "E")
	t.Setenv("GIT_COMMITTER_EMAIL", "e@example.org")
	b.wantChanged(b.commitSince(base), "M a")
}

func TestCommitSigns(t *testing.T) {
	b := newBox(t)
	b.script(".git/gpg", "cat >/dev/null; echo no key >&2; exit 2\n")
	b.git("config", "gpg.program", b.path(".git/gpg"))
	b.git("config", "commit.gpgSign", "true")
	base := b.snap()
	b.write("a", "chunk\n")
	if _, err := b.Commit(context.Background(), b.change(base)); !errors.Is(err, errSigning) {
		t.Errorf("got %v", err)
	}
	b.script(".git/gpg", "cat >/dev/null\necho '[GNUPG:] SIG_CREATED ' >&2\necho SIGNATURE\n")
	hash, err := b.Commit(context.Background(), b.change(base))
	b.ok(err)
	if got := b.git("cat-file", "commit", hash); !strings.Contains(got, "gpgsig SIGNATURE") {
		t.Errorf("got %s", got)
	}
}

func TestCommitDoesNotDisturbAMerge(t *testing.T) {
	b := newBox(t)
	base := b.snap()
	b.git("checkout", "-q", "-b", "other")
	b.write("b", "other\n")
	b.commit()
	b.git("checkout", "-q", "main")
	b.git("merge", "-q", "--no-ff", "--no-commit", "other")
	b.write("a", "chunk\n")
	if _, err := b.Commit(context.Background(), b.change(base)); !errors.Is(err, ErrBusy) {
		t.Errorf("got %v", err)
	}
	if err := b.Branch(context.Background(), "third", "main"); !errors.Is(err, ErrBusy) {
		t.Errorf("got %v", err)
	}
}

func TestCommitRunsNoHookAndNeedsAMessage(t *testing.T) {
	b := newBox(t)
	for _, h := range []string{"pre-commit", "commit-msg", "post-commit", "reference-transaction", "post-index-change"} {
		b.script(".git/hooks/"+h, "touch \"$(git rev-parse --show-toplevel)\"/ran\nexit 1\n")
	}
	base := b.snap()
	b.write("a", "chunk\n")
	c := b.change(base)
	c.Message = "\n"
	if _, err := b.Commit(context.Background(), c); err == nil {
		t.Error("no message")
	}
	b.wantChanged(b.commitSince(base), "M a")
	b.wantStatus()
}

func TestCommitEndsWithItsContext(t *testing.T) {
	b := newBox(t)
	base := b.snap()
	b.write("a", "chunk\n")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := b.Commit(ctx, b.change(base)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	b.clean()
}

func TestBlocking(t *testing.T) {
	said := "error: Your local changes to the following files would be overwritten by checkout:\n\ta\n\tb c\nPlease commit.\n\tnot this\nerror: The following untracked working tree files would be overwritten by checkout:\n\tu\nAborting"
	if got := blocking(said); !slices.Equal(got, []string{"a", "b c", "u"}) {
		t.Errorf("got %q", got)
	}
}
