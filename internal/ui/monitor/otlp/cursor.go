package otlp

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"warp/internal/durable"
)

// overlap is how long a span is remembered after it was sent: rows of several work trees
// need not come in the order of time.
const overlap = time.Hour

// Cursor is a small file that knows what was sent, so that the next process goes on
// there. It is not synced: after a power cut spans may be sent again, with the same ids.
type Cursor struct {
	path  string
	since time.Time // what ended before is not sent
	sent  map[string]time.Time
}

// stored is the file.
type stored struct {
	Since time.Time            `json:"since"`
	Sent  map[string]time.Time `json:"sent"` // what has ended since, by its key
}

// CursorName names what is exported of a project to an address.
func CursorName(home, address string) string {
	return hex.EncodeToString(digest("cursor", home+" "+address)[:8])
}

// OpenCursor reads what was sent for a project to an address. The first time, what is
// over already is not sent.
func OpenCursor(folder, home, address string, now time.Time) (*Cursor, error) {
	c := &Cursor{path: filepath.Join(folder, "export", CursorName(home, address)+".json"), since: now, sent: map[string]time.Time{}}
	if err := os.MkdirAll(filepath.Dir(c.path), 0o700); err != nil {
		return nil, fmt.Errorf("making a folder for what was exported: %w", err)
	}
	var s stored
	if raw, err := durable.ReadPlain(c.path); err == nil && json.Unmarshal(raw, &s) == nil && !s.Since.IsZero() {
		c.since = s.Since
		for key, end := range s.Sent {
			c.sent[key] = end
		}
	}
	return c, nil
}

func (c *Cursor) isSent(s finished) bool {
	_, sent := c.sent[s.key()]
	return sent
}

// note remembers that spans were sent.
func (c *Cursor) note(list []finished) {
	for _, s := range list {
		c.sent[s.key()] = s.end
	}
}

// save writes the file. When all is sent, what is older than the overlap is forgotten. An
// end that is still to come, by a clock that was wrong, would have everything forgotten.
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
		for key, end := range c.sent {
			if end.Before(c.since) {
				delete(c.sent, key)
			}
		}
	}
	raw, err := json.Marshal(stored{c.since, c.sent})
	if err == nil {
		err = durable.WriteNote(c.path, raw)
	}
	if err != nil {
		return fmt.Errorf("noting what was exported: %w", err)
	}
	return nil
}
