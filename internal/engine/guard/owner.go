package guard

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/durable"
	"warp/internal/sys/git"
)

// record is whose the uncommitted changes of a work tree are. It is a file, so
// that a change which a person makes while no engine runs is still theirs.
type record struct {
	Owner   string     `json:"owner"`
	Last    *git.Print `json:"last,omitempty"` // after the owner's last run
	Theirs  []string   `json:"theirs,omitempty"`
	Private []string   `json:"private,omitempty"` // ignored before, and never committed
	Ignored []string   `json:"ignored,omitempty"` // when the owner began
	// Outcomes are those of the last runs, by their labels.
	Outcomes map[string]Outcome `json:"outcomes,omitempty"`

	inherited []string // of an earlier owner of the same work
}

// Inherit says that uncommitted paths are the work of the next owner.
func (g *Guard) Inherit(paths []string) { g.record = record{inherited: paths} }

func (g *Guard) recordFile() string { return filepath.Join(g.Dir, "owner.json") }

func (r *record) save(file string) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return durable.Jot(file, text)
}

// attribute finds out what is a person's before a run: all that was uncommitted
// before the first run of an owner, and what has changed between two of its runs.
func (g *Guard) attribute(owner string, now git.Print) (between []string) {
	if g.record.Owner != owner {
		inherited := g.record.inherited
		g.record = record{}
		if text, err := os.ReadFile(g.recordFile()); err == nil && json.Unmarshal(text, &g.record) != nil || g.record.Owner != owner {
			g.record = record{Owner: owner, Theirs: slices.Sorted(maps.Keys(now.Dirty)), Ignored: now.Ignored[:min(len(now.Ignored), mostIgnored)]}
			g.record.Theirs = slices.DeleteFunc(g.record.Theirs, func(p string) bool { return slices.Contains(inherited, p) })
		}
	}
	if last := g.record.Last; last != nil {
		between, _ = now.Since(*last)
	}
	g.record.Theirs = slices.Compact(slices.Sorted(slices.Values(slices.Concat(g.record.Theirs, between))))
	// What is committed by now, or as it was committed, is no more uncommitted.
	g.record.Theirs = slices.DeleteFunc(g.record.Theirs, func(p string) bool { _, dirty := now.Dirty[p]; return !dirty })
	return between
}

func (r *record) theirs() map[string]bool {
	set := map[string]bool{}
	for _, p := range r.Theirs {
		set[p] = true
	}
	return set
}

// after takes what a run has come to.
func (r *record) after(now git.Print, label string, out Outcome) {
	const most = 4 // runs of one owner at once, or one after the other
	if r.Outcomes == nil || len(r.Outcomes) >= most {
		r.Outcomes = map[string]Outcome{}
	}
	r.Last, r.Outcomes[label] = &now, out
	r.Theirs = slices.Compact(slices.Sorted(slices.Values(slices.Concat(r.Theirs, out.Outside, out.Revealed))))
	r.Private = slices.Compact(slices.Sorted(slices.Values(slices.Concat(r.Private, out.Revealed))))
}

// LastOutcome is what the last run of a label did to the work tree: known also to
// the next engine, when the one that ran it was killed right after.
func (g *Guard) LastOutcome(label string) Outcome {
	if g.record.Owner == "" {
		var r record
		if content, err := os.ReadFile(g.recordFile()); err == nil && json.Unmarshal(content, &r) == nil {
			return r.Outcomes[label]
		}
	}
	return g.record.Outcomes[label]
}

// mostIgnored bounds what is kept of what git ignored: folders count once.
const mostIgnored = 200

// covered tells whether a path is one of those that git ignores, or below one.
func covered(ignored []string, path string) bool {
	return slices.ContainsFunc(ignored, func(i string) bool {
		return i == path || strings.HasSuffix(i, "/") && strings.HasPrefix(path, i)
	})
}
