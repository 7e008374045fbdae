package drive

import (
	"context"
	"fmt"
	"strings"

	"warp/internal/core/drive"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/engine/agent"
)

// verify is the gate before code_complete.
func (e *Engine) verify(ctx context.Context, s *drive.State) (string, error) {
	tree, err := e.Drive.Tree.Fingerprint()
	if err != nil {
		return "", err
	}
	return e.judge(ctx, s, sight{dir: e.Drive.Root(), base: s.Chunk.Base, tree: tree, criteria: s.Present(), ignored: e.uncommitted(ctx)})
}

// sight is what a verifier is shown: a work tree, how it differs from another
// tree, and what is to be judged by that.
type sight struct {
	dir, base, tree string
	criteria        []string
	ignored         []string // files that are not part of it
}

// judge has another agent, with a fresh mind and nothing but reading, judge each
// criterion from the diff.
func (e *Engine) judge(ctx context.Context, s *drive.State, w sight) (string, error) {
	if e.judged(s, w) {
		return "", nil
	}
	diff, cut, err := e.Work.Diff(ctx, w.base, w.tree, maxDiff)
	if err != nil {
		return "", err
	}
	t := agent.Task{Role: agent.Verify, ReadOnly: true, Criteria: w.criteria, Prompt: verifyPrompt(e.issue, written(s, w.criteria), diff, cut, w.ignored)}
	var res agent.Result
	for range 2 { // an answer that is none is asked for once more
		if res, err = e.runIn(ctx, s, w.dir, t); err != nil {
			return "", err
		}
		if res.End != agent.Done && !res.Spends() {
			return "", e.noAgent(s, res)
		}
		if res.End == agent.Done && res.JSON != nil {
			return e.verdicts(s, res, w), nil
		}
	}
	return fmt.Sprintf("the verifier gave no verdict (%s %s%s), so nothing counts as met", res.End, res.Why, res.Invalid), nil
}

// uncommitted lists files that the chunk's own edit of .gitignore keeps out of
// its commit: they do not count as work.
func (e *Engine) uncommitted(ctx context.Context) []string {
	if !e.ignores {
		return nil
	}
	list, err := e.ignored(ctx)
	if err != nil {
		return nil
	}
	return list[:min(len(list), 50)]
}

// judged tells whether every criterion was found met in this very tree.
func (e *Engine) judged(s *drive.State, w sight) bool {
	page := e.page(s)
	for _, id := range w.criteria {
		v, ok := evidence.Last(page.Verdicts, func(v evidence.Verdict) bool { return v.ID == id && v.Chunk == s.Chunk.Index })
		if !ok || !v.Row.Met || v.Row.Tree != w.tree {
			return false
		}
	}
	return true
}

// verdicts records what the verifier said; a criterion that it does not name is
// not met.
func (e *Engine) verdicts(s *drive.State, res agent.Result, w sight) (reason string) {
	said := map[string]evidence.Verdict{}
	for _, c := range res.JSON.Get("criteria").Elems {
		id := c.Get("id").Text()
		v := evidence.Verdict{ID: id, Met: c.Get("met").Raw == "true", Reason: text.Clip(c.Get("reason").Text(), maxReason)}
		if was, twice := said[id]; twice && !was.Met {
			continue // a no counts more
		}
		said[id] = v
	}
	var wanting []string
	var rows []any
	var notes []Note
	for _, id := range w.criteria {
		v, ok := said[id]
		if !ok {
			v = evidence.Verdict{ID: id, Reason: "the verifier did not judge it"}
		}
		v.Issue, v.Chunk, v.Agent, v.Tree = s.Issue(), s.Chunk.Index, res.Agent, w.tree
		rows = append(rows, v)
		notes = append(notes, Note{Kind: Judged, Text: id + ": " + v.Reason, Passed: &v.Met})
		if !v.Met {
			wanting = append(wanting, fmt.Sprintf("%s is not met: %s", id, v.Reason))
		}
	}
	e.keep(s, event.Verdict, rows...)
	for _, n := range notes {
		e.tell(n)
	}
	e.passed("verified")
	return strings.Join(wanting, "\n")
}
