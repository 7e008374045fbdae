package machine

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type (
	place string
	cue   string
)

// doors is a small table with everything in it: two rows between the same two
// states, a loop, a final state and a state that only rows lead to.
var doors = New([]Row[place, cue]{
	{"shut", "open", "ajar"},
	{"shut", "kick", "ajar"},
	{"ajar", "push", "wide"},
	{"ajar", "close", "shut"},
	{"wide", "creak", "wide"},
	{"wide", "close", "shut"},
	{"wide", "break", "gone"},
	{"island", "open", "shut"},
})

func TestNextFollowsTheRowsAndNothingElse(t *testing.T) {
	want := map[string]string{
		"shut open": "ajar", "shut kick": "ajar", "ajar push": "wide", "ajar close": "shut",
		"wide creak": "wide", "wide close": "shut", "wide break": "gone", "island open": "shut",
	}
	allowed := map[place]string{
		"shut": "; allowed: open, kick", "ajar": "; allowed: push, close", "wide": "; allowed: creak, close, break", "island": "; allowed: open",
		"gone": "; no event is allowed here", "nowhere": "; no event is allowed here",
	}
	for from, list := range allowed {
		for _, on := range []cue{"open", "kick", "push", "close", "creak", "break", "sing", ""} {
			to, err := doors.Next(from, on)
			cell := string(from) + " " + string(on)
			if string(to) != want[cell] || (err == nil) != (want[cell] != "") {
				t.Errorf("%s leads to %q, %v, want %q", cell, to, err, want[cell])
			}
			if err == nil {
				continue
			}
			message := `event "` + string(on) + `" is not allowed in phase "` + string(from) + `"` + list
			known := slices.Contains(doors.AllEvents(), on)
			if !known {
				message = `there is no event "` + string(on) + `" (phase "` + string(from) + `")` + list
			}
			var r *Refusal
			if !errors.As(err, &r) || r.State != string(from) || r.Event != string(on) || r.Known != known || err.Error() != message {
				t.Errorf("%s is refused with %q, want %q", cell, err, message)
			}
		}
	}
}

func TestListsKeepTheOrderOfTheTable(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want any
	}{
		{"events of a state", doors.Events("wide"), []cue{"creak", "close", "break"}},
		{"events of a final state", doors.Events("gone"), []cue(nil)},
		{"all events once", doors.AllEvents(), []cue{"open", "kick", "push", "close", "creak", "break"}},
		{"states, sources first", doors.States(), []place{"shut", "ajar", "wide", "island", "gone"}},
		{"reachable, nearest first", doors.Reachable("ajar"), []place{"ajar", "wide", "shut", "gone"}},
		{"reachable from a final state", doors.Reachable("gone"), []place{"gone"}},
		{"reachable from outside", doors.Reachable("island"), []place{"island", "shut", "ajar", "wide", "gone"}},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestRowsAreACopy(t *testing.T) {
	rows := doors.Rows()
	if len(rows) != 8 || rows[0] != (Row[place, cue]{"shut", "open", "ajar"}) {
		t.Fatalf("rows: %v", rows)
	}
	rows[0].To = "gone"
	if to, _ := doors.Next("shut", "open"); to != "ajar" || doors.Rows()[0].To != "ajar" {
		t.Error("the table can be changed from outside")
	}
}

func TestWayIsTheShortestThatAvoidsWhatIsToBeAvoided(t *testing.T) {
	for _, c := range []struct {
		from, to place
		avoid    []cue
		want     string
		ok       bool
	}{
		{"shut", "gone", nil, "open push break", true},
		{"shut", "gone", []cue{"open"}, "kick push break", true},
		{"shut", "gone", []cue{"open", "kick"}, "", false},
		{"shut", "shut", nil, "", true},
		{"wide", "ajar", nil, "close open", true},
		{"island", "gone", nil, "open open push break", true},
		{"island", "gone", []cue{"open"}, "", false},
		{"shut", "island", nil, "", false},
		{"gone", "shut", nil, "", false},
	} {
		way, ok := doors.Way(c.from, c.to, c.avoid...)
		words := make([]string, len(way))
		for i, e := range way {
			words[i] = string(e)
		}
		if got := strings.Join(words, " "); got != c.want || ok != c.ok {
			t.Errorf("from %s to %s avoiding %v: %q, %v, want %q, %v", c.from, c.to, c.avoid, got, ok, c.want, c.ok)
		}
	}
}

func TestWayTakesTheShortOfTwoWays(t *testing.T) {
	fork := New([]Row[place, cue]{
		{"a", "short", "b"}, {"a", "long", "c"}, {"b", "home", "z"}, {"c", "and", "d"}, {"d", "winding", "z"},
	})
	if way, ok := fork.Way("a", "z"); !ok || !slices.Equal(way, []cue{"short", "home"}) {
		t.Errorf("got %v, %v", way, ok)
	}
}

func TestTwoRowsForOneCellAreFound(t *testing.T) {
	table := New([]Row[place, cue]{{"a", "go", "b"}, {"b", "go", "a"}, {"a", "go", "a"}})
	if got := table.Ambiguous(); !slices.Equal(got, []Row[place, cue]{{"a", "go", "a"}}) {
		t.Errorf("got %v", got)
	}
	if to, err := table.Next("a", "go"); to != "b" || err != nil {
		t.Errorf("it leads to %q, %v", to, err)
	}
}
