// Package status reads a fleet for people: the status of its workflows, and the last heartbeat of
// each step. It starts nothing and decides nothing.
package status

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"warp/internal/core/conduct"
	"warp/internal/fleet/connect"
	"warp/internal/fleet/flow"
)

// View is a fleet at one moment.
type View struct {
	Fleet  flow.FleetStatus            `json:"fleet"`
	Budget flow.BudgetStatus           `json:"purse"`
	Trains map[string]flow.TrainStatus `json:"trains"`
	Now    map[string]Now              `json:"now"` // running requirements by repo#issue
}

// Now is the current activity of a requirement.
type Now struct {
	Phase string        `json:"phase"`
	Doing string        `json:"doing,omitempty"`
	Train string        `json:"train,omitempty"`
	Spent conduct.Spent `json:"spent"`
	Ask   *conduct.Ask  `json:"ask,omitempty"`
	Beat  time.Time     `json:"beat,omitzero"`
}

// now combines the status of a requirement's workflow with the last heartbeat of its step.
func now(ctx context.Context, c *connect.Link, id string) (Now, error) {
	var s flow.RequirementStatus
	if err := flow.Ask(ctx, c, id, &s); err != nil {
		return Now{}, err
	}
	n := Now{Phase: s.Phase, Doing: s.Doing, Train: s.Train, Spent: s.Spent, Ask: s.Ask}
	d, err := c.DescribeWorkflowExecution(ctx, id, "")
	if err != nil {
		return n, err
	}
	for _, a := range d.GetPendingActivities() {
		var b flow.Beat
		if a.GetHeartbeatDetails() == nil || c.Converter.FromPayloads(a.GetHeartbeatDetails(), &b) != nil || b.At.IsZero() {
			continue
		}
		n.Beat = b.At
		n.Doing = cmp.Or(b.Doing, n.Doing)
		// A drive that took over counts from what it found, so add what was spent before.
		n.Spent.MicroUSD = s.Spent.MicroUSD + max(0, b.Spent.MicroUSD-s.Counts.MicroUSD)
		n.Spent.Tokens = s.Spent.Tokens + max(0, b.Spent.Tokens-s.Counts.Tokens)
	}
	return n, nil
}

// mostAsked limits the trains and requirements queried in each round. The rest of a large fleet is
// shown as last read, so that an open page costs the server the same however much runs.
const mostAsked = 16

// reader reads a fleet and caches the answers.
type reader struct {
	link  *connect.Link
	fleet string
	view  View
	round int
	asked map[string]asked // by workflow id of trains and requirements
}

// asked holds when something was last queried, and how the fleet described it then.
type asked struct {
	round int
	item  string
}

// subject can be queried: a train or a running requirement.
type subject struct {
	id, item string
	ask      func(context.Context, *View) error
	keep     func(from View, to *View)
}

// At returns the current state of the fleet.
func At(ctx context.Context, c *connect.Link, fleet string) (View, error) {
	return (&reader{link: c, fleet: fleet}).read(ctx, -1)
}

// Follow polls the fleet and shows each change.
func Follow(ctx context.Context, c *connect.Link, fleet string, every time.Duration, show func(View) error) error {
	r := &reader{link: c, fleet: fleet}
	var last string
	tick := time.NewTicker(every)
	defer tick.Stop()
	for most := -1; ; most = mostAsked {
		v, err := r.read(ctx, most)
		if err != nil {
			return err
		}
		text, err := json.Marshal(v)
		if err != nil {
			return err
		}
		if string(text) != last {
			last = string(text)
			if err := show(v); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// read returns the fleet after querying at most so many of its trains and requirements (-1: all):
// first those that the fleet describes differently now, then those queried the longest ago.
func (r *reader) read(ctx context.Context, most int) (View, error) {
	v := View{Trains: map[string]flow.TrainStatus{}, Now: map[string]Now{}}
	if err := flow.Ask(ctx, r.link, flow.FleetID(r.fleet), &v.Fleet); err != nil {
		return v, err
	}
	if err := flow.Ask(ctx, r.link, flow.BudgetID(r.fleet), &v.Budget); err != nil && !flow.IsNone(err) {
		return v, err
	}
	r.round++
	all := r.subjects(v.Fleet)
	slices.SortStableFunc(all, func(a, b subject) int { return cmp.Compare(r.turn(a), r.turn(b)) })
	now := map[string]asked{}
	for n, s := range all {
		if most >= 0 && n >= most {
			s.keep(r.view, &v)
			now[s.id] = r.asked[s.id]
			continue
		}
		if err := s.ask(ctx, &v); err != nil {
			return v, err
		}
		now[s.id] = asked{r.round, s.item}
	}
	r.view, r.asked = v, now
	return v, nil
}

// turn returns the round of a subject's last query; 0 if the fleet describes it differently now.
func (r *reader) turn(s subject) int {
	if a := r.asked[s.id]; a.item == s.item {
		return a.round
	}
	return 0
}

func (r *reader) subjects(f flow.FleetStatus) (list []subject) {
	for _, repo := range f.File.Repositories {
		id := flow.TrainID(f.Scope, repo.Name, repo.Target)
		list = append(list, subject{id: id,
			ask: func(ctx context.Context, v *View) error {
				var t flow.TrainStatus
				if err := flow.Ask(ctx, r.link, id, &t); err == nil { // a repository may have no train yet
					v.Trains[repo.Name] = t
				}
				return nil
			},
			keep: func(from View, to *View) {
				if t, ok := from.Trains[repo.Name]; ok {
					to.Trains[repo.Name] = t
				}
			}})
	}
	for _, i := range f.Running {
		id := flow.RequirementID(f.Scope, i.Repo, i.Issue)
		list = append(list, subject{id: id, item: fmt.Sprint(i.Attempt, i.Worker, i.Since.UnixNano(), i.Resting, i.Paused),
			ask: func(ctx context.Context, v *View) error {
				n, err := now(ctx, r.link, id)
				if err != nil && !flow.IsNone(err) {
					return err
				}
				v.Now[i.ID()] = n
				return nil
			},
			keep: func(from View, to *View) { to.Now[i.ID()] = from.Now[i.ID()] }})
	}
	return list
}
