// Package feed is the one account of everything in a project and its work trees:
// drives (headless and guided), loops, pipelines, quality loops and workflows, in one
// vocabulary. Commands, screens and pages show it; none of them reads the documents and
// the journals by itself.
//
// It reads. It decides nothing, writes nothing and starts nothing, and it holds no lock
// while it looks. A Reader that is kept reads only what is new.
package feed

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"warp/internal/core/evidence"
	"warp/internal/core/livestate"
	"warp/internal/core/questions"
	"warp/internal/core/text"
	"warp/internal/turnstile"
)

// Kind is what an item is.
type Kind string

// The kinds.
const (
	Drive    Kind = "drive"
	Guided   Kind = "guided" // a drive inside an agent's session
	Loop     Kind = "loop"
	Quality  Kind = "quality" // a loop that runs until the quality gates pass
	Pipeline Kind = "pipeline"
	Workflow Kind = "workflow"
)

// State is where an item stands, in the words that are used for all kinds.
type State string

// The states. The last three are ends.
const (
	Running     State = "running"
	Waiting     State = "waiting" // for an answer, or for a time: it continues by itself
	Parked      State = "parked"  // only a person gets it going again: Why and Do say how
	Paused      State = "paused"  // a person paused it
	Interrupted State = "interrupted"
	Stopped     State = "stopped" // a person ended it
	Done        State = "done"
	Failed      State = "failed"
)

// Over reports whether nothing more happens.
func (s State) Over() bool { return s == Stopped || s == Done || s == Failed }

// Item is one piece of work: a requirement in one drive, a session, a workflow.
type Item struct {
	Kind  Kind   `json:"kind"`
	Name  string `json:"name"` // what stop, resume and pause call it
	Issue string `json:"issue,omitempty"`
	Title string `json:"title,omitempty"`
	State State  `json:"state"`

	Doing    string         `json:"doing,omitempty"`    // the present step, in plain words
	Since    time.Time      `json:"since,omitzero"`     // when it began
	Until    time.Time      `json:"until,omitzero"`     // of a wait
	Question *Question      `json:"question,omitempty"` // that waits for an answer
	Why      string         `json:"why,omitempty"`      // it does not go on, or has failed
	Do       string         `json:"do,omitempty"`       // the command that helps
	Result   string         `json:"result,omitempty"`   // how it ended: an outcome's result, a session's reason
	Cost     evidence.Cost  `json:"cost"`
	Criteria *Criteria      `json:"criteria,omitempty"`
	Branch   string         `json:"branch,omitempty"`
	Commit   string         `json:"commit,omitempty"`
	Pull     string         `json:"pull,omitempty"`
	Level    int            `json:"level,omitempty"`
	Root     string         `json:"root,omitempty"` // the work tree; "": it is gone
	PID      int            `json:"pid,omitempty"`  // of the process that runs it; 0: none does
	Started  time.Time      `json:"started,omitzero"`
	Ended    time.Time      `json:"ended,omitzero"`
	Later    bool           `json:"superseded,omitempty"` // a later drive took the same issue up again
	Archived bool           `json:"archived,omitempty"`   // a later workflow took its place
	Drive    turnstile.View `json:"-"`                    // of a drive that has a document
	// Live is what its engine does now; nil: no engine runs, or it is an older one.
	Live    *livestate.State `json:"live,omitempty"`
	epoch   int64
	session time.Time // when the session of its drive began
	work    string    // what rows of evidence call a workflow
}

// Criteria is how many of them hold.
type Criteria struct {
	Met   int `json:"met"`
	Total int `json:"total"`
}

// Question is a question that waits for a person.
type Question struct {
	ID       string    `json:"id"`
	Issue    string    `json:"issue,omitempty"`
	Text     string    `json:"text"`
	Options  []string  `json:"options,omitempty"`
	Default  string    `json:"default,omitempty"`
	Deadline time.Time `json:"deadline,omitzero"`
	Root     string    `json:"root,omitempty"`
	Taken    bool      `json:"default_taken,omitempty"` // no answer came in time, so work went on; an answer is late
	title    string    // what it is about
}

func newQuestion(i questions.Item) Question {
	return Question{ID: i.ID, Issue: i.Issue, Text: i.Question, Options: i.Options, Default: i.Default, Deadline: moment(i.Deadline), Root: i.Root, Taken: i.Defaulted != "", title: i.Title}
}

// Asked is a question with what became of it.
type Asked struct {
	Question
	Asked      time.Time `json:"asked,omitzero"`
	Context    string    `json:"context,omitempty"`
	Answer     string    `json:"answer,omitempty"`
	AnsweredBy string    `json:"answered_by,omitempty"`
	AnsweredAt time.Time `json:"answered_at,omitzero"`
	Late       bool      `json:"late,omitempty"`            // the answer came after the deadline
	Defaulted  time.Time `json:"default_taken_at,omitzero"` // the asker went on with the default
	Taken      bool      `json:"taken,omitempty"`           // the asker has the answer: it cannot be changed any more
}

func newAsked(i questions.Item) Asked {
	return Asked{Question: newQuestion(i), Asked: moment(i.AskedAt), Context: i.Context, Answer: i.Answer, AnsweredBy: i.AnsweredBy, AnsweredAt: moment(i.AnsweredAt),
		Late: i.Late, Defaulted: moment(i.Defaulted), Taken: i.Taken}
}

// Feed is what there is at one moment.
type Feed struct {
	Project   string         // the name of its folder
	Root      string         // of the work tree that was asked about
	Items     []Item         // the newest first
	Questions []Question     // unanswered, the oldest first
	Inbox     []Asked        // all questions that are on record, the oldest first
	Today     evidence.Cost  // since midnight where the user is
	Book      *evidence.Book // all evidence
	// PassedOver are approved issues that could not be worked on, or were not begun, in the
	// order of time.
	PassedOver []evidence.Entry[evidence.PassedOver]
	Waits      []Wait   // of drives, that are over
	Moves      []Move   // of drives, from phase to phase, in the order of time
	Notes      []string // what could not be read, for the user
	Err        error    // the drive of Root cannot be read
}

// Here is the drive of the work tree that was asked about; false: it has none.
func (f *Feed) Here() (Item, bool) {
	for _, i := range f.Items {
		if i.Root == f.Root && i.Drive.State != nil {
			return i, true
		}
	}
	return Item{}, false
}

// Open lists what is not over.
func (f *Feed) Open() (list []Item) {
	for _, i := range f.Items {
		if !i.State.Over() && !i.Later {
			list = append(list, i)
		}
	}
	return list
}

// EndedSince lists what ended since a time, the newest first.
func (f *Feed) EndedSince(t time.Time) (list []Item) {
	for _, i := range f.Items {
		if i.State.Over() && !i.Later && !i.Ended.Before(t) {
			list = append(list, i)
		}
	}
	return list
}

// Find lists what a person may mean by a name: an issue's number, a session, a workflow.
// What is not over comes first, what commands no longer reach last.
func (f *Feed) Find(name string) (list []Item) {
	for _, i := range f.Items {
		if !i.Later && i.isCalled(name) {
			list = append(list, i)
		}
	}
	rank := func(i Item) int {
		switch {
		case i.Archived:
			return 2
		case i.State.Over():
			return 1
		}
		return 0
	}
	slices.SortStableFunc(list, func(a, b Item) int { return cmp.Compare(rank(a), rank(b)) })
	return list
}

// Epoch is the session of the drive that the item is of, as rows of evidence name it; 0:
// it is no drive's.
func (i Item) Epoch() int64 { return i.epoch }

// CheckCurrent refuses a workflow whose place a later one has taken: commands would change
// that one.
func (i Item) CheckCurrent() error {
	if i.Archived {
		return fmt.Errorf("the workflow %s has ended (%s), and a later one has taken its place: warp status shows it", text.Visible(i.Name), i.State)
	}
	return nil
}

func (i Item) isCalled(name string) bool {
	return name != "" && (i.Name == name || i.Issue != "" && "#"+i.Issue == name || i.Kind == Workflow && name == string(Workflow))
}

// moment reads a stamp; what is none is no time.
func moment(stamp string) time.Time {
	t, _ := time.Parse(time.RFC3339, stamp) // zero
	return t
}
