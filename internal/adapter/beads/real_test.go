package beads

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"testing"

	"warp/internal/testkit/need"
)

// bd runs the real program.
func bd(t *testing.T, dir string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command("bd", args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		_ = errors.As(err, &exit)
		t.Fatalf("bd %v: %v: %s", args, err, exit.Stderr)
	}
	return out
}

func create(t *testing.T, dir, title string) string {
	t.Helper()
	list, _, ok := read(bd(t, dir, "create", title, "-t", "task", "-p", "1", "-d", "d", "--json"))
	if !ok || len(list) != 1 {
		t.Fatal(list)
	}
	return list[0].ID
}

// The real bd, driven until nothing is left. Where a machine has none, what was
// recorded of it must do.
func TestTheRealOneIsDrivenUntilItIsEmpty(t *testing.T) {
	t.Setenv("PATH", need.Beads(t)+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("HOME", t.TempDir())
	t.Setenv("BEADS_NO_DAEMON", "1")
	dir := t.TempDir()
	b := New(Options{Dir: dir})
	if _, err := b.Ready(t.Context()); !errors.Is(err, errNoDatabase) {
		t.Errorf("before bd init: %v", err)
	}
	for _, args := range [][]string{{"init", "-q"}, {"config", "user.name", "t"}, {"config", "user.email", "t@example.invalid"}} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %s", args, out)
		}
	}
	bd(t, dir, "init", "--prefix", "demo", "--quiet")
	if list, err := b.Ready(t.Context()); err != nil || len(list) != 0 {
		t.Fatal(list, err)
	}
	first, second := create(t, dir, "first"), create(t, dir, "second")
	bd(t, dir, "dep", "add", second, first)

	for _, want := range []string{first, second} {
		list, err := b.Ready(t.Context())
		if err != nil || len(list) != 1 || list[0].ID != want || list[0].Description != "d" || list[0].Priority != 1 {
			t.Fatal(list, err)
		}
		if i, err := b.Claim(t.Context(), want); err != nil || i.Status != "in_progress" {
			t.Fatal(i, err)
		}
		var has *ClaimedError
		if _, err := b.Claim(t.Context(), want); err != nil && !errors.As(err, &has) {
			t.Error(err)
		}
		if list, err := b.Ready(t.Context()); err != nil || len(list) != 0 {
			t.Errorf("what is in progress is not ready: %v, %v", list, err)
		}
		if list, err := b.Unfinished(t.Context()); err != nil || len(list) == 0 {
			t.Errorf("but it is not finished: %v, %v", list, err)
		}
		for range 2 {
			if err := b.Close(t.Context(), want, "- done"); err != nil {
				t.Fatal(err)
			}
		}
		if i, err := b.Show(t.Context(), want); err != nil || i.Status != "closed" {
			text, _ := json.Marshal(i)
			t.Errorf("%s, %v", text, err)
		}
	}
	if list, err := b.Unfinished(t.Context()); err != nil || len(list) != 0 {
		t.Error(list, err)
	}
	if _, err := b.Show(t.Context(), "demo-zzzz"); err == nil {
		t.Error("an issue that is not there")
	}
}
