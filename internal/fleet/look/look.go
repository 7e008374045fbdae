// Package look reads a fleet for people: the status of its workflows, and the last heartbeat of
// each step. It starts nothing and decides nothing.
package look

import (
	"context"
	"time"

	"warp/internal/core/conduct"
	"warp/internal/fleet/connect"
	"warp/internal/fleet/flow"
)

// View is a fleet at one moment.
type View struct {
	Fleet  flow.FleetStatus            `json:"fleet"`
	Purse  flow.PurseStatus            `json:"purse"`
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
		if b.Doing != "" {
			n.Doing = b.Doing
		}
		// A drive that took over counts from what it found, so add what was spent before.
		n.Spent.MicroUSD = s.Spent.MicroUSD + max(0, b.Spent.MicroUSD-s.Counts.MicroUSD)
		n.Spent.Tokens = s.Spent.Tokens + max(0, b.Spent.Tokens-s.Counts.Tokens)
	}
	return n, nil
}
