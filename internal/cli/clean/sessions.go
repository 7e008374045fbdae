package clean

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"warp/internal/cli/sessions"
	"warp/internal/core/sessionstate"
	"warp/internal/durable"
	"warp/internal/engine/place"
	"warp/internal/engine/policy/session"
	"warp/internal/hook/logbook"
	"warp/internal/turnstile"
	"warp/internal/turnstile/documents"
	"warp/internal/ui/render"
)

// sessions finds loops and pipelines that ended some time ago. Unfinished ones can be resumed.
func (f *finder) sessions(d *turnstile.Drive, age time.Duration) error {
	names, err := documents.ListSessions(d.Store())
	for _, name := range names {
		v, err := session.Open(d.Store(), name).Read()
		if durable.IsMissing(err) && strings.Contains(filepath.ToSlash(d.Root()), "/"+place.Folder+"/session-") {
			continue // copies for the session's agents, removed with the work tree
		}
		if err != nil {
			f.keep("session", name, "its state cannot be read: %v", err)
			continue
		}
		if v.Doc.Status == sessionstate.Running || v.Doc.CompletedAt == nil {
			f.keep("session", name, "it has not ended: warp sessions resume %s continues it", name)
			continue
		}
		ended, err := time.Parse(time.RFC3339, *v.Doc.CompletedAt)
		if err != nil || f.now.Sub(ended) < age {
			f.keep("session", name, "it ended %s", render.Seconds(*v.Doc.CompletedAt))
			continue
		}
		f.remove("session", name, "it ended "+render.Seconds(*v.Doc.CompletedAt), func(ctx context.Context) error {
			return sessions.Remove(ctx, f.app, d, name, sessions.Removal{Ended: true})
		})
	}
	return err
}

// records finds the records of dead agent sessions. Closing one counts it in the metrics and
// removes its errors, results and agents.
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
