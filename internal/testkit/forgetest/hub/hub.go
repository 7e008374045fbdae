// Package hub is the memory behind the mock trackers: one repository with its
// issues, labels, pull requests and people. How it is spoken to is left to the
// mocks.
package hub

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Hub is one repository on a mock tracker.
type Hub struct {
	sync.Mutex
	Owner, Name string
	Items       []*Item
	Labels      []Label
	Rights      map[string]string // login: admin, write, read
	Tokens      map[string]string // token: login
	Old         bool              // a server that does not count the edits of a text
	// Tip is the commit that a branch has; nil: one that is made up.
	Tip    func(branch string) string
	Checks map[string][]Check // by commit
	faults []*Fault
	seen   []string
	watch  func(method, path string)
	clock  time.Time
	ids    int64
}

// Item is an issue or, with Pull, a pull request; they share their numbers.
type Item struct {
	Number              int
	Title, Body, Author string
	Open                bool
	Labels              []string
	Assignees           []string
	Comments            []Comment
	Events              []Event
	Edits               []Edit // of the body, the oldest first
	Pull                *Pull
	Created, Updated    time.Time
}

// Comment is one comment.
type Comment struct {
	ID           int64
	Author, Body string
	At           time.Time
}

// Event is a label that came or went or, without one, another title.
type Event struct {
	ID    int64
	Label string
	Added bool
	By    string
	At    time.Time
}

// Edit is a change of a body.
type Edit struct {
	By string
	At time.Time
}

// Label is a label of the repository.
type Label struct {
	ID                       int64
	Name, Color, Description string
}

// Pull is what makes a pull request of an item.
type Pull struct {
	Head, Base, SHA string
	Merged          bool
	Clash           bool // it cannot be merged
	Fork            bool // its branch is in another person's repository
	Reviews         []Review
}

// Review is a review of a pull request, in the words of GitHub.
type Review struct {
	ID                  int64
	Author, State, Body string
	Path, Said          string // of a comment on line 1 of a file; "": there is none
	At                  time.Time
}

// Check is a check of a commit: a check run with a log or, without, a commit status.
type Check struct {
	ID                      int64
	Name, Conclusion, About string
	Log                     string
}

// New makes a hub with the people that the conformance suite wants: ada may
// write, eve may only read.
func New() *Hub {
	return &Hub{
		Owner: "octo", Name: "widgets", clock: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		Rights: map[string]string{"ada": "admin", "bob": "write", "eve": "read"}, Tokens: map[string]string{"s3cr3t-t0k3n": "ada"},
	}
}

// Clone is another hub with the same items and labels; the caller has the lock.
func (h *Hub) Clone() *Hub {
	c := New()
	c.Owner, c.Name, c.Labels, c.clock, c.ids = h.Owner, h.Name, slices.Clone(h.Labels), h.clock, h.ids
	for _, i := range h.Items {
		item := *i
		item.Labels, item.Assignees, item.Comments = slices.Clone(i.Labels), slices.Clone(i.Assignees), slices.Clone(i.Comments)
		item.Events, item.Edits = slices.Clone(i.Events), slices.Clone(i.Edits)
		if i.Pull != nil {
			pull := *i.Pull
			pull.Reviews = slices.Clone(i.Pull.Reviews)
			item.Pull = &pull
		}
		c.Items = append(c.Items, &item)
	}
	return c
}

// Token is the one that belongs to ada.
const Token = "s3cr3t-t0k3n"

// Head is the commit of a pull request's branch; the caller has the lock.
func (h *Hub) Head(p *Pull) string {
	if h.Tip == nil || p.Merged {
		return p.SHA
	}
	if tip := h.Tip(p.Head); tip != "" {
		p.SHA = tip
	}
	return p.SHA
}

// Judge reviews a pull request; the caller has the lock.
func (h *Hub) Judge(i *Item, r Review) {
	r.ID, r.At = h.ID(), h.Tick()
	i.Pull.Reviews = append(i.Pull.Reviews, r)
}

// Tick is the next second; the caller has the lock.
func (h *Hub) Tick() time.Time {
	h.clock = h.clock.Add(time.Second)
	return h.clock
}

// ID is a number that nothing else has; the caller has the lock.
func (h *Hub) ID() int64 {
	h.ids++
	return 1000 + h.ids
}

// Item finds an issue or a pull request; the caller has the lock.
func (h *Hub) Item(number int) *Item {
	if number < 1 || number > len(h.Items) {
		return nil
	}
	return h.Items[number-1]
}

// Add files an item; the caller has the lock.
func (h *Hub) Add(i Item) *Item {
	now := h.Tick()
	i.Number, i.Open, i.Created, i.Updated = len(h.Items)+1, true, now, now
	names := i.Labels
	i.Labels = nil
	h.Items = append(h.Items, &i)
	for _, l := range names {
		h.Mark(&i, l, i.Author, true)
	}
	return &i
}

// Mark puts a label on an item or takes it off; the caller has the lock.
func (h *Hub) Mark(i *Item, label, by string, add bool) bool {
	at := slices.IndexFunc(i.Labels, func(l string) bool { return strings.EqualFold(l, label) })
	if at >= 0 == add {
		return false
	}
	if add {
		i.Labels = append(i.Labels, h.Label(label).Name)
	} else {
		i.Labels = slices.Delete(i.Labels, at, at+1)
	}
	i.Updated = h.Tick()
	i.Events = append(i.Events, Event{h.ID(), label, add, by, i.Updated})
	return true
}

// Rename gives an item another title; the caller has the lock.
func (h *Hub) Rename(i *Item, title, by string) {
	i.Title, i.Updated = title, h.Tick()
	i.Events = append(i.Events, Event{ID: h.ID(), By: by, At: i.Updated})
}

// Rewrite gives an item another body; the caller has the lock.
func (h *Hub) Rewrite(i *Item, body, by string) {
	i.Body, i.Updated = body, h.Tick()
	i.Edits = append(i.Edits, Edit{by, i.Updated})
}

// Say comments on an item; the caller has the lock.
func (h *Hub) Say(i *Item, body, by string) Comment {
	i.Updated = h.Tick()
	c := Comment{h.ID(), by, body, i.Updated}
	i.Comments = append(i.Comments, c)
	return c
}

// Correct gives a comment another text; the caller has the lock.
func (h *Hub) Correct(id, body string) (Comment, bool) {
	for _, i := range h.Items {
		for n := range i.Comments {
			if c := &i.Comments[n]; strconv.FormatInt(c.ID, 10) == id {
				c.Body, i.Updated = body, h.Tick()
				return *c, true
			}
		}
	}
	return Comment{}, false
}

// Label finds a label, or makes it; the caller has the lock.
func (h *Hub) Label(name string) Label {
	for _, l := range h.Labels {
		if strings.EqualFold(l.Name, name) {
			return l
		}
	}
	l := Label{ID: h.ID(), Name: name, Color: "ededed"}
	h.Labels = append(h.Labels, l)
	return l
}
