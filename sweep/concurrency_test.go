package sweep

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestSweepConcurrency lets many processes update one state file at once: all
// updates are kept, counted through the journal, and no reader ever sees half
// a file.
func TestSweepConcurrency(t *testing.T) {
	each, many := 200, []int{16, 64}
	if !complete() {
		each, many = 4, []int{64}
	}
	for _, n := range many {
		root := project(t, t.TempDir())
		var slowest atomic.Int64
		stop, damaged := readers(root)
		var wg sync.WaitGroup
		for range n {
			wg.Go(func() {
				for range each {
					began := time.Now()
					if out, err := exec.Command(warp, "state", "transition", root, "merge_failed").CombinedOutput(); err != nil {
						t.Errorf("an update was refused: %v: %s", err, out)
						return
					}
					took := int64(time.Since(began))
					for was := slowest.Load(); took > was && !slowest.CompareAndSwap(was, took); was = slowest.Load() {
					}
				}
			})
		}
		wg.Wait()
		stop()
		d, err := status(root)
		if err != nil {
			t.Fatal(err)
		}
		want := 1 + n*each
		lost := want - d.Budgets.Retries
		if lost != 0 || journalled(t, root) != want {
			t.Errorf("%d processes x %d: %d retries, %d journalled, want %d", n, each, d.Budgets.Retries, journalled(t, root), want)
		}
		if damaged.Load() > 0 {
			t.Errorf("%d readers saw a damaged file", damaged.Load())
		}
		name := fmt.Sprintf("%d processes x %d updates (slowest command %d ms)", n, each, time.Duration(slowest.Load()).Milliseconds())
		row(t, name, n*each, lost, int(damaged.Load()), 0)
	}
}

// readers read the file without any lock, as jq would, until they are stopped.
func readers(root string) (stop func(), damaged *atomic.Int64) {
	damaged = new(atomic.Int64)
	done := make(chan struct{})
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				case <-time.After(time.Millisecond): // else each takes a processor
				}
				if d, err := raw(root); err != nil || d.Phase != "merging" {
					damaged.Add(1)
				}
			}
		})
	}
	return func() { close(done); wg.Wait() }, damaged
}

// journalled counts the transitions that the journal has, all segments.
func journalled(t *testing.T, root string) (n int) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, ".claude", "state", "events*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<24)
		for lines.Scan() {
			if !json.Valid(lines.Bytes()) {
				t.Errorf("a line of the journal is no JSON: %.80s", lines.Text())
			}
			n += strings.Count(lines.Text(), `"data":{"event":"merge_failed"`)
		}
		f.Close()
	}
	return n
}
