package web

import (
	"cmp"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"time"

	"warp/internal/core/evidence"
	"warp/internal/core/livestate"
	"warp/internal/core/text"
	"warp/internal/ui/feed"
	"warp/internal/ui/money"
	"warp/internal/ui/plot"
)

// night is the first page.
type night struct {
	Since   time.Time
	Spent   int64
	Sum     string // spent, as text that mentions unknown costs
	Cap     int64
	Ends    time.Time // latest deadline; zero if no engine has one
	Began   time.Time // start of the oldest running work; zero if nothing runs
	Windows []livestate.Window
	Tokens  int64
	Running int
	Burn    template.HTML
	Columns []column
	Board   time.Time
}

type column struct {
	ID, Title string
	Empty     string // text shown when empty
	Cards     []card
	All       int
}

// maxCards is the most cards in a column; the rest are in the history.
const maxCards = 30

// nightStart returns when the current night began: the last noon, or twelve hours ago if that is
// earlier.
func nightStart(now time.Time) time.Time {
	noon := time.Date(now.Year(), now.Month(), now.Day(), 12, 0, 0, 0, now.Location())
	if noon.After(now) {
		noon = noon.AddDate(0, 0, -1)
	}
	if least := now.Add(-12 * time.Hour); least.Before(noon) {
		return least
	}
	return noon
}

// isRunning reports whether work proceeds without a person.
func isRunning(i feed.Item) bool {
	return i.State == feed.Running || i.State == feed.Waiting && i.Question == nil && !i.Until.IsZero()
}

// places assigns work to columns; the first match counts.
var places = []struct {
	column string
	fits   func(feed.Item) bool
}{
	{"running", isRunning},
	{"waiting", func(i feed.Item) bool { return !i.State.Over() }},
	{"merged", func(i feed.Item) bool { return i.State == feed.Done }},
	{"not-merged", func(feed.Item) bool { return true }},
}

func tonight(s *Server, f *feed.Feed, r *http.Request) (any, error) {
	now := s.Env.Now()
	n := night{Since: nightStart(now), Columns: []column{
		{ID: "ready", Title: "Ready", Empty: "No approved issue waits."},
		{ID: "running", Title: "Running", Empty: "Nothing runs."},
		{ID: "waiting", Title: "Waiting for you", Empty: "Nothing waits for you."},
		{ID: "merged", Title: "Merged", Empty: "Nothing yet."},
		{ID: "not-merged", Title: "Not merged", Empty: "Nothing."},
	}}
	taken := map[string]bool{}
	for _, i := range f.Items {
		if i.Later || i.State.Over() && i.Ended.Before(n.Since) {
			continue
		}
		taken[i.Issue] = true
		for _, p := range places {
			if p.fits(i) {
				n.add(p.column, func() card { return newCard(s, i) })
				break
			}
		}
		n.addLimits(i)
	}
	n.passedOver(s.Base, f, taken)
	for _, i := range s.readyIssues() {
		if !taken[i.Number] {
			n.add("ready", func() card {
				return card{ID: "ready-" + i.Number, Name: "#" + i.Number, Title: i.Title, Why: i.Why, Link: s.Base + "/issue/" + i.Number}
			})
		}
	}
	n.spend(f, now)
	return n, nil
}

func (n *night) add(id string, make func() card) {
	c := &n.Columns[slices.IndexFunc(n.Columns, func(c column) bool { return c.ID == id })]
	if c.All++; len(c.Cards) < maxCards {
		c.Cards = append(c.Cards, make())
	}
}

// passedOver adds the approved issues that the night did not start.
func (n *night) passedOver(base string, f *feed.Feed, taken map[string]bool) {
	for _, e := range slices.Backward(f.Book.PassedOver) {
		at, err := time.Parse(time.RFC3339, e.At)
		if p := e.Row; err == nil && !at.Before(n.Since) && !taken[p.Issue] {
			taken[p.Issue] = true
			n.add("not-merged", func() card {
				return card{ID: "over-" + p.Issue, Name: "#" + p.Issue, Title: p.Title, State: "passed over", Class: "wait", Why: p.Why, Link: base + "/issue/" + url.PathEscape(text.Prefix(p.Issue, 200))}
			})
		}
	}
}

// addLimits collects the caps and usage windows of a running item's engine.
func (n *night) addLimits(i feed.Item) {
	if i.PID == 0 {
		return
	}
	n.Running++
	if n.Began.IsZero() || i.Started.Before(n.Began) {
		n.Began = i.Started
	}
	if i.Live == nil {
		return
	}
	n.Cap += i.Live.Caps.MicroUSD
	if end := i.Live.Caps.Ends; end.After(n.Ends) {
		n.Ends = end
	}
	for _, w := range i.Live.Windows {
		if !slices.ContainsFunc(n.Windows, func(o livestate.Window) bool { return o.Name == w.Name }) {
			n.Windows = append(n.Windows, w)
		}
	}
}

// leastAhead is the least time the plot looks ahead; otherwise as far as it looks back.
const leastAhead = 30 * time.Minute

// spend sums up the night's runs and the costs so far of agents at work.
func (n *night) spend(f *feed.Feed, now time.Time) {
	cost := f.Book.Spent(n.Since)
	points, _ := money.Spending(f.Book, n.Since)
	for _, i := range f.Items {
		if i.Live != nil && !i.State.Over() {
			for _, a := range i.Live.Agents {
				cost.MicroUSD += a.MicroUSD
				cost.Tokens += a.Tokens
			}
		}
	}
	n.Spent, n.Sum, n.Tokens = cost.MicroUSD, cost.Sum(), cost.Tokens
	from := n.Since
	if len(points) > 0 {
		from = points[0].At
	}
	if !n.Began.IsZero() && n.Began.Before(from) {
		from = n.Began
	}
	if n.Spent == 0 { // nothing spent, or the cost is unknown
		return
	}
	to := now.Truncate(10 * time.Second)
	end := n.Ends
	if far := to.Add(max(to.Sub(from), leastAhead)); end.After(far) { // else the past would shrink to a corner of the plot
		end = far
	}
	n.Burn = plotHTML(plot.BurnDown(plot.Burn{From: from, Now: to, End: end, Cap: n.Cap, Points: append(points, plot.Point{At: to, MicroUSD: n.Spent})}))
}

// plotHTML returns a plot, or the error that kept it from being drawn.
func plotHTML(svg []byte, err error) template.HTML {
	if err != nil {
		return template.HTML("<p>" + template.HTMLEscapeString(fmt.Sprintf("The plot could not be drawn: %v", err)) + "</p>")
	}
	return template.HTML(svg) // plot escapes every name in it
}

// card is one piece of work on the board.
type card struct {
	ID, Link, Name, Title string
	State, Class          string
	Dots                  []dot
	Met                   string // the dots as text
	Money                 string
	Since, Ended          time.Time
	Line                  string // current activity
	Agent, Words          string // the agent at work, and its last words
	Why, Do               string
	Question              *feed.Question
	Verbs                 []verb
	Item                  feed.Item
}

type dot struct{ Class, Title string }

// maxDots is the most criteria shown on a card.
const maxDots = 24

func newCard(s *Server, i feed.Item) card {
	c := card{ID: "card-" + string(i.Kind) + "-" + i.Name + "-" + stampOf(i), Link: linkTo(s, i), Name: text.ClipRunes(cmp.Or(feed.IssueLabel(i.Issue), i.Name), 60), Title: cmp.Or(i.Title, string(i.Kind)), Money: i.Cost.Sum(), Since: i.Started, Ended: i.Ended,
		Line: i.Doing, Why: i.Why, Do: i.Do, Question: i.Question, Item: i, State: string(i.State), Class: stateClass(i), Verbs: slices.DeleteFunc(slices.Clone(verbs), func(v verb) bool { return !v.fits(i) })}
	if i.State == feed.Done && i.IsDrive() {
		c.State = evidence.Result(i.Result).Words()
	}
	c.Dots, c.Met = criteriaDots(i)
	if l := i.Live; l != nil {
		if l.MicroUSD > i.Cost.MicroUSD {
			c.Money = evidence.Dollars(l.MicroUSD)
		}
		c.Line = cmp.Or(l.Doing, c.Line)
		for _, a := range l.Agents {
			c.Agent, c.Words = text.JoinNonEmpty(" · ", a.Agent, a.Role, a.Tool), a.Said
		}
	}
	return c
}

func criteriaDots(i feed.Item) (list []dot, words string) {
	if i.Live != nil && len(i.Live.Criteria) > 0 {
		met := 0
		for _, c := range i.Live.Criteria {
			d := dot{"open", c.ID + ": open"}
			switch {
			case c.Done:
				d = dot{"met", c.ID + ": met"}
				met++
			case c.Skipped:
				d = dot{"given_up", c.ID + ": given up"}
			case c.Doing:
				d = dot{"doing", c.ID + ": being worked on"}
			}
			list = append(list, d)
		}
		words = fmt.Sprintf("%d of %d criteria met", met, len(list))
	} else if i.Criteria != nil {
		for n := range min(i.Criteria.Total, maxDots) {
			if n < i.Criteria.Met {
				list = append(list, dot{"met", "met"})
			} else {
				list = append(list, dot{"open", "open"})
			}
		}
		words = fmt.Sprintf("%d of %d criteria met", i.Criteria.Met, i.Criteria.Total)
	}
	return list[:min(len(list), maxDots)], words
}
