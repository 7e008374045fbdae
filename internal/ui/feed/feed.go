// Package feed reads everything in a project and its work trees: drives (headless and guided),
// loops, pipelines, quality loops and workflows, in one vocabulary. Commands, screens and pages
// show it instead of reading documents and journals themselves.
//
// It only reads: it decides nothing, writes nothing, starts nothing and takes no lock. A Reader
// that is kept reads only what is new.
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

// Kind is the kind of an item.
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

// State is an item's state, in the same words for all kinds.
type State string

// The states. The last three are final.
const (
	Running     State = "running"
	Waiting     State = "waiting" // for an answer or a time; it continues without help
	Parked      State = "parked"  // only a person can continue it: Why and Do say how
	Paused      State = "paused"  // a person paused it
	Interrupted State = "interrupted"
	Stopped     State = "stopped" // a person ended it
	Done        State = "done"
	Failed      State = "failed"
)

// Over reports whether the state is final.
func (s State) Over() bool { return s == Stopped || s == Done || s == Failed }

// Item is one piece of work: a requirement in one drive, a session, or a workflow.
type Item struct {
	Kind  Kind   `json:"kind"`
	Name  string `json:"name"` // the name for stop, resume and pause
	Issue string `json:"issue,omitempty"`
	Title string `json:"title,omitempty"`
	State State  `json:"state"`

	Doing    string         `json:"doing,omitempty"`    // the current step
	Since    time.Time      `json:"since,omitzero"`     // start of the current step
	Until    time.Time      `json:"until,omitzero"`     // end of a wait
	Question *Question      `json:"question,omitempty"` // unanswered
	Why      string         `json:"why,omitempty"`      // why it does not continue, or failed
	Do       string         `json:"do,omitempty"`       // the command that helps
	Result   string         `json:"result,omitempty"`   // an outcome's result, or a session's reason
	Cost     evidence.Cost  `json:"cost"`
	Criteria *Criteria      `json:"criteria,omitempty"`
	Branch   string         `json:"branch,omitempty"`
	Commit   string         `json:"commit,omitempty"`
	Pull     string         `json:"pull,omitempty"`
	Level    int            `json:"level,omitempty"`
	Root     string         `json:"root,omitempty"` // the work tree; "" if it is gone
	PID      int            `json:"pid,omitempty"`  // of its process; 0 if none runs
	Started  time.Time      `json:"started,omitzero"`
	Ended    time.Time      `json:"ended,omitzero"`
	Later    bool           `json:"superseded,omitempty"` // a later drive took up the same issue
	Archived bool           `json:"archived,omitempty"`   // a later workflow replaced it
	Drive    turnstile.View `json:"-"`                    // of a drive that has a document
	// Live is the current activity of its engine; nil if none runs, or only an older version.
	Live    *livestate.State `json:"live,omitempty"`
	epoch   int64
	session time.Time // start of its drive's session
	work    string    // a workflow's name in evidence
}

// Criteria counts the criteria that are met.
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
	Taken    bool      `json:"default_taken,omitempty"` // no answer came in time, so the asker used the default
	title    string    // its subject
}

func newQuestion(i questions.Item) Question {
	return Question{ID: i.ID, Issue: i.Issue, Text: i.Question, Options: i.Options, Default: i.Default, Deadline: ParseTime(i.Deadline), Root: i.Root, Taken: i.Defaulted != "", title: i.Title}
}

// Asked is a question and its answer.
type Asked struct {
	Question
	Asked      time.Time `json:"asked,omitzero"`
	Context    string    `json:"context,omitempty"`
	Answer     string    `json:"answer,omitempty"`
	AnsweredBy string    `json:"answered_by,omitempty"`
	AnsweredAt time.Time `json:"answered_at,omitzero"`
	Late       bool      `json:"late,omitempty"`            // answered after the deadline
	Defaulted  time.Time `json:"default_taken_at,omitzero"` // when the asker used the default
	Taken      bool      `json:"taken,omitempty"`           // the asker has read the answer: it is final
}

func newAsked(i questions.Item) Asked {
	return Asked{Question: newQuestion(i), Asked: ParseTime(i.AskedAt), Context: i.Context, Answer: i.Answer, AnsweredBy: i.AnsweredBy, AnsweredAt: ParseTime(i.AnsweredAt),
		Late: i.Late, Defaulted: ParseTime(i.Defaulted), Taken: i.Taken}
}

// Feed is the state of a project at one moment.
type Feed struct {
	Project   string         // name of its folder
	Root      string         // of the work tree that was asked about
	Items     []Item         // newest first
	Questions []Question     // unanswered, oldest first
	Inbox     []Asked        // all recorded questions, oldest first
	Today     evidence.Cost  // since local midnight
	Book      *evidence.Book // all evidence
	// PassedOver lists approved issues that could not be worked on or did not begin, in order of
	// time.
	PassedOver []evidence.Entry[evidence.PassedOver]
	Waits      []Wait   // finished waits of drives
	Moves      []Move   // phase changes of drives, in order of time
	Notes      []string // what could not be read
	Err        error    // why the drive of Root cannot be read
}

// Here returns the drive of the work tree that was asked about.
func (f *Feed) Here() (Item, bool) {
	for _, i := range f.Items {
		if i.Root == f.Root && i.Drive.State != nil {
			return i, true
		}
	}
	return Item{}, false
}

// Open returns the items that are not over.
func (f *Feed) Open() (list []Item) {
	for _, i := range f.Items {
		if !i.State.Over() && !i.Later {
			list = append(list, i)
		}
	}
	return list
}

// EndedSince returns the items that ended since a time, newest first.
func (f *Feed) EndedSince(t time.Time) (list []Item) {
	for _, i := range f.Items {
		if i.State.Over() && !i.Later && !i.Ended.Before(t) {
			list = append(list, i)
		}
	}
	return list
}

// Find returns the items a name may mean: an issue number, a session, a workflow. Unfinished
// ones come first, archived ones last.
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

// Epoch returns the ID of the item's drive session in evidence; 0 if it is not a drive.
func (i Item) Epoch() int64 { return i.epoch }

// IsDrive reports whether the item works on an issue.
func (i Item) IsDrive() bool { return i.Kind == Drive || i.Kind == Guided }

// Outcome describes how an item ended.
func (i Item) Outcome() string {
	if i.IsDrive() {
		return evidence.Result(i.Result).Words()
	}
	return i.Result
}

// CheckCurrent refuses a workflow that a later one has replaced: commands would change the later
// one.
func (i Item) CheckCurrent() error {
	if i.Archived {
		return fmt.Errorf("the workflow %s has ended (%s), and a later one has replaced it: warp status shows it", text.Visible(i.Name), i.State)
	}
	return nil
}

func (i Item) isCalled(name string) bool {
	return name != "" && (i.Name == name || i.Issue != "" && "#"+i.Issue == name || i.Kind == Workflow && name == string(Workflow))
}

// ParseTime parses a timestamp; zero if malformed.
func ParseTime(stamp string) time.Time {
	t, _ := time.Parse(time.RFC3339, stamp)
	return t
}
