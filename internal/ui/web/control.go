package web

import (
	"cmp"
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"warp/internal/core/text"
	"warp/internal/ui/feed"
)

// action is a button: its path and the command line it runs.
type action struct {
	path string
	line func(*Server, *http.Request) (order, error)
}

// order is a command line to run: warp in the work tree root, or warp-fleet, which finds the fleet
// itself.
type order struct {
	fleet bool
	root  string
	args  []string
}

// actions returns all buttons.
func actions() []action {
	return []action{
		{"/answer/{id}", onFeed(answerLine)},
		{"/do/{verb}/{kind}/{name}", onFeed(verbLine)},
		{"/restore/{name}", onFeed(restoreLine)},
		{"/fleet/answer/{repo}/{issue}", fleetAnswerLine},
		{"/fleet/do/{verb}/{repo}/{issue}", fleetVerbLine},
		{"/fleet/do/{verb}", wholeFleetLine},
	}
}

// verbs are the actions on a piece of work, named as on the command line, and the states that
// allow them.
var verbs = []verb{
	{Name: "pause", Title: "Pause", states: []feed.State{feed.Running, feed.Waiting}},
	{Name: "continue", Title: "Continue", states: []feed.State{feed.Paused}, line: func(i feed.Item) []string {
		if i.IsDrive() {
			return i.Line("continue")
		}
		return resumeLine(i)
	}},
	{Name: "resume", Title: "Retry", states: []feed.State{feed.Interrupted, feed.Parked, feed.Stopped, feed.Failed}, line: resumeLine},
	{Name: "skip", Title: "Skip", Confirm: "Skip this issue? Its work is kept, and the night continues with the next one.", states: []feed.State{feed.Running, feed.Waiting, feed.Paused},
		kinds: []feed.Kind{feed.Drive}, line: func(i feed.Item) []string { return i.Line("stop", "--skip") }},
	{Name: "stop", Title: "Stop", Confirm: "Stop it? Work in progress is committed; Retry continues it.", states: []feed.State{feed.Running, feed.Waiting, feed.Paused, feed.Parked, feed.Interrupted}},
}

type verb struct {
	Name, Title, Confirm string
	states               []feed.State
	kinds                []feed.Kind              // nil: all kinds
	line                 func(feed.Item) []string // nil: the verb alone
}

func (v verb) fits(i feed.Item) bool {
	over := i.Kind == feed.Workflow && i.State.Over() // a finished workflow cannot be continued
	return !over && !i.Later && slices.Contains(v.states, i.State) && (v.kinds == nil || slices.Contains(v.kinds, i.Kind))
}

func (v verb) args(i feed.Item) []string {
	if v.line != nil {
		return v.line(i)
	}
	return i.Line(v.Name)
}

// resumeLine detaches the work: it may take hours and must outlive the request.
func resumeLine(i feed.Item) []string { return i.Line("resume", "--detach") }

func answerLine(_ *Server, f *feed.Feed, r *http.Request) (order, error) {
	id := r.PathValue("id")
	i := slices.IndexFunc(f.Inbox, func(q feed.Asked) bool { return q.ID == id })
	if i < 0 {
		return order{}, &notFound{"there is no question " + id}
	}
	args, err := answerArgs(r, id, f.Inbox[i].Options)
	return order{root: f.Root, args: args}, err
}

// answerArgs returns the command that answers with one of the options or with free text.
func answerArgs(r *http.Request, id string, options []string) ([]string, error) {
	said := strings.TrimSpace(r.PostFormValue("say"))
	switch {
	case said == "":
		return nil, errors.New("the answer is empty")
	case len(options) > 0 && !slices.Contains(options, said):
		return []string{"answer", "--other", "--", id, said}, nil
	}
	return []string{"answer", "--", id, said}, nil
}

func verbLine(_ *Server, f *feed.Feed, r *http.Request) (order, error) {
	i := slices.IndexFunc(verbs, func(v verb) bool { return v.Name == r.PathValue("verb") })
	if i < 0 {
		return order{}, &notFound{"there is no button " + r.PathValue("verb")}
	}
	item, err := findItem(f, r)
	if err == nil {
		err = item.CheckCurrent()
	}
	if err != nil {
		return order{}, err
	}
	if v := verbs[i]; v.kinds != nil && !slices.Contains(v.kinds, item.Kind) {
		return order{}, errors.New(v.Name + " is for issues: stop stops a session or workflow")
	}
	return order{root: cmp.Or(item.Root, f.Root), args: verbs[i].args(item)}, nil
}

func restoreLine(_ *Server, f *feed.Feed, r *http.Request) (order, error) {
	n, err := strconv.Atoi(r.PostFormValue("checkpoint"))
	if err != nil || n < 1 {
		return order{}, errors.New("expected a checkpoint's number")
	}
	r.SetPathValue("kind", string(feed.Workflow))
	item, err := findItem(f, r)
	if err == nil {
		err = item.CheckCurrent()
	}
	if err != nil {
		return order{}, err
	}
	return order{root: item.Root, args: []string{"checkpoint", "restore", strconv.Itoa(n), "--yes"}}, nil
}

// findItem finds the piece of work in the request's address. Its folder comes from the feed,
// never from the request.
func findItem(f *feed.Feed, r *http.Request) (feed.Item, error) {
	kind, name, began := r.PathValue("kind"), r.PathValue("name"), r.FormValue("began")
	for _, i := range f.Items {
		if string(i.Kind) == kind && text.Prefix(i.Name, maxName) == text.Prefix(name, maxName) && (began == "" && !i.Later || began != "" && began == stampOf(i)) {
			return i, nil
		}
	}
	return feed.Item{}, &notFound{"there is no " + kind + " " + name}
}

// errReadOnly refuses changes on a server started without control.
var errReadOnly = errors.New("this server is read-only: start it with warp web --allow-control")

// act returns the handler of a button: it runs the command, then redirects back to the page.
func (s *Server) act(a action) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		o, err := s.order(r, a)
		if err != nil {
			s.fail(w, r, errorCode(err), err)
			return
		}
		id := s.said.keep(buttonResult{o.commandLine(), s.run(r, o)})
		back := r.PostFormValue("back")
		if u, err := url.Parse(back); err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(u.Path, "/") {
			back = "/"
		}
		join := "?"
		if strings.Contains(back, "?") {
			join = "&"
		}
		http.Redirect(w, r, s.Base+back+join+"said="+id, http.StatusSeeOther)
	}
}

func (s *Server) order(r *http.Request, a action) (order, error) {
	if !s.Control {
		return order{}, errReadOnly
	}
	return a.line(s, r)
}

// commandLine returns the order as a person would type it.
func (o order) commandLine() string {
	program := "warp"
	if o.fleet {
		program = "warp-fleet"
	}
	return strings.Join(append([]string{program}, o.args...), " ")
}

func (s *Server) run(r *http.Request, o order) Said {
	if o.fleet {
		return s.Fleet.Run(r.Context(), o.args...)
	}
	return s.Warp(r.Context(), o.root, o.args...)
}

func errorCode(err error) int {
	var missing *notFound
	switch {
	case errors.Is(err, errReadOnly):
		return http.StatusForbidden
	case errors.As(err, &missing):
		return http.StatusNotFound
	}
	return http.StatusBadRequest
}

// buttonResult is the command line a button ran, with its output.
type buttonResult struct {
	Line string
	Said
}

// resultStore keeps the output of commands until the redirected page shows it.
type resultStore struct {
	mu    sync.Mutex
	order []string
	kept  map[string]buttonResult
}

// maxSaid is the most results kept.
const maxSaid = 50

func (s *resultStore) keep(t buttonResult) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := rand.Text()
	if s.kept == nil {
		s.kept = map[string]buttonResult{}
	}
	s.kept[id], s.order = t, append(s.order, id)
	if len(s.order) > maxSaid {
		delete(s.kept, s.order[0])
		s.order = s.order[1:]
	}
	return id
}

func (s *resultStore) take(id string) *buttonResult {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t, ok := s.kept[id]; ok {
		return &t
	}
	return nil
}
