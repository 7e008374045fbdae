package live_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"warp/internal/core/evidence"
	"warp/internal/engine/policy/drive"
	"warp/internal/ui/live"
)

const wideTitle = "Greet people in 日本語 and 🎉, 日本語日本語日本語"

func TestLinesStayWhateverTheTerminalIs(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {40, 24}, {40, 6}, {12, 8}, {3, 3}, {1, 2}} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			watch(t, size[0], size[1], func(s *terminal, v *live.View) {
				note(v, drive.Note{Issue: "7", Title: wideTitle, Kind: drive.Began}, drive.Note{Issue: "7", Kind: drive.Criteria, Criteria: criteria(9, 3, 2)})
				for i := range 20 {
					tool := said("tool", "日本", strings.Repeat("語", 50))
					if i < 10 { // then there are two drives
						tool.Issue = "7"
					}
					note(v, drive.Note{Issue: "7", Kind: drive.Remark, Text: fmt.Sprintf("<%d>", i)}, tool)
					frames(time.Second)
				}
				note(v, drive.Note{Issue: "7", Kind: drive.Ended, Outcome: &evidence.Outcome{Result: evidence.Stopped}}, drive.Note{Kind: drive.Ended})
				frames(time.Second)
				got := strings.ReplaceAll(s.all(), "\n", "")
				for i := range 20 {
					once(t, got, fmt.Sprintf("<%d>", i))
				}
				if strings.Contains(got, "⠋") || strings.Contains(got, "thing") {
					t.Errorf("something of the block is left:\n%s", s.all())
				}
			})
		})
	}
}

// Each row of the block is shortened to the columns there are; characters that
// take two count as two.
func TestNarrow(t *testing.T) {
	watch(t, 40, 24, func(s *terminal, v *live.View) {
		for _, n := range []drive.Note{coding, asked, said("tool", "Bash", "go test ./... -run 日本語日本語")} {
			n.Issue, n.Title = "42", wideTitle
			note(v, n)
		}
		frames(time.Second)
		rows := strings.Split(s.seen(), "\n")
		want(t, strings.Join(rows[len(rows)-5:], "\n"), `
⠋ #42 Greet people in 日本語 and 🎉, …
  coding · chunk 2/5
  claude (code)  Bash go test ./... -r…
  0 tokens · $0.00 · 1s
`)
	})
}

func TestLow(t *testing.T) {
	watch(t, 40, 8, func(s *terminal, v *live.View) {
		note(v, coding, drive.Note{Kind: drive.Criteria, Criteria: criteria(9, 4, 1)}, asked)
		frames(time.Second)
		want(t, s.seen(), `
⠋ #42 Greet people
  coding · chunk 2/5 · 4/9 done
    … 4 more, 4 done
  ▸ AC-05 thing 5
    … 4 more
  claude (code)
  0 tokens · $0.00 · 1s
`)
	})
}

func TestAResizedTerminalIsLeftClean(t *testing.T) {
	watch(t, 100, 30, func(s *terminal, v *live.View) {
		list := criteria(7, 2, 2)
		list[1].Text = strings.Repeat("long words ", 20)
		note(v, began, coding, drive.Note{Kind: drive.Criteria, Criteria: list}, asked, said("tool", "Bash", strings.Repeat("go test ", 20)))
		for i, size := range [][2]int{{40, 30}, {100, 30}, {33, 24}, {34, 40}, {120, 20}, {60, 20}} {
			frames(time.Second)
			s.resize(size[0], size[1])
			frames(time.Second)
			note(v, drive.Note{Kind: drive.Remark, Text: fmt.Sprintf("<%d>", i)})
			frames(time.Second)
			once(t, s.all(), "coding · chunk", "▸ AC-03", "✓ AC-02", "claude (code)", "#42 began", "#42 phase", fmt.Sprintf("<%d>", i))
		}
		note(v, drive.Note{Kind: drive.Ended, Outcome: &evidence.Outcome{Result: evidence.Merged}})
		frames(time.Second)
		got := s.all()
		once(t, got, "<0>", "<1>", "<2>", "<3>", "<4>", "<5>", "merged")
		if strings.Contains(got, "▸") || strings.Contains(got, "claude") {
			t.Errorf("something of the block is left:\n%s", got)
		}
	})
}

func TestNobodysWordsAreObeyed(t *testing.T) {
	const evil = "a\x1b[2Jb\r\nc\td\u202ee\x9bf\u200bg"
	watch(t, 200, 30, func(s *terminal, v *live.View) {
		n := drive.Note{Issue: evil, Title: evil, Move: drive.Move{Phase: evil, From: evil, Event: evil}, Speaker: drive.Speaker{Agent: evil, Role: evil}, Text: evil, Link: drive.Link{Hash: evil, URL: evil}, Passed: no(), Criteria: []drive.Criterion{{ID: evil, Text: evil}}, Until: now().Add(time.Hour), Outcome: &evidence.Outcome{Result: evil, Why: evil, Do: evil, Branch: evil, Commit: evil, Pull: evil}}
		n.Said = said("tool", evil, evil).Said
		for _, k := range []drive.Kind{drive.Began, drive.Phased, drive.Criteria, drive.AgentBegan, drive.AgentSaid, drive.Judged, drive.Gated, drive.Tested, drive.Committed,
			drive.Filed, drive.Intervened, drive.Asked, drive.Skipped, drive.Waiting, drive.Remark, drive.AgentEnded, drive.Ended} {
			n.Kind = k
			v.Note(n)
			frames(time.Second)
		}
		once(t, s.all(), `wait       a\u001b[2Jb c d\u202ee\x9bf\u200bg: waiting`)
	})
}
