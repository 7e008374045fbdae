// Package record remembers what a project was like before warp was set up in
// it, and which permission rules are warp's, so that all of it can be taken
// back exactly. Where nothing is remembered, as in a fresh clone, others tell
// what is warp's by its look.
package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"warp/internal/core/config"
)

// File is where it is kept, under the project's root. Git ignores it.
const File = ".claude/.warp-drive-setup.json"

// Record is what is remembered.
type Record struct {
	Files map[string]Before `json:"files"`           // by path under the root
	Rules config.Rules      `json:"rules,omitempty"` // permission rules that warp added; nil: none yet
	Hooks []string          `json:"hooks,omitempty"` // folders that git's hooks were put into, from the root where they are inside
	// Seed: the commands that bear a name of the agent's own were asked for.
	Seed bool `json:"seed_commands,omitempty"`
}

// Before is a file as it was, and the checksum of what warp made of it.
type Before struct {
	Text  *string `json:"before"` // nil: it was not there
	Wrote string  `json:"wrote"`
}

// Parse reads a record; an empty text gives nil.
func Parse(text []byte) (*Record, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil
	}
	r := &Record{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("%s cannot be read, so warp recognises its own entries by their content: %w", File, err)
	}
	return r, nil
}

// Text spells a record.
func (r *Record) Text() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(r); err != nil {
		return nil, fmt.Errorf("spelling %s: %w", File, err)
	}
	return b.Bytes(), nil
}

// Know remembers that a file was text before warp wrote it.
func (r *Record) Know(path string, before *string, wrote []byte) {
	if r.Files == nil {
		r.Files = map[string]Before{}
	}
	r.Files[path] = Before{before, Sum(wrote)}
}

// Of returns what a file was before warp, if it is unchanged since.
func (r *Record) Of(path string, now []byte) (before *string, sure bool) {
	if r == nil {
		return nil, false
	}
	f, ok := r.Files[path]
	if !ok || f.Wrote != Sum(now) {
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

// RememberHooks remembers a folder that git's hooks are put into.
func (r *Record) RememberHooks(folder string) {
	if !slices.Contains(r.Hooks, folder) {
		r.Hooks = append(r.Hooks, folder)
	}
}

// HookFolders are the folders that git's hooks were put into.
func (r *Record) HookFolders() []string {
	if r == nil {
		return nil
	}
	return slices.Clone(r.Hooks)
}

// Sum is the checksum of a text.
func Sum(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
