package workqueue

import (
	"testing"
	"time"
)

func TestClaims(t *testing.T) {
	q := newQueue("t", time.Unix(0, 0))
	q.Add(Found{Title: "one"})
	q.Add(Found{Title: "two"})
	for _, c := range []struct {
		holder, by string
		ok         bool
	}{{"a", "a", true}, {"a", "a", true}, {"b", "a", false}} {
		if ok, by, err := q.Claim("1", c.holder); ok != c.ok || by != c.by || err != nil {
			t.Errorf("%s: %v, %q, %v", c.holder, ok, by, err)
		}
	}
	if next := q.Next(5); len(next) != 1 || next[0].ID != "work-002" {
		t.Errorf("what a session has is offered: %v", next)
	}
	q.TakeUp(5)
	if it, _ := q.Find("1"); it.Status != InProgress || it.Holder != "a" {
		t.Errorf("a quality loop beside it took it: %+v", it)
	}
	if err := q.Return("1", "b"); err != nil || q.Items[0].Holder != "a" {
		t.Error("another session gave it back", err)
	}
	if err := q.Return("1", "a"); err != nil || q.Items[0].Status != Pending || q.Items[0].Holder != "" {
		t.Errorf("%+v, %v", q.Items[0], err)
	}
	if _, err := q.Done("1"); err != nil {
		t.Fatal(err)
	}
	if ok, by, err := q.Claim("1", "a"); ok || by != "" || err != nil {
		t.Error("what is done was claimed", by, err)
	}
	if _, _, err := q.Claim("9", "a"); err == nil {
		t.Error("there is none")
	}
}
