package usage

import (
	"cmp"
	"context"
	"slices"
	"time"

	"warp/internal/core/tokens"
)

// Used returns everything that a project has used, from journals, transcripts and the ledger. What
// several of them contain counts once.
func (l *Ledger) Used(ctx context.Context, p *Project) ([]tokens.Entry, error) {
	fresh, err := l.fresh(ctx, p, map[uint64]bool{})
	if err != nil {
		return nil, err
	}
	rows, err := l.Rows()
	if err != nil {
		return nil, err
	}
	return addFromLedger(fresh, rows, func(r tokens.Row) bool { return r.Project == p.Root }), nil
}

// fresh returns what a project's journals and transcripts contain now.
func (l *Ledger) fresh(ctx context.Context, p *Project, seen map[uint64]bool) ([]tokens.Entry, error) {
	var slugs []string
	for _, root := range p.Roots {
		more, err := l.folders(root)
		if err != nil {
			return nil, err
		}
		slugs = append(slugs, more...)
	}
	told, err := l.messages(ctx, p.Root, slugs, seen)
	if err != nil {
		return nil, err
	}
	covered, guided, spoke := p.ends(), p.guided(), map[string]bool{}
	for _, e := range told {
		spoke[e.Session] = true
	}
	list := slices.DeleteFunc(p.runs(), func(e tokens.Entry) bool { return (e.Untold() || guided[e.Session]) && spoke[e.Session] })
	for _, e := range told {
		if !covered.cover(e) {
			e.Place, _ = p.place(e.Session, e.At)
			list = append(list, e)
		}
	}
	return list, nil
}

// OfSession returns what an agent's session has used in a project since a time, from its
// transcripts.
func (l *Ledger) OfSession(ctx context.Context, root, session string, since time.Time) (tokens.Line, error) {
	slugs, err := l.folders(root)
	if err != nil {
		return tokens.Line{}, err
	}
	told, err := l.messages(ctx, root, slugs, map[uint64]bool{})
	if err != nil {
		return tokens.Line{}, err
	}
	own := func(e tokens.Entry) bool { return e.Session == session && e.At.After(since) }
	return tokens.TabulateOnly(told, tokens.ByModel, l.Prices, time.UTC, own).Total, nil
}

// Everything returns what all projects on this machine have used. For projects other than p, which
// may be nil, it uses transcripts and the ledger.
func (l *Ledger) Everything(ctx context.Context, p *Project) ([]tokens.Entry, error) {
	seen := map[uint64]bool{}
	var list []tokens.Entry
	own := map[string]bool{}
	if p != nil {
		var err error
		if list, err = l.fresh(ctx, p, seen); err != nil {
			return nil, err
		}
		for _, root := range p.Roots {
			own[Slug(root)] = true
		}
	}
	slugs, err := l.folders("")
	if err != nil {
		return nil, err
	}
	slugs = slices.DeleteFunc(slugs, func(s string) bool { return own[s] })
	others, err := l.messages(ctx, "", slugs, seen)
	if err != nil {
		return nil, err
	}
	rows, err := l.Rows()
	if err != nil {
		return nil, err
	}
	return addFromLedger(append(list, others...), rows, func(tokens.Row) bool { return true }), nil
}

// addFromLedger adds what only the ledger knows. For each session, the source that knows more wins:
// transcripts are deleted after some weeks, journals with their work trees, and the ledger ends
// with the last event.
func addFromLedger(fresh []tokens.Entry, rows []tokens.Row, wanted func(tokens.Row) bool) []tokens.Entry {
	// An agent that does not name its session has one per project.
	session := func(e tokens.Entry) string { return cmp.Or(e.Session, e.Project) }
	now, ledger := map[string]int64{}, map[string]int64{}
	for _, e := range fresh {
		now[session(e)] += e.Sum()
	}
	var old []tokens.Entry
	for _, r := range rows {
		if r.Kind == tokens.DeltaRow && wanted(r) {
			e := r.Entry()
			old = append(old, e)
			ledger[session(e)] += e.Sum()
		}
	}
	lost := func(e tokens.Entry) bool { return ledger[session(e)] > now[session(e)] }
	list := slices.DeleteFunc(fresh, lost)
	return append(list, slices.DeleteFunc(old, func(e tokens.Entry) bool { return !lost(e) })...)
}
