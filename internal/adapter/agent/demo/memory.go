package demo

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
)

// memory is what the agent knows from one run to the next: the file
// .claude/state/demo.json of the work tree, and nothing else.
type memory struct {
	// Limited are the sessions that have met their limit and did not come
	// back yet.
	Limited []string `json:"limited"`
}

// waited tells whether a session has met its limit before. It is forgotten when it comes
// back, so that the same task meets it again.
func waited(dir, session string) bool {
	path := filepath.Join(dir, ".claude", "state", "demo.json")
	var m memory
	if text, err := os.ReadFile(path); err == nil {
		_ = json.Unmarshal(text, &m) // what is no memory is none
	}
	at := slices.Index(m.Limited, session)
	if at >= 0 {
		m.Limited = slices.Delete(m.Limited, at, at+1)
	} else {
		m.Limited = append(m.Limited, session)
	}
	m.write(path)
	return at >= 0
}

// write writes the memory. Without one the limit is met for ever, which the run's own
// bounds are for.
func (m memory) write(path string) {
	text, err := json.Marshal(m)
	if err != nil || os.MkdirAll(filepath.Dir(path), 0o700) != nil {
		return
	}
	if os.WriteFile(path+".tmp", append(text, '\n'), 0o600) == nil {
		_ = os.Rename(path+".tmp", path)
	}
}
