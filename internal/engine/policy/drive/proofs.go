package drive

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/criteria"
	"warp/internal/core/drivestate"
	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/engine/land"
)

func provePrerequisites(ctx context.Context, t *turn, _ claim) error {
	err := checkRepository(ctx, t)
	if err == nil && t.s.Session.Level == 2 && !t.Own {
		err = refuseMain(t)
	}
	if err != nil || !hasDev(t.Engine) {
		return err
	}
	if err := t.Dev.Check(ctx); err != nil {
		return needsPerson("warp dev up", "the dev environment is not up: %v", err)
	}
	return nil
}

// refuseMain requires a person's own branch: a script makes it, where an engine makes its own.
func refuseMain(t *turn) error {
	on, err := t.lander.CheckedOut()
	if err != nil {
		return err
	}
	if on == "" || on == t.s.MainBranch {
		return needsPerson("git switch -c feature/issue-NN-title", "Must not be on main/master: level 2 works on a branch of yours, and %s is checked out", orDetached(on))
	}
	return nil
}

// proveSelected requires an issue that the engine would work on, and a branch other than its merge
// target. The issue's criteria are recorded verbatim.
func proveSelected(ctx context.Context, t *turn, c claim) error {
	id := cmp.Or(c.data.Requirement, t.s.Issue())
	if id == "" {
		return needsPerson(selectCommand("N"), "no issue is named")
	}
	i, err := findNamed(ctx, t.Engine, id)
	if err == nil {
		err = refuseHalfDone(ctx, t.Engine, i)
	}
	if err != nil {
		return err
	}
	on, err := t.lander.CheckedOut()
	if err != nil {
		return err
	}
	if on == "" || on == t.s.MergeTarget || on == t.s.MainBranch {
		return needsPerson("git switch -c "+i.Branch(), "the work needs its own branch, but %s is checked out", orDetached(on))
	}
	if branch := cmp.Or(c.data.Branch, t.s.BranchName(), on); branch != on {
		return needsPerson("git switch "+branch, "the drive's branch is %s, but %s is checked out", branch, on)
	}
	if _, err = t.Drive.Criteria.Record(id, i.Body); err != nil {
		return needsPerson("edit the issue", "#%s: %v", id, err)
	}
	return nil
}

func selectCommand(id string) string {
	return fmt.Sprintf(`warp state transition . work_selected --data '{"requirement":"%s"}'`, id)
}

func proveNoWork(ctx context.Context, t *turn, _ claim) error {
	if id := t.s.Issue(); id != "" {
		return needsPerson(selectCommand(id), "#%s was asked for", id)
	}
	i, err := findNext(ctx, t.Engine)
	if err == nil && i.Number > 0 {
		id := fmt.Sprint(i.Number)
		return needsPerson(selectCommand(id), "#%s is approved and can be worked on", id)
	}
	return err
}

// proveChunks requires each open criterion in exactly one chunk, and runs the tests before any
// change: only what the work breaks counts against it.
func proveChunks(ctx context.Context, t *turn, c claim) error {
	open := openCriteria(t)
	if len(open) == 0 {
		return needsPerson("close the issue and run warp stop", "#%s has no open criterion", t.s.Issue())
	}
	var want []string
	for _, one := range open {
		want = append(want, one.ID)
	}
	have := slices.Concat(c.data.Chunks...) // already free of duplicates
	example, err := json.Marshal(map[string]any{"chunks": criteria.Split(open, nil, t.cfg.Limits.ACsPerCommit)})
	if err != nil {
		return err
	}
	do := fmt.Sprintf("warp state transition . chunks_defined --data '%s'", example)
	if missing := text.Without(want, have); len(missing) > 0 {
		return needsPerson(do, "open criteria of #%s are in no chunk: %s", t.s.Issue(), strings.Join(missing, ", "))
	}
	if unknown := text.Without(have, want); len(unknown) > 0 {
		return needsPerson(do, "#%s has no such open criterion: %s", t.s.Issue(), strings.Join(unknown, ", "))
	}
	return testBaseline(ctx, t)
}

// proveCommitted requires a commit of the tested tree. It is recorded as not judged, so that an
// engine that continues the drive has it judged.
func proveCommitted(ctx context.Context, t *turn, c claim) error {
	if want := commitEvent(t); want == drivestate.CommitWithDocGate && c.on != want {
		return needsPerson("warp state transition . "+string(want), "the setting doc_drift_gate wants the documentation checked after the commit")
	}
	why, do, err := t.Drive.Watch.CheckCommit(t.s, testedTree(t))
	if err != nil {
		return err
	}
	if why != "" {
		return needsPerson(do, "%s", why)
	}
	made, err := t.Drive.Watch.ListPhaseCommits(t.s, nil)
	for _, m := range made {
		recordCommit(ctx, t, evidence.Commit{Hash: m.Hash, Subject: text.FirstLine(m.Message), Recovered: true})
	}
	return err
}

func proveNoDrift(_ context.Context, t *turn, _ claim) error {
	if t.Docs == nil {
		return nil
	}
	high, mechanical, err := t.Docs.Proof()
	const wrong = "the documentation is wrong: %s"
	switch {
	case err != nil:
		return err
	case len(mechanical) > 0:
		return needsPerson("warp docs sync --apply; then commit the files that it names", wrong, text.Quote(mechanical, 3))
	case len(high) > 0:
		return needsPerson("fix and commit it, or warp state transition . drift_blocked leads back to coding", wrong, text.Quote(high, 3))
	}
	return nil
}

func proveReported(ctx context.Context, t *turn, _ claim) error {
	filed, err := t.desk().IsFiled(ctx, "report")
	if err == nil && !filed {
		return needsPerson("warp state file . report", "the tracker has no report of chunk %d", t.s.Chunk.Index)
	}
	return err
}

// proveDone requires every chunk done: none left, none skipped, each with its commit.
func proveDone(_ context.Context, t *turn, _ claim) error {
	s := t.s
	if s.Chunk.Index < s.Chunk.Total {
		return needsPerson("warp state transition . next_chunk", "chunk %d of %d is done", s.Chunk.Index, s.Chunk.Total)
	}
	if len(s.Chunk.Skipped) > 0 {
		return needsPerson("warp state transition . abort", "chunks were given up: %s", describeSkipped(t))
	}
	if open := openCriteria(t); len(open) > 0 {
		return needsPerson(fmt.Sprintf("warp issue check %s %s", s.Issue(), open[0].ID), "%s of #%s is not checked off", open[0].ID, s.Issue())
	}
	return checkTrailers(t)
}

// checkTrailers requires the commit of each chunk on the branch.
func checkTrailers(t *turn) error {
	tip, err := t.lander.Tip(t.s.BranchName())
	if err != nil {
		return err
	}
	for chunk := 1; chunk <= t.s.Chunk.Total; chunk++ {
		hash, err := land.FindIn(t.repo(), tip, drivestate.Trailer(t.s, chunk))
		if err != nil {
			return err
		}
		if hash == "" {
			return needsPerson("check git log", "the commit of chunk %d is not on %s", chunk, t.s.BranchName())
		}
	}
	return nil
}
