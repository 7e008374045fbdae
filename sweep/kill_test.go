//go:build linux && (amd64 || arm64)

package sweep

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"warp/internal/testkit/need"
	"warp/internal/testkit/ptrace"
)

// hurt runs one transition of a fresh copy of the project with a fault.
func hurt(t *testing.T, template, root string, f ptrace.Fault) ptrace.Result {
	t.Helper()
	restore(t, template, root)
	res, err := ptrace.Run([]string{warp, "state", "transition", root, "merge_failed"}, root, nil, f)
	if errors.Is(err, syscall.EPERM) {
		need.NotRun(t, "ptrace is not permitted here")
	}
	if err != nil {
		t.Fatalf("tracing: %v", err)
	}
	return res
}

func acknowledged(res ptrace.Result) bool {
	return strings.Contains(string(res.Stdout), "merging -> merging")
}

// TestSweepKill kills the process before and after every system call of a
// transition.
func TestSweepKill(t *testing.T) {
	dir := t.TempDir()
	template, root := project(t, filepath.Join(dir, "template")), filepath.Join(dir, "project")
	for _, after := range []bool{false, true} {
		var c tally
		for n, step := 1+count(after)*every(20)/2, every(20); ; n += step { // between the two, every tenth
			res := hurt(t, template, root, ptrace.Fault{At: n, After: after})
			if res.Hit == nil {
				break
			}
			v, err := judge(root, 1, acknowledged(res))
			c.add(t, fmt.Sprintf("killed at call %d (%s %s)", n, res.Hit.Name, res.Hit.Path), v, err)
		}
		c.log(t, map[bool]string{false: "killed before each system call", true: "killed after each system call"}[after])
	}
}

// TestSweepErrors lets every file operation on the project fail once, in each
// of the ways a disk, a kernel or an administrator makes it fail.
func TestSweepErrors(t *testing.T) {
	dir := t.TempDir()
	template, root := project(t, filepath.Join(dir, "template")), filepath.Join(dir, "project")
	ours := ptrace.All(ptrace.FileCall, ptrace.Under(root))
	for i, f := range []struct {
		name  string
		fault ptrace.Fault
	}{
		{"ENOSPC", ptrace.Fault{Errno: syscall.ENOSPC, Match: ours}},
		{"EIO", ptrace.Fault{Errno: syscall.EIO, Match: ours}},
		{"EACCES", ptrace.Fault{Errno: syscall.EACCES, Match: ours}},
		{"EMFILE", ptrace.Fault{Errno: syscall.EMFILE, Match: ours}},
		{"a short write", ptrace.Fault{Short: true, Match: ours}},
	} {
		var c tally
		for n, step := 1+i%every(4)*2, every(8); ; n += step { // each way begins elsewhere
			f.fault.At = n
			res := hurt(t, template, root, f.fault)
			if res.Hit == nil {
				break
			}
			v, err := judge(root, 1, acknowledged(res))
			if err == nil && !acknowledged(res) && res.ExitCode == 0 {
				v, err = verdict{lost: true}, errors.New("exit 0 without an acknowledgement")
			}
			if err == nil && !acknowledged(res) && len(res.Stderr) == 0 {
				err = errors.New("it failed without a word")
			}
			c.add(t, fmt.Sprintf("%s at call %d (%s %s), exit %d, %s", f.name, n, res.Hit.Name, res.Hit.Path, res.ExitCode, res.Stderr), v, err)
		}
		c.log(t, "every file operation: "+f.name)
	}
}
