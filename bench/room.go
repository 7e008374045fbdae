package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"warp/internal/engine/room"
	"warp/internal/sys/git"
)

// rooms measures what a clean room adds to a chunk that changes one file of a thousand: bringing
// the room to the chunk's tree, and returning it.
func rooms(b *bench) ([]figure, error) {
	const files, chunks = 1000, 12
	root := filepath.Join(b.dir, "roomy")
	for i := range files {
		name := filepath.Join(root, fmt.Sprintf("pkg%d", i%40), fmt.Sprintf("file%d.go", i))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(name, []byte(strings.Repeat(fmt.Sprintf("line %d\n", i), 100)), 0o644); err != nil {
			return nil, err
		}
	}
	for _, argv := range [][]string{{"git", "init", "-q", "-b", "main"}, {"git", "config", "user.name", "bench"}, {"git", "config", "user.email", "bench@example.invalid"},
		{"git", "add", "-A"}, {"git", "commit", "-q", "-m", "chore: begin"}} {
		if err := in(root, argv...); err != nil {
			return nil, err
		}
	}
	r := &room.Rooms{Repo: git.Repo{Dir: root}, Common: filepath.Join(root, ".git"), Root: root, Cache: filepath.Join(b.dir, "rooms")}
	base, err := said(root, "git", "rev-parse", "HEAD")
	if err != nil {
		return nil, err
	}
	var least time.Duration
	for i := range chunks {
		if err := os.WriteFile(filepath.Join(root, "pkg0", "file0.go"), fmt.Appendf(nil, "chunk %d\n", i), 0o644); err != nil {
			return nil, err
		}
		if err := in(root, "git", "add", "-A"); err != nil {
			return nil, err
		}
		tree, err := said(root, "git", "write-tree")
		if err != nil {
			return nil, err
		}
		spent := cpuWithChildren()
		m, err := r.Enter(context.Background(), tree, base)
		if err == nil {
			err = m.Leave()
		}
		if err != nil {
			return nil, err
		}
		if took := cpuWithChildren() - spent; i > 0 && (least == 0 || took < least) { // the first makes the checkout
			least = took
		}
	}
	return []figure{{name: "CPU of a clean room for a chunk, of 1,000 files", value: ms(least), unit: "ms", most: 40}}, nil
}

func said(dir string, argv ...string) (string, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = dir
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), err
}
