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
	"warp/internal/ui/plot"
)

// night is what the first page shows.
type night struct {
	Since   time.Time
	Spent   int64
	Sum     string // spent, in words that say what is not known
	Cap     int64
	Ends    time.Time // at the latest; zero: no engine is bounded
	Began   time.Time // of what runs; zero: nothing does
	Windows []livestate.Window
	Tokens  int64
	Running int
	Burn    template.HTML
	Columns []column
	Board   time.Time
}

type column struct {
	ID, Title string
	Empty     string // what is said when it is
	Cards     []card
	All       int
}

// maxCards is how many cards of a column are shown; the rest is in the history.
const maxCards = 30

// sinceWhen is when the present night began: the last noon that is at least half a day
// ago, or close to it.
func sinceWhen(now time.Time) time.Time {
	noon := time.Date(now.Year(), now.Month(), now.Day(), 12, 0, 0, 0, now.Location())
	if noon.After(now) {
		noon = noon.AddDate(0, 0, -1)
	}
	if least := now.Add(-12 * time.Hour); least.Before(noon) {
		return least
	}
	return noon
}

// isRunning reports whether work goes on by itself.
func isRunning(i feed.Item) bool {
	return i.State == feed.Running || i.State == feed.Waiting && i.Question == nil && !i.Until.IsZero()
}

// places say in which column a piece of work is; the first that fits counts.
var places = []struct {
	column string
	fits   func(feed.Item) bool
}{
	{"running", isRunning},
	{"waiting", func(i feed.Item) bool { return !i.State.Over() }},
	{"merged", func(i feed.Item) bool { return i.State == feed.Done }},
	{"not-merged", func(feed.Item) bool { return true }},
}

func tonight(s *Server, r *http.Request) (any, error) {
	f, err := s.Feed(r.Context())
	if err != nil {
		return nil, err
	}
	now := s.Env.Now()
	n := night{Since: sinceWhen(now), Columns: []column{
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
		n.bound(i)
	}
	n.passedOver(s.Base, f, taken)
	for _, i := range s.ready.list() {
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

// passedOver adds the approved issues that the night could not take up.
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

// bound takes what the engine of a running item says about its bounds.
func (n *night) bound(i feed.Item) {
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

// leastAhead is how far the plot looks ahead at least; else as far as it looks back.
const leastAhead = 30 * time.Minute

// spend adds up the runs of the night, with what agents at work have spent so far.
func (n *night) spend(f *feed.Feed, now time.Time) {
	cost := f.Book.Spent(n.Since)
	points := spending(f, n.Since)
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
	if n.Spent == 0 { // nothing was, or what was spent is not known
		return
	}
	to := now.Truncate(10 * time.Second)
	end := n.Ends
	if far := to.Add(max(to.Sub(from), leastAhead)); end.After(far) { // else what was spent is a corner of the plot
		end = far
	}
	n.Burn = drawn(plot.BurnDown(plot.Burn{From: from, Now: to, End: end, Cap: n.Cap, Points: append(points, plot.Point{At: to, MicroUSD: n.Spent})}))
}

// spending is the sum of money after each run since a time.
func spending(f *feed.Feed, since time.Time) (points []plot.Point) {
	type paid struct {
		at    time.Time
		micro int64
	}
	var runs []paid
	for _, list := range [][]evidence.Entry[evidence.Run]{f.Book.Runs, f.Book.Others} {
		for _, e := range list {
			if at, err := time.Parse(time.RFC3339, e.At); err == nil && !at.Before(since) {
				runs = append(runs, paid{at, e.Row.MicroUSD})
			}
		}
	}
	slices.SortFunc(runs, func(a, b paid) int { return a.at.Compare(b.at) })
	sum, every := int64(0), max(1, len(runs)/200)
	for i, r := range runs {
		if sum += r.micro; i%every == 0 || i == len(runs)-1 {
			points = append(points, plot.Point{At: r.at, MicroUSD: sum})
		}
	}
	return points
}

// drawn is a plot, or what kept it from being drawn.
func drawn(svg []byte, err error) template.HTML {
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
	Met                   string // the dots in words
	Money                 string
	Since, Ended          time.Time
	Line                  string // what it does
	Agent, Words          string // what the agent does, and said last
	Why, Do               string
	Question              *feed.Question
	Verbs                 []verb
	Item                  feed.Item
}

type dot struct{ Class, Title string }

// maxDots is how many criteria a card shows.
const maxDots = 24

func newCard(s *Server, i feed.Item) card {
	c := card{ID: "card-" + string(i.Kind) + "-" + i.Name + "-" + stampOf(i), Link: linkTo(s, i), Name: nameOf(i), Title: cmp.Or(i.Title, string(i.Kind)), Money: i.Cost.Sum(), Since: i.Started, Ended: i.Ended,
		Line: i.Doing, Why: i.Why, Do: i.Do, Question: i.Question, Item: i, State: string(i.State), Class: stateClass(i), Verbs: possible(i)}
	if i.State == feed.Done && (i.Kind == feed.Drive || i.Kind == feed.Guided) {
		c.State = evidence.Result(i.Result).Words()
	}
	c.Dots, c.Met = dots(i)
	if l := i.Live; l != nil {
		if l.MicroUSD > i.Cost.MicroUSD {
			c.Money = evidence.Dollars(l.MicroUSD)
		}
		if l.Doing != "" {
			c.Line = l.Doing
		}
		for _, a := range l.Agents {
			c.Agent, c.Words = joined(" · ", a.Agent, a.Role, a.Tool), a.Said
		}
	}
	return c
}

func dots(i feed.Item) (list []dot, words string) {
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
