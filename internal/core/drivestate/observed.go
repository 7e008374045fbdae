package drivestate

import "warp/internal/core/lossless"

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

// Own makes an agent's session the owner of the drive.
func (s *State) Own(session string, pid int, stamp string) {
	s.Session.ClaudeSession, s.Session.PID, s.Session.PIDStamp, s.Session.Headless = session, pid, stamp, false
}

// IsGuided reports whether an engine drives with an agent's session as its mind.
func (s *State) IsGuided() bool { return EngineAt(s) && s.Session.ClaudeSession != "" }

// EngineAt reports whether an engine runs the drive, or did when it was killed: then nothing else
// may change the document.
func EngineAt(s *State) bool { return s.Session.Headless && s.Phase.Active() }
