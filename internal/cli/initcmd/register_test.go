package initcmd

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"warp/internal/core/lossless"
	"warp/internal/hook"
)

// randomSettings draws a settings file of a user: groups of hooks, written in many
// ways, some on the events that are ours.
func randomSettings(t *rapid.T) string {
	blank := func() string { return rapid.SampledFrom([]string{"", " ", "\n", "\r\n\t", "\n    "}).Draw(t, "blank") }
	list := func(open, end string, n int, item func(i int) string) string {
		var b strings.Builder
		b.WriteString(open)
		for i := range n {
			if i > 0 {
				b.WriteString(",")
			}
			b.WriteString(blank() + item(i) + blank())
		}
		return b.String() + end
	}
	entry := func(i int) string { return fmt.Sprintf(`{"type":%s"command","command":"./mine-%d.sh"}`, blank(), i) }
	group := func(int) string {
		n := rapid.IntRange(1, 3).Draw(t, "entries")
		return fmt.Sprintf(`{"matcher":"Bash",%s"hooks":%s}`, blank(), list("[", "]", n, entry))
	}
	events := rapid.SliceOfNDistinct(rapid.SampledFrom(claudeEvents), 1, 4, rapid.ID).Draw(t, "events")
	hooks := list("{", "}", len(events), func(i int) string {
		return fmt.Sprintf(`"%s"%s:%s`, events[i], blank(), list("[", "]", rapid.IntRange(1, 2).Draw(t, "groups"), group))
	})
	members := []string{`"n":1.50`, `"hooks":` + hooks, `"z":[ ]`}
	if rapid.Bool().Draw(t, "none") {
		members = []string{`"n":1.50`}
	}
	return blank() + list("{", "}", len(members), func(i int) string { return members[i] }) + blank()
}

func TestRegisterAndTakeBackLeavesNoTrace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := randomSettings(t)
		out, err := register([]byte(text), claudeCode.render("warp-hook"))
		if err != nil {
			t.Fatal(err)
		}
		doc, err := lossless.Parse(out)
		if err != nil {
			t.Fatalf("%q: %v", out, err)
		}
		if _, err := claudeCode.validate(out, doc); err != nil {
			t.Fatalf("%q: %v", out, err)
		}
		for _, r := range hook.Registrations { // one group an event
			if n := strings.Count(string(out), "exec warp-hook "+r.Event+";"); n != 1 {
				t.Fatalf("%s is registered %d times: %s", r.Event, n, out)
			}
		}
		if again, err := register(out, claudeCode.render("warp-hook")); err != nil || string(again) != string(out) {
			t.Fatalf("twice is not once: %v\n%s\n%s", err, out, again)
		}
		moved, err := register(out, claudeCode.render("'/opt/a b/warp-hook'"))
		if err != nil || strings.Contains(string(moved), "exec warp-hook ") || strings.Count(string(moved), "exec '/opt/a b/warp-hook' ") != len(hook.Registrations) {
			t.Fatalf("another path: %v\n%s", err, moved)
		}
		back, err := register(moved, nil)
		if err != nil || string(back) != text {
			t.Fatalf("%v\n got %q\nwant %q", err, back, text)
		}
	})
}

func TestRegisterKnowsSeveralGroupsOfOneEvent(t *testing.T) {
	all := claudeCode.render("warp-hook")
	var one []group
	for _, g := range all {
		if g.event == "PreToolUse" {
			one = append(one, g)
		}
	}
	other := group{"PreToolUse", lossless.NewObject(append([]lossless.Member{{Key: "matcher", Value: lossless.NewString("Read")}}, one[0].value.Members[1:]...)...)}
	out, err := register(nil, []group{one[0], other})
	if err != nil || strings.Count(string(out), "warp-hook PreToolUse") != 2 {
		t.Fatalf("%v\n%s", err, out)
	}
	swapped, err := register(out, []group{other, one[0]})
	if err != nil || string(swapped) != string(out) {
		t.Errorf("%v\n%s", err, swapped)
	}
	fewer, err := register(out, []group{other})
	if err != nil || strings.Count(string(fewer), "warp-hook PreToolUse") != 1 || !strings.Contains(string(fewer), `"Read"`) {
		t.Errorf("%v\n%s", err, fewer)
	}
}
