package drive

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/drivestate"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/engine/gate"
	"warp/internal/engine/step"
	"warp/internal/sys/git"
	"warp/internal/turnstile"
)

// A coder that has nothing to change says so: its criteria are met already, it needs a decision, or
// the verdict is wrong. None of that is a fault of the work.

const maxWords = 600 // of a coder's last words in a question, in characters

// lastWords returns the question to a person about a coder that twice changed nothing and did not
// say why, or that asks in prose: it may be in its words.
func lastWords(t *turn, a step.Answer) *decision {
	did := "changed nothing for"
	if a.Unread == step.Asks {
		did = "worked on"
	}
	words := strings.TrimSpace(text.Tail(a.LastWords(), maxWords))
	ended := "said nothing of it"
	if words != "" {
		ended = "ended with: " + words
	}
	return &decision{Question: fmt.Sprintf("The agent %s %s, and %s", did, strings.Join(t.s.Chunk.Present(), ", "), ended)}
}

// disputed returns the question to a person about a verdict that the verifier keeps although the coder
// objected, and that the coder objects to again.
func disputed(t *turn, before string) *decision {
	tree, err := t.Drive.Tree.Fingerprint()
	if err != nil || tree != before || objection(t) == "" {
		return nil
	}
	unmet := standingVerdict(t, verifierInput(t.Engine, t.s, tree))
	if unmet == "" {
		return nil
	}
	return &decision{Question: fmt.Sprintf("The verifier and the agent disagree. The verifier: %s The agent: %s Who is right?", text.OneLine(unmet), text.OneLine(objection(t))),
		Options: []string{"the verifier", "the agent"}}
}

// doneBefore returns the criteria of the present chunk that its coder found met already, and that
// the verifier has not found unmet since.
func doneBefore(t *turn) (ids []string) {
	page := t.evidenceOfIssue(t.s)
	for _, id := range t.s.Chunk.Present() {
		claims := func(r evidence.Run) bool { return slices.Contains(r.DoneIDs, id) }
		_, found := evidence.Last(codingRuns(page, t.s), claims)
		said, _ := evidence.Last(codingRuns(page, t.s), func(r evidence.Run) bool { return claims(r) || r.Objection != "" })
		unmet, judged := evidence.Last(page.Verdicts, func(v evidence.Verdict) bool { return v.ID == id && v.Chunk == t.s.Chunk.Index && !v.Met })
		if found && !(judged && unmet.N > said.N) {
			ids = append(ids, id)
		}
	}
	return ids
}

// wasDoneBefore reports whether the chunk needs no change, as its coder says. The verifier judges
// that.
func wasDoneBefore(t *turn) bool {
	if t.s.Chunk.Base == "" || len(doneBefore(t)) == 0 {
		return false
	}
	tree, err := t.Drive.Tree.Fingerprint()
	return err == nil && tree == t.s.Chunk.Base
}

// doneGate stands for the check that the chunk changes something. It comes after the one that says
// which tree is judged.
func doneGate(e *Engine) turnstile.Gate {
	return turnstile.Gate{Name: "met without a change", When: turnstile.First, Replaces: drivestate.DiffRelevance, Run: func(_ context.Context, s *drivestate.State) (string, error) {
		tree, err := checkedTree(e)
		if err != nil || tree == s.Chunk.Base {
			return "", err
		}
		return "the work tree changed although nothing was to be changed", nil
	}}
}

// judgingBase returns the tree that the verifier compares with: that before the chunk or, if the chunk
// changes nothing, that before the branch.
func judgingBase(t *turn) string {
	if wasDoneBefore(t) { // else the chunk's own change could be cut off
		if base, err := gate.MergeBase(context.Background(), t.repo(), "HEAD", "refs/heads/"+t.s.MergeTarget); err == nil {
			return base
		}
	}
	return t.s.Chunk.Base
}

// recordDoneBefore records the commit that did what the present chunk asks for: the newest one.
func recordDoneBefore(ctx context.Context, t *turn) (hash string, err error) {
	made, known := evidence.Last(t.evidenceOfIssue(t.s).Commits, func(c evidence.Commit) bool { return !c.WIP })
	row := evidence.Commit{Hash: made.Row.Hash, Subject: made.Row.Subject}
	if !known {
		if row.Hash, err = t.repo().Head(); err != nil {
			return "", err
		}
		said, err := t.repo().Must(ctx, git.Call{Args: []string{"log", "-1", "--format=%s", row.Hash}})
		if err != nil {
			return "", err
		}
		row.Subject = strings.TrimSpace(string(said))
	}
	if made.Row.Chunk != t.s.Chunk.Index { // else the engine died after recording it
		row.Issue, row.Chunk, row.Criteria, row.Earlier = t.s.Issue(), t.s.Chunk.Index, t.s.Chunk.Present(), true
		t.recordEvidence(t.s, event.Commit, row)
		t.tell(Note{Kind: Committed, Text: "no change was needed: " + row.Subject, Link: Link{Hash: row.Hash}})
	}
	t.pass("commit recorded")
	return row.Hash, nil
}

// hasEarlierCommit reports whether a chunk has no commit of its own.
func hasEarlierCommit(t *turn, chunk int) bool {
	c, known := evidence.Last(t.evidenceOfIssue(t.s).Commits, func(c evidence.Commit) bool { return c.Chunk == chunk && !c.WIP })
	return known && c.Row.Earlier
}

// hasNothingToMerge reports whether the merge target has all of the work, since no chunk needed a
// commit.
func hasNothingToMerge(t *turn, tip string) (bool, error) {
	for i := 1; i <= t.s.Chunk.Total; i++ {
		if !hasEarlierCommit(t, i) {
			return false, nil
		}
	}
	target, err := t.lander.Tip(t.s.MergeTarget)
	if err != nil {
		return false, err
	}
	return t.repo().Descends(target, tip)
}

// movedEarlier returns the new rows of chunks without a commit of their own, after a rebase moved the
// commits that did their work.
func movedEarlier(t *turn, moved []any) (rows []any) {
	for _, c := range t.evidenceOfIssue(t.s).Commits {
		for _, m := range moved {
			if to, is := m.(evidence.Commit); is && c.Row.Earlier && to.Was == c.Row.Hash && to.Chunk != c.Row.Chunk {
				c.Row.Was, c.Row.Hash = c.Row.Hash, to.Hash
				rows = append(rows, c.Row)
				break
			}
		}
	}
	return rows
}

// standingVerdict returns what an earlier verdict on exactly this tree found wanting, if nothing was
// said since that the verifier has not heard: an objection, once, or a decision. Else "".
func standingVerdict(t *turn, w gate.VerifierInput) string {
	page, first, last := t.evidenceOfIssue(t.s), -1, -1
	var found []evidence.Verdict
	for _, id := range w.Criteria {
		v, ok := evidence.Last(page.Verdicts, func(v evidence.Verdict) bool { return v.ID == id && v.Chunk == t.s.Chunk.Index })
		if !ok || v.Row.Tree != w.Tree {
			return ""
		}
		found, last = append(found, v.Row), max(last, v.N)
	}
	for _, v := range page.Verdicts {
		if v.Row.Tree == w.Tree && v.Row.Chunk == t.s.Chunk.Index && first < 0 {
			first = v.N
		}
	}
	unmet := gate.ListUnmet(found)
	if unmet == "" {
		return ""
	}
	heard, fresh := false, false
	for _, r := range codingRuns(page, t.s) {
		heard = heard || r.Row.Objection != "" && r.N > first && r.N < last
		fresh = fresh || r.Row.Objection != "" && r.N > last
	}
	decided, any := evidence.Last(listDecisions(t), func(d evidence.Decision) bool { return d.Answer != "" })
	if fresh && !heard || any && decided.N > last {
		return ""
	}
	return unmet + "\nNothing has changed since."
}
