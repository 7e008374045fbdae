package sessionstate_test

import (
	"testing"

	"warp/internal/core/sessionstate"
)

// A claim names the session and the work tree that it is in; what another program
// claims is not ours.
func TestAHolderIsReadAsItIsWritten(t *testing.T) {
	h := sessionstate.Holder{Session: "night", Place: "abc.def"}
	if got, ok := sessionstate.ParseHolder(h.String()); !ok || got != h || got.Project() != "abc" {
		t.Errorf("%q is read as %+v, %v", h, got, ok)
	}
	for _, other := range []string{"", "bot", "warp/night", "warp/@abc", "warp/night@", "warp/../x@abc"} {
		if got, ok := sessionstate.ParseHolder(other); ok {
			t.Errorf("%q is read as %+v", other, got)
		}
	}
}

func TestAnItemIsMeantForOneSession(t *testing.T) {
	for _, c := range []struct {
		labels      []string
		own, others bool
	}{
		{nil, false, false},
		{[]string{"bug", "pipeline/night"}, true, false},
		{[]string{"pipeline/day"}, false, true},
		{[]string{"pipeline/day", "pipeline/night"}, true, false},
	} {
		if own, others := sessionstate.MeantFor(c.labels, "night"); own != c.own || others != c.others {
			t.Errorf("%v: %v, %v", c.labels, own, others)
		}
	}
}
