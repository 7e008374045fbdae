package drive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/commit"
	"warp/internal/core/drivestate"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/engine/gate"
	"warp/internal/engine/guard"
	"warp/internal/engine/land"
	"warp/internal/sys/gitwrite"
)

const wipPrefix = "wip: "

// checkOffCriteria checks the boxes of the chunk's criteria in the issue, and clears those of
// criteria that are not done.
func checkOffCriteria(ctx context.Context, t *turn) (move, error) {
	s := t.s
	due, checked := s.Chunk.Due(), s.Checked[s.Issue()]
	undone, err := t.desk().SetBoxes(ctx, func(id string, _ bool) bool { return slices.Contains(due, id) })
	if err != nil {
		return move{}, err
	}
	t.pass("ticked")
	undone = append(undone, text.Without(text.Without(checked, due), undone)...)
	if len(undone) > 0 {
		t.intervene(s, "ticks", "", "reopened criteria that were checked off but are not done: %s", strings.Join(undone, ", "))
		if err := t.Drive.Criteria.CheckOff(s.Issue(), undone, false); err != nil {
			return move{}, err
		}
	}
	return move{on: drivestate.DocsUpdated}, t.Drive.Criteria.CheckOff(s.Issue(), text.Without(due, checked), true)
}

// chunkChange returns the chunk's commit: exactly what the verifier saw and the tests ran on.
func chunkChange(t *turn, tree string) gitwrite.Change {
	return gitwrite.Change{Base: commitBase(t), Tree: tree, Exclude: []string{".claude"}}
}

// commitChunk commits the chunk, once.
func commitChunk(ctx context.Context, t *turn) (move, error) {
	on := commitEvent(t)
	if err := recordMetBefore(t); err != nil {
		return move{}, err
	}
	if wasDoneBefore(t) {
		hash, err := recordDoneBefore(ctx, t)
		return move{on: on, data: data{Commit: hash}}, err
	}
	if err := joinChecks(ctx, t); err != nil {
		return move{}, err
	}
	c := land.Commit{Change: chunkChange(t, testedTree(t)), Branch: t.s.BranchName(), Hooked: true}
	if c.Message = t.chunk.hookMessage; c.Message == "" { // else as the repository's hooks rewrote it
		c.Message = commitMessage(ctx, t)
	}
	if !t.chunk.uninterrupted { // the engine may have died, or a budget tripped, after the commit
		if err := findAgain(t, &c); err != nil {
			return move{}, err
		}
	}
	t.chunk.uninterrupted = false
	if err := checkBranch(t); err != nil { // it may have moved during the tests
		return move{}, err
	}
	was, err := t.lander.Tip(c.Branch)
	if err != nil {
		return move{}, err
	}
	hash, again, err := commitTested(ctx, t, c)
	var mixed *gitwrite.MixedError
	switch {
	case errors.As(err, &mixed):
		return move{}, needsPerson("commit or stash your own changes, then warp resume", "%v", err)
	case err != nil:
		return move{}, secretsNeedPerson(err)
	case hash == "":
		return move{}, gitwrite.ErrNothing
	case again:
		was = ""
		if made, err := t.repo().Commits(hash, t.lander.Parent(ctx, hash)); err == nil && len(made) == 1 {
			c.Message = made[0].Message // which was made when it had other neighbours
		}
	default:
		if tip, err := t.lander.Tip(c.Branch); err != nil || tip != hash {
			return move{}, errors.Join(err, fmt.Errorf("the commit %s is not at the tip of %s", hash, c.Branch))
		}
	}
	recordCommit(ctx, t, evidence.Commit{Hash: hash, Was: was, Subject: text.FirstLine(c.Message)})
	return move{on: on, data: data{Commit: hash}}, pushBranch(ctx, t, hash)
}

// commitEvent returns the event of a commit; it depends on the doc drift gate.
func commitEvent(t *turn) drivestate.Event {
	if t.cfg.DocDriftGate {
		return drivestate.CommitWithDocGate
	}
	return drivestate.Committed
}

// commitTested commits what the tests passed on. If the commit would have a different tree by now,
// that tree is tested first: a resumed drive once committed it untested.
func commitTested(ctx context.Context, t *turn, c land.Commit) (hash string, again bool, err error) {
	for range land.Tries {
		made, err := t.lander.Find(c.Trailer, c.Since...)
		if err != nil {
			return "", false, err
		}
		if made == "" && c.Tree != "" {
			if err := testAgain(ctx, t, c.Tree); err != nil {
				return "", false, err
			}
		}
		hash, again, err = t.lander.Commit(ctx, c)
		var shifted *land.TestedError
		if !errors.As(err, &shifted) {
			return hash, again, err
		}
		t.remark("%v", err)
	}
	return "", false, needsPerson("leave git's index and ignore files alone, then warp resume", "the content to commit keeps changing")
}

// testAgain runs the tests on what would be committed, unless they have already passed on it.
func testAgain(ctx context.Context, t *turn, tree string) error {
	r, err := runTests(ctx, t, tree, gate.Chunk)
	if err != nil || r.Passed {
		return err
	}
	return needsPerson("check what is staged or ignored (git status --ignored), fix it, then warp resume",
		"the tests passed on the chunk but fail on what would be committed: %s; see %s", gate.Describe(r), r.Log)
}

// findAgain makes the commit look for one that was made before the engine died or a budget tripped.
// One that was sent back to coding since does not count.
func findAgain(t *turn, c *land.Commit) error {
	target, err := t.lander.Tip(t.s.MergeTarget)
	if err != nil {
		return err
	}
	c.Trailer, c.Since = drivestate.Trailer(t.s, t.s.Chunk.Index), []string{target}
	page := t.evidenceOfIssue(t.s)
	for _, made := range page.Commits {
		if isOutdated(page, t.s.Chunk.Index, made.Row.Hash) {
			c.Since = append(c.Since, made.Row.Hash)
		}
	}
	return nil
}

// isOutdated reports whether a commit was sent back to coding since, so the chunk needs another
// one.
func isOutdated(page *evidence.Book, chunk int, hash string) bool {
	c, ok := evidence.Last(page.Commits, func(c evidence.Commit) bool { return c.Hash == hash })
	if !ok {
		return false
	}
	g, ok := evidence.Last(page.Gates, func(g evidence.Gate) bool { return g.Gate == driftGate && !g.Passed && g.Chunk == chunk })
	return ok && g.N > c.N
}

// testedTree returns the tree that the tests ran on, without what they left behind. "" means the
// present work tree: the chunk was begun inside an agent.
func testedTree(t *turn) string {
	last, known := evidence.Last(t.evidenceOfIssue(t.s).Tests, func(r evidence.Tested) bool { return r.Chunk == t.s.Chunk.Index && r.Stage == gate.Chunk && r.Passed })
	if !known {
		return ""
	}
	return last.Row.Tree
}

// recordCommit records a commit of the chunk, once. row.Was is the commit before it; if empty, git
// is asked.
func recordCommit(ctx context.Context, t *turn, row evidence.Commit) {
	if _, known := evidence.Last(t.evidenceOfIssue(t.s).Commits, func(c evidence.Commit) bool { return c.Hash == row.Hash }); known {
		return
	}
	was := row.Was
	row.Issue, row.Chunk, row.Criteria, row.Was = t.s.Issue(), t.s.Chunk.Index, t.s.Chunk.Present(), ""
	paths := measureCommit(ctx, t, &row, was)
	t.recordEvidence(t.s, event.Commit, row)
	t.tell(Note{Kind: Committed, Text: row.Subject, Link: Link{Hash: row.Hash}})
	if file := commit.UndocumentedTooling(paths); file != "" && !t.cfg.DocDriftGate {
		t.remark("the commit changes tooling (%s) and no *.md: warp docs audit shows where the documentation is out of date", file)
	}
	t.pass("commit recorded")
}

// measureCommit fills in the size of a commit, and returns the paths it changes.
func measureCommit(ctx context.Context, t *turn, row *evidence.Commit, was string) []string {
	if was == "" {
		was = t.lander.Parent(ctx, row.Hash)
	}
	stat, err := t.Work.Stat(ctx, was, row.Hash)
	if err == nil {
		row.Files, row.Insertions, row.Deletions = stat.Files, stat.Insertions, stat.Deletions
	}
	return stat.Paths
}

// pushBranch pushes the drive's branch up to a commit, so that another machine could continue it. A failure does
// not stop the drive: merging will report it.
func pushBranch(ctx context.Context, t *turn, tip string) error {
	if t.lander.Remote == nil || t.s.BranchName() == "" || t.s.BranchName() == t.s.MergeTarget {
		return nil
	}
	var pushed *guard.PushedError
	var refused *gitwrite.RemoteError
	push := t.lander.PushOnce
	if t.Conductor != nil {
		push = t.lander.Push
	}
	err := push(ctx, t.s.BranchName(), tip)
	switch {
	case t.Conductor != nil && errors.As(err, &refused): // another machine could not take over
		return needsPerson("find out why, then warp resume", "the commits of %s could not be pushed: %v", t.s.BranchName(), err)
	case errors.As(err, &pushed):
		return explainPush(err)
	case isSecrets(err):
		return secretsNeedPerson(err)
	case err != nil:
		t.remark("the branch was not pushed yet: %v", err)
	default:
		t.pass("pushed")
	}
	return nil
}

// commitWIP commits a chunk's unfinished changes to the drive's branch. If the drive has none, it
// keeps them under a ref.
func commitWIP(ctx context.Context, t *turn) (kept string, err error) {
	s := t.s
	tree, err := t.Drive.Tree.Fingerprint()
	if err != nil || s.Chunk.Base == "" || tree == s.Chunk.Base || s.Checklist.Committed {
		return "", err
	}
	if b := s.BranchName(); b == "" || b == s.MergeTarget {
		return t.keepReachable(ctx, "stopped", tree), nil
	}
	if on, err := t.lander.CheckedOut(); err != nil || on != s.BranchName() {
		return "", err // the engine died after it left the branch
	}
	c := land.Commit{Change: chunkChange(t, tree), Branch: s.BranchName(), Hooked: true} // hooks are skipped: a wip commit is not taken for done
	c.Message = fmt.Sprintf(wipPrefix+"#%s chunk %d, stopped\n\n%s\n", s.Issue(), s.Chunk.Index, drivestate.Trailer(s, s.Chunk.Index))
	hash := ""
	if err = findAgain(t, &c); err == nil {
		hash, _, err = t.lander.Commit(ctx, c)
	}
	switch {
	case isSecrets(err): // it stays on this machine
		t.remark("the partial work on the chunk is kept under a reference: %v", err)
		return t.keepReachable(ctx, "stopped", tree), nil
	case err != nil:
		return t.keepReachable(ctx, "stopped", tree), err
	case hash == "":
		return "", nil
	}
	t.pass("wip committed")
	recordCommit(ctx, t, evidence.Commit{Hash: hash, Subject: text.FirstLine(c.Message), WIP: true})
	return hash, pushBranch(ctx, t, hash)
}
