package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// statusMost is what a guarded iteration may cost beyond one in a folder without a repository, in
// runs of git status on the same tree. Without a guard, an iteration ran git status once; the guard
// may cost two and a half runs more. In a small tree git status is little more than the start of a
// process, and what the guard reads and writes itself weighs more: half a run.
const (
	statusMost      = 1 + 2.5
	statusMostSmall = statusMost + 0.5
)

// guarded measures what the guard adds to an iteration, in small and in large trees.
func guarded(b *bench, idler string) ([]figure, error) {
	bare := filepath.Join(b.dir, "unguarded")
	if err := b.workshop(bare, idler); err != nil {
		return nil, err
	}
	if err := os.RemoveAll(filepath.Join(bare, ".git")); err != nil {
		return nil, err
	}
	without, err := b.iteration(bare)
	if err != nil {
		return nil, err
	}
	var list []figure
	for _, tree := range []struct {
		files int
		most  float64
	}{{1_000, statusMostSmall}, {20_000, statusMost}} {
		files := tree.files
		root := filepath.Join(b.dir, fmt.Sprint("guarded-", files))
		if err := b.orchard(root, idler, files); err != nil {
			return nil, err
		}
		with, err := b.iteration(root)
		if err != nil {
			return nil, err
		}
		status, err := b.status(root)
		if err != nil {
			return nil, err
		}
		list = append(list, figure{name: fmt.Sprintf("a guarded iteration in %d files beyond an unguarded one, in git status", files), value: ratio(with-without, status), unit: "x",
			most: tree.most, note: fmt.Sprintf("  (%.1f ms, %.1f ms, git status %.1f ms)", ms(with), ms(without), ms(status))})
	}
	return list, nil
}

// orchard creates a workshop with so many files. They are older than git's index, as a person's
// files are: git rereads files that are as young as its index.
func (b *bench) orchard(root, agent string, files int) error {
	if err := b.workshop(root, agent); err != nil {
		return err
	}
	old := time.Now().Add(-time.Hour)
	for i := range files {
		dir := filepath.Join(root, fmt.Sprint("folder-", i/100))
		if i%100 == 0 {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return err
			}
		}
		path := filepath.Join(dir, fmt.Sprint("file-", i))
		if err := os.WriteFile(path, fmt.Appendf(nil, "this is file %d\n", i), 0o644); err != nil {
			return err
		}
		if err := os.Chtimes(path, old, old); err != nil {
			return err
		}
	}
	for _, argv := range [][]string{{"git", "config", "gc.auto", "0"}, {"sh", "-c", "echo .claude/ > .gitignore"}, {"git", "add", "-A"}, {"git", "commit", "-q", "-m", "chore: files"}, {"git", "gc", "-q"}} {
		if err := in(root, argv...); err != nil {
			return err
		}
	}
	return nil
}

// iteration returns the CPU time of one more iteration of a loop, its agent included.
func (b *bench) iteration(root string) (least time.Duration, err error) {
	const few, many = 5, 45
	for i := range 3 {
		a, _, _, err := b.inside(root, "loop", fmt.Sprint("few-", i), "Do it", "--max", fmt.Sprint(few))
		if err != nil {
			return 0, err
		}
		z, _, _, err := b.inside(root, "loop", fmt.Sprint("many-", i), "Do it", "--max", fmt.Sprint(many))
		if err != nil {
			return 0, err
		}
		if one := (z - a) / (many - few); i == 0 || one < least {
			least = one
		}
	}
	return least, nil
}

// status returns the CPU time of a plain git status.
func (b *bench) status(root string) (time.Duration, error) {
	const times = 20
	var spent time.Duration
	for range times {
		cmd := exec.Command("git", "status", "--porcelain")
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			return 0, fmt.Errorf("git status: %w\n%s", err, out)
		}
		spent += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	return spent / times, nil
}
