package drivestate

import "warp/internal/core/lossless"

// Permissions counts what the agent's session was asked to allow: a drive that
// starves on permissions is visible.
type Permissions struct {
	Asked  int `json:"asked"`
	Denied int `json:"denied"`
}

// Waiting says that the drive waits for something that ends by itself, such as
// an agent's usage limit.
type Waiting struct {
	Until string `json:"until"`
	Why   string `json:"why"`
	Since string `json:"since,omitempty"`
}

// Criterion is an acceptance criterion as the issue has it.
type Criterion struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// Bounds of what is kept of an issue's criteria.
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

// keepCriteria keeps an issue's criteria as they were written.
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

// Written returns the text of a criterion of the present issue; "" when it was
// never recorded.
func (s *State) Written(id string) string {
	for _, c := range s.Criteria[s.Issue()] {
		if c.ID == id {
			return c.Text
		}
	}
	return ""
}

// Own makes an agent's session the owner of the drive.
func (s *State) Own(session string, pid int, stamp string) {
	s.Session.ClaudeSession, s.Session.PID, s.Session.PIDStamp, s.Session.Headless = session, pid, stamp, false
}

// IsGuided tells whether an engine is at the drive whose mind is an agent's session.
func (s *State) IsGuided() bool { return EngineAt(s) && s.Session.ClaudeSession != "" }

// EngineAt tells whether an engine is at the drive, or was when it was killed:
// nothing else changes the document then.
func EngineAt(s *State) bool { return s.Session.Headless && s.Phase.Active() }
