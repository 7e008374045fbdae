// Package livestate is what a running engine does at this moment, for people who
// watch: a small file that is rewritten at most once a second and never synced. Nothing
// is decided from it, and what it says is gone with its engine.
package livestate

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"time"

	"warp/internal/core/text"
)

// Folder has the files of a store, one for each engine that runs, by its lock's name.
const Folder = "state/live"

// File is where the engine that holds a name shows what it does.
func File(name string) string { return path.Join(Folder, name+".json") }

// How much is shown: an agent may say megabytes.
const (
	maxWords   = 400
	maxRecent  = 40
	maxList    = 200
	maxWindows = 10
	maxNumber  = 1 << 50 // many of them can be added up
	// MaxSize is how large a file can be that an engine wrote.
	MaxSize = 1 << 20
)

// State is what an engine does now.
type State struct {
	At       time.Time   `json:"at"` // when it was written
	Name     string      `json:"name"`
	PID      int         `json:"pid"`
	Stamp    string      `json:"pid_stamp,omitempty"`
	Issue    string      `json:"issue,omitempty"`
	Title    string      `json:"title,omitempty"`
	Branch   string      `json:"branch,omitempty"`
	Doing    string      `json:"doing,omitempty"` // in plain words
	Since    time.Time   `json:"since,omitzero"`  // it does that
	Criteria []Criterion `json:"criteria,omitempty"`
	Agents   []Agent     `json:"agents,omitempty"` // at work now
	Tokens   int64       `json:"tokens,omitempty"` // so far, with those of the agents at work
	MicroUSD int64       `json:"micro_usd,omitempty"`
	Caps     Caps        `json:"caps,omitzero"`
	Windows  []Window    `json:"windows,omitempty"`
	Wait     *Wait       `json:"wait,omitempty"`
	Recent   []Line      `json:"recent,omitempty"` // what happened last, the newest last
}

// Criterion is one acceptance criterion on its way.
type Criterion struct {
	ID      string `json:"id"`
	Text    string `json:"text"`
	Done    bool   `json:"done"`
	Doing   bool   `json:"doing,omitempty"`
	Skipped bool   `json:"skipped,omitempty"`
}

// Agent is one that is at work.
type Agent struct {
	ID       int       `json:"id"` // of the run, within the engine
	Agent    string    `json:"agent,omitempty"`
	Role     string    `json:"role"`
	Work     string    `json:"work,omitempty"` // the task or stage
	Since    time.Time `json:"since"`
	Tool     string    `json:"tool,omitempty"`
	Said     string    `json:"said,omitempty"` // last
	Tokens   int64     `json:"tokens,omitempty"`
	MicroUSD int64     `json:"micro_usd,omitempty"`
}

// Caps bound the work; zero members do not.
type Caps struct {
	MicroUSD int64   `json:"micro_usd,omitempty"`
	Tokens   int64   `json:"tokens,omitempty"`
	Seconds  float64 `json:"seconds,omitempty"`
	// Ends is when the time is up that is left of it, waits for limits aside.
	Ends time.Time `json:"ends,omitzero"`
}

// Window is how much of a subscription's window is used.
type Window struct {
	Name    string    `json:"name"`
	Percent float64   `json:"percent"`
	Reset   time.Time `json:"reset,omitzero"`
}

// Wait is what is waited for.
type Wait struct {
	Why   string    `json:"why"`
	Until time.Time `json:"until,omitzero"`
}

// Line is something that happened.
type Line struct {
	At   time.Time `json:"at"`
	Kind string    `json:"kind"`
	Text string    `json:"text"`
}

// Say adds what happened to the recent lines.
func (s *State) Say(at time.Time, kind, words string) {
	if words == "" {
		return
	}
	s.Recent = append(s.Recent, Line{at, kind, text.Clip(words, maxWords)})
	if n := len(s.Recent) - maxRecent; n > 0 {
		s.Recent = slices.Delete(s.Recent, 0, n)
	}
}

// Do sets what is done now. Since stays while it is the same.
func (s *State) Do(at time.Time, doing string) {
	if s.Doing != doing {
		s.Doing, s.Since = doing, at
	}
}

// Begin adds a run of an agent.
func (s *State) Begin(a Agent) { s.Agents = append(s.Agents, a) }

// Update changes a run of an agent, if it is still at work.
func (s *State) Update(id int, change func(*Agent)) {
	for i := range s.Agents {
		if s.Agents[i].ID == id {
			change(&s.Agents[i])
			s.Agents[i].Said, s.Agents[i].Tool = text.Clip(s.Agents[i].Said, maxWords), text.Clip(s.Agents[i].Tool, maxWords)
		}
	}
}

// End takes a run of an agent away.
func (s *State) End(id int) {
	s.Agents = slices.DeleteFunc(s.Agents, func(a Agent) bool { return a.ID == id })
}

// Set replaces a window, or adds it.
func (s *State) Set(w Window) {
	i := slices.IndexFunc(s.Windows, func(old Window) bool { return old.Name == w.Name })
	if i < 0 {
		s.Windows = append(s.Windows, w)
		return
	}
	s.Windows[i] = w
}

// Headline is what is done now, in a few words.
func (s *State) Headline() string {
	switch {
	case s.Wait != nil:
		return text.Clip("waiting: "+s.Wait.Why, maxWords)
	case len(s.Agents) > 0 && s.Agents[0].Tool != "":
		return text.Clip(s.Doing+": "+s.Agents[0].Tool, maxWords)
	}
	return text.Clip(s.Doing, maxWords)
}

// Encode is the file's text, of bounded size.
func (s *State) Encode() ([]byte, error) {
	shown := *s
	shown.bound()
	return json.Marshal(shown)
}

// Parse reads a file's text. Whatever wrote it, it says no more than an engine does.
func Parse(data []byte) (*State, error) {
	var s State
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("reading what an engine does: %w", err)
	}
	s.bound()
	return &s, nil
}
