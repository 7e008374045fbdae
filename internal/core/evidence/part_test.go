package evidence

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"warp/internal/core/event"
	"warp/internal/core/lossless"
)

// clocked makes a book of rows and the minutes at which they say they were
// written.
func clocked(pairs ...any) *Book {
	b := &Book{}
	for i := 0; i < len(pairs); i += 2 {
		b.Take(event.Row{At: minute(pairs[i].(int)), Kind: kind(pairs[i+1]), Data: lossless.Encode(pairs[i+1], nil)})
	}
	return b
}

func agents(b *Book) (list []string) {
	for _, e := range b.Runs {
		list = append(list, e.Row.Agent)
	}
	return list
}

// size is how many rows a book has.
func size(b *Book) int {
	return len(b.Runs) + len(b.Plans) + len(b.Verdicts) + len(b.Gates) + len(b.Tests) + len(b.Commits) + len(b.Filed) +
		len(b.Interventions) + len(b.Decisions) + len(b.Skips) + len(b.Outcomes) + len(b.Written) + len(b.Ticks)
}

func TestRowsOfEveryKindHaveASessionAndANumber(t *testing.T) {
	for i, kind := range []string{event.Run, event.Plan, event.Verdict, event.Gate, event.Tested, event.Commit, event.Filed, event.Intervened,
		event.Decision, event.Skipped, event.Outcome, event.Criteria, event.Criterion} {
		data, err := lossless.Parse(fmt.Appendf(nil, `{"issue":"1","epoch":%d}`, i+1))
		if err != nil {
			t.Fatal(err)
		}
		b := &Book{}
		b.Take(event.Row{At: minute(1), Kind: kind, Data: data})
		if size(b.Of("1", int64(i+1))) != 1 || size(b.Of("1", 0)) != 1 || size(b.Of("1", int64(i+2))) != 0 || size(b.Of("2", int64(i+1))) != 0 {
			t.Errorf("%s: %+v", kind, b)
		}
	}
	b := journal(Run{Issue: "1"}, Gate{Issue: "1"}, Run{Issue: "2"})
	if b.Runs[0].N != 1 || b.Gates[0].N != 2 || b.Of("2", 0).Runs[0].N != 3 {
		t.Errorf("%+v", b)
	}
}

// A page has what was taken since it was asked for last, and what its reader does to it is
// in no other.
func TestAPageIsUpToDate(t *testing.T) {
	b := journal(Run{Issue: "1", Agent: "a"}, Run{Issue: "2", Agent: "b"})
	b.Page("1", 0).Runs = nil
	for _, r := range []any{Run{Issue: "1", Agent: "c"}, Run{Issue: "2", Agent: "d"}} {
		old := size(b.Page("1", 0))
		was := b.Page("1", 0)
		b.Take(event.Row{At: minute(1), Kind: kind(r), Data: lossless.Encode(r, nil)})
		for _, issue := range []string{"", "1", "2", "3"} {
			for range 2 {
				if diff := cmp.Diff(b.Of(issue, 0), b.Page(issue, 0), cmp.AllowUnexported(Book{})); diff != "" {
					t.Errorf("issue %q: %s", issue, diff)
				}
			}
		}
		if size(was) != old {
			t.Error("a page grew in its reader's hands")
		}
	}
}

// A row with an epoch is of that session, whatever the clock said.
func TestAClockThatIsSetBackMovesNoRow(t *testing.T) {
	first, second := moment(10).UnixMilli(), moment(20).UnixMilli()
	b := clocked(
		11, Run{Issue: "1", Agent: "a", Epoch: first},
		40, Run{Issue: "1", Agent: "b", Epoch: first},
		21, Run{Issue: "1", Agent: "c", Epoch: second},
		5, Run{Issue: "1", Agent: "d", Epoch: second}, // set back
		50, Run{Issue: "2", Agent: "e", Epoch: second})
	for _, c := range []struct {
		issue string
		epoch int64
		want  []string
	}{{"1", first, []string{"a", "b"}}, {"1", second, []string{"c", "d"}}, {"", second, []string{"c", "d", "e"}}, {"1", 0, []string{"a", "b", "c", "d"}}, {"1", second + 1, nil}} {
		if d := cmp.Diff(c.want, agents(b.Of(c.issue, c.epoch))); d != "" {
			t.Errorf("%+v: %s", c, d)
		}
	}
}

// A drive that an older version began, and that this one goes on with, has all
// of its evidence; what came before it, or is another session's, is not its.
func TestAnUpgradeInTheMiddleOfADrive(t *testing.T) {
	epoch := moment(10).UnixMilli()
	b := clocked(
		2, Run{Issue: "1", Agent: "old session"},
		10, Run{Issue: "1", Agent: "old version"}, // in the millisecond that it began in
		11, Run{Issue: "1", Agent: "old version, too"},
		12, Run{Issue: "1", Agent: "new version", Epoch: epoch},
		13, Run{Issue: "1", Agent: "next session", Epoch: moment(13).UnixMilli()})
	b.Take(event.Row{At: "not a time", Kind: event.Run, Data: lossless.Encode(Run{Issue: "1", Agent: "unknown"}, nil)})
	if d := cmp.Diff([]string{"old version", "old version, too", "new version"}, agents(b.Of("1", epoch))); d != "" {
		t.Error(d)
	}
}

// What came last is what was written last.
func TestTheOrderOfRowsIsNotTheClocks(t *testing.T) {
	id := []string{"AC-01"}
	commit, no := Commit{Issue: "1", Chunk: 1, Hash: "a", Criteria: id}, Verdict{Issue: "1", Chunk: 1, ID: "AC-01"}
	for name, c := range map[string]struct {
		b    *Book
		want Status
	}{
		"judged after the commit":  {clocked(9, commit, 3, no), Open},
		"committed after judgment": {clocked(9, no, 3, commit), Met},
		"unticked after all":       {clocked(9, commit, 8, Tick{Issue: "1", ID: "AC-01", Checked: true}, 3, Tick{Issue: "1", ID: "AC-01"}), Open},
		"given up last":            {clocked(9, commit, 3, Skipped{Issue: "1", Chunk: 1, Criteria: id}), GivenUp},
	} {
		if got, _ := c.b.status("AC-01"); got != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got := lastFailure(clocked(9, Tested{Excerpt: "tests"}, 3, Gate{Excerpt: "gate"})); got != "gate" {
		t.Errorf("the last failure: %q", got)
	}
	if got := clocked(9, Commit{Chunk: 1}, 3, Skipped{Chunk: 2}).chunkBegan(Subject{Chunk: 3, Started: minute(1)}); got != minute(3) {
		t.Errorf("the chunk began at %s", got)
	}
	went := clocked(9, Outcome{Issue: "1", Result: Merged, Branch: "b"}, 3, Run{Issue: "1"}).Digest(moment(0))
	if len(went.NotDone) != 1 || went.NotDone[0].Result != "" || went.NotDone[0].Branch != "b" || went.NotDone[0].At != "" {
		t.Errorf("it went on: %+v", went)
	}
	got := clocked(9, Run{Issue: "1", Chunk: 1, Criteria: []string{"AC-01"}}, 3, Run{Issue: "1", Chunk: 1, Criteria: []string{"AC-02"}}).places()
	if first, last := got.criteria(1, 1), got.criteria(1, 2); first[0] != "AC-01" || last[0] != "AC-02" {
		t.Errorf("%v, then %v", first, last)
	}
}

// The commit that a rebase has made stands where the one stood that it was.
func TestARebasedCommitKeepsItsPlace(t *testing.T) {
	b := journal(Commit{Issue: "1", Hash: "a", Epoch: 5}, Gate{Issue: "1"}, Commit{Issue: "1", Hash: "b", Was: "a", Epoch: 5})
	if len(b.Commits) != 1 || b.Commits[0].N != 1 || b.Commits[0].At != minute(0) || b.Commits[0].Row.Hash != "b" {
		t.Errorf("%+v", b.Commits)
	}
}

// A part stays what it was, whatever the book gets, and nothing that is added to it is in the
// book.
func TestAPartIsNotChangedByItsBook(t *testing.T) {
	b := journal(Commit{Issue: "2", Hash: "z"}, Commit{Issue: "1", Hash: "a"}, Commit{Issue: "1", Hash: "b"}, Commit{Issue: "2", Hash: "y"}, Commit{Issue: "1", Hash: "c"})
	hashes := func(b *Book) (list string) {
		for _, c := range b.Commits {
			list += c.Row.Hash
		}
		return list
	}
	one, two, all := b.Of("1", 0), b.Of("2", 0), b.Clone()
	early := (&Book{Commits: b.Commits[:3]}).Of("1", 0)
	early.Commits = append(early.Commits, Entry[Commit]{Row: Commit{Hash: "!"}})
	b.Take(event.Row{Kind: event.Commit, Data: lossless.Encode(Commit{Issue: "1", Hash: "d", Was: "a"}, nil)})
	got := []string{hashes(one), hashes(two), hashes(all), hashes(early), hashes(b)}
	if diff := cmp.Diff([]string{"abc", "zy", "zabyc", "ab!", "zdbyc"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestSinceComparesTimes(t *testing.T) {
	b := &Book{}
	for _, at := range []string{"2026-11-15T01:00:00.000Z", "2026-11-15T03:30:00+02:00", "2026-11-15T02:00:00Z", ""} {
		b.Take(event.Row{At: at, Kind: event.Run, Data: lossless.Encode(Run{Agent: at}, nil)})
	}
	if d := cmp.Diff([]string{"2026-11-15T03:30:00+02:00", "2026-11-15T02:00:00Z"}, agents(b.Since(moment(0).Add(time.Minute)))); d != "" {
		t.Error(d)
	}
}
