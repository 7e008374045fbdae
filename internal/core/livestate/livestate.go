// Package livestate shows what a running engine is doing, for people who watch: a small file that
// is rewritten at most once a second and never synced. Nothing is decided from it, and it means
// nothing once its engine is gone.
package livestate

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"time"

	"warp/internal/core/text"
)

// Folder holds the files of a store, one for each running engine, by its lock's name.
const Folder = "state/live"

// File returns the file of the engine that holds a lock.
func File(name string) string { return path.Join(Folder, name+".json") }

// Limits of what is shown: an agent may print megabytes.
const (
	maxWords   = 400
	maxRecent  = 40
	maxList    = 200
	maxWindows = 10
	maxNumber  = 1 << 50 // many of them can be added up
	// MaxSize is the largest file that an engine writes.
	MaxSize = 1 << 20
)

// State is what an engine is doing now.
type State struct {
	At       time.Time   `json:"at"` // when it was written
	Name     string      `json:"name"`
	PID      int         `json:"pid"`
	Stamp    string      `json:"pid_stamp,omitempty"`
	Issue    string      `json:"issue,omitempty"`
	Title    string      `json:"title,omitempty"`
	Branch   string      `json:"branch,omitempty"`
	Doing    string      `json:"doing,omitempty"` // in plain words
	Since    time.Time   `json:"since,omitzero"`  // since when
	Criteria []Criterion `json:"criteria,omitempty"`
	Agents   []Agent     `json:"agents,omitempty"` // working now
	Tokens   int64       `json:"tokens,omitempty"` // so far, including working agents
	MicroUSD int64       `json:"micro_usd,omitempty"`
	Caps     Caps        `json:"caps,omitzero"`
	Windows  []Window    `json:"windows,omitempty"`
	Wait     *Wait       `json:"wait,omitempty"`
	Recent   []Line      `json:"recent,omitempty"` // newest last
}

// Criterion is one acceptance criterion with its progress.
type Criterion struct {
	ID      string `json:"id"`
	Text    string `json:"text"`
	Done    bool   `json:"done"`
	Doing   bool   `json:"doing,omitempty"`   // in the present chunk
	Skipped bool   `json:"skipped,omitempty"` // skipped with its chunk
}

// Agent is a working agent.
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

// Caps limit the work; zero members do not.
type Caps struct {
	MicroUSD int64   `json:"micro_usd,omitempty"`
	Tokens   int64   `json:"tokens,omitempty"`
	Seconds  float64 `json:"seconds,omitempty"`
	// Ends is when the remaining time is up, not counting waits for limits.
	Ends time.Time `json:"ends,omitzero"`
}

// Window is how much of a subscription's window is used.
type Window struct {
	Name    string    `json:"name"`
	Percent float64   `json:"percent"`
	Reset   time.Time `json:"reset,omitzero"`
}

// Wait is what the engine waits for.
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

// Say adds a line to the recent ones.
func (s *State) Say(at time.Time, kind, words string) {
	if words == "" {
		return
	}
	s.Recent = append(s.Recent, Line{at, kind, text.Clip(words, maxWords)})
	if n := len(s.Recent) - maxRecent; n > 0 {
		s.Recent = slices.Delete(s.Recent, 0, n)
	}
}

// Do sets the current activity. Since only changes with it.
func (s *State) Do(at time.Time, doing string) {
	if s.Doing != doing {
		s.Doing, s.Since = doing, at
	}
}

// Begin adds a run of an agent.
func (s *State) Begin(a Agent) { s.Agents = append(s.Agents, a) }

// Update changes a run of an agent, if it is still working.
func (s *State) Update(id int, change func(*Agent)) {
	for i := range s.Agents {
		if s.Agents[i].ID == id {
			change(&s.Agents[i])
			s.Agents[i].Said, s.Agents[i].Tool = text.Clip(s.Agents[i].Said, maxWords), text.Clip(s.Agents[i].Tool, maxWords)
		}
	}
}

// End removes a run of an agent.
func (s *State) End(id int) {
	s.Agents = slices.DeleteFunc(s.Agents, func(a Agent) bool { return a.ID == id })
}

func (s *State) Set(w Window) {
	i := slices.IndexFunc(s.Windows, func(old Window) bool { return old.Name == w.Name })
	if i < 0 {
		s.Windows = append(s.Windows, w)
		return
	}
	s.Windows[i] = w
}

// Headline describes the current activity in a few words.
func (s *State) Headline() string {
	switch {
	case s.Wait != nil:
		return text.Clip("waiting: "+s.Wait.Why, maxWords)
	case len(s.Agents) > 0 && s.Agents[0].Tool != "":
		return text.Clip(s.Doing+": "+s.Agents[0].Tool, maxWords)
	}
	return text.Clip(s.Doing, maxWords)
}

// Encode returns the file's text, of bounded size.
func (s *State) Encode() ([]byte, error) {
	shown := *s
	shown.bound()
	return json.Marshal(shown)
}

// Parse reads a file's text. Whatever wrote it, the result has an engine's limits.
func Parse(data []byte) (*State, error) {
	var s State
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("reading what an engine does: %w", err)
	}
	s.bound()
	return &s, nil
}

// bound shortens what is too long to show, and limits numbers. It copies lists that another state
// shares.
func (s *State) bound() {
	s.Criteria = boundList(s.Criteria[:min(len(s.Criteria), maxList)], func(c *Criterion) { clip(&c.ID, &c.Text) })
	s.Agents = boundList(s.Agents[:min(len(s.Agents), maxList)], func(a *Agent) {
		clip(&a.Agent, &a.Role, &a.Work, &a.Tool, &a.Said)
		limit(&a.Tokens, &a.MicroUSD)
	})
	s.Windows = boundList(s.Windows[:min(len(s.Windows), maxWindows)], func(w *Window) {
		clip(&w.Name)
		w.Percent = min(max(w.Percent, 0), 1000)
	})
	s.Recent = boundList(s.Recent[max(0, len(s.Recent)-maxRecent):], func(l *Line) { clip(&l.Kind, &l.Text) })
	if s.Wait != nil {
		w := *s.Wait
		clip(&w.Why)
		s.Wait = &w
	}
	clip(&s.Name, &s.Stamp, &s.Issue, &s.Title, &s.Branch, &s.Doing)
	limit(&s.Tokens, &s.MicroUSD, &s.Caps.MicroUSD, &s.Caps.Tokens)
	s.Caps.Seconds = min(max(s.Caps.Seconds, 0), maxNumber)
}

func boundList[T any](list []T, bound func(*T)) []T {
	list = slices.Clone(list)
	for i := range list {
		bound(&list[i])
	}
	return list
}

func clip(list ...*string) {
	for _, words := range list {
		*words = text.Clip(*words, maxWords)
	}
}

func limit(list ...*int64) {
	for _, n := range list {
		*n = min(max(*n, 0), maxNumber)
	}
}
