package web

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"warp/internal/core/fleetview"
)

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
	{"stop", "Stop", "Stop it? It finishes its step and is parked; warp-fleet submit takes it up again.", isUnderway},
}

func possibleFleet(r fleetview.Requirement) []fleetVerb {
	return slices.DeleteFunc(slices.Clone(fleetVerbs), func(v fleetVerb) bool { return !v.fits(r) })
}

// fleetOrder returns a warp-fleet command line.
func fleetOrder(args ...string) order { return order{fleet: true, args: args} }

// fleetAnswerLine answers a requirement's question with an option or with free text.
func fleetAnswerLine(s *Server, r *http.Request) (order, error) {
	one, err := s.requirement(r)
	if err != nil {
		return order{}, err
	}
	said := strings.TrimSpace(r.PostFormValue("say"))
	switch {
	case one.Ask == nil:
		return order{}, &notFound{one.ID() + " asks nothing"}
	case said == "":
		return order{}, errors.New("the answer is empty")
	case len(one.Ask.Options) > 0 && !slices.Contains(one.Ask.Options, said):
		return fleetOrder("answer", "--other", "--", one.ID(), said), nil
	}
	return fleetOrder("answer", "--", one.ID(), said), nil
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
		return order{}, &notFound{"the fleet can be paused and resumed, and nothing else"}
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
	d, err := s.detail(r.Context(), one)
	return d, err
}
