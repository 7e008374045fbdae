package logbook

import (
	"warp/internal/core/event"
	"warp/internal/core/fault"
	"warp/internal/core/lossless"
	"warp/internal/core/telemetry"
)

// Failed notes a call that failed, and says what is to be done about it.
func (b Book) Failed(f telemetry.Failure) (telemetry.Entry, error) {
	err := b.store.Append(event.ToolFailed, struct {
		Session string          `json:"session"`
		ID      string          `json:"id"`
		Class   fault.Class     `json:"class"`
		Tool    string          `json:"tool"`
		Message string          `json:"message"`
		Key     string          `json:"key"`
		Context *lossless.Value `json:"context"`
	}{f.Session, f.ID, f.Class, f.Tool, f.Message, f.Key, f.Context})
	var e telemetry.Entry
	if err != nil {
		return e, err
	}
	err = change(b.errors(), func(d *telemetry.Errors) { e = d.Fail(f, b.now()) }, nil)
	return e, err
}

// Recovered notes that a call which had failed succeeded, where it had.
func (b Book) Recovered(session, key string) error {
	old := b.raw(ErrorsFolder + "/classified.json")
	if old == nil {
		return nil
	}
	var e telemetry.Errors
	if lossless.Decode(old, &e) != nil || !e.Recover(session, key, b.now()) {
		return nil // looked at without the lock: most calls never failed
	}
	if err := b.store.Append(event.ToolRecovered, struct {
		Session string `json:"session"`
		Key     string `json:"key"`
	}{session, key}); err != nil {
		return err
	}
	return change(b.errors(), func(d *telemetry.Errors) { d.Recover(session, key, b.now()) }, nil)
}

// Errors returns the classified errors.
func (b Book) Errors() (*telemetry.Errors, error) { return read(b.errors()) }

// Metrics returns the figures of past sessions.
func (b Book) Metrics() (*telemetry.Metrics, error) { return read(b.metrics()) }
