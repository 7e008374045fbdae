//go:build linux

package trial

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"warp/internal/testkit/need"
)

// deciding are the kinds of rows that a drive which goes on after a power cut
// decides from.
var deciding = []string{"run", "verdict", "tested", "gate", "commit", "criteria", "outcome"}

var (
	appended = regexp.MustCompile(`\bp?write(?:64)?\(\d+<(.*/events\.jsonl)>, ".*?\\"kind\\":\\"(\w+)\\"`)
	journal  = regexp.MustCompile(`\b(?:fsync|fdatasync)\(\d+<(.*/events\.jsonl)>`)
)

// In a work tree of the drive's own, evidence is kept in another journal than the
// transitions are: what is decided from is synced there, before anything follows
// it. Once such rows went out with no sync at all.
func TestRowsThatDecideAreSynced(t *testing.T) {
	t.Parallel()
	strace := need.Tool(t, "strace")
	p := newProject(t)
	log := filepath.Join(t.TempDir(), "calls")
	cmd := p.command(strace, "-f", "--seccomp-bpf", "-y", "-qq", "-s", "500", "-e", "trace=write,pwrite64,fsync,fdatasync", "-o", log,
		filepath.Join(bin, "warp"), "drive", "1", "--worktree", "--level", "3")
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(p.root, ".claude/state/events.jsonl")
	pending, seen := map[string]string{}, map[string]int{} // by journal; by kind
	for line := range strings.Lines(string(text)) {
		if m := journal.FindStringSubmatch(line); m != nil {
			delete(pending, m[1])
			continue
		}
		m := appended.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		path, kind := m[1], m[2]
		if was := pending[path]; was != "" {
			t.Errorf("%s: a row of the kind %s was not synced before the next one, %s", path, was, kind)
			delete(pending, path)
		}
		for _, d := range deciding {
			if d == kind && (path == home || kind == "gate") {
				pending[path] = kind
				seen[kind]++
			}
		}
	}
	for path, kind := range pending {
		t.Errorf("%s: the last row, %s, was not synced", path, kind)
	}
	for _, d := range deciding {
		if seen[d] == 0 {
			t.Errorf("no row of the kind %s was seen", d)
		}
	}
	t.Log(seen)
}
