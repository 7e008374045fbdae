package drivecmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"warp/internal/cli/app"
	"warp/internal/core/account"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/engine/filing"
	"warp/internal/engine/notify"
	"warp/internal/engine/policy/drive"
	"warp/internal/engine/policy/night"
	"warp/internal/engine/step"
	"warp/internal/ui/render"
)

// driveNight drives what is unfinished and what was asked for, and ends with an account.
func (w *workshop) driveNight(ctx context.Context) error {
	unfinished := w.hasUnfinished()
	if w.o.only && !unfinished {
		return &app.UsageError{Err: &drive.Nothing{}}
	}
	plan, refused, err := w.lookAhead(ctx)
	if err != nil || refused != nil {
		return w.exitError(list(refused), err)
	}
	if err := w.connect(ctx); err != nil {
		return err
	}
	w.tidyUp(ctx)
	_ = durable.RemoveFile(app.StopAfterFile(w.drive)) // that was asked of an earlier night
	n, err := night.Begin(w.drive.Project.Home(), step.Process{PID: w.app.Env.PID, Host: w.host}, w.app.Env.Now)
	if err != nil {
		return err
	}
	if w.ended, err = n.Ended(); err != nil {
		return err
	}
	ends, err := w.driveAll(ctx, plan)
	var nothing *drive.Nothing
	if errors.As(err, &nothing) {
		err = nil
	}
	return w.account(ctx, n, plan, ends, err)
}

// lookAhead is the plan, or the reason why nothing can be driven here. It costs nothing.
func (w *workshop) lookAhead(ctx context.Context) (plan []account.Issue, refused *evidence.Outcome, err error) {
	if w.o.only || w.isUnderWay() {
		return nil, nil, nil // what has begun goes on as it began
	}
	e, err := w.engine(w.drive, w.o.first())
	if err != nil {
		return nil, nil, err
	}
	if refused, err = e.CheckReady(ctx); err != nil || refused != nil {
		return nil, refused, err
	}
	if len(w.o.issues) > 0 {
		return nil, nil, nil // each says for itself what is wrong with it
	}
	plan, err = w.chooser("").Survey(ctx)
	return plan, nil, err
}

// driveAll drives the unfinished first, then in place what is alone, and apart what is not.
func (w *workshop) driveAll(ctx context.Context, plan []account.Issue) ([]evidence.Outcome, error) {
	driven, _ := account.Split(plan)
	w.several = !w.o.once && (len(w.o.issues) > 1 || len(driven) > 1)
	apart := w.o.worktree || w.o.parallel > 1 || len(w.o.issues) > 1 || w.several && !w.isUnderWay() || w.followsApart(ctx, driven) || w.hasPlace(driven)
	named := len(w.o.issues) > 0
	only, underWay := slices.Clone(w.o.issues), w.isUnderWay()
	ends, err := w.resumeUnfinished(ctx)
	if err != nil || named && len(w.o.issues) == 0 || len(ends) > 0 && w.isAskedToStop() {
		return ends, err
	}
	var more []evidence.Outcome
	if apart {
		w.announce(driven)
		more, err = w.driveSeveral(ctx)
	} else {
		more, err = w.driveOne(ctx, w.drive, w.o.first(), isOwnWorkTree(w.drive.Root()))
		w.deleteMerged(ctx, more)
		if err == nil && underWay && !named {
			var rest []evidence.Outcome
			rest, err = w.driveRest(ctx, more)
			more = append(more, rest...)
		}
	}
	ends = append(ends, more...)
	if err != nil || w.o.until.IsZero() || w.o.once || w.o.only {
		return ends, err
	}
	more, err = w.followUntil(ctx, only)
	return append(ends, more...), err
}

// driveRest drives what is approved besides a drive of this work tree that still waits for a
// person: it keeps the work tree, and no other issue from being driven.
func (w *workshop) driveRest(ctx context.Context, ends []evidence.Outcome) ([]evidence.Outcome, error) {
	if len(ends) == 0 || ends[len(ends)-1].Result != evidence.Person || w.o.once || w.o.only || !w.isUnderWay() || ctx.Err() != nil || w.halted() != "" {
		return nil, nil
	}
	e, err := w.engine(w.drive, "")
	if err != nil {
		return nil, err
	}
	if refused, err := e.CheckReady(ctx); err != nil || refused != nil {
		return nil, err // the one that waits has said so
	}
	plan, err := w.chooser("").Survey(ctx)
	if err != nil {
		return nil, err
	}
	driven, _ := account.Split(plan)
	driven = slices.DeleteFunc(driven, func(i account.Issue) bool { return i.Number == ends[len(ends)-1].Issue })
	if len(driven) == 0 {
		return nil, nil
	}
	for _, i := range driven {
		w.o.issues = append(w.o.issues, i.Number)
	}
	w.several = true
	w.announce(driven)
	return w.driveSeveral(ctx)
}

// announce says what is to be driven.
func (w *workshop) announce(driven []account.Issue) {
	if len(driven) < 2 {
		return
	}
	names := make([]string, len(driven))
	for i, d := range driven {
		names[i] = "#" + d.Number
	}
	w.view.Note(drive.Note{At: w.app.Env.Now(), Kind: drive.Remark, Text: fmt.Sprintf("driving %s: %s", text.Count(len(names), "issue"), text.List(names, 20))})
}

// account ends the night: with the account in the journal, on the terminal, in the
// tracker and in the chat.
func (w *workshop) account(ctx context.Context, n *night.Night, plan []account.Issue, ends []evidence.Outcome, failed error) error {
	interrupted := errors.Is(failed, context.Canceled)
	a := account.Account{Cap: w.costLimit(), Asks: w.questions()}
	if !w.o.once {
		a.Passed = night.Leftover(plan, ends, w.whyEnded(interrupted))
	}
	a, err := n.End(a, ends)
	if err != nil {
		w.app.Notes([]string{"the account of the night could not be written: " + err.Error()})
	}
	w.fileAccount(context.WithoutCancel(ctx), a)
	if w.several && len(a.Ends) > 0 || len(a.Ends) > 1 { // else the message of the one issue says it all
		w.people.Tell(notify.Message{Kind: notify.End, Text: notify.Prefix + w.redact.String(a.Text())})
	}
	w.close()
	w.printAccount(a)
	if failed != nil && !interrupted {
		return failed
	}
	if interrupted && a.Result() == evidence.Merged && len(a.Ends) > 0 {
		return exitOf(a, nil)
	}
	return exitOf(a, failed)
}

// whyEnded says why the night ended before its work did; "": it did not.
func (w *workshop) whyEnded(interrupted bool) string {
	if interrupted {
		return "the night was stopped"
	}
	return w.halted()
}

func (w *workshop) printAccount(a account.Account) {
	switch {
	case w.o.json:
		_ = w.app.JSON(struct {
			Kind    string          `json:"kind"`
			Account account.Account `json:"account"`
		}{"account", a})
	case len(a.Lines()) > 1:
		w.app.Printf("\n%s", render.Printable(w.redact.String(a.Text())))
	case len(a.Ends) > 0:
		w.app.Printf("%s\n", a.Headline())
	}
}

// fileAccount files one summary for a night of several drives. A drive that is alone
// files its own.
func (w *workshop) fileAccount(ctx context.Context, a account.Account) {
	begun := false
	for _, e := range a.Ends {
		begun = begun || e.Outcome.Epoch != 0
	}
	if !begun || !w.several {
		return
	}
	home := w.drive.Project.Home()
	settings, err := w.drive.Project.Settings()
	if err != nil {
		w.app.Notes([]string{"the summary could not be filed: " + err.Error()})
		return
	}
	desk := filing.Desk{Tracker: w.tracker, As: settings.ReportAs, Redact: w.redact.String, Passed: func(string) {}, Record: func(row evidence.Filed, say string) {
		if err := home.Append(event.Filed, row); err != nil {
			w.app.Notes([]string{"recording what was filed: " + err.Error()})
		}
		w.view.Note(drive.Note{At: w.app.Env.Now(), Kind: drive.Filed, Text: say, Link: drive.Link{Number: row.Number, URL: row.URL}})
	}}
	if err := desk.FileNight(ctx, a); err != nil {
		w.app.Notes([]string{"the summary could not be filed: " + err.Error()})
	}
}

// questions are those that still wait for a person.
func (w *workshop) questions() (list []account.Question) {
	pending, err := w.people.Desk.Pending()
	if err != nil {
		w.app.Notes([]string{err.Error()})
	}
	for _, it := range pending {
		q := account.Question{ID: it.ID, Issue: it.Issue, Text: it.Question}
		if it.Defaulted != "" {
			q.Taken = it.Default
		}
		list = append(list, q)
	}
	return list
}

// hasUnfinished tells whether there is a drive to resume, here or in another work tree.
func (w *workshop) hasUnfinished() bool { return w.isUnderWay() || len(w.listUnfinished()) > 0 }

// isUnderWay tells whether this work tree has a drive that is not over.
func (w *workshop) isUnderWay() bool {
	v, err := w.drive.Read()
	return err == nil && v.State.Phase.Active() || err != nil && !durable.IsMissing(err)
}

func list(o *evidence.Outcome) []evidence.Outcome {
	if o == nil {
		return nil
	}
	return []evidence.Outcome{*o}
}

// parseUntil reads a time of day as the next such moment, in the zone of now.
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
