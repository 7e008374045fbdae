//go:build unix

package gitwrite

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestCommitWithWhatCannotBeRead(t *testing.T) {
	if os.Geteuid() == 0 {
		asNobody(t)
		return
	}
	b := newBox(t)
	b.write("tracked", "1\n")
	b.commit()
	b.write("tracked", "mine\n")
	b.git("add", "tracked")
	b.write("tracked", "mine, not staged\n")
	base := b.snap()
	for _, name := range []string{"closed/x", "tracked", "untracked"} {
		b.write(name, "secret\n")
	}
	b.write("a", "chunk\n")
	for _, name := range []string{"closed", "tracked", "untracked"} {
		b.ok(os.Chmod(b.path(name), 0))
		t.Cleanup(func() { os.Chmod(b.path(name), 0o755) })
	}
	b.wantChanged(b.commitSince(base), "M a")
	b.wantBlob("HEAD:tracked", "1\n")
	b.wantBlob(":tracked", "mine\n")
}

// asNobody runs the test again without the rights of root, to whom nothing is
// unreadable.
func asNobody(t *testing.T) {
	t.Helper()
	const nobody = 65534
	dir, err := os.MkdirTemp("", "warp-work-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	bin := filepath.Join(dir, "test")
	self, err := os.ReadFile("/proc/self/exe")
	if err := errors.Join(err, os.WriteFile(bin, self, 0o755), os.Chmod(dir, 0o755), os.Chown(dir, nobody, nobody)); err != nil {
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
