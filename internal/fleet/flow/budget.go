package flow

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"go.temporal.io/sdk/workflow"

	"warp/internal/core/fleetfile"
	"warp/internal/core/schedule"
)

// BudgetState is the state of a fleet's budget.
type BudgetState struct {
	Fleet, Night string
	File         fleetfile.File
	Terms        Terms
	Saved        schedule.SavedBudget
	Holders      []Holder
}

// Holder is a requirement that has reserved money or waits for some.
type Holder struct {
	Reservation
	Since time.Time
	Waits string `json:",omitempty"` // the cap in the way; "" if the money is reserved
}

// BudgetStatus answers the budget's status query, in millionths of a dollar.
type BudgetStatus struct {
	Night                   string
	Caps                    fleetfile.Caps
	Settled, Reserved, Over int64 // this night
	Days, Repos             map[string]int64
	Holders                 []Holder
}

// Budget is the workflow that reserves money before steps and settles it after them.
func Budget(ctx workflow.Context, s BudgetState) error {
	s.Terms = s.Terms.Complete()
	p := &budget{BudgetState: s, box: newMailbox(ctx)}
	_, _, caps := s.File.Schedule()
	p.money = schedule.RestoreBudget(caps, s.Saved)
	if err := workflow.SetQueryHandler(ctx, Status, p.status); err != nil {
		return err
	}
	on(ctx, p.box, Reserve, p.reserve)
	on(ctx, p.box, Settle, p.settle)
	on(ctx, p.box, Configure, p.configure)
	on(ctx, p.box, NewNight, p.beginNight)
	p.box.listen(ctx)
	return p.box.run(ctx, BudgetFlow, s.Terms, func() { p.askHolders(ctx) }, func() { p.grantWaiting(ctx) }, func() any {
		p.Saved = p.money.Save()
		return p.BudgetState
	})
}

type budget struct {
	BudgetState
	money *schedule.Budget
	box   *mailbox
}

func (p *budget) status() (BudgetStatus, error) {
	s := p.money.Save()
	settled, reserved, over := p.money.Spent()
	return BudgetStatus{Night: p.Night, Caps: p.File.Caps, Settled: settled, Reserved: reserved, Over: over, Days: maps.Clone(s.Days), Repos: maps.Clone(s.Repos), Holders: p.Holders}, nil
}

func (r Reservation) step() string { return fmt.Sprintf("%s/%d", r.Workflow, r.Serial) }

func (p *budget) holder(r Reservation) *Holder {
	if i := slices.IndexFunc(p.Holders, func(h Holder) bool { return h.step() == r.step() }); i >= 0 {
		return &p.Holders[i]
	}
	return nil
}

func (p *budget) drop(step string) {
	p.Holders = slices.DeleteFunc(p.Holders, func(h Holder) bool { return h.step() == step })
}

func (p *budget) reserve(ctx workflow.Context, r Reservation) {
	h := p.holder(r)
	if h == nil {
		p.Holders = append(p.Holders, Holder{r, workflow.Now(ctx), "asks"})
		return
	}
	if h.Waits == "" { // the requirement has forgotten the grant
		p.tell(ctx, h.Reservation)
	}
}

// grantWaiting grants requests in order as far as there is room. It refuses those that no settling
// of others can make room for; the rest waits.
func (p *budget) grantWaiting(ctx workflow.Context) {
	now := workflow.Now(ctx)
	for _, h := range slices.Clone(p.Holders) {
		if h.Waits == "" {
			continue
		}
		why := p.money.Reserve(h.step(), h.Repo, h.MicroUSD, now)
		switch {
		case why == "":
			held := p.holder(h.Reservation)
			held.Waits, held.Since = "", now
			p.tell(ctx, h.Reservation)
		case p.money.HasRoom(h.Repo, h.MicroUSD, now):
			p.holder(h.Reservation).Waits = why
		default:
			p.grantRest(ctx, h, why)
		}
	}
}

// grantRest grants what is left under a cap that is lower than the request, or refuses if that is
// too little.
func (p *budget) grantRest(ctx workflow.Context, h Holder, why string) {
	var got int64
	wait := false
	if workflow.GetVersion(ctx, "rest-of-a-cap", workflow.DefaultVersion, 1) >= 1 {
		got, wait = p.money.ReserveRest(h.step(), h.Repo, h.MicroUSD, workflow.Now(ctx))
	}
	held := p.holder(h.Reservation)
	switch {
	case got > 0:
		held.Waits, held.Since, held.MicroUSD = "", workflow.Now(ctx), got
		p.tell(ctx, held.Reservation)
	case wait:
		held.Waits = why
	default:
		p.drop(h.step())
		h.Refused = why
		p.tell(ctx, h.Reservation)
	}
}

// tell answers a requirement. If the requirement is gone, its money is released.
func (p *budget) tell(ctx workflow.Context, r Reservation) {
	r.Free = p.money.Caps.Unbound(r.Repo)
	p.box.signal(ctx, r.Workflow, Granted, r, func(err error) {
		if err != nil && p.holder(r) != nil {
			if p.holder(r).Waits == "" {
				p.money.Settle(r.step(), r.Repo, 0, workflow.Now(ctx))
			}
			p.drop(r.step())
		}
	})
}

// askHolders repeats all grants: a requirement that cannot be signalled is gone, and one that no
// longer needs the money returns it.
func (p *budget) askHolders(ctx workflow.Context) {
	for _, h := range slices.Clone(p.Holders) {
		if h.Waits == "" && workflow.Now(ctx).Sub(h.Since) >= p.Terms.Tick {
			p.tell(ctx, h.Reservation)
		}
	}
	p.box.changed = true
}

func (p *budget) settle(ctx workflow.Context, r Reservation) {
	if h := p.holder(r); h == nil || h.Waits == "" || r.MicroUSD > 0 {
		p.money.Settle(r.step(), r.Repo, r.MicroUSD, workflow.Now(ctx))
	}
	p.drop(r.step())
}

func (p *budget) configure(_ workflow.Context, f fleetfile.File) {
	p.File = f
	_, _, p.money.Caps = f.Schedule()
}

func (p *budget) beginNight(_ workflow.Context, name string) {
	if name != p.Night {
		p.Night = name
		p.money.BeginNight()
	}
}
