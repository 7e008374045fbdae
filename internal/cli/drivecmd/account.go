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
func (n *nightRun) account(ctx context.Context, record *night.Night, plan []account.Issue, ends []evidence.Outcome, failed error) error {
	interrupted, halted := errors.Is(failed, context.Canceled), n.halted()
	if interrupted {
		halted = "the night was stopped"
	}
	a := account.Account{Cap: n.engines.spending.cost, Asks: n.talk.openQuestions()}
	if !n.o.once {
		a.Passed = night.Leftover(plan, ends, halted)
	}
	a, err := record.End(a, ends)
	if err != nil {
		n.app.Notes([]string{"the account of the night could not be written: " + err.Error()})
	}
	n.fileAccount(context.WithoutCancel(ctx), a)
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
		n.app.Notes([]string{"the summary could not be filed: " + err.Error()})
		return
	}
	desk := filing.Desk{Tracker: n.engines.tracker, As: settings.ReportAs, Redact: n.engines.redact.String, Passed: func(string) {}, Record: func(row evidence.Filed, say string) {
		if err := home.Append(event.Filed, row); err != nil {
			n.app.Notes([]string{"recording what was filed: " + err.Error()})
		}
		n.talk.view.Note(drive.Note{At: n.app.Env.Now(), Kind: drive.Filed, Text: say, Link: drive.Link{Number: row.Number, URL: row.URL}})
	}}
	if err := desk.FileNight(ctx, a); err != nil {
		n.app.Notes([]string{"the summary could not be filed: " + err.Error()})
	}
}
