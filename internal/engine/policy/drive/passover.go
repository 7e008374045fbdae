package drive

import (
	"strconv"

	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/engine/forge"
)

// passOver says why an approved issue is not worked on, and records it for the night's summary.
func passOver(e *Engine, i forge.Issue, why string) {
	e.remark("skipping #%d: %s", i.Number, why)
	v, err := e.Drive.Read()
	if err != nil || e.book == nil {
		return // a dry run has no session
	}
	row := evidence.PassedOver{Issue: strconv.Itoa(i.Number), Epoch: v.State.Session.StartedAtEpoch, Title: i.Title, Why: e.Redact(why)}
	if _, known := evidence.Last(e.evidenceOfSession(v.State).PassedOver, func(p evidence.PassedOver) bool { return p == row }); !known {
		e.recordEvidence(v.State, event.PassedOver, row)
	}
}

// findPull returns the pull request that the issue's last drive opened for a person, or "".
func findPull(e *Engine, id string) string {
	if e.book == nil {
		return ""
	}
	last, ok := evidence.Last(e.book.Outcomes, func(o evidence.Outcome) bool { return o.Issue == id })
	if !ok || last.Row.Result != evidence.Pull {
		return ""
	}
	return last.Row.Pull
}
