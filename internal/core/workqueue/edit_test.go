package workqueue

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// must is for steps that a test stands on.
func must(it *Item, err error) *Item {
	if err != nil {
		panic(err)
	}
	return it
}

func TestTheSameThingIsTheSameItem(t *testing.T) {
	q := &Queue{Iteration: 1}
	for _, c := range []struct {
		title, source string
		want          Outcome
		id            string
	}{
		{"Add  tests\n", FromAssess, Fresh, "work-001"},
		{"add tests.", FromAssess, Known, "work-001"},
		{"add tests", FromPerson, Fresh, "work-002"},
		{"TestA", fromGate("test"), Fresh, "work-003"},
		{"Testa", fromGate("test"), Fresh, "work-004"}, // names of tests are exact
		{"TestA", fromGate("test"), Known, "work-003"},
		{"TestA", fromGate("lint"), Fresh, "work-005"},
		{" \n\t", FromPerson, Refused, ""},
	} {
		it, got := q.Add(Found{Title: c.title, Source: c.source})
		if got != c.want || it != nil && it.ID != c.id || it == nil && c.id != "" {
			t.Errorf("%q from %s: %v, %+v", c.title, c.source, got, it)
		}
	}
	if q.Items[0].Title != "Add tests" || q.Items[0].Priority != S2 || q.Items[0].AddedIteration != 1 || q.Open() != 5 {
		t.Errorf("%+v", q.Items)
	}
}

func TestADoneItemThatIsFoundAgainIsOpenedAgain(t *testing.T) {
	q := &Queue{Iteration: 1, ConsecutivePasses: 1, Loop: &Loop{Record: Record{Passes: 1}}}
	q.Add(Found{Title: "a", Source: FromError, Priority: S1, Description: "old", Ref: "e1#0", Files: []string{"x"}})
	if q.ConsecutivePasses != 0 || q.Loop.Record.Passes != 0 {
		t.Error("something to do begins the count anew")
	}
	must(q.Move("1", S3, ""))
	if it, got := q.Add(Found{Title: "a", Source: FromError, Priority: S0, Ref: "e1#0"}); got != Known || it.Priority != S3 || it.Description != "old" {
		t.Errorf("an open one stays where someone moved it: %v %+v", got, it)
	}
	must(q.Done("1"))
	q.Iteration, q.ConsecutivePasses = 2, 1
	if it, got := q.Add(Found{Title: "A.", Source: FromError, Ref: "e1#0"}); got != Known || it.Status != Done || q.ConsecutivePasses != 1 {
		t.Errorf("the very same finding is old news: %v %+v", got, it)
	}
	it, got := q.Add(Found{Title: "A.", Source: FromError, Priority: S0, Description: "new", Ref: "e1#1"})
	if got != Reopened || it.Status != Pending || it.CompletedIteration != nil || it.AddedIteration != 1 || it.Reopened != 2 || it.Priority != S0 || it.Description != "new" || q.ConsecutivePasses != 0 {
		t.Errorf("%v %+v", got, it)
	}
}

func TestNextIsTheMostUrgentInOrder(t *testing.T) {
	q := &Queue{}
	for i, p := range []Priority{S2, S1, S3, S1, S2, "odd"} {
		q.Add(Found{Title: fmt.Sprint(i), Source: FromPerson, Priority: p})
	}
	for _, c := range []struct {
		most int
		want []string
	}{
		{1, []string{"S1 1 pending"}}, {9, []string{"S1 1 pending", "S1 3 pending"}}, {0, nil},
	} {
		if diff := cmp.Diff(c.want, titles(q.Next(c.most))); diff != "" {
			t.Errorf("%d: %s", c.most, diff)
		}
	}
	must(q.Find("work-004")).Status = "blocked" // by another tool
	must(q.Find("2")).Status = InProgress
	if diff := cmp.Diff([]string{"S1 1 in_progress"}, titles(q.Next(9))); diff != "" {
		t.Error(diff)
	}
	if len(q.Urgent(S1)) == 0 || len(q.Urgent(S0)) > 0 || len(q.Urgent("")) > 0 {
		t.Error("urgent")
	}
	must(q.Done("2"))
	if diff := cmp.Diff([]string{"S2 0 pending", "S2 4 pending", "S2 5 pending"}, titles(q.Next(9))); diff != "" {
		t.Error(diff)
	}
	if q.Open() != 5 || len(q.Urgent(S1)) == 0 {
		t.Errorf("what another tool holds back is still open: %d", q.Open())
	}
	q.Items = nil
	if q.Next(3) != nil {
		t.Error("nothing is next")
	}
}

func TestMovingChangesPriorityAndPlace(t *testing.T) {
	q := &Queue{}
	for _, title := range []string{"a", "b", "c"} {
		q.Add(Found{Title: title, Source: FromPerson})
	}
	for _, c := range []struct {
		id       string
		to       Priority
		before   string
		want, no string
	}{
		{"3", "", "1", "S2 c, S2 a, S2 b", ""},
		{"work-003", S0, "", "S0 c, S2 a, S2 b", ""},
		{"WORK-001", S0, "", "S0 c, S0 a, S2 b", ""},
		{"2", "", "3", "S0 b, S0 c, S0 a", ""},
		{"1", S0, "work-002", "S0 a, S0 b, S0 c", ""},
		{"2", S2, "1", "", "work-001 is S0: an item before it cannot be S2"},
		{"2", "", "2", "", "work-002 cannot come before itself"},
		{"2", "S9", "", "", `"S9" is not a priority; write S0, S1, S2 or S3`},
		{"2", "", "", "", `"" is not a priority; write S0, S1, S2 or S3`},
		{"9", S0, "", "", `there is no item "9"; warp queue list --all lists them`},
		{"1", "", "9", "", `there is no item "9"; warp queue list --all lists them`},
	} {
		_, err := q.Move(c.id, c.to, c.before)
		if c.no != "" {
			if err == nil || err.Error() != c.no {
				t.Errorf("%+v: %v", c, err)
			}
			continue
		}
		if got := strings.ReplaceAll(strings.Join(titles(q.Ordered()), ", "), " pending", ""); err != nil || got != c.want {
			t.Errorf("%+v: %s, %v", c, got, err)
		}
	}
	var unknown *UnknownError
	if _, err := q.Find("9"); !errors.As(err, &unknown) {
		t.Error(err)
	}
	if _, err := q.Done("work-9"); !errors.As(err, &unknown) {
		t.Error(err)
	}
}

func TestDoneIsDoneOnce(t *testing.T) {
	q := &Queue{Iteration: 2}
	q.Add(Found{Title: "a", Source: FromPerson})
	must(q.Done("1"))
	q.Iteration = 3
	if it := must(q.Done("1")); it.Status != Done || *it.CompletedIteration != 2 {
		t.Errorf("%+v", it)
	}
}

func TestTheQueueIsBounded(t *testing.T) {
	q := &Queue{}
	for i := range MaxItems {
		q.Add(Found{Title: fmt.Sprint(i), Source: FromPerson})
	}
	if it, got := q.Add(Found{Title: "one more", Source: FromPerson}); got != Full || it != nil || q.Open() != MaxItems {
		t.Errorf("nothing open is dropped: %v", got)
	}
	for _, c := range [][2]string{{"500", "work-501"}, {"7", "work-502"}} { // no id is given twice
		must(q.Done(c[0]))
		if it, got := q.Add(Found{Title: c[1], Source: FromPerson}); got != Fresh || it.ID != c[1] {
			t.Error(c, got)
		}
	}
	if _, err := q.Find("7"); err == nil || len(q.Items) != MaxItems {
		t.Errorf("%d items", len(q.Items))
	}
	foreign := &Queue{Items: []Item{{ID: "work-007"}, {ID: "other"}, {ID: "work-x"}}}
	if it, _ := foreign.Add(Found{Title: "a", Source: FromPerson}); it.ID != "work-008" {
		t.Errorf("another tool counted on: %s", it.ID)
	}
	long := strings.Repeat("é", 400)
	a, _ := (&Queue{}).Add(Found{Title: long + "a", Source: FromPerson, Description: strings.Repeat("é", 5000), Files: make([]string, 99)})
	q = &Queue{Items: []Item{*a}}
	if _, got := q.Add(Found{Title: long + "b", Source: FromPerson}); got != Fresh {
		t.Error("long titles are told apart by their ends")
	}
	for _, it := range q.Items {
		if len(it.Title) > maxTitle || !utf8.ValidString(it.Title) || len(it.Description) > maxText || !utf8.ValidString(it.Description) || len(it.Files) > maxFiles {
			t.Errorf("%q", it.Title)
		}
	}
}

func TestPriorities(t *testing.T) {
	for text, want := range map[string]Priority{
		"S0": S0, " s1 ": S1, "S1 (high)": S1, "High": S1, "p2": S2, "medium/low": S2, "S4": S3, "LOW": S3, "critical!": S0, "": "", "urgent": "", "S9": "", "é": "",
	} {
		if got, ok := ParsePriority(text); got != want || ok != (want != "") {
			t.Errorf("%q: %q %v", text, got, ok)
		}
	}
	if !S0.AtLeast(S1) || S2.AtLeast(S1) || Priority("odd").AtLeast(S3) {
		t.Error("order")
	}
}
