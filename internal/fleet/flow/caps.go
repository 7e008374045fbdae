package flow

import (
	"encoding/json"

	"go.temporal.io/sdk/workflow"

	"warp/internal/core/fleetfile"
)

// Caps is whether money is capped, since a moment of the fleet's. A signal that is sent again
// may arrive after a later one: the last word of a person counts.
type Caps struct {
	On bool
	At int64 `json:",omitempty"` // nanoseconds; 0: an earlier version did not tell
}

// UnmarshalJSON reads also what an earlier version sent, which told no moment.
func (c *Caps) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &c.On) == nil {
		return nil
	}
	type plain Caps
	return json.Unmarshal(text, (*plain)(c))
}

// noCaps tells whether no cap binds: requirements ask the purse for nothing then.
func (f *fleet) noCaps() bool { return f.version >= 1 && f.File.Caps == fleetfile.Caps{} }

// stampCaps notes that the caps are as they are since now.
func stampCaps(ctx workflow.Context, f *fleet) {
	f.CapsAt = max(workflow.Now(ctx).UnixNano(), f.CapsAt+1)
}

// tellCaps has a requirement ask for money from now on, or not any more.
func (f *fleet) tellCaps(ctx workflow.Context, i Item) {
	if i.Alive {
		f.box.signal(ctx, f.idOf(i.Submission), Capped, Caps{!f.noCaps(), f.CapsAt}, nil)
	}
}

// hearCaps takes what the fleet says, unless it has said something later.
func hearCaps(r *requirement, c Caps) {
	if c.At >= r.CapsAt {
		r.NoCaps, r.CapsAt = !c.On, c.At
	}
}
