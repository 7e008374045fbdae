package web

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/ui/feed"
)

// stampOf returns the start time, which distinguishes items of the same name.
func stampOf(i feed.Item) string { return i.Started.UTC().Format(time.RFC3339Nano) }

// maxName is the most bytes of a name in an address.
const maxName = 200

// linkTo returns the permanent address of a piece of work.
func linkTo(s *Server, i feed.Item) string {
	if i.Issue != "" {
		link := s.Base + "/issue/" + url.PathEscape(i.Issue)
		if i.Epoch() != 0 {
			link += "?drive=" + strconv.FormatInt(i.Epoch(), 10)
		}
		return link
	}
	return s.Base + "/run/" + string(i.Kind) + "/" + url.PathEscape(text.Prefix(i.Name, maxName)) + "?began=" + url.QueryEscape(stampOf(i))
}

func stateClass(i feed.Item) string {
	if i.State.Over() || i.State == feed.Running {
		return string(i.State)
	}
	return "waiting"
}

// filter holds the search terms of the history.
type filter struct{ Kind, State, Words string }

func newFilter(r *http.Request) filter {
	return filter{r.FormValue("kind"), r.FormValue("state"), text.Prefix(r.FormValue("q"), 200)}
}

func (q filter) fits(i feed.Item) bool {
	low := strings.ToLower(q.Words)
	return (q.Kind == "" || string(i.Kind) == q.Kind) && (q.State == "" || string(i.State) == q.State) &&
		(low == "" || strings.TrimPrefix(low, "#") == strings.ToLower(i.Name) || strings.Contains(strings.ToLower(text.Prefix(i.Title, maxWords)), low))
}

// pastNight is one night in the history.
type pastNight struct {
	Night time.Time // the day on which it began
	Items []card
	Done  int
	Cost  evidence.Cost
}

// historyData is the history page.
type historyData struct {
	filter
	Nights     []pastNight
	All, Page  int
	Earlier    string // address of the next page; "" on the last
	Kinds      []string
	States     []string
	KindTitles map[string]string
}

// perPage is the number of items on a page of the history.
const perPage = 100

var (
	allKinds  = []feed.Kind{feed.Drive, feed.Guided, feed.Loop, feed.Quality, feed.Pipeline, feed.Workflow}
	allStates = []feed.State{feed.Running, feed.Waiting, feed.Parked, feed.Paused, feed.Interrupted, feed.Stopped, feed.Done, feed.Failed}
	kindNames = map[string]string{"drive": "Drives", "guided": "Guided sessions", "loop": "Loops", "quality": "Quality loops", "pipeline": "Pipelines", "workflow": "Workflows"}
)

func history(s *Server, f *feed.Feed, r *http.Request) (any, error) {
	h := historyData{filter: newFilter(r), KindTitles: kindNames}
	for _, k := range allKinds {
		h.Kinds = append(h.Kinds, string(k))
	}
	for _, st := range allStates {
		h.States = append(h.States, string(st))
	}
	h.Page, _ = strconv.Atoi(r.FormValue("page")) // 0 if absent
	h.Page = max(1, h.Page)
	for _, i := range f.Items {
		if !h.fits(i) {
			continue
		}
		if h.All++; h.All <= (h.Page-1)*perPage || h.All > h.Page*perPage {
			continue
		}
		h.add(s, i)
	}
	if h.All > h.Page*perPage {
		q := r.URL.Query()
		q.Set("page", strconv.Itoa(h.Page+1))
		q.Del("said")
		h.Earlier = s.Base + "/history?" + q.Encode()
	}
	return h, nil
}

func (h *historyData) add(s *Server, i feed.Item) {
	at := i.Started.In(s.Env.Now().Location()).Add(-12 * time.Hour) // a night runs from noon to noon
	day := time.Date(at.Year(), at.Month(), at.Day(), 12, 0, 0, 0, at.Location())
	if n := len(h.Nights); n == 0 || !h.Nights[n-1].Night.Equal(day) {
		h.Nights = append(h.Nights, pastNight{Night: day})
	}
	n := &h.Nights[len(h.Nights)-1]
	n.Items = append(n.Items, newCard(s, i))
	n.Cost.MicroUSD, n.Cost.Unpriced = n.Cost.MicroUSD+i.Cost.MicroUSD, n.Cost.Unpriced+i.Cost.Unpriced
	if i.State == feed.Done {
		n.Done++
	}
}

// inboxData is the inbox page.
type inboxData struct {
	Open, Settled []feed.Asked
}

// maxSettled is the most answered questions shown.
const maxSettled = 50

func inboxPage(_ *Server, f *feed.Feed, r *http.Request) (any, error) {
	var d inboxData
	for _, q := range f.Inbox {
		if q.AnsweredAt.IsZero() {
			d.Open = append(d.Open, q)
		} else {
			d.Settled = append(d.Settled, q)
		}
	}
	d.Settled = newest(d.Settled, maxSettled)
	return d, nil
}

// newest returns at most so many of a list's last elements, the last one first.
func newest[T any](list []T, most int) []T {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list[:min(len(list), most)]
}
