package drivestate

import (
	"slices"
	"time"

	"warp/internal/core/event"
	"warp/internal/core/lossless"
)

// Fold takes into the document what observers appended to the journal since
// the last transition: edits and criteria checked off. It tells whether
// anything changed.
func (s *State) Fold(rows []event.Row, l Limits) bool {
	changed := false
	for _, r := range rows {
		switch r.Kind {
		case event.Edit:
			if s.owns(r.Data) {
				changed = s.edited(r.Data.Get("file").Text(), r.At, l) || changed
			}
		case event.Criterion: // no observer says what is done
			changed = r.Counts() && s.checked(r.Data) || changed
		case event.Criteria:
			changed = r.Counts() && s.wrote(r.Data) || changed
		case event.Asked:
			if on := Event(r.Data.Get("event").Text()); s.owns(r.Data) && !slices.Contains(s.Asked, on) {
				s.Asked = append(s.Asked, on)
				changed = true
			}
		case event.Ref:
			changed = s.sawMove(r.Data) || changed
		case event.PermissionAsk:
			changed = s.permission(r.Data, false) || changed
		case event.PermissionDeny:
			changed = s.permission(r.Data, true) || changed
		}
	}
	return changed
}

// owns tells whether a row is of the session that owns the drive, or of no session
// in particular. Sessions that an engine runs own nothing: it has one after the
// other.
func (s *State) owns(data *lossless.Value) bool {
	session := data.Get("session").Text()
	return session == "" || session == s.Session.ClaudeSession || s.Session.Headless
}

func (s *State) edited(file, at string, l Limits) bool {
	if file == "" || !s.Phase.Active() {
		return false
	}
	if s.EditCounts == nil {
		s.EditCounts = map[string]int{}
	}
	s.EditCounts[file]++
	if s.EditCounts[file] == l.EditsPerFile+1 {
		s.DoomLoops = append(s.DoomLoops, lossless.Encode(struct {
			File  string `json:"file"`
			Count int    `json:"count"`
			Phase Phase  `json:"phase"`
			At    string `json:"at"`
		}{file, s.EditCounts[file], s.Phase, at}, nil))
	}
	return true
}

func (s *State) checked(data *lossless.Value) bool {
	issue, id := data.Get("issue").Text(), data.Get("id").Text()
	if issue == "" || id == "" {
		return false
	}
	list := s.Checked[issue]
	at := slices.Index(list, id)
	done := data.Get("checked")
	on := done != nil && done.Raw == "true"
	switch {
	case on && at < 0:
		list = append(slices.Clone(list), id)
	case !on && at >= 0:
		list = slices.Delete(slices.Clone(list), at, at+1)
	default:
		return false
	}
	if s.Checked == nil {
		s.Checked = map[string][]string{}
	}
	s.Checked[issue] = list
	return true
}

// Hold pauses the drive: no event but an abort moves it.
func (s *State) Hold(now time.Time) { s.Paused = &Pause{Stamp(now)} }

// Resume ends a pause; the time it took is not charged to any budget.
func (s *State) Resume(now time.Time) {
	s.leaveOut(since(s.Paused.At, now))
	s.Paused = nil
}

// AddAsleep leaves time out in which the machine, or its engine, was asleep. Of a pause
// and of a wait all time is left out when they end: only what was slept before a pause is
// left out here.
func (s *State) AddAsleep(slept time.Duration, now time.Time) {
	if s.Waiting == nil {
		s.AddWaited(slept, now)
	}
}

// AddWaited leaves time out in which a person was waited for, up to now.
func (s *State) AddWaited(took time.Duration, now time.Time) {
	if s.Paused != nil {
		took -= since(s.Paused.At, now)
	}
	s.leaveOut(max(0, took))
}

// leaveOut charges time to no budget.
func (s *State) leaveOut(took time.Duration) {
	s.Session.PausedSeconds += int64(took.Seconds())
	s.Budgets.PhasePausedSeconds += int64(took.Seconds())
}
