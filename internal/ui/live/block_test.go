package live_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"warp/internal/core/drivestate"
	"warp/internal/core/evidence"
	"warp/internal/engine/agent"
	"warp/internal/engine/policy/drive"
	"warp/internal/ui/live"
)

func TestADriveIsSeen(t *testing.T) {
	watch(t, 60, 24, func(s *terminal, v *live.View) {
		list := criteria(5, 1, 2)
		list[4].Skipped = true
		note(v, began, coding, drive.Note{Kind: drive.Criteria, Criteria: list}, asked, said("text", "", "I look\nfirst."),
			drive.Note{Kind: drive.AgentSaid, Speaker: drive.Speaker{Agent: "claude", Said: &agent.Event{Kind: "tool", Tool: "Bash", Text: "go test ./..."}}, Meter: drive.Meter{Tokens: 24_690, MicroUSD: 250_000, Left: 57 * time.Minute}})
		frames(3 * time.Second)
		want(t, s.seen(), `
00:00:00 #42 began      Greet people
00:00:00 #42 phase      chunking -> coding (chunks_defined),
 chunk 2/5

⠋ #42 Greet people
  coding · chunk 2/5 · 1/5 done
  ✓ AC-01 thing 1
  ▸ AC-02 thing 2
  ▸ AC-03 thing 3
  · AC-04 thing 4
  ✗ AC-05 thing 5
  claude (code)  Bash go test ./...
  “I look first.”
  24k tokens · $0.25 · 3s · 57 min left
`)
		if s.styled {
			t.Error("colours, where none were asked for")
		}
		note(v, drive.Note{Kind: drive.AgentEnded, Text: "done"}, drive.Note{Kind: drive.Tested, Text: "running go test"})
		frames(time.Second)
		once(t, s.seen(), "  running go test\n  24k tokens")
		note(v, drive.Note{Kind: drive.Tested, Passed: no(), Text: "TestGreeting"})
		frames(time.Minute)
		want(t, s.seen(), `
00:00:00 #42 began      Greet people
00:00:00 #42 phase      chunking -> coding (chunks_defined),
 chunk 2/5
00:00:03 #42 test       running go test
00:00:04 #42 test       failed: TestGreeting

⠋ #42 Greet people
  coding · chunk 2/5 · 1/5 done
  ✓ AC-01 thing 1
  ▸ AC-02 thing 2
  ▸ AC-03 thing 3
  · AC-04 thing 4
  ✗ AC-05 thing 5
  24k tokens · $0.25 · 1m4s · 56 min left
`)
	})
}

func TestOnlyTheEndStays(t *testing.T) {
	for _, test := range []struct {
		outcome evidence.Outcome
		lines   string
	}{
		{evidence.Outcome{Result: evidence.Merged, Commit: "1a2b3c4", Branch: "feature/x"}, "✓ #42 Greet people: merged\n    branch   feature/x\n    commit   1a2b3c4\n"},
		{evidence.Outcome{Result: evidence.Pull, Pull: "https://example.org/pulls/7"}, "✓ #42 Greet people: pull request open\n    pull     https://example.org/pulls/7\n"},
		{evidence.Outcome{Result: evidence.Partly, Why: "2 criteria were given up"}, "▸ #42 Greet people: partly done\n    why      2 criteria were given up\n"},
		{evidence.Outcome{Result: evidence.Person, Why: "it conflicts", Do: "warp resume"}, "? #42 Greet people: needs a person\n    why      it conflicts\n    do       warp resume\n"},
		{evidence.Outcome{Result: evidence.Budget, Why: "max_retries"}, "‖ #42 Greet people: budget spent\n    why      max_retries\n"},
	} {
		watch(t, 80, 24, func(s *terminal, v *live.View) {
			note(v, began, drive.Note{Kind: drive.Criteria, Criteria: criteria(3, 3, 0)})
			frames(90 * time.Second)
			note(v, drive.Note{Kind: drive.Ended, Outcome: &test.outcome, Meter: drive.Meter{Tokens: 1234, MicroUSD: 1_500_000}})
			frames(time.Second)
			want(t, s.all(), "00:00:00 #42 began      Greet people\n"+test.lines+"    criteria 3/3 done\n    spent    1234 tokens, $1.50, 1m30s\n")
		})
	}
}

func TestAnEndThatNobodyToldIsNoSuccess(t *testing.T) {
	watch(t, 80, 24, func(s *terminal, v *live.View) {
		note(v, began, coding)
		v.Close()
		once(t, s.all(), "not at its end: coding · chunk 2/5", "coding ·")
	})
}

func TestBeforeThereIsAnIssue(t *testing.T) {
	watch(t, 80, 24, func(s *terminal, v *live.View) {
		v.Note(drive.Note{At: now(), Kind: drive.Phased, Move: drive.Move{From: drivestate.Prerequisites, Phase: drivestate.Discovering}})
		synctest.Wait()
		once(t, s.seen(), "warp drive\n", "  discovering\n")
		note(v, began)
		frames(time.Second)
		if strings.Contains(s.seen(), "warp drive") {
			t.Errorf("the drive has an issue now:\n%s", s.seen())
		}
	})
}

func TestLongListsShowWhatIsBeingDone(t *testing.T) {
	for _, test := range []struct {
		n, done, doing int
		first, last    string
	}{
		{12, 0, 1, "  ▸ AC-01", "  · AC-12"},
		{30, 0, 2, "  ▸ AC-01", "    … 19 more"},
		{30, 14, 2, "    … 9 more, 9 done", "    … 11 more"},
		{30, 28, 2, "    … 19 more, 19 done", "  ▸ AC-30"},
		{30, 30, 0, "  ✓ AC-01", "    … 19 more, 19 done"},
	} {
		t.Run(fmt.Sprint(test.n, test.done), func(t *testing.T) {
			watch(t, 80, 40, func(s *terminal, v *live.View) {
				note(v, began, drive.Note{Kind: drive.Criteria, Criteria: criteria(test.n, test.done, test.doing)})
				frames(time.Second)
				rows := strings.Split(strings.TrimSpace(s.seen()), "\n")
				list := rows[len(rows)-13 : len(rows)-1]
				if !strings.HasPrefix(list[0], test.first) || !strings.HasPrefix(list[11], test.last) {
					t.Errorf("from %q to %q in:\n%s", list[0], list[11], s.seen())
				}
				if n := strings.Count(s.seen(), "▸"); n != test.doing {
					t.Errorf("%d of %d that are being done are shown:\n%s", n, test.doing, s.seen())
				}
			})
		})
	}
}

func TestAWaitCountsDown(t *testing.T) {
	watch(t, 80, 24, func(s *terminal, v *live.View) {
		limit := drive.Note{Kind: drive.Waiting, Text: "usage limit", Until: now().Add(45 * time.Minute), Meter: drive.Meter{Left: time.Hour}}
		note(v, began, limit)
		frames(3 * time.Minute)
		limit.Left = 0
		note(v, limit)
		frames(time.Second)
		once(t, s.seen(), "00:00:00 #42 wait       usage limit: waiting until 00:45 (in 45 min)\n", "  usage limit: waiting until 00:45 (in 42 min)\n", "· 60 min left")
		note(v, drive.Note{Kind: drive.Waiting})
		frames(90 * time.Second)
		once(t, s.seen(), "usage limit: the wait is over", "· 59 min left")
		if strings.Contains(s.seen(), "\n  usage limit") {
			t.Errorf("still waiting:\n%s", s.seen())
		}
	})
}

func TestSeveralDrives(t *testing.T) {
	watch(t, 60, 8, func(s *terminal, v *live.View) {
		for i := range 3 {
			n := coding
			n.Issue, n.Title = fmt.Sprint(42+i), fmt.Sprint("Title ", i)
			note(v, n)
		}
		u := asked
		u.Issue = "43"
		note(v, u)
		frames(time.Second)
		once(t, s.seen(), "⠋ #42 Title 0\n  coding · chunk 2/5 · $0.00\n⠋ #43 Title 1\n  coding · chunk 2/5 · $0.00 · claude (code)\n⠋ #44 Title 2\n")
		s.resize(60, 5)
		frames(time.Second)
		once(t, s.seen(), "⠋ #42 coding · chunk 2/5 · Title 0\n⠋ #43 coding", "⠋ #44 coding")
		s.resize(60, 3)
		frames(time.Second)
		once(t, s.seen(), "⠋ #42 coding", "… 2 more drives")
		s.resize(60, 20)
		note(v, drive.Note{Issue: "42", Kind: drive.Ended, Outcome: &evidence.Outcome{Result: evidence.Merged}}, drive.Note{Issue: "43", Kind: drive.Ended})
		frames(time.Second)
		once(t, s.all(), "✓ #42 Title 0: merged", "· #43 Title 1: ended", "⠋ #44 Title 2\n  coding · chunk 2/5\n  0 tokens")
	})
}
