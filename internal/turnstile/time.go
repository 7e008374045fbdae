package turnstile

import (
	"errors"

	"warp/internal/core/drive"
	"warp/internal/durable"
)

// ParkIfOutOfTime parks a drive whose session or phase has lasted longer than it may: an agent that
// fires no event would never be held to it. It tells why; nothing: time is left.
func (d *Drive) ParkIfOutOfTime() (reasons []string, to drive.Phase, err error) {
	cfg, err := d.Project.Settings()
	if err != nil {
		return nil, "", err
	}
	_, err = d.doc.update(func(tx *durable.Tx[drive.State]) error {
		s, from := tx.Doc, tx.Doc.Phase
		d.doc.fold(tx)
		if drive.EngineAt(s) {
			return errUnchanged // its engine looks at the clock itself
		}
		if reasons = s.OutOfTime(cfg.Limits, d.Project.env.Now()); len(reasons) == 0 {
			return errUnchanged
		}
		to = s.Phase
		tx.Log("transition", logged{From: from, To: to, Reasons: reasons})
		return nil
	})
	if errors.Is(err, errUnchanged) {
		return nil, "", nil
	}
	return reasons, to, err
}
