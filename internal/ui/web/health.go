package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"warp/internal/ui/feed"
)

// report is the project's health: the output of warp doctor, locks, clean and version.
type report struct {
	At        time.Time  `json:"at"`
	Ready     bool       `json:"ready"`
	Checks    []finding  `json:"checks"`
	Locks     []lock     `json:"locks"`
	Leftovers []leftover `json:"leftovers"`
	Version   version    `json:"version"`
	Failed    []string   `json:"failed,omitempty"` // commands without usable output
}

type finding struct {
	Part   string `json:"part"`
	Level  string `json:"level"`
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitempty"`
}

type lock struct {
	Session string `json:"session"`
	PID     int    `json:"pid"`
	Host    string `json:"host,omitempty"`
	Age     int    `json:"age_seconds"`
	Stale   bool   `json:"stale"`
	Damaged string `json:"damaged,omitempty"`
}

type leftover struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	Why  string `json:"why"`
}

type version struct {
	Version string `json:"version"`
	Go      string `json:"go"`
	System  string `json:"system"`
}

// health caches the last report.
type health struct {
	mu   sync.Mutex
	last *report
}

func healthPage(s *Server, r *http.Request) (any, error) {
	if r.FormValue("check") == "" {
		s.health.mu.Lock()
		defer s.health.mu.Unlock()
		return s.health.last, nil
	}
	return s.checkHealth(r.Context(), true), nil
}

// checkHealth runs the commands one after the other. Concurrent callers share one report.
func (s *Server) checkHealth(ctx context.Context, again bool) *report {
	s.health.mu.Lock()
	defer s.health.mu.Unlock()
	if s.health.last != nil && !again {
		return s.health.last
	}
	rep := &report{At: s.Env.Now(), Checks: []finding{}, Locks: []lock{}, Leftovers: []leftover{}}
	var doctor struct {
		Ready  bool
		Checks []finding
	}
	var clean struct{ Items []leftover }
	for _, c := range []struct {
		into any
		args []string
	}{
		{&doctor, []string{"doctor", "--quick", "--json"}},
		{&rep.Locks, []string{"locks", "--json"}},
		{&clean, []string{"clean", "--dry-run", "--json"}},
		{&rep.Version, []string{"version", "--json"}},
	} {
		said := s.Warp(ctx, s.Project.Root(), c.args...)
		if err := json.Unmarshal(said.Out, c.into); err != nil {
			rep.Failed = append(rep.Failed, fmt.Sprintf("warp %s: %s", c.args[0], said.Text))
		}
	}
	rep.Ready = doctor.Ready
	rep.Checks = append(rep.Checks, doctor.Checks...)
	rep.Leftovers = append(rep.Leftovers, clean.Items...)
	s.health.last = rep
	return rep
}

// readyIssues returns the approved issues that wait, as last heard.
func (s *Server) readyIssues() []feed.ApprovedIssue {
	if list := s.ready.Load(); list != nil {
		return *list
	}
	return nil
}

// askReady asks the tracker for approved issues.
func (s *Server) askReady(ctx context.Context) {
	said := s.Warp(ctx, s.Project.Root(), feed.ApprovedLine...)
	list, err := feed.ParseApproved(said.Out)
	if said.Code != 0 || err != nil {
		return // keep the last list; the health page says why the tracker fails
	}
	s.ready.Store(&list)
}
