// Package leakscan finds the secrets that a change would publish: what detectors find in the lines
// it adds, and the values of variables known to be secret, however they are spelled. It never
// repeats a value: a hit is a file, a line, a rule, and a hash by which a person can allow it.
// Other packages read files and commits, and store what was allowed.
package leakscan

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"warp/internal/core/text"
)

// Match is a secret in a text and the rule that found it.
type Match struct{ Rule, Value string }

// Hit is one secret found in a change, with its place.
type Hit struct {
	File string `json:"file"`
	Line int    `json:"line,omitempty"` // the first that has it; 0 if unknown
	Rule string `json:"rule"`
	Hash string `json:"hash"` // of file, rule and value
}

// NewHit returns the hit for a match in a file.
func NewHit(file string, content []byte, m Match) Hit {
	h := sha256.New()
	for _, part := range []string{file, m.Rule, m.Value} {
		fmt.Fprintf(h, "%d %s\n", len(part), part)
	}
	return Hit{File: file, Line: lineOf(content, m.Value), Rule: m.Rule, Hash: hex.EncodeToString(h.Sum(nil))}
}

// idLength is how much of a hash a person types.
const idLength = 12

// ID is what a person types to allow a hit.
func (h Hit) ID() string { return h.Hash[:min(idLength, len(h.Hash))] }

// String describes a hit without its value.
func (h Hit) String() string {
	if h.Line == 0 {
		return fmt.Sprintf("%s: %s", text.VisibleLine(h.File), text.VisibleLine(h.Rule))
	}
	return fmt.Sprintf("%s:%d: %s", text.VisibleLine(h.File), h.Line, text.VisibleLine(h.Rule))
}

// lineOf returns the line that a value begins in, counted from 1; 0 if absent.
func lineOf(content []byte, value string) int {
	first, _, _ := strings.Cut(value, "\n")
	at := bytes.Index(content, []byte(first))
	if first == "" || at < 0 {
		return 0
	}
	return 1 + bytes.Count(content[:at], []byte("\n"))
}

// maxNamed limits the hits in a message.
const maxNamed = 20

// FoundError refuses a commit that would publish secrets.
type FoundError struct{ Hits []Hit }

func (e *FoundError) Error() string {
	var b strings.Builder
	b.WriteString("nothing was committed, because it would publish secrets:\n")
	for i, h := range e.Hits {
		if i == maxNamed {
			fmt.Fprintf(&b, "- and %d more\n", len(e.Hits)-maxNamed)
			break
		}
		fmt.Fprintf(&b, "- %s (%s)\n", h, h.ID())
	}
	b.WriteString("Remove them from these files and read them from the environment. If one is not a secret, a person can allow it: warp secrets allow " + e.Hits[0].ID())
	return b.String()
}

// Brief describes the first hit, on one line.
func (e *FoundError) Brief() string {
	more := ""
	if n := len(e.Hits) - 1; n > 0 {
		more = fmt.Sprintf(", and %d more", n)
	}
	return "secrets: " + e.Hits[0].String() + more
}
