package flow

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"warp/internal/core/fleetfile"
)

// quietSpan is a span of time that is either all quiet or not at all.
type quietSpan struct {
	Until time.Time // end of the quiet hours; zero if it is not quiet
	Next  time.Time // when to check again
}

// quietUntil returns when the quiet hours end; zero if it is not quiet. It records the local time:
// the machine that replays the history may have older zone data.
func (f *fleet) quietUntil(ctx workflow.Context, now time.Time) time.Time {
	there := func() time.Time {
		zone, err := time.LoadLocation(f.Zone)
		if err != nil {
			zone = time.UTC
		}
		return now.In(zone)
	}
	switch {
	case f.version < 1:
		return f.File.QuietUntil(there())
	case len(f.File.Quiet) == 0:
		return time.Time{}
	case now.Before(f.hours.Next):
		return f.hours.Until
	}
	var span quietSpan
	err := workflow.SideEffect(ctx, func(workflow.Context) any {
		span := quietSpan{Until: f.File.QuietUntil(there()), Next: f.File.NextQuiet(there())}
		if !span.Until.IsZero() {
			span.Next = span.Until
		}
		return span
	}).Get(&span)
	if err != nil { // try again next time
		return time.Time{}
	}
	f.hours = span
	return span.Until
}

// noCaps reports whether no cap applies; requirements then skip the budget.
func (f *fleet) noCaps() bool { return f.version >= 1 && f.File.Caps == fleetfile.Caps{} }

// tellCaps tells a requirement whether it must ask for money from now on.
func (f *fleet) tellCaps(ctx workflow.Context, i Item) {
	if i.Alive {
		f.box.signal(ctx, f.idOf(i.Submission), Capped, !f.noCaps(), nil)
	}
}
