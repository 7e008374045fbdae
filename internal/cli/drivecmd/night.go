package drivecmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"warp/internal/cli/app"
	"warp/internal/cli/background"
	"warp/internal/core/evidence"
	"warp/internal/core/nightreport"
	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/engine/policy/drive"
	"warp/internal/engine/policy/night"
	"warp/internal/turnstile"
)

// nightRun drives unfinished and requested issues, and ends with a report.
type nightRun struct {
	app     *app.App
	o       options
	issues  []string // named issues still to begin
	drive   *turnstile.Drive
	engines *engines
	talk    *talk
	trees   *workTrees
	record  *night.Night

	unresumed []nightreport.Issue // unfinished drives not resumed because the night was halted
}

// hasUnfinished reports whether a drive can be resumed, here or in another work tree.
func (n *nightRun) hasUnfinished() bool {
	return isUnderWay(n.drive) || len(n.trees.listUnfinished()) > 0
}

// run drives here, or in a detached process that survives the terminal. It reports anything that
// would keep that process from starting.
func (n *nightRun) run(ctx context.Context) error {
	if n.o.only && !n.hasUnfinished() {
		n.trees.tidyUp(ctx) // finish a drive killed at its very end
		return errors.Join(&app.UsageError{Err: &drive.Nothing{}}, n.endKilled(ctx, 0))
	}
	plan, refused, err := n.engines.lookAhead(ctx)
	if err != nil || refused != nil {
		return exitError(refused, err)
	}
	driven, _ := nightreport.Split(plan)
	if (n.o.detach || n.o.ui) && (len(driven) > 0 || len(n.o.issues) > 0 || n.hasUnfinished()) {
		n.talk.close()
		return background.Run(n.app, n.drive, background.Job{Name: "night", Hint: "warp status shows it, warp stop --all ends it, warp report shows the result.", UI: n.o.ui, Watch: n.o.firstIssue()})
	}
	if err := n.talk.connect(ctx, n.drive, n.o.json); err != nil {
		return err
	}
	n.trees.tidyUp(ctx)
	_ = durable.RemoveFile(app.StopAfterFile(n.drive)) // a request to an earlier night
	several := !n.o.once && (len(n.o.issues) > 1 || len(driven) > 1)
	if err := n.endKilled(ctx, 1); err != nil {
		return err
	}
	record, err := night.Begin(n.drive.Project.Home(), n.engines.process, several, n.app.Env.Now)
	if err == nil {
		err = n.setRecord(record)
	}
	if err != nil {
		return err
	}
	ends, err := n.driveAll(ctx, driven)
	if app.IsA[*drive.Nothing](err) {
		err = nil
	}
	return n.finishNight(ctx, plan, ends, err)
}

func (n *nightRun) setRecord(record *night.Night) (err error) {
	n.record, n.talk.several = record, record.Several
	n.talk.ended, err = record.Ended()
	return err
}

// driveAll drives unfinished issues first, then a single one here or several in separate work
// trees.
func (n *nightRun) driveAll(ctx context.Context, driven []nightreport.Issue) ([]evidence.Outcome, error) {
	underWay, alone := isUnderWay(n.drive), n.o.onlyIssue(n.drive, driven)
	apart := n.o.worktree || n.o.parallel > 1 || len(n.o.issues) > 1 || n.talk.several && !underWay && len(n.o.issues) == 0 ||
		n.needsOwnTree(ctx, alone, alone != "" && (len(n.o.issues) > 0 || driven[0].Follows != ""))
	ends, err := n.resumeUnfinished(ctx)
	named := len(n.o.issues) > 0
	if err != nil || named && len(n.issues) == 0 {
		return ends, err
	}
	if why := n.whyHalted(); len(ends) > 0 && why != "" {
		if v, err := n.drive.Read(); err == nil && underWay && !named {
			n.leaveUnresumed(v.State.Issue(), v.State.Titles[v.State.Issue()], why)
		}
		return ends, nil
	}
	var more []evidence.Outcome
	if apart {
		more, err = n.driveSeveral(ctx, driven)
	} else {
		more, err = n.engines.driveHere(ctx, n.o.firstIssue())
		n.trees.cleanup.deleteMerged(ctx, more)
		if err == nil && underWay && !named {
			var rest []evidence.Outcome
			rest, err = n.driveRest(ctx, more)
			more = append(more, rest...)
		}
	}
	ends = append(ends, more...)
	if err != nil || n.o.until.IsZero() || n.o.once || n.o.only {
		return ends, err
	}
	more, err = n.followUntil(ctx)
	return append(ends, more...), err
}

// driveRest drives the other approved issues while the drive of this work tree waits for a
// person: it occupies the work tree but must not block other issues.
func (n *nightRun) driveRest(ctx context.Context, ends []evidence.Outcome) ([]evidence.Outcome, error) {
	if len(ends) == 0 || ends[len(ends)-1].Result != evidence.Person || n.o.once || n.o.only || !isUnderWay(n.drive) || ctx.Err() != nil || n.whyHalted() != "" {
		return nil, nil
	}
	e, err := n.engines.makeEngine(n.drive, "")
	if err != nil {
		return nil, err
	}
	if refused, err := e.CheckReady(ctx); err != nil || refused != nil {
		return nil, err // the waiting drive has reported it
	}
	plan, err := n.engines.makeChooser("").Survey(ctx)
	if err != nil {
		return nil, err
	}
	driven, _ := nightreport.Split(plan)
	driven = slices.DeleteFunc(driven, func(i nightreport.Issue) bool { return i.Number == ends[len(ends)-1].Issue })
	if len(driven) == 0 {
		return nil, nil
	}
	for _, i := range driven {
		n.issues = append(n.issues, i.Number)
	}
	if err := n.record.HasSeveral(); err != nil {
		return nil, err
	}
	n.talk.several = true
	return n.driveSeveral(ctx, driven)
}

// driveSeveral drives issues in separate work trees, up to --parallel at once.
func (n *nightRun) driveSeveral(ctx context.Context, driven []nightreport.Issue) ([]evidence.Outcome, error) {
	if len(driven) > 1 {
		names := make([]string, len(driven))
		for i, d := range driven {
			names[i] = "#" + d.Number
		}
		n.talk.remark(fmt.Sprintf("driving %s: %s", text.Count(len(names), "issue"), text.List(names, 20)))
	}
	next, done := n.issueSource(ctx)
	return night.Shift{Parallel: n.o.parallel, Next: next, Halted: n.whyHalted,
		Drive: func(ctx context.Context, issue string) ([]evidence.Outcome, error) {
			defer done(issue)
			return n.trees.driveApart(ctx, issue)
		}}.Work(ctx)
}

// issueSource returns functions to get the next issue, named or approved, and to mark one as done.
func (n *nightRun) issueSource(ctx context.Context) (next func() (string, error), done func(string)) {
	if len(n.issues) > 0 {
		return night.Lineup(ctx, n.engines.tracker, n.issues)
	}
	var mu sync.Mutex
	given := 0
	chooser := n.engines.makeChooser("")
	chooser.Tell = nil // the account lists what is passed over
	return func() (string, error) {
		mu.Lock()
		defer mu.Unlock()
		if n.o.once && given > 0 {
			return "", nil
		}
		given++
		return chooser.Next(ctx)
	}, func(string) {}
}

// whyHalted returns why no further issue may begin, or "".
func (n *nightRun) whyHalted() string {
	if why := n.engines.breakers.Halted(); why != "" {
		return why
	}
	if _, err := os.Lstat(app.StopAfterFile(n.drive)); err == nil {
		return "you asked to stop after the current issue"
	}
	if !n.o.until.IsZero() && !n.app.Env.Now().Before(n.o.until) {
		return "it was " + n.o.until.Local().Format("15:04")
	}
	return n.engines.spending.whySpent()
}

// parseUntil returns the next time at which the clock shows s, in the zone of now.
func parseUntil(s string, now time.Time) (time.Time, error) {
	clock, err := time.ParseInLocation("15:04", s, now.Location())
	if err != nil {
		return time.Time{}, fmt.Errorf("--until must be a time of day such as 07:00, not %q", s)
	}
	at := time.Date(now.Year(), now.Month(), now.Day(), clock.Hour(), clock.Minute(), 0, 0, now.Location())
	if !at.After(now) {
		at = time.Date(now.Year(), now.Month(), now.Day()+1, clock.Hour(), clock.Minute(), 0, 0, now.Location())
	}
	return at, nil
}
