//go:build linux

package trial

import (
	"slices"
	"strings"
	"testing"

	"warp/internal/core/evidence"
	mock "warp/internal/testkit/telegram"
)

// atOnce is how long nobody waits in these tests.
const atOnce = "warp config set decision_timeout_minutes 0 && warp config set max_acs_per_commit 1 && warp config set unattended give_up"

// logged gives the project a user on GitHub.
func (p *project) logged(user string) {
	p.t.Helper()
	p.sh(`mkdir ../gh && printf '#!/bin/sh\necho ` + user + `\n' > ../gh/gh && chmod +x ../gh/gh`)
	path := p.sh(`echo "$PATH"`)
	p.env = append(p.env, "PATH="+p.sh("cd ../gh && pwd")+":"+path)
}

// What nobody decides in time is filed for the user and skipped, and the run goes
// on with the rest; an answer that comes late counts when the item is taken up
// again, wherever it stands by then.
func TestADecisionThatComesLate(t *testing.T) {
	for _, id := range sample(t, map[string]string{"first": "AC-01", "last": "AC-02"}, "first") {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			p := driven(t, question(id))
			c := away(t, p)
			p.logged("octocat")
			p.sh(atOnce)
			exit, said := p.begin("1").end()
			if a := p.evidence(); exit != 3 || a.Outcome.Result != evidence.Partly {
				t.Fatalf("it ended with %d, %+v\n%s", exit, a.Outcome, said)
			}
			todo := p.filed("todo")
			if len(todo) != 1 {
				t.Fatalf("todos: %v\n%s", todo, said)
			}
			list := p.sh("warp issue list --label todo --json")
			for _, want := range []string{"octocat", "warp-drive", "Red or blue?"} {
				if !strings.Contains(list, want) {
					t.Errorf("%s is missing in %s", want, list)
				}
			}
			q := c.read("question q1 for #1")
			c.read("was given up: a decision is needed: Red or blue?")

			p.sh("warp answer q1 blue")
			p.sh("warp config set decision_timeout_minutes 10") // nobody is asked again: it would wait
			if exit, said = p.begin("1").end(); exit != 0 {
				t.Fatalf("it ended with %d\n%s", exit, said)
			}
			if have := p.sh("git show main:demo_colour.txt"); have != "blue" {
				t.Errorf("decided is %q\n%s", have, said)
			}
			if slices.ContainsFunc(c.Messages(), func(m mock.Message) bool { return m.ID > q.ID && strings.Contains(m.Text, "question q2") }) {
				t.Errorf("it was asked again\n%s", strings.Join(c.Texts(chatID), "\n"))
			}
			c.read("late: it counts when the item is picked up again")
		})
	}
}

// Where nothing else is to be done, the session ends; where there is, it goes on
// with the next issue.
func TestNobodyIsThere(t *testing.T) {
	t.Parallel()
	p := driven(t, question("AC-01"))
	c := away(t, p)
	p.sh(atOnce)
	p.issue("Second", 0, "AC-09")
	if exit, said := p.begin().end(); exit != 3 {
		t.Fatalf("it ended with %d\n%s", exit, said)
	}
	lines := c.lines()
	skipped := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "chunk 1 was given up: a decision is needed") })
	next := slices.Index(lines, "updating_docs -- chunk 2/2 for #1")
	other := slices.Index(lines, "coding -- chunk 1/1 for #2")
	end := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "1 merged") })
	if !(0 <= skipped && skipped < next && next < other && other < end) {
		t.Errorf("%d, %d, %d, %d in\n%s", skipped, next, other, end, strings.Join(lines, "\n"))
	}
	if !p.try(`git grep -q '=> "AC-09"' main -- 'demo_*.js'`) {
		t.Error("the second issue was not done")
	}
}

// What was used is not changed any more: the second answer is told so.
func TestAnAnswerThatWasUsedCounts(t *testing.T) {
	for name, chatFirst := range map[string]bool{"the chat": true, "the terminal": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := driven(t, question("AC-01"))
			c := away(t, p)
			p.sh("touch ../wait") // it works until both have answered
			r := p.begin("1")
			q := c.read("question q1 for #1").ID
			press := func(n int) string {
				id, err := c.Press("ann", q, n)
				if err != nil {
					t.Fatal(err)
				}
				c.until("the press is answered", func() bool { return c.Pressed()[id] != "" })
				return c.Pressed()[id]
			}
			used := func() {
				c.until("the answer is used", func() bool { return strings.Contains(p.sh("warp inbox --all --json"), `"taken"`) })
			}
			want := "red"
			if chatFirst {
				if toast := press(1); toast != "q1: blue" {
					t.Errorf("%q", toast)
				}
				want = "blue"
				used()
				if exit, said := p.warp("answer", "q1", "red"); exit != 1 || !strings.Contains(said, "q1 was answered by telegram:@ann (blue), and used by the work on #1 at") {
					t.Errorf("%d: %s", exit, said)
				}
			} else {
				p.sh("warp answer q1 red")
				used()
				if toast := press(1); !strings.HasPrefix(toast, "q1 was already answered by warp answer (red), and used by the work on #1 at ") {
					t.Errorf("%q", toast)
				}
			}
			p.sh("touch ../go")
			exit, said := r.end()
			p.judge(exit, said, merged)
			if have := p.sh("git show main:demo_colour.txt"); have != want {
				t.Errorf("decided is %q\n%s", have, said)
			}
		})
	}
}
