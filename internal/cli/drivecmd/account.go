package drivecmd

import (
	"context"
	"errors"

	"warp/internal/core/account"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/engine/filing"
	"warp/internal/engine/notify"
	"warp/internal/engine/policy/drive"
	"warp/internal/engine/policy/night"
	"warp/internal/ui/render"
)

// account ends the night: with the account in the journal, on the terminal, in the
// tracker and in the chat.
func (n *nightRun) account(ctx context.Context, plan []account.Issue, ends []evidence.Outcome, failed error) error {
	interrupted, halted := errors.Is(failed, context.Canceled), n.halted()
	if interrupted {
		halted = "the night was stopped"
	}
	a := account.Account{Cap: n.engines.spending.cost, Asks: n.talk.openQuestions()}
	if !n.o.once {
		a.Passed = night.Leftover(plan, ends, halted)
	}
	a, err := n.record.Conclude(a, ends)
	if err == nil { // else the next night accounts for this one
		n.fileAccount(context.WithoutCancel(ctx), a)
		err = n.record.End(a)
	}
	if err != nil {
		n.app.Note("the account of the night could not be written: %v", err)
	}
	if n.talk.several && len(a.Ends) > 0 || len(a.Ends) > 1 { // else the message of the one issue says it all
		n.talk.line.Tell(notify.Message{Kind: notify.End, Text: notify.Prefix + n.engines.redact.String(a.Text())})
	}
	n.talk.close()
	n.printAccount(a)
	if failed != nil && !interrupted {
		return failed
	}
	if interrupted && a.Result() == evidence.Merged && len(a.Ends) > 0 {
		return exitOf(a, nil)
	}
	return exitOf(a, failed)
}

func (n *nightRun) printAccount(a account.Account) {
	switch {
	case n.o.json:
		_ = n.app.JSON(struct {
			Kind    string          `json:"kind"`
			Account account.Account `json:"account"`
		}{"account", a})
	case len(a.Lines()) > 1:
		n.app.Printf("\n%s", render.Printable(n.engines.redact.String(a.Text())))
	case len(a.Ends) > 0:
		n.app.Printf("%s\n", a.Headline())
	}
}

// fileAccount files one summary for a night of several drives. A drive that is alone
// files its own.
func (n *nightRun) fileAccount(ctx context.Context, a account.Account) {
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
			return // before it was killed
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

// pass tells tests of crashes how far the night is.
func (n *nightRun) pass(point string) {
	if n.engines.passed != nil {
		n.engines.passed(point)
	}
}

// endKilled accounts for a night that was killed when all of its drives were over.
func (n *nightRun) endKilled(ctx context.Context) error {
	killed, err := night.WasKilled(n.drive.Project.Home())
	if err != nil || !killed {
		return err
	}
	if err := n.talk.connect(ctx, n.drive, n.o.json); err != nil {
		return err
	}
	if err := n.beginRecord(false); err != nil {
		return err
	}
	_ = n.account(ctx, nil, nil, nil) // its drives have told how they ended
	return nil
}
