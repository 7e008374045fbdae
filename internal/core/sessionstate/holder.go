package sessionstate

import (
	"slices"
	"strings"
)

// Holder identifies a session in the claims of a shared queue: a session with the same name in
// another clone is a different one.
type Holder struct {
	Session string
	// Place is the session's work tree: PROJECT, or PROJECT.TREE for a linked one. Both parts are
	// opaque.
	Place string
}

const holderPrefix = "warp/"

// String returns the name used in claims.
func (h Holder) String() string { return holderPrefix + h.Session + "@" + h.Place }

// ParseHolder reads what String prints; false if the claim is another program's.
func ParseHolder(s string) (h Holder, ok bool) {
	s, ours := strings.CutPrefix(s, holderPrefix)
	at := strings.LastIndexByte(s, '@')
	if !ours || at < 0 {
		return h, false
	}
	h = Holder{Session: s[:at], Place: s[at+1:]}
	return h, CheckName(h.Session) == nil && h.Place != ""
}

// Project returns the part of the place that all work trees of a project share.
func (h Holder) Project() string {
	p, _, _ := strings.Cut(h.Place, ".")
	return p
}

// labelOf returns the tracker label that reserves an item for one session.
func labelOf(session string) string { return labelPrefix + session }

const labelPrefix = "pipeline/"

// MeantFor reports whether the labels reserve an item for this session, and whether for another.
func MeantFor(labels []string, session string) (own, others bool) {
	own = slices.Contains(labels, labelOf(session))
	return own, !own && slices.ContainsFunc(labels, func(l string) bool { return strings.HasPrefix(l, labelPrefix) })
}
