package sessionstate

import (
	"slices"
	"strings"
)

// Holder names a session in the claims of a queue, which others see as well: a
// session of the same name in another clone is another one.
type Holder struct {
	Session string
	// Place is the work tree that the session is in: PROJECT, or PROJECT.TREE for
	// a linked one. Both parts are opaque.
	Place string
}

const holderPrefix = "warp/"

// String is how a claim names it.
func (h Holder) String() string { return holderPrefix + h.Session + "@" + h.Place }

// ParseHolder reads what String prints; false: another program claims.
func ParseHolder(s string) (h Holder, ok bool) {
	s, ours := strings.CutPrefix(s, holderPrefix)
	at := strings.LastIndexByte(s, '@')
	if !ours || at < 0 {
		return h, false
	}
	h = Holder{Session: s[:at], Place: s[at+1:]}
	return h, CheckName(h.Session) == nil && h.Place != ""
}

// Project is the part of the place that all work trees of a project share.
func (h Holder) Project() string {
	p, _, _ := strings.Cut(h.Place, ".")
	return p
}

// labelOf is the label by which an item of a tracker is meant for one session.
func labelOf(session string) string { return labelPrefix + session }

const labelPrefix = "pipeline/"

// MeantFor tells whether an item with these labels is meant for a session, and
// whether it is meant for another one.
func MeantFor(labels []string, session string) (own, others bool) {
	own = slices.Contains(labels, labelOf(session))
	return own, !own && slices.ContainsFunc(labels, func(l string) bool { return strings.HasPrefix(l, labelPrefix) })
}
