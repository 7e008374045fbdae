package pipeline

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// word reads a text of one line. Numbers are texts too where texts are wanted.
func (r *reader) word(n *node, what string) string {
	s := r.prose(n, what)
	if strings.Contains(strings.TrimSpace(s), "\n") {
		r.say(n.place, "%s must be one line", what)
		return ""
	}
	return strings.TrimSpace(s)
}

// prose reads a text of any length; "" was complained about.
func (r *reader) prose(n *node, what string) string {
	switch {
	case n.kind != textKind && n.kind != number:
		r.say(n.place, "%s must be a text, not %s", what, n.kind)
	case strings.TrimSpace(n.text) == "":
		r.say(n.place, "%s is empty", what)
	default:
		return n.text
	}
	return ""
}

// count reads a whole number of at least 1.
func (r *reader) count(n *node, what string) int {
	i, err := strconv.Atoi(n.text)
	if n.kind > number || err != nil || i < 1 || i > 1_000_000 {
		r.say(n.place, "%s must be a whole number from 1 to 1000000, not %s", what, n.shown())
		return 0
	}
	return i
}

func (r *reader) truth(n *node, what string) bool {
	if n.kind != truth && n.text != "true" && n.text != "false" {
		r.say(n.place, "%s must be true or false, not %s", what, n.shown())
	}
	return n.text == "true"
}

// duration reads 90s, 5m, 1h30m, or a number of seconds; none is one too.
func (r *reader) duration(n *node, what string) time.Duration {
	d, err := time.ParseDuration(n.text)
	if s, bare := strconv.ParseUint(n.text, 10, 31); bare == nil {
		d, err = time.Duration(s)*time.Second, nil
	}
	if n.kind > number || err != nil || d < 0 {
		r.say(n.place, "%s must be a time such as 90s, 5m or 1h30m, not %s", what, n.shown())
		return 0
	}
	return d
}

// span is a duration that is not nothing.
func (r *reader) span(n *node, what string) time.Duration {
	before := len(r.problems)
	d := r.duration(n, what)
	if d == 0 && len(r.problems) == before {
		r.say(n.place, "%s must be more than nothing", what)
	}
	return d
}

// dollars reads 2, 2.50 or $2.50 as micro-dollars.
func (r *reader) dollars(n *node, what string) int64 {
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(n.text, "$"), ".")
	micro, err := strconv.ParseUint(whole+(fraction + "000000")[:max(6, len(fraction))], 10, 50)
	if n.kind > number || err != nil || len(fraction) > 6 || micro == 0 {
		r.say(n.place, "%s must be an amount of dollars such as 2.50, not %s", what, n.shown())
		return 0
	}
	return int64(micro)
}

// list reads one or several.
func (r *reader) list(n *node) []*node {
	if n.kind == list {
		return n.items
	}
	return []*node{n}
}

// mapping tells whether a node is one, and complains about keys nobody knows.
func (r *reader) mapping(n *node, what string, known []string) bool {
	if n.kind != mapping {
		r.say(n.place, "%s must be a mapping, not %s", what, n.kind)
		return false
	}
	for _, e := range n.entries {
		if !slices.Contains(known, e.key) {
			r.say(e.at, "%s has no key %q%s", what, e.key, meant(e.key, known))
		}
	}
	return true
}

// shown is a value as a message quotes it.
func (n *node) shown() string {
	if n.kind == empty || n.kind > truth {
		return n.kind.String()
	}
	if len(n.text) > 40 {
		return "a long text"
	}
	return strconv.Quote(n.text)
}
