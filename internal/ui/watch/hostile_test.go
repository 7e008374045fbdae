package watch

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"warp/internal/core/conduct"
	"warp/internal/core/evidence"
	"warp/internal/core/fleetview"
	"warp/internal/core/livestate"
	"warp/internal/ui/feed"
)

// attacks are texts that want to be more than texts, in a terminal.
var attacks = map[string]string{
	"colours and a cleared screen": "\x1b[31mred\x1b[2J\x1b[H\x1b[999;999H",
	"a title, a link, a clipboard": "\x1b]0;owned\x07\x1b]8;;http://evil.example\x1b\\click\x1b]8;;\x1b\\\x1b]52;c;ZXZpbA==\x07",
	"a device string":              "\x1bP+q544e\x1b\\\x1b_apc\x1b\\\x1b^pm\x1b\\\x1bX",
	"C1 in UTF-8":                  "\u009b31m\u009d0;x\u009c\u0090q\u0085next\u008d",
	"C1 as raw bytes":              "\x9b31m\x9d0;x\x9c\x90q\x85",
	"bell, backspace, return, nul": "a\abc\b\b\b\rover\x00\x7f\v\f",
	"invalid UTF-8":                "\xff\xfe\xc3(\xed\xa0\x80\xf8\x88\x80\x80\x80 half \xe7\x95",
	"turned around":                "\u202egnp.exe\u202c \u2066x\u2069 \u2067y\u2069 \u200f\u061c שלום",
	"of no width":                  "a\u200bb\u200cc\u200dd\ufeffe\u2060\u00ad\u034f\U000e0041\ufe0f",
	"zalgo":                        strings.Repeat("z"+strings.Repeat("\u0317\u0300\u0489", 60), 20),
	"marks without a letter":       "\u0301\u0489 \u0301\U0001f3fd \u0e31",
	"joined emoji":                 "👨‍👩‍👧‍👦 👍🏽 🇩🇪🇫🇷🇯 1️⃣ ☺️ 🏴󠁧󠁢󠁥󠁮󠁧󠁿",
	"wide letters":                 strings.Repeat("界", 300),
	"wide at an odd edge":          "x" + strings.Repeat("字", 300),
	"Jamo and Devanagari":          strings.Repeat("\u1112\u1161\u11ab", 40) + strings.Repeat("क्ष्मि", 40),
	"tabs and lines":               "a\tb\tc\nsecond\r\nthird\u2028fourth\u2029fifth",
	"blanks":                       " \t\u00a0\u3000\u2003",
	"one long line":                strings.Repeat("A", 1<<17),
	"a long line that is none":     strings.Repeat("\x1b[31m\n", 1<<9),
	"nothing":                      "",
}

// spoil puts a text wherever agents, trackers and projects put theirs.
func spoil(f *feed.Feed, evil string) {
	f.Project, f.Notes = evil, []string{evil, evil}
	for n := range f.Items {
		i := &f.Items[n]
		i.Title, i.Doing, i.Why, i.Branch, i.Do, i.Commit, i.Pull = evil, evil, evil, evil, evil, evil, evil
		if i.Live != nil {
			i.Live.Agents[0] = livestate.Agent{Agent: evil, Role: evil, Tool: evil, Said: evil, Work: evil + "2", Since: now}
			i.Live.Recent = []livestate.Line{{At: now, Kind: evil, Text: evil}}
			i.Live.Windows[0].Name, i.Live.Wait = evil, &livestate.Wait{Why: evil}
		}
		if i.State.Over() && n%2 == 0 {
			i.Result = evil
		}
	}
	f.Items = append(f.Items, feed.Item{Kind: feed.Workflow, Name: evil[:min(len(evil), 300)], Title: evil, State: feed.Running, Doing: evil, Started: now, Live: &livestate.State{
		Criteria: []livestate.Criterion{{ID: evil, Text: evil}, {ID: evil, Text: evil, Doing: true}}}})
	q := &f.Questions[0]
	q.Text, q.Options, q.Default, q.ID, q.Issue = evil, []string{evil, evil + "2", evil}, evil, cmp.Or(evil, "q7"), evil
	f.Items[0].Question = q
	b := f.Book
	b.Written[0].Row.Criteria[0] = evidence.Criterion{ID: "AC-01", Text: evil}
	b.Verdicts[0].Row.Reason, b.Verdicts[2].Row.Reason, b.Commits[0].Row.Hash, f.PassedOver[0].Row.Why, f.PassedOver[0].Row.Title = evil, evil, evil, evil, evil
	b.Tests[1].Row.Failing, b.Tests[2].Row.Failing, b.Tests[1].Row.Excerpt = []string{evil}, []string{evil, evil}, evil
	b.Interventions[0].Row.Text, b.Interventions[0].Row.What = evil, evil
	for n := range b.Runs {
		b.Runs[n].Row.Role, b.Runs[n].Row.Agent, b.Runs[n].Row.End = evil, evil, evil
	}
}

// spoilFleet does the same to a fleet.
func spoilFleet(v *fleetview.View, evil string) {
	v.Fleet, v.Night, v.Paused, v.Circles = evil, evil, evil, []string{evil}
	for n := range v.Machines {
		v.Machines[n].Name, v.Machines[n].Pool, v.Machines[n].Hold = evil, evil, evil
	}
	for _, list := range [][]fleetview.Requirement{v.Running, v.Queue, v.Parked, v.Done} {
		for n := range list {
			r := &list[n]
			r.Title, r.Why, r.Worker, r.Account, r.Phase, r.Doing, r.Train = evil, evil, evil, evil, evil, evil, evil
			if n == 0 {
				r.Repo = evil[:min(len(evil), 300)]
			}
			if r.Ask != nil {
				r.Ask = &conduct.Ask{ID: evil, Text: evil, Options: []string{evil, evil}, Default: evil, Minutes: 1}
			}
			if r.Outcome != nil {
				r.Outcome = &conduct.Outcome{Result: evil, Why: evil, Do: evil, Commit: evil}
			}
		}
	}
	v.Parked[0].State = fleetview.State(evil)
}

var (
	ourColours = regexp.MustCompile("\x1b\\[[0-9;]*m")
	obeyed     = regexp.MustCompile("[\x00-\x08\x09\x0b-\x1f\x7f-\u009f\u034f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff\U000e0000-\U000e007f]")
	flooded    = regexp.MustCompile(`[\p{Mn}\p{Me}]{5}`)
)

// isSafe wants a frame that fills the screen, and in which nothing is obeyed but our colours.
func isSafe(t *testing.T, what, frame string, width, height int) {
	t.Helper()
	bare := strings.ReplaceAll(ourColours.ReplaceAllString(frame, ""), "\n", "")
	if bad := obeyed.FindString(bare); bad != "" || !utf8.ValidString(frame) || flooded.MatchString(bare) {
		t.Errorf("%s, %d by %d: %q is shown as it came, in\n%q", what, width, height, bad, bare)
	}
	if len(frame) > 40*width*height {
		t.Errorf("%s, %d by %d: a frame of %d bytes", what, width, height, len(frame))
	}
	fits(t, frame, width, height)
}

// Whatever a project, its tracker and its agents say, a frame is a frame.
func TestAHostileProjectBreaksNothing(t *testing.T) {
	for name, evil := range attacks {
		t.Run(name, func(t *testing.T) {
			f := someNight()
			spoil(f, evil)
			for _, size := range [][2]int{{20, 8}, {44, 20}, {45, 20}, {80, 24}, {200, 60}} {
				m := screen(f, size[0], size[1], size[0]%2 == 0)
				m.Update(Ready{f.Root, []feed.ApprovedIssue{{Number: evil, Title: evil, Why: evil}}})
				for n := range m.entries {
					m.chosen, m.open = m.entries[n].key(), n%2 == 0
					isSafe(t, "the screen", m.frame(), size[0], size[1])
				}
				for what, open := range map[string]func(){
					"an answer": func() { m.beginAnswer() },
					"own words": func() {
						m.beginAnswer()
						m.beginWords()
						m.input.SetValue(evil[:min(len(evil), 3000)])
						m.typeWords(nil)
					},
					"a confirmation": func() { m.confirm = &confirming{what: "Skip " + evil + "?"} },
					"a reply":        func() { m.Update(reply{evil, false}) },
					"a diff":         func() { m.pager = newPager("diff of "+evil, evil+"\n+"+evil+"\n@@"+evil, false, diffStyle) },
					"a log":          func() { m.pager = newPager(evil, evil+"\n"+evil, true, nil) },
					"an error":       func() { m.setFeeds(Feeds{List: m.feeds, Err: fmt.Errorf("reading %s", evil)}) },
					"nothing read":   func() { m.feeds, m.err = nil, ""; m.setFeeds(Feeds{Err: fmt.Errorf("reading %s", evil)}) },
				} {
					open()
					isSafe(t, what, m.frame(), size[0], size[1])
					m.answer, m.confirm, m.pager, m.said = nil, nil, nil, ""
					m.setFeeds(Feeds{List: []*feed.Feed{f}})
				}
			}
		})
	}
}

func TestAHostileFleetBreaksNothing(t *testing.T) {
	for name, evil := range attacks {
		t.Run(name, func(t *testing.T) {
			v := someFleet()
			spoilFleet(&v, evil)
			for _, size := range [][2]int{{44, 20}, {80, 24}, {200, 60}} {
				f := fleetScreen(v, size[0], size[1], size[0] == 44)
				for n, r := range v.All() {
					f.chosen, f.picked, f.open = r.ID(), true, n%2 == 0
					isSafe(t, "the fleet", f.frame(), size[0], size[1])
				}
			}
		})
	}
}

// Numbers and times that no work has are drawn like others.
func TestOddNumbersAndTimes(t *testing.T) {
	for _, number := range []int64{math.MinInt64, -1, 0, math.MaxInt64} {
		for _, at := range []time.Time{{}, time.Date(-5, 1, 1, 0, 0, 0, 0, time.UTC), time.Unix(-1, 0), now, time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC), time.Unix(math.MaxInt64/2, 0)} {
			f := someNight()
			for n := range f.Items {
				i := &f.Items[n]
				i.Cost = evidence.Cost{MicroUSD: number, Tokens: number, Seconds: float64(number)}
				i.Started, i.Since, i.Until, i.Ended = at, at, at, at
				if l := i.Live; l != nil {
					l.Agents[0].MicroUSD, l.Agents[0].Tokens, l.Agents[0].Since = number, number, at
					l.Caps, l.Windows[0].Percent, l.Windows[0].Reset = livestate.Caps{MicroUSD: number}, float64(number), at
					l.Recent[0].At = at
				}
			}
			for n := range f.Book.Runs {
				r := &f.Book.Runs[n]
				r.Row.Seconds, r.Row.MicroUSD, r.Row.Input = float64(number)*1e10, number, number
				if year := at.Year(); year > 0 && year < 10_000 {
					r.At = at.Format(time.RFC3339)
				}
			}
			f.Questions[0].Deadline = at
			v := someFleet()
			v.Budget = fleetview.Budget{Settled: number, Reserved: number, Over: number, Cap: number}
			v.Machines[0].Slots, v.Machines[0].Used, v.Quiet = int(number), int(number), at
			v.Running[0].Spent, v.Running[0].Since, v.Running[0].Beat, v.Merged = conduct.Spent{MicroUSD: number, Tokens: number}, at, at, int(number)
			for _, size := range [][2]int{{44, 20}, {120, 40}, {200, 60}} {
				what := fmt.Sprint(number, " at ", at)
				m := screen(f, size[0], size[1], false)
				for n := range m.entries {
					m.chosen = m.entries[n].key()
					isSafe(t, what, m.frame(), size[0], size[1])
				}
				isSafe(t, what, fleetScreen(v, size[0], size[1], false).frame(), size[0], size[1])
			}
		}
	}
}

// Amounts that overflow when they are multiplied are drawn like others.
func TestHugeAmountsAreBars(t *testing.T) {
	if got := sparkline([]int64{1 << 62, 1 << 61, 1, 0, -1, math.MinInt64}, 6); got != "█▅▂▁▁▁" {
		t.Errorf("%q", got)
	}
	if n := sparkPart(now, now.AddDate(-100, 0, 0), now.AddDate(100, 0, 0)); n < 11 || n > 13 {
		t.Errorf("a moment in the middle is in part %d of %d", n, sparkParts)
	}
}

// A hundred thousand questions, and as many runs, are one question and a number.
func TestMuchIsAFrame(t *testing.T) {
	f := someNight()
	f.Questions = slices.Repeat(f.Questions, 100_000)
	for n := range 100_000 {
		f.Book.Runs = append(f.Book.Runs, run("45", fmt.Sprint("role", n), "done", time.Hour, 1, 1, 1))
	}
	m := screen(f, 120, 40, false)
	m.choose(t, "45")
	frame := m.frame()
	isSafe(t, "much", frame, 120, 40)
	if !strings.Contains(frame, ", 99999 more") {
		t.Error(frame)
	}
}

// What a log says of itself is seen, and its end is reached.
func TestTheTextOfALogIsSeen(t *testing.T) {
	m := screen(someNight(), 120, 40, false)
	m.pager = newPager("log", "a\x1b[31mb\tc\u202e\n"+strings.Repeat("x", 20<<20)+"\nend", true, nil)
	frame := m.frame()
	isSafe(t, "a log", frame, 120, 40)
	for _, want := range []string{`a\u001b[31mb    c\u202e`, "\nend "} {
		if !strings.Contains(frame, want) {
			t.Errorf("%q is not in\n%s", want, frame)
		}
	}
}
