package drive

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"

	"warp/internal/core/drivestate"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/core/trustledger"
	"warp/internal/engine/detect"
	"warp/internal/engine/filing"
	"warp/internal/engine/forge"
	"warp/internal/engine/judge"
	"warp/internal/engine/recovery"
	"warp/internal/sys/git"
)

// chooseLevel returns the requested level, or else the configured one.
func chooseLevel(e *Engine, configured int) (int, error) {
	level := cmp.Or(e.Level, configured)
	if level != 2 && level != 3 {
		return level, e.Drive.Project.NoLevel()
	}
	return level, nil
}

// checkFit checks what would leave an unwanted session behind, before one starts: a typo, an issue
// that cannot be worked on.
func checkFit(ctx context.Context, e *Engine) error {
	cfg, err := e.Drive.Project.Settings()
	if err != nil && e.Level == 0 {
		return err
	}
	level, err := chooseLevel(e, cfg.Level)
	if err != nil {
		return err
	}
	if err := checkReady(e); err != nil || e.Issue == "" {
		return err
	}
	i, err := findNamed(ctx, e, e.Issue)
	if err != nil {
		return err
	}
	if e.namedFollow != nil {
		return checkFollowable(ctx, e, e.namedFollow, level)
	}
	return refuseHalfDone(ctx, e, i)
}

// checkReady requires a first commit, and a test command if tests are run.
func checkReady(e *Engine) error {
	head, err := e.repo().Head()
	if err == nil && head == "" {
		err = errors.New("the repository has no commit yet")
	}
	if err != nil {
		return needsPerson("make a first commit, then warp drive", "there is nothing to build on: %v", err)
	}
	if e.cfg.TestBeforeCommit {
		_, err = testCommand(e)
	}
	return err
}

// checkReachable requires a remote that answers, if there is one: a drive that cannot push its work is
// found out before it costs money, not after.
func checkReachable(ctx context.Context, e *Engine) error {
	remote, err := e.lander.FindRemote(ctx)
	if err != nil || remote == nil {
		return err
	}
	if err = e.Work.Remotes().Ping(ctx, remote.Name); err != nil {
		return needsPerson("git ls-remote "+remote.Name+" until it answers, then try again", "%v", err)
	}
	return nil
}

// refuseHalfDone refuses to start an issue over if its work was lost here, or if another machine
// pushed work on it: its boxes are checked, but its commits would be missing.
func refuseHalfDone(ctx context.Context, e *Engine, i forge.Issue) error {
	if err := refuseLostWork(e, i); err != nil {
		return err
	}
	remote, err := e.lander.FindRemote(ctx)
	if err != nil || remote == nil {
		return err
	}
	target, err := e.repo().MainBranch()
	if err != nil {
		return err
	}
	if _, err := remote.Fetch(ctx, i.Branch(), target); err != nil {
		e.remark("could not ask %s about work on #%d: %v", remote.Name, i.Number, err)
		return nil
	}
	found, err := recovery.Scan(ctx, e.repo(), remote.Name, target)
	if err != nil {
		return err
	}
	for _, f := range recovery.Unfinished(found) {
		if f.Issue != strconv.Itoa(i.Number) || f.There == "" || f.There == f.Here {
			continue
		}
		if f.Here != "" {
			if in, err := e.repo().Descends(f.Here, f.There); err != nil || in {
				return err
			}
		}
		return needsPerson("warp recover run "+f.Issue+", then warp drive "+f.Issue,
			"#%s is partly done on %s/%s (%d of %d chunks), so it is not started over", f.Issue, remote.Name, f.Branch, len(f.Done), f.Total)
	}
	return nil
}

// findUnmergedBranch returns the branch that has all chunks of an issue, left by a drive that was
// stopped before it merged; "" if there is none.
func findUnmergedBranch(ctx context.Context, e *Engine, issue string) string {
	target, err := e.repo().MainBranch()
	if err != nil {
		return ""
	}
	found, err := recovery.Scan(ctx, e.repo(), "", target)
	if err != nil {
		return ""
	}
	for _, f := range found {
		if f.Issue == issue && !f.Merged && f.Total > 0 && len(f.Done) == f.Total {
			return f.Branch
		}
	}
	return ""
}

func checkPrerequisites(ctx context.Context, t *turn) (move, error) {
	if err := checkRepository(ctx, t); err != nil {
		return move{}, err
	}
	if err := noteUncommitted(ctx, t); err != nil {
		return move{}, err
	}
	if hasDev(t.Engine) {
		if err := restartDev(ctx, t.Engine, startDev(ctx, t.Engine)); err != nil {
			return move{}, err
		}
	}
	if err := t.Tracker.MakeLabels(ctx, filing.Labels); err != nil {
		t.remark("the labels could not be created yet: %v", err)
	}
	t.pass("labels")
	return move{on: drivestate.PrerequisitesOK}, nil
}

// checkRepository requires a usable repository: a commit, tests and an author.
func checkRepository(ctx context.Context, t *turn) error {
	if err := checkReady(t.Engine); err != nil {
		return err
	}
	if err := t.Work.Identity(ctx); err != nil {
		return needsPerson("do so, then warp resume", "%v", err)
	}
	return nil
}

// testCommand returns the command that runs the project's tests.
func testCommand(e *Engine) (string, error) {
	if e.cfg.TestCommand != "" {
		if e.cfg.Refused != nil {
			return "", needsPerson("warp trust, then warp resume", "%v", e.cfg.Refused)
		}
		return e.cfg.TestCommand, nil
	}
	if e.detectedTests == "" {
		tree, err := beganWith(e)
		if err != nil {
			return "", err
		}
		e.detectedTests = detect.FindTests(judge.ReadTree(e.repo(), tree, e.Work.Root().Folder()))
	}
	if e.detectedTests == "" {
		return "", sayNoTests(detect.Propose(e.Drive.Root()))
	}
	return e.detectedTests, nil
}

func sayNoTests(p detect.Proposal) error {
	const setOne = `warp config set test_command "…" (or test_before_commit false), then warp resume`
	switch found := p.Commands(); {
	case len(found) > 0:
		return needsPerson(strings.Join(found, " && ")+", then warp resume", "no test command is configured: %s", p.Why)
	case p.Why != "":
		return needsPerson(setOne, "no test command is configured: %s", p.Why)
	}
	return needsPerson(setOne, "no test command is configured, and none was detected (Go, Node, Python, Rust, Make, Maven)")
}

// beganWith returns the commit that work starts from: the merge target or, without a drive, what is
// checked out.
func beganWith(e *Engine) (string, error) {
	if v, err := e.Drive.Read(); err == nil && v.State != nil && v.State.MergeTarget != "" {
		if tip, err := e.lander.Tip(v.State.MergeTarget); err != nil || tip != "" {
			return tip, err
		}
	}
	return e.repo().Head()
}

// Environment is the project's development environment: a server, a database, users.
type Environment interface {
	Present() bool
	Up(ctx context.Context, progress func(string)) error
	Check(ctx context.Context) error
	// SeedAdvice lists changes of the schema that lack seed data.
	SeedAdvice(changed []string) []string
}

// recoveries is how often an environment is restarted before a person has to look at it.
const recoveries = 2

func hasDev(e *Engine) bool { return e.Dev != nil && e.cfg.DevHealth && e.Dev.Present() }

func startDev(ctx context.Context, e *Engine) error {
	return e.Dev.Up(ctx, func(text string) { e.remark("dev: %s", text) })
}

// checkDev checks the environment after a chunk, and restarts it if necessary.
func checkDev(ctx context.Context, e *Engine) error {
	if !hasDev(e) {
		return nil
	}
	err := e.Dev.Check(ctx)
	if err != nil {
		e.remark("the dev environment is unhealthy: %v; starting it again", err)
	}
	return restartDev(ctx, e, err)
}

// restartDev restarts the environment while err persists, a bounded number of times.
func restartDev(ctx context.Context, e *Engine, err error) error {
	var untrusted *trustledger.Untrusted
	for n := 0; err != nil && !errors.As(err, &untrusted) && n < recoveries && ctx.Err() == nil; n++ {
		err = startDev(ctx, e)
	}
	switch {
	case err == nil, ctx.Err() != nil:
		return ctx.Err()
	case untrusted != nil:
		return needsPerson("warp trust --show, warp trust, then warp resume", "%v", err)
	}
	return needsPerson("read warp dev logs, fix the cause, then warp resume", "the dev environment did not start in %d attempts: %v", recoveries, err)
}

// seedGate is the name of the seed data advice in evidence. It refuses nothing.
const seedGate = "seed_data"

// adviseOnSeeds checks whether a chunk changes the schema without seed data. It reports whether to
// tell the agent: once per chunk, since it is only advice. The chunk's report has the latest
// result.
func adviseOnSeeds(t *turn) (again bool) {
	if t.Dev == nil || !t.cfg.DevSeed || !t.Dev.Present() || t.s.Chunk.Base == "" {
		return false
	}
	tree, err := t.Drive.Tree.Fingerprint()
	if err != nil || tree == t.s.Chunk.Base {
		return false
	}
	changes, err := t.Drive.Tree.CompareTrees(t.s.Chunk.Base, tree)
	if err != nil {
		return false
	}
	advice := text.Clip(strings.Join(t.Dev.SeedAdvice(git.Paths(changes)), "\n"), maxReason)
	given, before := findSeedAdvice(t.evidenceOfIssue(t.s), t.s)
	if advice == "" && !before || before && given.Row.Reason == advice {
		return false
	}
	t.recordEvidence(t.s, event.Gate, evidence.Gate{Issue: t.s.Issue(), Chunk: t.s.Chunk.Index, Event: string(drivestate.CodeComplete), Gate: seedGate, Passed: true, Reason: advice})
	if advice != "" {
		t.remark("seed data: %s", advice)
	}
	return !before
}

// findSeedAdvice returns the latest advice on the chunk's seed data; false if there was none.
func findSeedAdvice(page *evidence.Book, s *drivestate.State) (evidence.Entry[evidence.Gate], bool) {
	return evidence.Last(page.Gates, func(g evidence.Gate) bool { return g.Gate == seedGate && g.Chunk == s.Chunk.Index })
}
