// Package look reads a fleet for people: its workflows' own accounts, and the last
// heartbeat of each step. It starts nothing and decides nothing.
package look

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"go.temporal.io/api/serviceerror"

	"warp/internal/core/conduct"
	"warp/internal/fleet/connect"
	"warp/internal/fleet/flow"
)

// View is a fleet at one moment.
type View struct {
	Fleet  flow.FleetStatus            `json:"fleet"`
	Purse  flow.PurseStatus            `json:"purse"`
	Trains map[string]flow.TrainStatus `json:"trains"`
	Now    map[string]Now              `json:"now"` // by repo#issue, of those that run
}

// Now is what a requirement does.
type Now struct {
	Phase string        `json:"phase"`
	Doing string        `json:"doing,omitempty"`
	Train string        `json:"train,omitempty"`
	Spent conduct.Spent `json:"spent"`
	Ask   *conduct.Ask  `json:"ask,omitempty"`
	Beat  time.Time     `json:"beat,omitzero"`
}

// At reads the fleet.
func At(ctx context.Context, c *connect.Link, fleet string) (View, error) {
	v := View{Trains: map[string]flow.TrainStatus{}, Now: map[string]Now{}}
	if err := ask(ctx, c, flow.FleetID(fleet), &v.Fleet); err != nil {
		return v, err
	}
	if err := ask(ctx, c, flow.PurseID(fleet), &v.Purse); err != nil && !isNone(err) {
		return v, err
	}
	for _, r := range v.Fleet.File.Repositories {
		var t flow.TrainStatus
		if err := ask(ctx, c, flow.TrainID(v.Fleet.Scope, r.Name, r.Target), &t); err == nil {
			v.Trains[r.Name] = t
		}
	}
	for _, i := range v.Fleet.Running {
		n, err := now(ctx, c, flow.RequirementID(v.Fleet.Scope, i.Repo, i.Issue))
		if err != nil && !isNone(err) {
			return v, err
		}
		v.Now[i.ID()] = n
	}
	return v, nil
}

// Follow reads the fleet again and again, and shows it when it has changed.
func Follow(ctx context.Context, c *connect.Link, fleet string, every time.Duration, show func(View) error) error {
	var last string
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		v, err := At(ctx, c, fleet)
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

func ask(ctx context.Context, c *connect.Link, id string, into any) error {
	v, err := c.QueryWorkflow(ctx, id, "", flow.Status)
	if err != nil {
		return err
	}
	return v.Get(into)
}

func isNone(err error) bool {
	var none *serviceerror.NotFound
	return errors.As(err, &none)
}

// now is what a requirement's workflow says, and what its step said in its last
// heartbeat.
func now(ctx context.Context, c *connect.Link, id string) (Now, error) {
	var s flow.RequirementStatus
	if err := ask(ctx, c, id, &s); err != nil {
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
		if b.Doing != "" {
			n.Doing = b.Doing
		}
		n.Spent = b.Spent
	}
	return n, nil
}
