package web

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"warp/internal/core/fleetview"
	"warp/internal/core/text"
)

// Fleet connects the server to a fleet.
type Fleet struct {
	// Follow calls show with each new view, or with the error that prevents one.
	Follow func(ctx context.Context, show func(fleetview.View, error))
	// Run runs a warp-fleet command line.
	Run func(ctx context.Context, args ...string) Said
}

// fleet is the last known state of the fleet.
type fleet struct {
	last    atomic.Pointer[fleetview.View]
	broken  atomic.Pointer[error] // why the last update failed
	mu      sync.Mutex
	details map[string]detail // by requirement ID
}

// detail caches a requirement's evidence for one state of the requirement.
type detail struct {
	state string // the state it was read in
	shown fleetview.Detail
}

// mostDetails is the most requirements kept in the cache.
const mostDetails = 500

var errNoFleet = &notFound{"this server shows no fleet: start it with warp web --fleet"}

func (s *Server) followFleet(ctx context.Context) {
	s.Fleet.Follow(ctx, func(v fleetview.View, err error) {
		if err != nil {
			s.fleet.broken.Store(&err)
		} else {
			s.fleet.broken.Store(nil)
			s.fleet.last.Store(&v)
		}
		s.publish()
	})
}

// fleetData is the page of the fleet.
type fleetData struct {
	fleetview.View
	Known  bool   // a view has arrived
	Broken string // why the last update failed
	Lists  []fleetList
}

type fleetList struct {
	Title string
	List  []fleetCard
	More  int // number of requirements left out
}

type fleetCard struct {
	fleetview.Requirement
	View  fleetview.View
	Verbs []fleetVerb
}

// TrainPlace returns the requirement's place in the merge train.
func (c fleetCard) TrainPlace() string { return c.View.TrainWords(c.Requirement) }

// mostFleetRows is the most requirements of one state on a page.
const mostFleetRows = 200

func (s *Server) readFleet() (d fleetData, err error) {
	if s.Fleet == nil {
		return d, errNoFleet
	}
	if why := s.fleet.broken.Load(); why != nil {
		d.Broken = (*why).Error()
	}
	if v := s.fleet.last.Load(); v != nil {
		d.View, d.Known = *v, true
	}
	return d, nil
}

func fleetPage(s *Server, _ *http.Request) (any, error) {
	d, err := s.readFleet()
	for _, l := range []struct {
		title string
		list  []fleetview.Requirement
	}{{"Running", d.Running}, {"Waiting", d.Queue}, {"Parked", d.Parked}, {"Done", newest(d.Done, len(d.Done))}} {
		part := fleetList{Title: l.title, More: max(0, len(l.list)-mostFleetRows)}
		for _, r := range l.list[:min(len(l.list), mostFleetRows)] {
			part.List = append(part.List, fleetCard{r, d.View, possibleFleet(r)})
		}
		d.Lists = append(d.Lists, part)
	}
	return d, err
}

// requirementData is the page of one requirement.
type requirementData struct {
	fleetview.Detail
	Card   fleetCard
	Broken string // why its evidence could not be read
}

func (d requirementData) pageTitle() string {
	return text.ClipRunes(text.JoinNonEmpty(" ", d.ID(), d.Title), 120)
}

func requirementPage(s *Server, r *http.Request) (any, error) {
	one, err := s.requirement(r)
	if err != nil {
		return nil, err
	}
	d := requirementData{Detail: fleetview.Detail{Requirement: one}}
	if v := s.fleet.last.Load(); v != nil {
		d.Card = fleetCard{one, *v, possibleFleet(one)}
	}
	shown, err := s.detail(r.Context(), one)
	if err != nil {
		d.Broken = err.Error()
		return d, nil
	}
	d.Detail = shown
	d.Requirement = one // newer than the cached one
	return d, nil
}

// requirement returns the requirement in the request's address, from the last view.
func (s *Server) requirement(r *http.Request) (fleetview.Requirement, error) {
	d, err := s.readFleet()
	if err != nil {
		return fleetview.Requirement{}, err
	}
	id := r.PathValue("repo") + "#" + r.PathValue("issue")
	one, ok := d.Find(id)
	if !ok {
		return one, &notFound{"the fleet does not know " + id}
	}
	return one, nil
}

// detail returns a requirement with its evidence. It caches by state: pages render again with
// each change, and running warp-fleet each time would be slow.
func (s *Server) detail(ctx context.Context, r fleetview.Requirement) (fleetview.Detail, error) {
	state := strings.Join([]string{string(r.State), r.Phase, r.Why, r.Since.Format(time.RFC3339Nano)}, "\n")
	s.fleet.mu.Lock()
	defer s.fleet.mu.Unlock()
	if d, ok := s.fleet.details[r.ID()]; ok && d.state == state {
		return d.shown, nil
	}
	said := s.Fleet.Run(ctx, "show", "--json", "--", r.ID())
	if said.Code != 0 {
		return fleetview.Detail{}, errors.New(said.Text)
	}
	d := detail{state: state}
	if err := json.Unmarshal(said.Out, &d.shown); err != nil {
		return d.shown, errors.New("the output of warp-fleet cannot be read: " + err.Error())
	}
	if len(s.fleet.details) >= mostDetails || s.fleet.details == nil {
		s.fleet.details = map[string]detail{}
	}
	s.fleet.details[r.ID()] = d
	return d.shown, nil
}

// fleetVerb is an action on a requirement, named as in warp-fleet.
type fleetVerb struct {
	Name, Title, Confirm string
	fits                 func(fleetview.Requirement) bool
}

func isUnderway(r fleetview.Requirement) bool {
	return r.State == fleetview.Running || r.State == fleetview.Waiting
}

var fleetVerbs = []fleetVerb{
	{"pause", "Pause", "", func(r fleetview.Requirement) bool { return isUnderway(r) && !r.Paused }},
	{"resume", "Resume", "", func(r fleetview.Requirement) bool { return isUnderway(r) && r.Paused }},
	{"stop", "Stop", "Stop it? It finishes its step and is parked; warp-fleet submit queues it again.", isUnderway},
}

func possibleFleet(r fleetview.Requirement) []fleetVerb {
	return slices.DeleteFunc(slices.Clone(fleetVerbs), func(v fleetVerb) bool { return !v.fits(r) })
}

// fleetOrder returns a warp-fleet command line.
func fleetOrder(args ...string) order { return order{fleet: true, args: args} }

func fleetAnswerLine(s *Server, r *http.Request) (order, error) {
	one, err := s.requirement(r)
	if err != nil {
		return order{}, err
	}
	if one.Ask == nil {
		return order{}, &notFound{one.ID() + " has no open question"}
	}
	args, err := answerArgs(r, one.ID(), one.Ask.Options)
	return fleetOrder(args...), err
}

func fleetVerbLine(s *Server, r *http.Request) (order, error) {
	one, err := s.requirement(r)
	if err != nil {
		return order{}, err
	}
	i := slices.IndexFunc(fleetVerbs, func(v fleetVerb) bool { return v.Name == r.PathValue("verb") })
	if i < 0 {
		return order{}, &notFound{"there is no button " + r.PathValue("verb")}
	}
	return fleetOrder(fleetVerbs[i].Name, "--", one.ID()), nil
}

// wholeFleetLine pauses or resumes the whole fleet.
func wholeFleetLine(s *Server, r *http.Request) (order, error) {
	if s.Fleet == nil {
		return order{}, errNoFleet
	}
	verb := r.PathValue("verb")
	if verb != "pause" && verb != "resume" {
		return order{}, &notFound{"a fleet can only be paused or resumed"}
	}
	return fleetOrder(verb), nil
}

// apiFleet returns the last view of the fleet.
func apiFleet(s *Server, _ *http.Request) (any, error) {
	d, err := s.readFleet()
	switch {
	case err != nil:
		return nil, err
	case !d.Known && d.Broken != "":
		return nil, errors.New(d.Broken)
	case !d.Known:
		return nil, errors.New("the fleet has not answered yet")
	}
	return d.View, nil
}

func apiRequirement(s *Server, r *http.Request) (any, error) {
	one, err := s.requirement(r)
	if err != nil {
		return nil, err
	}
	return s.detail(r.Context(), one)
}
