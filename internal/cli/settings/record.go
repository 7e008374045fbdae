package settings

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"warp/internal/core/config"
)

// RecordFile is the record's path in the project. Git ignores it.
const RecordFile = ".claude/.warp-drive-setup.json"

// Record is what a project was like before warp was set up, and which permission rules are warp's,
// so that all of it can be undone exactly. Without a record, as in a fresh clone, callers recognise
// warp's parts by their content.
type Record struct {
	Files map[string]Before `json:"files"`           // by path in the project
	Rules config.Rules      `json:"rules,omitempty"` // permission rules that warp added; nil: none yet
	Hooks []string          `json:"hooks,omitempty"` // folders with warp's git hooks, relative to the project if inside
	// Seed records that commands that shadow the agent's own were requested.
	Seed bool `json:"seed_commands,omitempty"`
}

// Before is a file's original, and the checksum of what warp wrote.
type Before struct {
	Text  *string `json:"before"` // nil: it did not exist
	Wrote string  `json:"wrote"`
}

// ParseRecord parses a record; nil for an empty text.
func ParseRecord(text []byte) (*Record, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil
	}
	r := &Record{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("%s cannot be read, so warp recognises its own entries by their content: %w", RecordFile, err)
	}
	return r, nil
}

// Text encodes a record.
func (r *Record) Text() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(r); err != nil {
		return nil, fmt.Errorf("encoding %s: %w", RecordFile, err)
	}
	return b.Bytes(), nil
}

// Know records a file's original and what warp wrote.
func (r *Record) Know(path string, before *string, wrote []byte) {
	if r.Files == nil {
		r.Files = map[string]Before{}
	}
	r.Files[path] = Before{before, Checksum(wrote)}
}

// Of returns the original of a file that is unchanged since warp wrote it.
func (r *Record) Of(path string, now []byte) (before *string, sure bool) {
	if r == nil {
		return nil, false
	}
	f, ok := r.Files[path]
	if !ok || f.Wrote != Checksum(now) {
		return nil, false
	}
	return f.Text, true
}

// Wrote reports whether warp has written a file.
func (r *Record) Wrote(path string) bool {
	if r == nil {
		return false
	}
	_, did := r.Files[path]
	return did
}

// RememberHooks records a folder with warp's git hooks.
func (r *Record) RememberHooks(folder string) {
	if !slices.Contains(r.Hooks, folder) {
		r.Hooks = append(r.Hooks, folder)
	}
}

// HookFolders returns the folders with warp's git hooks.
func (r *Record) HookFolders() []string {
	if r == nil {
		return nil
	}
	return slices.Clone(r.Hooks)
}

// Checksum returns the checksum of a text.
func Checksum(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
