package pipeline

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warp/internal/core/pipeline/library"
)

// Every loop of the library says how it ends and whether it commits; a row that changes
// is a change that users see.
func TestBuiltInLoopsAreBounded(t *testing.T) {
	want := map[string]string{
		"work": "queue work, 50, commit true", "improve-plan": "plateau, 5, commit false",
		"refine": "plateau, 5, commit true", "review": "plateau, 4, commit false",
		"list-behaviours": "fixed 1, 1, commit false", "add-behaviour": "plateau, 12, commit true", "check-tests": "plateau, 4, commit false",
		"draft-plan": "fixed 1, 1, commit false", "question-plan": "fixed 2, 2, commit false", "write-tasks": "plateau, 4, commit false",
		"argue-side": "fixed 1, 1, commit false", "answer-side": "fixed 1, 1, commit false", "settle-debate": "fixed 1, 1, commit false",
		"hunt-bugs": "plateau, 6, commit false", "reproduce-bugs": "plateau, 5, commit false", "rank-findings": "fixed 1, 1, commit false",
		"review-as-user": "plateau, 4, commit false",
		"find-untested":  "plateau, 4, commit false", "add-tests": "plateau, 10, commit true",
		"find-stale-docs": "plateau, 4, commit false", "fix-docs": "plateau, 8, commit true", "follow-docs": "fixed 1, 1, commit false",
		"list-upgrades": "fixed 1, 1, commit false", "upgrade-dependency": "plateau, 10, commit true",
		"find-excess": "plateau, 4, commit false", "remove-excess": "plateau, 8, commit true",
		"map-entry-points": "fixed 1, 1, commit false", "find-holes": "plateau, 6, commit false", "doubt-findings": "fixed 1, 1, commit false",
	}
	got := map[string]string{}
	for _, n := range library.Loops() {
		p, problems := LoadLoop(n, []Setting{{"loop", n, "loop"}}, disk(nil))
		if len(problems) > 0 {
			t.Fatal(lines(problems))
		}
		s := p.Stages[0]
		got[n] = fmt.Sprintf("%s, %d, commit %v", s.Until, s.Runs, s.Commit)
		if commits := strings.Contains(s.Prompt, "committed for you"); commits != s.Commit {
			t.Errorf("%s: commit is %v, and its prompt says so: %v", n, s.Commit, commits)
		}
		if text, _ := library.Loop(n); library.Describe(text) == "" {
			t.Errorf("%s has no description", n)
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestBuiltInPipelinesLoad(t *testing.T) {
	if n := len(library.Pipelines()); n < 13 {
		t.Errorf("there are only %d", n)
	}
	used := map[string]bool{}
	for _, n := range library.Pipelines() {
		text, _ := library.Pipeline(n)
		p, problems := Load("built-in/"+n+".yaml", text, disk(nil))
		if len(problems) > 0 {
			t.Fatal(n, lines(problems))
		}
		// A bound on money would refuse agents whose price is not known.
		if p.Name != n || p.Description == "" || library.Describe(text) != p.Description || p.MaxTime == 0 || p.MaxCost != 0 {
			t.Errorf("%s: name %q, description %q, max_time %v, max_cost %d", n, p.Name, p.Description, p.MaxTime, p.MaxCost)
		}
		for _, s := range p.Stages {
			used[s.Loop] = true
			for _, in := range s.Inputs {
				i := slices.IndexFunc(p.Stages, func(s Stage) bool { return s.ID == in.From })
				if !strings.Contains(p.Stages[i].Prompt, "${OUTPUT}") || !strings.Contains(s.Prompt, "${INPUTS}") {
					t.Errorf("%s: %s reads %s, and one of the prompts does not say so", n, s.ID, in.From)
				}
			}
		}
	}
	for _, n := range library.Loops() {
		if !used[n] {
			t.Errorf("no pipeline has the loop %s", n)
		}
		if _, both := library.Pipeline(n); both {
			t.Errorf("%s is a loop and a pipeline; warp pipeline show takes one name", n)
		}
	}
	if _, ok := library.Pipeline("../loops/work"); ok {
		t.Error("a name led out of its folder")
	}
}

// What eject writes does what the built-in does.
func TestWriteOutKeepsEverything(t *testing.T) {
	for _, n := range library.Pipelines() {
		text, _ := library.Pipeline(n)
		want, _ := Load("x.yaml", text, disk(nil))
		whole, ok := library.WriteOut(n)
		have, problems := Load("x.yaml", whole, disk(nil))
		if !ok || len(problems) > 0 {
			t.Fatalf("%s\n%s", lines(problems), whole)
		}
		for i := range want.Stages {
			want.Stages[i].Loop = ""
		}
		if d := cmp.Diff(want, have, visible); d != "" {
			t.Errorf("%s\n%s\n%s", n, d, whole)
		}
	}
	if _, ok := library.WriteOut("nowhere"); ok {
		t.Error("what is not there was written out")
	}
}
