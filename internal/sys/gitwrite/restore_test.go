package gitwrite

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRestore(t *testing.T) {
	notOnWindows(t)
	b := newBox(t)
	ctx := context.Background()
	odd := "odd/-\n\"\xff"
	b.write(odd, "odd\n")
	b.write("run", "#!\n")
	b.ok(os.Chmod(b.path("run"), 0o755))
	b.ok(os.Symlink("a", b.path("link")))
	b.write("a", "mine\n")
	b.write("x.bin", "1\r\n2\n")
	tree := b.snap()
	for _, p := range []string{"odd", "link", "run", "sub"} {
		b.ok(os.RemoveAll(b.path(p)))
	}
	b.write("a", "destroyed\n")
	b.write("b", "not asked for\n")
	b.write("extra", "e\n")
	b.ok(os.Symlink("b", b.path("run")))
	status := b.git("diff", "--cached", "--stat")
	b.ok(b.Restore(ctx, tree, []string{odd, "run", "link", "a", "sub", "extra", "none"}, false))
	b.wantFile(odd, "odd\n")
	b.wantFile("a", "mine\n")
	b.wantFile("b", "not asked for\n")
	b.wantFile("sub/c", "c\n")
	b.wantFile("extra", "e\n")
	b.wantFile("run", "#!\n")
	if to, err := os.Readlink(b.path("link")); err != nil || to != "a" {
		t.Errorf("link to %q, %v", to, err)
	}
	if st, err := os.Lstat(b.path("run")); err != nil || st.Mode()&0o111 == 0 {
		t.Errorf("%v, %v", st, err)
	}
	if b.git("diff", "--cached", "--stat") != status {
		t.Error("the index has changed")
	}
	b.ok(b.Restore(ctx, tree, []string{"extra", "none/deep", "odd"}, true))
	if _, err := os.Lstat(b.path("extra")); err == nil {
		t.Error("extra is still there")
	}
	b.clean()
}

func TestRestoreFollowsNoLink(t *testing.T) {
	notOnWindows(t)
	b := newBox(t)
	ctx := context.Background()
	b.write("dir/f", "1\n")
	tree := b.snap()
	outside := realTemp(t)
	for _, to := range []string{outside, "sub"} {
		b.ok(os.RemoveAll(b.path("dir")))
		b.ok(os.Symlink(to, b.path("dir")))
		b.ok(os.WriteFile(filepath.Join(outside, "g"), nil, 0o644))
		b.write("sub/g", "")
		if err := b.Restore(ctx, tree, []string{"dir/f", "a"}, true); err == nil || !strings.Contains(err.Error(), "dir/f") {
			t.Errorf("to %s: %v", to, err)
		}
		b.ok(b.Restore(ctx, tree, []string{"dir/g"}, true))
		for _, there := range []string{filepath.Join(outside, "g"), b.path("sub/g")} {
			if _, err := os.Lstat(there); err != nil {
				t.Error(err)
			}
		}
		for _, there := range []string{filepath.Join(outside, "f"), b.path("sub/f")} {
			if _, err := os.Lstat(there); err == nil {
				t.Errorf("%s was written", there)
			}
		}
	}
	for _, bad := range []string{"../x", "/etc/passwd", "", ".", ".git/config", "a/.GIT/x"} {
		if err := b.Restore(ctx, tree, []string{bad}, true); err == nil {
			t.Errorf("%q", bad)
		}
	}
}

func TestRestoreKeepsAFullFolder(t *testing.T) {
	b := newBox(t)
	tree := b.snap()
	b.ok(os.Remove(b.path("a")))
	b.write("a/mine", "1\n")
	if err := b.Restore(context.Background(), tree, []string{"a"}, true); err == nil {
		t.Error("no error")
	}
	b.wantFile("a/mine", "1\n")
	b.ok(b.Restore(context.Background(), tree, []string{"b/none"}, true))
	b.wantStatus(" D a", "?? a/mine")
}

func TestRestoreAppliesLineEnds(t *testing.T) {
	b := newBox(t)
	b.write(".gitattributes", "a text eol=crlf\n")
	b.ok(b.Restore(context.Background(), b.git("rev-parse", "HEAD^{tree}"), []string{"a"}, false))
	b.wantFile("a", strings.ReplaceAll(lines("a", 9), "\n", "\r\n"))
}
