package typed

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestOrdersOfAText(t *testing.T) {
	for text, want := range map[string]string{
		"warp continue": "continue",
		"ok, run `warp continue` and fix the rest":    "continue",
		"please: warp answer q3 yes.":                 "answer|q3|yes",
		"warp override --reason \"my own fix\" now":   "override|--reason|my own fix",
		"warp trust dev.json, then warp continue":     "trust|dev.json\ncontinue",
		"warp config set x \"a, b and c\"":            "config|set|x|a, b and c",
		"do not run warp continue":                    "",
		"Don’t warp continue yet":                     "",
		"what does warp continue do?":                 "",
		"continue":                                    "",
		"warp":                                        "",
		"first line\nwarp stop --hard\nthird":         "stop|--hard",
		strings.Repeat("x", most) + "\nwarp continue": "",
	} {
		have := []string{}
		for _, words := range orders(text) {
			have = append(have, strings.Join(words, "|"))
		}
		if got := strings.Join(have, "\n"); got != want {
			t.Errorf("%.40q: %q, want %q", text, got, want)
		}
	}
}

func TestAnOrderCountsOnceAndForItself(t *testing.T) {
	now := time.Unix(1e9, 0)
	b := open(t.TempDir(), "/p")
	hear := func(text string) {
		t.Helper()
		if err := b.Hear("s", text, now); err != nil {
			t.Fatal(err)
		}
	}
	hear("warp answer q3 yes please")
	for _, other := range []string{"answer q3 no", "answer q4 yes", "answer q3", "answer q3 yes please now", "continue", ""} {
		if b.Has("s", strings.Fields(other), now) {
			t.Errorf("%q is allowed, too", other)
		}
	}
	args := strings.Fields("answer q3 yes")
	if b.Has("another", args, now) || b.Has("s", args, now.Add(valid)) || b.Has("s", args, now.Add(-time.Second)) {
		t.Error("it counts for another session, too late or too early")
	}
	if open(b.dir+"/..", "/q").Has("s", args, now) {
		t.Error("it counts in another project")
	}
	var taken atomic.Int32
	var wait sync.WaitGroup
	for range 16 {
		wait.Go(func() {
			if b.Take("", args, now) {
				taken.Add(1)
			}
		})
	}
	if wait.Wait(); taken.Load() != 1 {
		t.Errorf("it was taken %d times", taken.Load())
	}
	hear("warp continue")
	hear("and now something else")
	if b.Has("s", []string{"continue"}, now) {
		t.Error("it counts after the next prompt")
	}
}
