package sweep

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/testkit/programs"
)

// warp is the binary under test, built once.
var warp string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "warp-sweep-")
	if err != nil {
		panic(err)
	}
	warp = filepath.Join(dir, "warp")
	if err := programs.Build(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// complete tells whether every point is to be tried.
func complete() bool { return os.Getenv("WARP_SWEEP") != "" }

// every is the distance between the points that are tried.
func every(sampled int) int {
	if complete() {
		return 1
	}
	return sampled
}

// row logs one line of the table.
func row(t *testing.T, name string, points int, lost, damaged, stuck int) {
	t.Helper()
	t.Logf("row | %s | %d | %d | %d | %d |", name, points, lost, damaged, stuck)
}

// project makes a project whose drive is in merging, where merge_failed can be
// fired as often as one likes: each adds one retry and one row.
func project(t *testing.T, root string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(root, ".claude"), 0o755); err != nil {
		t.Fatal(err)
	}
	settings := `{"_workflow": {"max_retries_per_chunk": 1000000, "max_session_minutes": 1000000}}`
	if err := os.WriteFile(filepath.Join(root, ".claude", "settings.local.json"), []byte(settings), 0o644); err != nil {
		t.Fatal(err)
	}
	run(t, "state", "init", root, "--level", "3", "--issue", "42")
	state := statePath(root)
	text, err := os.ReadFile(state)
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.Replace(text, []byte(`"phase": "prerequisites"`), []byte(`"phase": "merging"`), 1)
	if err := os.WriteFile(state, text, 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, "state", "transition", root, "merge_failed")
	return root
}

func statePath(root string) string { return filepath.Join(root, ".claude", ".warp-drive-state.json") }

// run runs warp and wants it to succeed.
func run(t *testing.T, args ...string) string {
	t.Helper()
	out, err := try(args...)
	if err != nil {
		t.Fatalf("warp %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func try(args ...string) (string, error) {
	out, err := exec.Command(warp, args...).CombinedOutput()
	return string(out), err
}

// drive is what the checks need of the state.
type drive struct {
	Phase   string
	Budgets struct {
		Retries int `json:"retry_count"`
	}
}

// raw reads the state file as jq would: it must be a whole document always.
func raw(root string) (drive, error) {
	var d drive
	text, err := os.ReadFile(statePath(root))
	if err != nil {
		return d, err
	}
	return d, json.Unmarshal(text, &d)
}

// status asks warp, which repairs what a crash has left.
func status(root string) (drive, error) {
	var d drive
	cmd := exec.Command(warp, "state", "status", root)
	out, err := cmd.Output()
	if err != nil {
		return d, err
	}
	return d, json.Unmarshal(out, &d)
}

// verdict is what became of one point.
type verdict struct{ lost, damaged, stuck bool }

// judge holds a project against what is known of the transition that was hurt:
// before is the number of retries before it, acknowledged whether success was
// reported. The file must be a whole old or new document, what was acknowledged
// must be there, and the next command must work with no help.
func judge(root string, before int, acknowledged bool) (v verdict, err error) {
	d, err := raw(root)
	if err != nil || d.Phase != "merging" {
		return verdict{damaged: true}, fmt.Errorf("the file is no whole state: %+v %w", d, err)
	}
	if d.Budgets.Retries != before && d.Budgets.Retries != before+1 {
		return verdict{damaged: true}, fmt.Errorf("%d retries, were %d", d.Budgets.Retries, before)
	}
	d, err = status(root)
	if err != nil {
		return verdict{stuck: true}, fmt.Errorf("status: %w", err)
	}
	if acknowledged && d.Budgets.Retries != before+1 {
		return verdict{lost: true}, fmt.Errorf("acknowledged, but %d retries, were %d", d.Budgets.Retries, before)
	}
	now := d.Budgets.Retries
	if out, err := try("state", "transition", root, "merge_failed"); err != nil {
		return verdict{stuck: true}, fmt.Errorf("the next transition: %w: %s", err, out)
	}
	if d, err = raw(root); err != nil || d.Budgets.Retries != now+1 {
		return verdict{lost: true}, fmt.Errorf("the next transition: %d retries after %d (%v)", d.Budgets.Retries, now, err)
	}
	return verdict{}, litter(root)
}

// litter finds files that a crash has left behind for good.
func litter(root string) error {
	var bad []string
	err := filepath.WalkDir(filepath.Join(root, ".claude"), func(path string, _ os.DirEntry, err error) error {
		if strings.HasSuffix(path, ".tmp") || strings.Contains(path, ".damaged-") {
			bad = append(bad, filepath.Base(path))
		}
		return err
	})
	if len(bad) > 0 {
		err = errors.Join(err, fmt.Errorf("left behind: %s", strings.Join(bad, ", ")))
	}
	return err
}

// restore puts a project back to what it was.
func restore(t *testing.T, from, to string) {
	t.Helper()
	if err := os.RemoveAll(to); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

// tally counts verdicts and reports the first few that are not clean.
type tally struct {
	points, lost, damaged, stuck, told int
}

func (c *tally) add(t *testing.T, what string, v verdict, err error) {
	t.Helper()
	c.points++
	c.lost += count(v.lost)
	c.damaged += count(v.damaged)
	c.stuck += count(v.stuck)
	if err != nil {
		if c.told++; c.told <= 5 {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func (c *tally) log(t *testing.T, name string) {
	t.Helper()
	if c.points == 0 {
		t.Errorf("%s: no point was tried", name)
	}
	row(t, name, c.points, c.lost, c.damaged, c.stuck)
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}
