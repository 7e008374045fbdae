package git

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestRoot(t *testing.T) {
	notOnWindows(t)
	b := newBox(t)
	odd := b.nested("odd\nname")
	for _, c := range []struct {
		dir  string
		want Root
	}{
		{b.Dir, Root{b.Dir, b.path(".git"), "", zeroSHA1, nil}},
		{b.path("sub/deep"), Root{b.Dir, b.path(".git"), "sub/deep/", zeroSHA1, nil}},
		{odd.path("line\nend"), Root{odd.Dir, odd.path(".git"), "line\nend/", zeroSHA1, nil}},
	} {
		b.ok(os.MkdirAll(c.dir, 0o755))
		got, err := Repo{Dir: c.dir}.Root()
		got.memory = nil
		if err != nil || got != c.want {
			t.Errorf("%q: %+v, %v", c.dir, got, err)
		}
	}
}

func TestRunKeepsHooksOutUnlessToldOtherwise(t *testing.T) {
	notOnWindows(t)
	b := newBox(t)
	b.write(".git/hooks/post-commit", "#!/bin/sh\necho $GIT_SSH $GIT_WORK_TREE > ran\n")
	b.ok(os.Chmod(b.path(".git/hooks/post-commit"), 0o755))
	t.Setenv("GIT_SSH", "passed")
	t.Setenv("GIT_WORK_TREE", b.path("elsewhere"))
	c := Call{Args: []string{"-c", "user.name=x", "-c", "user.email=y", "commit", "-q", "--allow-empty", "-m", "m"}}
	for _, hooks := range []bool{false, true} {
		c.Hooks, c.Pass = hooks, func(name string) bool { return name == "GIT_SSH" }
		if a, err := b.Run(context.Background(), c); err != nil || a.Exit != 0 {
			t.Fatalf("%+v, %v", a, err)
		}
		text, err := os.ReadFile(b.path("ran"))
		if hooks != (err == nil) || hooks && string(text) != "passed\n" {
			t.Errorf("with %v: %q, %v", hooks, text, err)
		}
	}
}

func TestRunIsBounded(t *testing.T) {
	b := newBox(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := b.Run(ctx, Call{Args: []string{"version"}}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	notOnWindows(t)
	if _, err := b.Run(context.Background(), Call{Args: []string{"-c", "alias.wait=!sleep 60", "wait"}, Limit: time.Nanosecond}); !errors.Is(err, ErrSlow) {
		t.Errorf("got %v", err)
	}
	b.write("big", strings.Repeat("x", 100_000)+"end")
	b.commit()
	c := Call{Args: []string{"cat-file", "blob", "HEAD:big"}, Max: 10}
	if _, err := b.Run(context.Background(), c); err == nil {
		t.Error("a part was taken for the whole")
	}
	c.Tail, c.Log = true, filepath.Join(t.TempDir(), "log")
	a, err := b.Run(context.Background(), c)
	if err != nil || len(a.Stdout) > 64<<10 || !strings.HasSuffix(string(a.Stdout), "xend") {
		t.Errorf("%d bytes, %v", len(a.Stdout), err)
	}
	if log, err := os.ReadFile(c.Log); err != nil || len(log) != 100_003 {
		t.Errorf("%d bytes, %v", len(log), err)
	}
}

func TestStageIsRemoved(t *testing.T) {
	b := newBox(t)
	b.write("f", "1")
	root, err := b.Root()
	b.ok(err)
	s, err := root.Stage(context.Background())
	b.ok(err)
	a, err := b.Run(context.Background(), Call{Args: []string{"ls-files"}, Env: s.Env})
	if err != nil || string(a.Stdout) != "f\n" {
		t.Errorf("got %q, %v", a.Stdout, err)
	}
	s.Remove()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := root.Stage(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	names, err := filepath.Glob(b.path(".git/warp-*"))
	if b.ok(err); len(names) > 0 {
		t.Errorf("left %q", names)
	}
}
