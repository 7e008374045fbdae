//go:build unix

package git

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

func TestSnapshotReportsWhatItCannotRead(t *testing.T) {
	if os.Geteuid() == 0 {
		asNobody(t)
		return
	}
	b := newBox(t)
	hide := func(name string, mode os.FileMode) {
		b.ok(os.Chmod(b.path(name), mode))
		t.Cleanup(func() { os.Chmod(b.path(name), 0o755) })
	}
	b.write("fine", "1")
	b.write("tracked", "1")
	b.write("listless/tracked", "1")
	b.commit()
	b.write("after", "2")
	hide("tracked", 0)
	tree, err := b.snapErr()
	var u *Unreadable
	if !errors.As(err, &u) || !slices.Equal(u.Paths, []string{"tracked"}) {
		t.Fatalf("got %v", err)
	}
	b.holds(tree, "fine=1", "tracked=1", "listless/tracked=1", "after=2")

	for _, name := range []string{"line\nend", "closed/x", ".claude/x", ".claude/closed/x", "listless/x", "listless/y/z", "also listless/x"} {
		b.write(name, "3")
	}
	b.nested("unborn")
	hide("line\nend", 0)
	hide("closed", 0)
	hide(".claude/x", 0)
	hide(".claude/closed", 0)
	hide("listless", 0o444)
	hide("also listless", 0o444)
	tree, err = b.snapErr(".claude")
	if !errors.As(err, &u) || !slices.Equal(u.Paths, []string{"also listless/", "closed/", "line\nend", "listless/", "tracked"}) {
		t.Fatalf("got %v", err)
	}
	b.holds(tree, "fine=1", "tracked=1", "listless/tracked=1", "after=2")
	if !strings.Contains(err.Error(), `"line\nend"`) {
		t.Errorf("the error does not name the file: %v", err)
	}
}

func TestSnapshotOfAConflictThatCannotBeRead(t *testing.T) {
	if os.Geteuid() == 0 {
		asNobody(t)
		return
	}
	b := newBox(t)
	b.write("f", "base\n")
	b.commit()
	b.git("checkout", "-q", "-b", "other")
	b.write("f", "theirs\n")
	b.commit()
	b.git("checkout", "-q", "main")
	b.write("f", "ours\n")
	b.write("g", "1")
	b.commit()
	if out, err := b.try("merge", "other"); err == nil {
		t.Fatalf("no conflict: %s", out)
	}
	b.ok(os.Chmod(b.path("f"), 0))
	tree, err := b.snapErr()
	var u *Unreadable
	if !errors.As(err, &u) || !slices.Equal(u.Paths, []string{"f"}) {
		t.Fatalf("got %v", err)
	}
	b.holds(tree, "g=1")
}

// asNobody runs the test again without the rights of root, to whom nothing is
// unreadable.
func asNobody(t *testing.T) {
	t.Helper()
	const nobody = 65534
	dir, err := os.MkdirTemp("", "warp-git-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	bin := filepath.Join(dir, "test")
	if err := errors.Join(copyFile("/proc/self/exe", bin), os.Chmod(dir, 0o755), os.Chown(dir, nobody, nobody)); err != nil {
		t.Skip("root can read everything, and no other user is to be had: ", err)
	}
	c := exec.Command(bin, "-test.v", "-test.run=^"+t.Name()+"$")
	c.Dir = dir
	c.Env = append(os.Environ(), "TMPDIR="+dir, "HOME="+dir)
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	if out, err := c.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS") {
		t.Errorf("as another user: %v\n%s", err, out)
	}
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
