package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func command(argv ...string) error {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(argv, " "), err, out)
	}
	return nil
}

// project creates a project in merging, where merge_failed can be fired any number of times.
func (b *bench) project(name string) (string, error) {
	root, err := b.begun(name)
	if err != nil {
		return "", err
	}
	state := filepath.Join(root, ".claude", ".warp-drive-state.json")
	text, err := os.ReadFile(state)
	if err != nil {
		return "", err
	}
	text = bytes.Replace(text, []byte(`"phase": "prerequisites"`), []byte(`"phase": "merging"`), 1)
	return root, os.WriteFile(state, text, 0o600)
}

// begun returns a project with a drive that has begun, as warp left it.
func (b *bench) begun(name string) (string, error) {
	root := filepath.Join(b.dir, name)
	settings := filepath.Join(root, ".claude", "settings.local.json")
	err := os.MkdirAll(filepath.Dir(settings), 0o755)
	if err == nil {
		err = os.WriteFile(settings, []byte(`{"_workflow":{"max_retries_per_chunk":1000000,"max_edits_per_file":1000000,"max_session_minutes":1000000}}`), 0o644)
	}
	if err == nil {
		err = command(b.warp, "state", "init", root, "--level", "3", "--issue", "42")
	}
	return root, err
}

// race times commands in turn, so that other load affects all alike, and returns the median of
// each.
func race(rounds int, commands ...[]string) ([]time.Duration, error) {
	times := make([][]time.Duration, len(commands))
	for range rounds {
		for i, argv := range commands {
			began := time.Now()
			if err := exec.Command(argv[0], argv[1:]...).Run(); err != nil {
				return nil, fmt.Errorf("%s: %w", strings.Join(argv, " "), err)
			}
			times[i] = append(times[i], time.Since(began))
		}
	}
	return medians(times), nil
}

func medians(times [][]time.Duration) []time.Duration {
	out := make([]time.Duration, len(times))
	for i, t := range times {
		slices.Sort(t)
		out[i] = t[len(t)/2]
	}
	return out
}

func ratio(a, b time.Duration) float64 { return float64(a) / float64(b) }

func (b *bench) fire(root string) []string {
	return []string{b.warp, "state", "transition", root, "merge_failed"}
}

// startup compares reading the state with starting any Go program.
func startup(b *bench) ([]figure, error) {
	root, err := b.begun("startup")
	if err != nil {
		return nil, err
	}
	m, err := race(300, []string{b.empty}, []string{b.warp, "state", "status", root})
	if err != nil {
		return nil, err
	}
	return []figure{{name: "warp state status, against an empty Go program", value: ratio(m[1], m[0]), unit: "x"}}, nil
}

// growth checks that the cost of a transition does not depend on the number of earlier ones.
func growth(b *bench) ([]figure, error) {
	young, err := b.project("young")
	if err != nil {
		return nil, err
	}
	old, err := b.project("old")
	if err != nil {
		return nil, err
	}
	if err := age(old); err != nil {
		return nil, err
	}
	const rounds = 10 // keep the young project young while it is measured
	var ratios []float64
	for range 20 {
		if err := os.RemoveAll(young); err != nil {
			return nil, err
		}
		if young, err = b.project("young"); err != nil {
			return nil, err
		}
		m, err := race(rounds, b.fire(young), b.fire(old))
		if err != nil {
			return nil, err
		}
		ratios = append(ratios, ratio(m[1], m[0]))
	}
	slices.Sort(ratios)
	return []figure{{name: "transition after 100,000 events, against one after 10", value: ratios[len(ratios)/2], unit: "x", most: 1.5}}, nil
}

// age gives a project 100,000 events: transitions until the history in the snapshot has its full
// length, edits journalled by observers, and one more transition that folds them in.
func age(root string) error {
	const transitions, events = 1_500, 100_000
	if err := fireMany(root, transitions); err != nil {
		return err
	}
	if err := appendMany(root, events-transitions-1, 500); err != nil {
		return err
	}
	return fireMany(root, 1)
}

// seedway compares the same transition done with bash, jq and node.
func seedway(b *bench) ([]figure, error) {
	name := "transition of bash + jq + node, against one of warp"
	for _, tool := range []string{"bash", "jq", "node"} {
		if _, err := exec.LookPath(tool); err != nil {
			return nil, fmt.Errorf("bench/seedway needs the program %s: %w", tool, err)
		}
	}
	ours, err := b.project("ours")
	if err != nil {
		return nil, err
	}
	theirs, err := b.project("theirs")
	if err != nil {
		return nil, err
	}
	script, err := filepath.Abs(filepath.Join("bench", "seedway", "transition.sh"))
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(script); err != nil {
		return nil, errors.New("run it from the repository's root: make bench")
	}
	m, err := race(40, b.fire(ours), []string{"bash", script, theirs, "merge_failed"})
	if err != nil {
		return nil, err
	}
	return []figure{{name: name, value: ratio(m[1], m[0]), unit: "x", least: 30}}, nil
}
