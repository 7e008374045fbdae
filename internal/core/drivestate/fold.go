package drivestate

import (
	"slices"
	"strings"

	"warp/internal/core/event"
	"warp/internal/core/lazy"
	"warp/internal/core/lossless"
)

// observations apply rows of the journal to the document; each reports whether it changed anything.
// An observer cannot claim that work is done: criteria rows apply only if they count as proof.
var observations = lazy.Table[string, func(*State, event.Row, Limits) bool]{
	{event.Edit, func(s *State, r event.Row, l Limits) bool { return owns(s, r.Data) && countEdit(s, r, l) }},
	{event.Criterion, func(s *State, r event.Row, _ Limits) bool { return r.Counts() && setChecked(s, r.Data) }},
	{event.Criteria, func(s *State, r event.Row, _ Limits) bool { return r.Counts() && keepCriteria(s, r.Data) }},
	{event.Asked, func(s *State, r event.Row, _ Limits) bool { return owns(s, r.Data) && noteAsked(s, r.Data) }},
	{event.Ref, func(s *State, r event.Row, _ Limits) bool { return noteMove(s, r.Data) }},
	{event.PermissionAsk, func(s *State, r event.Row, _ Limits) bool { return countPermission(s, r.Data, false) }},
	{event.PermissionDeny, func(s *State, r event.Row, _ Limits) bool { return countPermission(s, r.Data, true) }},
}

// Fold applies what observers appended to the journal since the last transition: edits and checked
// criteria. It reports whether anything changed.
func (s *State) Fold(rows []event.Row, l Limits) (changed bool) {
	for _, r := range rows {
		if observe := observations.Get(r.Kind); observe != nil {
			changed = observe(s, r, l) || changed
		}
	}
	return changed
}

// owns reports whether a row comes from the session that owns the drive, or from none in
// particular. An engine runs one session after another, so none of those owns the drive.
func owns(s *State, data *lossless.Value) bool {
	session := data.Get("session").Text()
	return session == "" || session == s.Session.ClaudeSession || s.Session.Headless
}

func countEdit(s *State, r event.Row, l Limits) bool {
	file := r.Data.Get("file").Text()
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
		}{file, s.EditCounts[file], s.Phase, r.At}, nil))
	}
	return true
}

func setChecked(s *State, data *lossless.Value) bool {
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

// noteAsked records that the agent was shown the criteria of an event.
func noteAsked(s *State, data *lossless.Value) bool {
	on := Event(data.Get("event").Text())
	if slices.Contains(s.Asked, on) {
		return false
	}
	s.Asked = append(s.Asked, on)
	return true
}

// Permissions counts the permission requests in the agent's session, so that a drive that starves
// on them is visible.
type Permissions struct {
	Asked  int `json:"asked"`
	Denied int `json:"denied"`
}

// Waiting means that the drive waits for something that ends without a person, such as an agent's
// usage limit.
type Waiting struct {
	Until string `json:"until"`
	Why   string `json:"why"`
	Since string `json:"since,omitempty"`
}

// Criterion is an acceptance criterion, as written in the issue.
type Criterion struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// Limits of what is kept of an issue's criteria.
const (
	maxCriteria = 200
	maxText     = 500
	maxTitle    = 200
	maxFailure  = 500
)

func countPermission(s *State, data *lossless.Value, denied bool) bool {
	if s.Session.ClaudeSession == "" || !data.Get("session").Is(s.Session.ClaudeSession) {
		return false
	}
	if s.Permissions == nil {
		s.Permissions = &Permissions{}
	}
	if denied {
		s.Permissions.Denied++
	} else {
		s.Permissions.Asked++
	}
	return true
}

// keepCriteria records an issue's criteria as written.
func keepCriteria(s *State, data *lossless.Value) bool {
	issue, list := data.Get("issue").Text(), data.Get("criteria")
	if issue == "" || list == nil {
		return false
	}
	var kept []Criterion
	for _, e := range list.Elems[:min(len(list.Elems), maxCriteria)] {
		if id := e.Get("id").Text(); id != "" {
			kept = append(kept, Criterion{id, printable(e.Get("text").Text(), maxText)})
		}
	}
	if s.Criteria == nil {
		s.Criteria = map[string][]Criterion{}
	}
	s.Criteria[issue] = kept
	if title := printable(data.Get("title").Text(), maxTitle); title != "" {
		if s.Titles == nil {
			s.Titles = map[string]string{}
		}
		s.Titles[issue] = title
	}
	return true
}

// CriterionText returns the text of a criterion of the current issue; "" if it was never recorded.
func (s *State) CriterionText(id string) string {
	for _, c := range s.Criteria[s.Issue()] {
		if c.ID == id {
			return c.Text
		}
	}
	return ""
}

// AsksFor reports whether a criterion of the current issue names a file.
func (s *State) AsksFor(path string) bool {
	name := path[strings.LastIndexByte(path, '/')+1:]
	return slices.ContainsFunc(s.Criteria[s.Issue()], func(c Criterion) bool { return strings.Contains(c.Text, name) })
}

// Own makes an agent's session the owner of the drive.
func (s *State) Own(session string, pid int, stamp string) {
	s.Session.ClaudeSession, s.Session.PID, s.Session.PIDStamp, s.Session.Headless = session, pid, stamp, false
}

// IsGuided reports whether an engine drives with an agent's session as its mind.
func (s *State) IsGuided() bool { return EngineAt(s) && s.Session.ClaudeSession != "" }

// IsLed reports whether engines lead the drive, also while none runs: only they record how well
// their agents are contained. A session takes part with warp next, and fires no events.
func (s *State) IsLed() bool { return EngineAt(s) || s.Session.Sandbox != "" }

// EngineAt reports whether an engine runs the drive, or did when it was killed: then nothing else
// may change the document.
func EngineAt(s *State) bool { return s.Session.Headless && s.Phase.Active() }
