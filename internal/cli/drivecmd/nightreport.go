package drivecmd

import (
	"context"
	"errors"
	"slices"
	"time"

	"warp/internal/cli/app"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/nightreport"
	"warp/internal/engine/filing"
	"warp/internal/engine/notify"
	"warp/internal/engine/policy/drive"
	"warp/internal/engine/policy/night"
	"warp/internal/ui/render"
)

// finishNight ends the night: it writes the account to the journal, the terminal, the tracker and
// the chat.
func (n *nightRun) finishNight(ctx context.Context, plan []nightreport.Issue, ends []evidence.Outcome, failed error) error {
	interrupted, halted := errors.Is(failed, context.Canceled), n.whyHalted()
	if interrupted {
		halted = "the night was stopped"
	}
	a := n.newNightReport()
	if !n.o.once {
		a.Passed = night.Leftover(append(plan, n.listNamed(ctx, ends)...), ends, halted)
	}
	isUnresumed := func(i nightreport.Issue) bool {
		return slices.ContainsFunc(n.unresumed, func(u nightreport.Issue) bool { return u.Number == i.Number })
	}
	a.Passed = append(slices.DeleteFunc(a.Passed, isUnresumed), n.unresumed...)
	a = n.endRecord(ctx, a, ends)
	n.talk.close()
	n.printReport(a)
	if failed != nil && !interrupted {
		return failed
	}
	if interrupted && a.Result() == evidence.Merged && len(a.Ends) > 0 {
		return exitForReport(a, nil)
	}
	return exitForReport(a, failed)
}

// listNamed returns the issues that were named but have no outcome, if several were named: a
// single one reports for itself. It spends at most titleTime on fetching their titles.
func (n *nightRun) listNamed(ctx context.Context, ends []evidence.Outcome) (list []nightreport.Issue) {
	if len(n.o.issues) < 2 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), titleTime)
	defer cancel()
	for _, issue := range n.o.issues {
		if slices.ContainsFunc(ends, func(o evidence.Outcome) bool { return o.Issue == issue }) {
			continue
		}
		i, _ := n.engines.tracker.Get(ctx, app.IssueNumber(issue)) // on failure it has no title here
		list = append(list, nightreport.Issue{Number: issue, Title: i.Title})
	}
	return list
}

const titleTime = 5 * time.Second

func (n *nightRun) newNightReport() nightreport.Report {
	return nightreport.Report{Cap: n.engines.spending.cost, Asks: n.talk.openQuestions()}
}

// endRecord ends the night's record. It files and sends the account first: a kill in between may
// tell people twice, but never leaves them uninformed.
func (n *nightRun) endRecord(ctx context.Context, a nightreport.Report, ends []evidence.Outcome) nightreport.Report {
	a, err := n.record.Conclude(a, ends)
	if err == nil { // on error the next night accounts for this one
		n.fileAccount(context.WithoutCancel(ctx), a)
		if n.talk.several && len(a.Ends) > 0 || len(a.Ends) > 1 { // a single issue has sent its own message
			n.talk.line.Tell(notify.Message{Kind: notify.End, Text: notify.Prefix + n.engines.redact.String(a.Text())})
		}
		err = n.record.End(a)
		n.pass("night ended")
	}
	if err != nil {
		n.app.Note("the report of the night could not be written: %v", err)
	}
	return a
}

func (n *nightRun) printReport(a nightreport.Report) {
	switch {
	case n.o.json:
		_ = n.app.JSON(struct {
			Kind    string             `json:"kind"`
			Account nightreport.Report `json:"account"`
		}{"account", a})
	case len(a.Lines()) > 1:
		n.app.Printf("\n%s", render.Printable(n.engines.redact.String(a.Text())))
	case len(a.Ends) > 0:
		n.app.Printf("%s\n", a.Headline())
	}
}

// fileAccount files one summary for a night of several drives. A single drive files its own.
func (n *nightRun) fileAccount(ctx context.Context, a nightreport.Report) {
	begun := false
	for _, e := range a.Ends {
		begun = begun || e.Outcome.Epoch != 0
	}
	if !begun || !n.talk.several {
		return
	}
	home := n.drive.Project.Home()
	settings, err := n.drive.Project.Settings()
	if err != nil {
		n.app.Note("the summary could not be filed: %v", err)
		return
	}
	desk := filing.Desk{Tracker: n.engines.tracker, As: settings.ReportAs, Redact: n.engines.redact.String, Passed: n.pass, Record: func(row evidence.Filed, say string) {
		if n.record.HasFiled(row.What, row.Number) {
			return // filed before the kill
		}
		if err := home.Append(event.Filed, row); err != nil {
			n.app.Note("recording what was filed: %v", err)
		}
		n.talk.view.Note(drive.Note{At: n.app.Env.Now(), Kind: drive.Filed, Text: say, Link: drive.Link{Number: row.Number, URL: row.URL}})
	}}
	if err := desk.FileNight(ctx, a); err != nil {
		n.app.Note("the summary could not be filed: %v", err)
	}
}

// pass reports progress to crash tests.
func (n *nightRun) pass(point string) {
	if n.engines.passed != nil {
		n.engines.passed(point)
	}
}

// endKilled accounts for each killed night, oldest first. It leaves the newest keep of them to
// be continued. Their drives have reported their own ends.
func (n *nightRun) endKilled(ctx context.Context, keep int) error {
	killed, err := night.CountKilled(n.drive.Project.Home())
	if err != nil || killed <= keep {
		return err
	}
	if n.talk.line == nil {
		if err := n.talk.connect(ctx, n.drive, n.o.json); err != nil {
			return err
		}
		defer n.talk.close()
	}
	for {
		record, err := night.TakeKilled(n.drive.Project.Home(), n.engines.process, keep, n.app.Env.Now)
		if err != nil || record == nil { // another engine may have taken it
			return err
		}
		if err := n.setRecord(record); err != nil {
			return err
		}
		n.printReport(n.endRecord(ctx, n.newNightReport(), nil))
	}
}
