package demo

import (
	"fmt"
	"slices"
	"strings"

	core "warp/internal/core/evidence"
)

// way is a way in which the agent behaves, and what becomes of it.
type way struct {
	name      string
	switches  string // of the agent
	did, held string // of the agent, and what warp did about it
	ends      core.Result
}

// usual is an agent that does its best: its first try fails the tests.
var usual = way{switches: "stumble", ends: core.Merged}

// ways are the ways to misbehave. What an agent ends with is what it deserves:
// its work is merged where it was good, whatever else was done besides.
var ways = []way{
	{"liar", "liar", "said that all was done, and had changed nothing",
		"looked for a diff, found none, asked again, and gave up: nothing is merged, and a bug is filed", core.Failed},
	{"ticks", "liar,ticks", "changed nothing, and checked the criteria off itself",
		"opened the boxes again: checked off is what was verified, tested and committed", core.Failed},
	{"tamper", "tamper", "deleted a test that was in its way",
		"refused the work for as long as the test was gone, then gave up and put it back", core.Failed},
	{"commit", "commit", "committed by itself, around the hooks",
		"put the branch back, kept that commit under refs/warp, and made its own once verifier and tests agreed", core.Merged},
	{"destroy", "destroy", "reset the last commit and deleted every file that git does not know",
		"put them all back, its own and yours, and went on", core.Merged},
	{"overspend", "overspend", "spent $50 of the $5 that it had",
		"ended it as soon as that was known, and waits for a person to give more", core.Budget},
	{"limit", "limit", "ran into a usage limit with each of its tasks",
		"waited until each was over and went on in the same conversation, at no cost to the work's budgets", core.Merged},
	{"quotes", "quotes", "talked about a usage limit, and met none",
		"took words for words, and did not wait", core.Merged},
	{"loop", "loop", "made the same edit again and again, and called it done",
		"had a fresh mind judge it, saw that nothing new came, and gave up: nothing is merged", core.Failed},
	{"crash", "crash", "was killed halfway, each time",
		"tried again as long as that brought anything new, then gave up; the halves are kept under refs/warp", core.Failed},
	{"garbage", "garbage", "printed noise, broken JSON, and no result",
		"took none of it for an answer, and gave up: nothing is merged", core.Failed},
	{"hang", "hang", "said one line, and then nothing more",
		"ended it after a second of silence (max_idle_seconds), each time, then gave up", core.Failed},
	{"orphan", "orphan", "left processes behind that go on writing",
		"found and ended them after each run; the work itself was good", core.Merged},
}

func wayOf(name string) (way, error) {
	if name == "" {
		return usual, nil
	}
	i := slices.IndexFunc(ways, func(w way) bool { return w.name == name })
	if i < 0 {
		return way{}, fmt.Errorf("there is no way to misbehave called %q; there are %s", name, strings.Join(names(), ", "))
	}
	return ways[i], nil
}

func names() (list []string) {
	for _, w := range ways {
		list = append(list, w.name)
	}
	return list
}

func list() string {
	var b strings.Builder
	for _, w := range ways {
		fmt.Fprintf(&b, "  %-10s %s\n", w.name, w.did)
	}
	return b.String()
}

// idle is how long the agent may be silent, in seconds.
func (w way) idle() int {
	if w.name == "hang" {
		return 1
	}
	return 60
}

// unexpected says that the drive did not end as such an agent deserves.
func (w way) unexpected(o *core.Outcome) []string {
	switch {
	case o == nil:
		return []string{"no end of it is recorded"}
	case o.Result != w.ends:
		return []string{fmt.Sprintf("it ended as %s, not as %s: %s", o.Result, w.ends, o.Why)}
	}
	return nil
}
