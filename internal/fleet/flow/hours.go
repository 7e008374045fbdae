package flow

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"warp/internal/core/fleetfile"
)

// quietSpan is a span of time in which it is quiet, or not, throughout.
type quietSpan struct {
	Until time.Time // when the quiet hours end; zero: it is not quiet
	Next  time.Time // when to look again
}

// quietUntil is until when it is quiet; zero: it is not. What a clock says in a zone is
// recorded: the zone data of the machine that replays the history may be older.
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
	if err != nil { // what cannot be read is asked for again
		return time.Time{}
	}
	f.hours = span
	return span.Until
}

// noCaps tells whether no cap binds: requirements ask the purse for nothing then.
func (f *fleet) noCaps() bool { return f.version >= 1 && f.File.Caps == fleetfile.Caps{} }

// tellCaps has a requirement ask for money from now on, or not any more.
func (f *fleet) tellCaps(ctx workflow.Context, i Item) {
	if i.Alive {
		f.box.signal(ctx, f.idOf(i.Submission), Capped, !f.noCaps(), nil)
	}
}
