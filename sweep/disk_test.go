//go:build linux

package sweep

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"warp/internal/testkit/need"
)

// mount mounts a file system for the test, or says that it cannot.
func mount(t *testing.T, dir string, args ...string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mount", append(args, dir)...).CombinedOutput(); err != nil {
		need.NotRun(t, fmt.Sprintf("mount %s: %s", strings.Join(args, " "), strings.TrimSpace(string(out))))
	}
	t.Cleanup(func() { unmount(dir) })
}

func unmount(dir string) { _ = syscall.Unmount(dir, syscall.MNT_DETACH) }

// TestSweepFullDisk tries a transition with every free size of a small disk.
func TestSweepFullDisk(t *testing.T) {
	need.Root(t)
	disk := filepath.Join(t.TempDir(), "disk")
	mount(t, disk, "-t", "tmpfs", "-o", "size=64k", "tmpfs")
	template := project(t, t.TempDir())
	root := filepath.Join(disk, "p")
	var c tally
	refused := 0
	for blocks, step := 0, every(3); blocks <= 16; blocks += step {
		restore(t, template, root)
		ballast := filepath.Join(disk, "ballast")
		fill(t, ballast, blocks)
		out, err := try("state", "transition", root, "merge_failed")
		acknowledged := strings.Contains(out, "merging -> merging")
		refused += count(err != nil)
		if err != nil && !strings.Contains(out, "no space left") {
			t.Errorf("%d blocks free: the message does not say what is wrong: %s", blocks, out)
		}
		d, readErr := raw(root)
		if readErr != nil || !acknowledged && d.Budgets.Retries != 1 {
			t.Errorf("%d blocks free: the old state is not intact: %+v %v", blocks, d, readErr)
		}
		if err := os.Remove(ballast); err != nil {
			t.Fatal(err)
		}
		v, judged := judge(root, 1, acknowledged)
		c.add(t, fmt.Sprintf("%d blocks free", blocks), v, judged)
	}
	if refused == 0 {
		t.Error("no size was too small: the disk was never full")
	}
	c.log(t, "full disk (64 KB tmpfs), every free size")
}

// fill leaves a number of free blocks on the disk.
func fill(t *testing.T, path string, blocks int) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	page := make([]byte, os.Getpagesize())
	for err == nil {
		_, err = f.Write(page)
	}
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(max(0, info.Size()-int64(blocks*len(page)))); err != nil {
		t.Fatal(err)
	}
}

// TestSweepPowerCut cuts the power on real file systems: right after a
// transition was acknowledged the disk's image is copied as it is, the copy is
// mounted, and the transition must be there.
func TestSweepPowerCut(t *testing.T) {
	need.Root(t)
	for _, fs := range []struct{ name, mkfs, size string }{
		{"ext4", "mkfs.ext4", "16M"},
		{"xfs", "mkfs.xfs", "300M"},
		{"btrfs", "mkfs.btrfs", "128M"},
	} {
		t.Run(fs.name, func(t *testing.T) { powerCut(t, fs.name, need.Tool(t, fs.mkfs), fs.size) })
	}
}

func powerCut(t *testing.T, name, mkfs, size string) {
	dir := t.TempDir()
	image, cut := filepath.Join(dir, "image"), filepath.Join(dir, "cut")
	command(t, "truncate", "-s", size, image)
	command(t, mkfs, "-q", image)
	live := filepath.Join(dir, "live")
	mount(t, live, "-o", "loop", image)
	root := project(t, filepath.Join(live, "p"))
	syscall.Sync() // what happened before the transition is not what is tested
	cuts := 2
	if complete() {
		cuts = 8
	}
	var c tally
	for i := range cuts {
		run(t, "state", "transition", root, "merge_failed")
		command(t, "cp", "--sparse=always", image, cut)
		after := filepath.Join(dir, "after")
		mount(t, after, "-o", "loop"+map[bool]string{true: ",nouuid"}[name == "xfs"], cut)
		v, err := judge(filepath.Join(after, "p"), i+1, true)
		c.add(t, fmt.Sprintf("%s, cut %d", name, i+1), v, err)
		unmount(after)
		if err := os.Remove(cut); err != nil {
			t.Fatal(err)
		}
	}
	c.log(t, "power cut on "+name)
}

func command(t *testing.T, argv ...string) {
	t.Helper()
	if out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(argv, " "), err, out)
	}
}
