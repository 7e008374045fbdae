package logbook

import (
	"warp/internal/core/event"
	"warp/internal/core/lossless"
	"warp/internal/core/telemetry"
)

// RecordFailure records a failed call. It returns the recorded error and, if a person should look
// at a row of unknown errors, all of that row.
func (b Book) RecordFailure(f telemetry.Failure) (e telemetry.Entry, unknown []telemetry.Entry, err error) {
	err = b.store.Append(event.ToolFailed, lossless.Record("session", f.Session, "id", f.ID, "class", f.Class, "tool", f.Tool, "message", f.Message, "key", f.Key, "context", f.Context))
	if err != nil {
		return e, nil, err
	}
	err = change(openErrors(b.store), func(d *telemetry.Errors) {
		e, unknown = d.Fail(f, b.now()), nil
		if n := d.UnknownRow[f.Session]; n > 0 && n%telemetry.EscalateUnknown == 0 {
			unknown = d.Unknowns(f.Session, telemetry.EscalateUnknown)
		}
	}, nil)
	return e, unknown, err
}

// RecordRecovery records that failed calls have succeeded, and returns their errors as they were
// before.
func (b Book) RecordRecovery(session string, keys ...string) (were []telemetry.Entry, err error) {
	old := readRaw(b.store, ErrorsFolder+"/classified.json")
	if old == nil {
		return nil, nil
	}
	for _, key := range keys {
		var e telemetry.Errors
		if lossless.Decode(old, &e) != nil || e.Recover(session, key, b.now()) == nil {
			continue // checked without the lock: most calls never failed
		}
		if err := b.store.Append(event.ToolRecovered, lossless.Record("session", session, "key", key)); err != nil {
			return were, err
		}
		err = change(openErrors(b.store), func(d *telemetry.Errors) {
			if was := d.Recover(session, key, b.now()); was != nil {
				were = append(were, *was)
			}
		}, nil)
		if err != nil {
			return were, err
		}
	}
	return were, nil
}

// Errors returns the classified errors.
func (b Book) Errors() (*telemetry.Errors, error) { return read(openErrors(b.store)) }

// Metrics returns the figures of past sessions.
func (b Book) Metrics() (*telemetry.Metrics, error) { return read(openMetrics(b.store)) }
