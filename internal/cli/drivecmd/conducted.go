package drivecmd

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"warp/internal/cli/app"
	"warp/internal/core/budget"
	"warp/internal/core/conduct"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/questions"
	"warp/internal/durable"
	"warp/internal/engine/conductor"
	"warp/internal/engine/policy/drive"
	"warp/internal/engine/recovery"
	"warp/internal/engine/trust"
	"warp/internal/sys/proc"
)

// shortWait is the longest a conducted drive waits for a limit of its account: beyond that the
// fleet gives the work to another account.
const shortWait = time.Minute

// checkConducted refuses options that exclude --conducted.
func (o options) checkConducted() error {
	switch {
	case !o.conducted:
		return nil
	case len(o.issues) != 1:
		return app.WrongUsage("--conducted drives exactly one issue")
	case o.spent != nil && len(o.spent) != 2:
		return app.WrongUsage("--spent is millionths of a dollar and tokens, with a comma between")
	case o.detach || o.ui || o.json || o.dryRun || o.worktree || o.parallel > 1 || o.guide.desk != "":
		return app.WrongUsage("--conducted takes none of --detach, --ui, --json, --dry-run, --worktree and --parallel")
	}
	return nil
}

// beConducted starts the conversation with the worker. Stdout belongs to the worker alone, and
// the drive ends with it (two agents once worked on one requirement after a worker had died).
func beConducted(a *app.App) *conductor.Conductor {
	out := a.Out
	a.Out = a.Err
	return conductor.Open(a.In, out, func() {
		proc.EndAll()
		a.Note("the worker that conducts this drive is gone: its agent was ended; it resumes where it is")
		os.Exit(app.Interrupt)
	})
}

// conducted is a drive of one issue in this clone, conducted by a fleet's worker.
type conducted struct {
	app     *app.App
	engines *engines
	cleanup *cleanup
	worker  *conductor.Conductor
}

// drive drives the issue and reports its outcome to the worker.
func (c conducted) drive(ctx context.Context) error {
	issue := c.engines.o.firstIssue()
	ends, limit, err := c.driveInClone(ctx, issue)
	c.cleanup.deleteMerged(ctx, ends)
	o := evidence.Outcome{Issue: issue, Result: evidence.Stopped}
	if len(ends) > 0 {
		o = ends[len(ends)-1]
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		o.Result, o.Why = evidence.Failed, c.engines.redact.String(err.Error())
	}
	if err := c.worker.End(conduct.Outcome{Result: string(o.Result), Why: o.Why, Do: o.Do, Commit: o.Commit, Pull: o.Pull, Limited: limit}); err != nil {
		return err
	}
	return exitError([]evidence.Outcome{o}, err)
}

// driveInClone restores another machine's work, resumes an unfinished drive, or begins. It
// reports an outcome from before again: the worker may have died before it heard.
func (c conducted) driveInClone(ctx context.Context, issue string) ([]evidence.Outcome, *conduct.Limit, error) {
	if err := c.takeOver(ctx, issue); err != nil {
		return nil, nil, err
	}
	if isUnderWay(c.engines.drive) {
		if elsewhere, err := c.mergedElsewhere(ctx, issue); err != nil || elsewhere != nil {
			return listOutcome(elsewhere), nil, err
		}
	}
	if _, refused, err := c.engines.lookAhead(ctx); err != nil || refused != nil {
		return refused, nil, err
	}
	e, err := c.engines.makeEngine(c.engines.drive, issue)
	if err != nil {
		return nil, nil, err
	}
	e.Own, e.Once = true, true
	if len(c.engines.o.spent) == 2 {
		e.Before = budget.Amount{MicroUSD: c.engines.o.spent[0], Tokens: c.engines.o.spent[1]}
	}
	e.People = drive.People{Ask: c.askWorker, Conductor: c.worker}
	e.Agents.LongestWait = shortWait
	ends, err := c.engines.run(ctx, c.engines.drive, e)
	if n := len(ends); err == nil && n > 0 && ends[n-1].Epoch == 0 { // it did not begin
		if before, err := c.finishedBefore(ctx, issue); err != nil || before != nil {
			return listOutcome(before), nil, err
		}
	}
	return ends, e.Limited(), err
}

// takeOver restores a drive if another machine has pushed more of it than is here.
func (c conducted) takeOver(ctx context.Context, issue string) error {
	r, err := recovery.Open(ctx, c.engines.drive, c.engines.tracker, c.app.Env, c.engines.process.Host)
	if err != nil {
		return err
	}
	r.State, _ = trust.Folder(c.app.Getenv) // if it fails, copies stay in the git folder
	res, err := r.Run(ctx, recovery.Options{Issue: issue, Level: c.engines.o.level, InPlace: true, TakeOver: true})
	c.app.Notes(res.Notes)
	for _, k := range res.Kept {
		c.app.Note("kept: %s", k)
	}
	if app.IsA[*recovery.NothingError](err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("taking #%s over: %w", issue, err)
	}
	return nil
}

// finishedBefore returns the outcome of an issue that is already finished, else nil.
func (c conducted) finishedBefore(ctx context.Context, issue string) (*evidence.Outcome, error) {
	book := &evidence.Book{}
	if _, err := c.engines.drive.Project.Home().Events(func(r event.Row) bool { book.Take(r); return true }); err != nil && !durable.IsMissing(err) {
		return nil, fmt.Errorf("reading what was done before: %w", err)
	}
	if last, known := evidence.Last(book.Of(issue, 0).Outcomes, func(o evidence.Outcome) bool { return o.Epoch != 0 }); known && last.Row.Result.Good() {
		return &last.Row, nil
	}
	return c.findMerged(ctx, issue, "")
}

// mergedElsewhere returns the outcome if another machine has merged the drive that is unfinished
// here, else nil. It resets the local drive then.
func (c conducted) mergedElsewhere(ctx context.Context, issue string) (*evidence.Outcome, error) {
	v, err := c.engines.drive.Read()
	if err != nil || v.State.Issue() != issue {
		return nil, nil // the engine reports it
	}
	o, err := c.findMerged(ctx, issue, v.State.MergeTarget)
	if err != nil || o == nil {
		return nil, err
	}
	_, err = c.engines.drive.Reset() // the journal keeps its history
	return o, err
}

// findMerged returns the outcome of a closed issue whose commits are on the remote's merge
// target, unless the branch lacking has them too; else nil.
func (c conducted) findMerged(ctx context.Context, issue, lacking string) (*evidence.Outcome, error) {
	n, err := strconv.Atoi(issue)
	if err != nil {
		return nil, err
	}
	i, err := c.engines.tracker.Get(ctx, n)
	if err != nil || i.Open {
		return nil, err
	}
	work, err := app.OpenTree(c.engines.drive)
	if err != nil {
		return nil, err
	}
	commit, err := recovery.FindMerged(ctx, work, issue)
	if err != nil || commit == "" {
		return nil, err
	}
	if lacking != "" {
		if has, err := work.Repo().Descends(lacking, commit); err != nil || has {
			return nil, err
		}
	}
	return &evidence.Outcome{Issue: issue, Title: i.Title, Result: evidence.Merged, Commit: commit}, nil
}

// askWorker asks the people of the fleet. Without an answer in time the setting unattended
// decides, as for local questions. The local inbox does not get the question.
func (c conducted) askWorker(ctx context.Context, q drive.Question) (drive.Answer, bool) {
	id := sha256.Sum256([]byte(q.Text)) // the same question gets the same ID
	ask := &conduct.Ask{ID: fmt.Sprintf("%s-%d-%x", q.Issue, q.Chunk, id[:4]), Text: q.Text, Context: q.Context, Options: q.Options, Default: q.Default, Minutes: c.engines.settings.DecisionMinutes}
	if c.engines.settings.Unattended == questions.KeepWaiting {
		ask.Minutes = 0
	}
	r, err := c.worker.Ask(ctx, conduct.Say{Kind: conduct.Question, Ask: ask})
	switch {
	case err != nil:
		return drive.Answer{}, false
	case r.Answer != "":
		return drive.Answer{Text: r.Answer, By: r.By}, true
	case c.engines.settings.Unattended == questions.TakeDefault && q.Default != "":
		return drive.Answer{Text: q.Default, By: questions.ByDefault}, true
	}
	return drive.Answer{}, false
}
