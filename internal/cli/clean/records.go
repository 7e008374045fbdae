package clean

import (
	"context"
	"fmt"

	"warp/internal/hook/logbook"
	"warp/internal/turnstile"
)

// records finds the records of agents' sessions that died: closing one counts it in the
// metrics, and takes its errors, results and agents away.
func (f *finder) records(d *turnstile.Drive) error {
	if !d.Store().Exists() {
		return nil
	}
	book := logbook.Open(d.Store(), f.app.Env.Now)
	dead, err := book.ListDeadSessions(d.IsGone)
	if err != nil {
		f.keep("record", f.shown(d.Root()), "the session records cannot be read: %v", err)
	}
	for _, s := range dead {
		why := fmt.Sprintf("the agent session died (process %d is gone); it is closed and counted", s.PID)
		if s.PID <= 0 {
			why = "the agent session was last seen " + s.Seen().Local().Format("2006-01-02 15:04 MST") + "; it is closed and counted"
		}
		f.remove("record", s.SessionID, why, func(context.Context) error { return book.EndDeadSession(s.SessionID) })
	}
	return nil
}
