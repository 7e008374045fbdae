package workqueue

import (
	"strings"
	"testing"

	"warp/internal/core/lossless"
)

const byHand = `{"version":1,"task":"t","iteration":0,"consecutive_passes":0,"items":[
  {"id":"work-001","priority":"urgent","title":"unknown priority","status":"pending"},
  {"priority":"S1","title":"no id"},
  "just text",
  {"id":7,"priority":2},
  {"id":"work-002","priority":"high","title":"in words","status":"pending","theirs":1},
  {"id":"work-002","priority":"S0","title":"the same id","status":"pending"},
  {"id":"work-003","title":"no priority","status":"pending"}
],"gate_results":{}}`

func TestWhatIsNoItemIsKeptApartAndNeverDropped(t *testing.T) {
	src := parse(t, byHand)
	q := &Queue{}
	if err := lossless.Decode(src, q); err != nil {
		t.Fatal(err)
	}
	if err := Validate(q); err != nil {
		t.Fatal(err)
	}
	for i, e := range lossless.Encode(q, src).Get("items").Elems {
		if q.Items[i].Unread != "" && e != src.Get("items").Elems[i] {
			t.Errorf("items[%d] was changed: %s", i, lossless.AppendIndent(nil, e))
		}
	}
	if next := q.Next(9); len(next) != 1 || next[0].ID != "work-002" || q.Open() != 2 {
		t.Errorf("%d open, next %+v", q.Open(), next)
	}
	odd := strings.Join(q.DescribeUnread(), "\n")
	for _, want := range []string{`work-001 is set aside: its priority "urgent" is not one of S0`, "warp queue move work-001 S2", "items[1] of the work queue is set aside, it has no id", `"just text"`, "items[3]", "another item has the id work-002"} {
		if !strings.Contains(odd, want) {
			t.Errorf("%q is not told:\n%s", want, odd)
		}
	}

	// All that is done to the others leaves them alone.
	q.Add(Found{Title: "new", Source: FromPerson, Priority: "critical"})
	must(q.Done("work-002"))
	must(q.Move("work-001", S0, ""))
	q.TakeUp(5)
	q.Gate(GateRun{Name: "test", Status: Fail, Output: red})
	text := string(lossless.AppendIndent(nil, lossless.Encode(q, src)))
	for _, kept := range []string{`"title": "no id"`, `"just text"`, `"id": 7`, `"the same id"`, `"theirs": 1`} {
		if !strings.Contains(text, kept) {
			t.Errorf("%s was dropped:\n%s", kept, text)
		}
	}
	if it, err := q.Find("1"); err != nil || it.Status != InProgress || it.apart() {
		t.Errorf("moved, it is not taken up: %+v, %v", it, err)
	}
	if it, err := q.Find("work-004"); err != nil || it.Priority != S0 {
		t.Errorf("%+v, %v", it, err)
	}
	again := &Queue{}
	if err := lossless.Decode(parse(t, text), again); err != nil || len(again.DescribeUnread()) != 4 {
		t.Errorf("%v, %q", err, again.DescribeUnread())
	}
	if err := lossless.Decode(parse(t, `{"items":{}}`), again); err == nil {
		t.Error("an object is no array of items")
	}
}

func TestFindingsInOtherShapesAreNotDropped(t *testing.T) {
	got := Findings(parse(t, `{"findings":["just text",{"description":"told otherwise","severity":"odd"},{"title":"t"},{"files":["a"]},7]}`))
	if len(got) != 3 || got[0].Title != "just text" || got[1].Title != "told otherwise" || got[1].Priority != S2 || got[2].Title != "t" {
		t.Errorf("%+v", got)
	}
}
