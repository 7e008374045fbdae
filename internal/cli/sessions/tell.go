package sessions

import (
	"context"
	"errors"
	"fmt"

	"warp/internal/cli/app"
	"warp/internal/core/sessionstate"
	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/engine/notify"
	"warp/internal/engine/policy/session"
	"warp/internal/engine/step"
)

// message returns the notification for a note; false if it needs none.
func message(n session.Note) (notify.Message, bool) {
	m := notify.Message{}
	switch n.Kind {
	case session.Staged, session.Phased:
		m = notify.Message{Kind: notify.Phase, Text: n.Session + ": " + text.OneLine(n.Stage+" "+n.Text)}
	case session.Committed:
		m = notify.Message{Kind: notify.Commit, Text: fmt.Sprintf("%s: committed %s %s", n.Session, text.Hash(n.Hash), n.Text)}
	case session.Intervened:
		m = notify.Message{Kind: notify.Remark, Text: n.Session + ": " + n.Text}
	}
	m.Text = notify.Prefix + m.Text
	return m, m.Kind != ""
}

// endMessage returns the notification for a session's end; false if a person stopped it or it
// did not begin.
func (v *view) endMessage(s *sessionstate.State, err error) (notify.Message, bool) {
	var stopped *step.StoppedError
	took := "; " + text.Span(v.app.Env.Now().Sub(v.began).Seconds())
	say := func(kind, words string) (notify.Message, bool) {
		return notify.Message{Kind: kind, Text: notify.Prefix + words}, true
	}
	switch {
	case app.IsA[*session.NothingError](err), app.IsA[*durable.LockedError](err), errors.Is(err, context.Canceled):
		return notify.Message{}, false
	case errors.As(err, &stopped):
		return say(notify.Person, fmt.Sprintf("%s needs a person: %s\n%s", v.name, stopped.Why, stopped.Do))
	case errors.Is(err, session.ErrPaused):
		return say(notify.Person, fmt.Sprintf("%s: %v\nwarp sessions resume %s", v.name, err, v.name))
	case err != nil:
		return say(notify.Failed, fmt.Sprintf("%s was interrupted: %v", v.name, err))
	case s == nil || s.Status == sessionstate.Running:
		return notify.Message{}, false
	case s.Status == sessionstate.Complete:
		return say(notify.End, endLine(s)+took)
	case s.Reason() == sessionstate.ReasonBudget, s.Reason() == sessionstate.ReasonQuestion:
		return say(notify.Person, endLine(s)+took)
	case s.Reason() == sessionstate.ReasonStopped:
		return say(notify.Remark, endLine(s)+took)
	}
	return say(notify.Failed, endLine(s)+took)
}
