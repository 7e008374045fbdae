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

func (a *Run) memoryFile() string {
	return filepath.Join(a.World.Dir, ".claude", "state", "demo.json")
}

// waited tells whether the session has met its limit before. It is forgotten
// when it comes back, so that the same task meets it again.
func (a *Run) waited() bool {
	var m memory
	if text, err := os.ReadFile(a.memoryFile()); err == nil {
		_ = json.Unmarshal(text, &m) // what is no memory is none
	}
	at := slices.Index(m.Limited, a.Session)
	if at >= 0 {
		m.Limited = slices.Delete(m.Limited, at, at+1)
	} else {
		m.Limited = append(m.Limited, a.Session)
	}
	a.remember(m)
	return at >= 0
}

// remember writes the memory. Without one the limit is met for ever, which the
// run's own bounds are for.
func (a *Run) remember(m memory) {
	text, err := json.Marshal(m)
	if err != nil {
		return
	}
	path := a.memoryFile()
	if os.MkdirAll(filepath.Dir(path), 0o700) != nil {
		return
	}
	if os.WriteFile(path+".tmp", append(text, '\n'), 0o600) == nil {
		_ = os.Rename(path+".tmp", path)
	}
}
