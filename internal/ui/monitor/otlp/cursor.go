package otlp

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"time"

	"warp/internal/durable"
)

// overlap is how long a sent span is remembered: rows of several work trees need not arrive in
// order of time.
const overlap = time.Hour

// Cursor is a small file that records what was sent, so that the next process continues there.
// It is not synced: after a power cut spans may be sent again, with the same IDs.
type Cursor struct {
	path  string
	since time.Time // spans that ended before are not sent
	sent  map[string]time.Time
}

// stored is the format of the file.
type stored struct {
	Since time.Time            `json:"since"`
	Sent  map[string]time.Time `json:"sent"` // end times of sent spans, by key
}

// CursorName returns the cursor's name for a project and an address.
func CursorName(home, address string) string {
	return hex.EncodeToString(digest("cursor", home+" "+address)[:8])
}

// OpenCursor reads what was sent for a project to an address. The first time, finished spans are
// not sent.
func OpenCursor(folder, home, address string, now time.Time) (*Cursor, error) {
	c := &Cursor{path: filepath.Join(folder, "export", CursorName(home, address)+".json"), since: now, sent: map[string]time.Time{}}
	if err := os.MkdirAll(filepath.Dir(c.path), 0o700); err != nil {
		return nil, fmt.Errorf("making a folder for what was exported: %w", err)
	}
	var s stored
	if raw, err := durable.ReadPlain(c.path); err == nil && json.Unmarshal(raw, &s) == nil && !s.Since.IsZero() {
		c.since = s.Since
		maps.Copy(c.sent, s.Sent)
	}
	return c, nil
}

// note records that spans were sent.
func (c *Cursor) note(list []finished) {
	for _, s := range list {
		c.sent[s.key()] = s.end
	}
}

// save writes the file. Once all is sent, it forgets spans older than the overlap. It ignores
// end times in the future, from a wrong clock, which would make it forget everything.
func (c *Cursor) save(all bool, now time.Time) error {
	if all {
		var newest time.Time
		for _, end := range c.sent {
			if end.After(newest) && !end.After(now) {
				newest = end
			}
		}
		if limit := newest.Add(-overlap); limit.After(c.since) {
			c.since = limit
		}
		maps.DeleteFunc(c.sent, func(_ string, end time.Time) bool { return end.Before(c.since) })
	}
	raw, err := json.Marshal(stored{c.since, c.sent})
	if err == nil {
		err = durable.WriteNote(c.path, raw)
	}
	if err != nil {
		return fmt.Errorf("recording what was exported: %w", err)
	}
	return nil
}
