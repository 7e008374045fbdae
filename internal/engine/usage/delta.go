package usage

import (
	"context"
	"slices"
	"time"

	"warp/internal/core/budget"
	"warp/internal/core/drivestate"
	"warp/internal/core/tokens"
	"warp/internal/turnstile"
)

// Recorded reports whether the ledger gets rows after an event.
func Recorded(on drivestate.Event) bool {
	switch on {
	case drivestate.ChunksDefined, drivestate.NextChunk, drivestate.RequirementDone, drivestate.SessionEnded, drivestate.AbortResolved:
		return true
	}
	return false
}

// Delta records what a drive has used since the last record, after an event that is Recorded, and
// its totals when the session has ended. s is the state after the event. Calling it again records
// nothing.
func (l *Ledger) Delta(ctx context.Context, d *turnstile.Drive, env turnstile.Env, s *drivestate.State, on drivestate.Event) error {
	if !Recorded(on) {
		return nil
	}
	p, err := l.Open(d, env)
	if err != nil {
		return err
	}
	used, err := l.fresh(ctx, p, map[uint64]bool{})
	if err != nil {
		return err
	}
	if used = ofSession(used, p, d.Root(), s); len(used) == 0 {
		return nil
	}
	return l.extend(func(there []tokens.Row) []tokens.Row {
		rows := tokens.Deltas(used, there, string(on), l.Now(), l.Prices)
		if on == drivestate.SessionEnded || on == drivestate.AbortResolved {
			rows = append(rows, tokens.Totals(used, p.Root, s.Session.ClaudeSession, s.Session.StartedAt, string(on), l.Now(), l.Prices)...)
		}
		return rows
	})
}

// ofSession returns what a drive's session has used since it began: the project's other drives have
// other requirements.
func ofSession(list []tokens.Entry, p *Project, root string, s *drivestate.State) []tokens.Entry {
	began := parseTime(s.Session.StartedAt)
	issues := append(p.Timelines[max(0, slices.Index(p.Roots, root))].Issues(began), s.Issue(), "")
	return slices.DeleteFunc(slices.Clone(list), func(e tokens.Entry) bool {
		return e.At.Before(began) || e.Place == (tokens.Place{}) || !slices.Contains(issues, e.Issue)
	})
}

// Spent returns what budgets are compared with: the use of a drive's chunk, of its issue in this
// session (a session may continue with another issue, which has a separate budget), and of the
// project's day, which begins at midnight in Now's time zone. The caller adds windows: only an
// agent's stream reports them.
func (l *Ledger) Spent(ctx context.Context, d *turnstile.Drive, env turnstile.Env, s *drivestate.State) (tokens.Spent, error) {
	p, err := l.Open(d, env)
	if err != nil {
		return tokens.Spent{}, err
	}
	all, err := l.Used(ctx, p)
	if err != nil {
		return tokens.Spent{}, err
	}
	out := tokens.Spent{Day: l.today(all)}
	own := ofSession(all, p, d.Root(), s)
	out.Session = l.amount(own, func(e tokens.Entry) bool { return e.Issue == s.Issue() || e.Issue == "" })
	out.Chunk = l.amount(own, func(e tokens.Entry) bool { return e.Issue == s.Issue() && e.Chunk == s.Chunk.Index })
	return out, nil
}

// Day returns what the project has used since midnight, for anything.
func (l *Ledger) Day(ctx context.Context, d *turnstile.Drive, env turnstile.Env) (tokens.Amount, error) {
	p, err := l.Open(d, env)
	if err != nil {
		return tokens.Amount{}, err
	}
	all, err := l.Used(ctx, p)
	return l.today(all), err
}

func (l *Ledger) today(all []tokens.Entry) tokens.Amount {
	now := l.Now()
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	return l.amount(all, func(e tokens.Entry) bool { return !e.At.Before(midnight) })
}

func (l *Ledger) amount(list []tokens.Entry, fits func(tokens.Entry) bool) tokens.Amount {
	t := tokens.TabulateOnly(list, tokens.ByModel, l.Prices, time.UTC, fits).Total
	return tokens.Amount{Amount: budget.Amount{Tokens: t.Sum(), MicroUSD: t.MicroUSD}, Unpriced: !t.Known()}
}
