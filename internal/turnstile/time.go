package turnstile

import (
	"warp/internal/core/drivestate"
	"warp/internal/durable"
)

// ParkIfOutOfTime parks a drive whose session or phase has lasted longer than it may: an agent that
// fires no event would never be held to it. It tells why; nothing: time is left.
func (d *Drive) ParkIfOutOfTime() (reasons []string, to drivestate.Phase, err error) {
	cfg, err := d.Project.Settings()
	if err != nil {
		return nil, "", err
	}
	_, err = d.doc.update(func(tx *durable.Tx[drivestate.State]) error {
		s, from := tx.Doc, tx.Doc.Phase
		d.doc.fold(tx)
		if drivestate.EngineAt(s) {
			return durable.ErrUnchanged // its engine looks at the clock itself
		}
		if reasons = s.OutOfTime(cfg.Limits, d.Project.env.Now()); len(reasons) == 0 {
			return durable.ErrUnchanged
		}
		to = s.Phase
		tx.Log("transition", logged{From: from, To: to, Reasons: reasons})
		return nil
	})
	return reasons, to, err
}
