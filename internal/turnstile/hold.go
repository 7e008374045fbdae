package turnstile

import (
	"context"
	"errors"
	"fmt"
	"time"

	"warp/internal/core/drive"
	"warp/internal/core/event"
	"warp/internal/durable"
)

// Pause holds the drive: no event but an abort moves it.
func (d *Drive) Pause() (View, error) {
	return d.change("pause", func(s *drive.State) error {
		switch {
		case s.Paused != nil:
			return fmt.Errorf("the drive is already paused, since %s", s.Paused.At)
		case !s.Phase.Active():
			return fmt.Errorf("there is nothing to pause: the drive is %s", s.Phase)
		}
		s.Hold(d.env.Now())
		return nil
	})
}

// ErrNothingToContinue says that the drive is not waiting for anybody.
var ErrNothingToContinue = errors.New("the drive is neither paused nor waiting")

// Continue goes on: it ends a pause, gives a tripped budget a fresh allowance,
// or says yes to the next requirement, whichever the drive waits for.
func (d *Drive) Continue(ctx context.Context) (Result, error) {
	now, err := d.Read()
	if err != nil {
		return Result{}, err
	}
	switch {
	case now.State.Paused != nil:
		v, err := d.change("continue", func(s *drive.State) error {
			if s.Paused == nil {
				return ErrNothingToContinue
			}
			s.Resume(d.env.Now())
			return nil
		})
		if err != nil {
			return Result{}, err
		}
		return Result{Outcome: drive.Outcome{From: v.State.Phase, To: v.State.Phase}, State: v.State, Notes: v.Notes}, nil
	case now.State.Phase == drive.BudgetExceeded:
		return d.Fire(ctx, drive.BudgetContinue, "")
	case now.State.Phase == drive.AwaitingContinue:
		return d.Fire(ctx, drive.ContinueYes, "")
	}
	return Result{}, fmt.Errorf("%w: it is in phase %s", ErrNothingToContinue, now.State.Phase)
}

// change makes a change of the document that is no event of the table.
func (d *Drive) change(name string, fn func(*drive.State) error) (View, error) {
	var v View
	notes, err := d.update(func(tx *durable.Tx[drive.State]) error {
		cfg, _ := d.Settings()
		tx.Doc.Fold(tx.Since, cfg.Limits)
		if err := fn(tx.Doc); err != nil {
			return err
		}
		tx.Log(name, nil)
		v = View{State: tx.Doc, Stale: d.stale(tx.Doc)}
		return nil
	})
	v.Notes = notes
	return v, err
}

// Waits says in the document that the drive waits for something that ends by
// itself; a zero time says that it does not any more. Without a drive there is
// nothing to say.
func (d *Drive) Waits(until time.Time, why string) error {
	_, err := d.change("waits", func(s *drive.State) error {
		s.Waited(d.env.Now())
		if !until.IsZero() {
			s.Waiting = &drive.Waiting{Until: drive.Stamp(until), Why: why, Since: drive.Stamp(d.env.Now())}
		}
		return nil
	})
	if durable.IsMissing(err) {
		return nil
	}
	return err
}

// Settle takes what observers have journalled into the document, so that the
// next reader need not.
func (d *Drive) Settle() error {
	_, err := d.change("settled", func(*drive.State) error { return nil })
	return err
}

// Check journals that criteria of an issue were checked off, or taken back.
func (d *Drive) Check(issue string, ids []string, done bool) error {
	rows, epoch := make([]any, len(ids)), d.epoch()
	for i, id := range ids {
		rows[i] = struct {
			Issue   string `json:"issue"`
			Epoch   int64  `json:"epoch,omitempty"`
			ID      string `json:"id"`
			Checked bool   `json:"checked"`
		}{issue, epoch, id, done}
	}
	return d.store.Append(event.Criterion, rows...)
}
