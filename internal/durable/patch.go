package durable

import (
	"errors"
	"fmt"
	"slices"

	"warp/internal/core/lossless"
)

// A patch turns one revision of a document into the next, member by member of the outermost object:
//
//	{"set": {…}, "unset": […], "grow": {"history": {"drop": 1, "rows": […]}},
//	 "splice": {"pending": {"at": 3, "drop": 1, "rows": […]}}, "order": […]}
//
// "grow" is for arrays that lost elements at the front and gained some at the end, "splice" for
// arrays that changed in one place. Both keep a row small however long the array is (500 tasks once
// made a journal of 60 MB). "order" is present if the names or their order changed.

func diff(old, new *lossless.Value) *lossless.Value {
	var set, grow, splice []lossless.Member
	var unset, order []*lossless.Value
	sameNames := len(old.Members) == len(new.Members)
	for i, m := range new.Members {
		sameNames = sameNames && old.Members[i].Key == m.Key
		was := old.Get(m.Key)
		if lossless.Equal(was, m.Value) {
			continue
		}
		if g := growth(was, m.Value); g != nil {
			grow = append(grow, lossless.Member{Key: m.Key, Value: g})
		} else if s := spliced(was, m.Value); s != nil {
			splice = append(splice, lossless.Member{Key: m.Key, Value: s})
		} else {
			set = append(set, m)
		}
	}
	for _, m := range old.Members {
		if new.Get(m.Key) == nil {
			unset = append(unset, lossless.NewString(m.Key))
		}
	}
	p := lossless.NewObject()
	add := func(key string, v *lossless.Value, n int) {
		if n > 0 {
			p.Members = append(p.Members, lossless.Member{Key: key, Value: v})
		}
	}
	add("set", lossless.NewObject(set...), len(set))
	add("unset", array(unset), len(unset))
	add("grow", lossless.NewObject(grow...), len(grow))
	add("splice", lossless.NewObject(splice...), len(splice))
	if !sameNames {
		for _, m := range new.Members {
			order = append(order, lossless.NewString(m.Key))
		}
		add("order", array(order), len(order))
	}
	return p
}

func membersOf(v *lossless.Value) []lossless.Member {
	if v == nil {
		return nil
	}
	return v.Members
}

func array(elems []*lossless.Value) *lossless.Value {
	return &lossless.Value{Kind: lossless.Array, Elems: elems}
}

// growth describes an array that only lost elements at the front and gained some at the end. It
// returns nil for other arrays.
func growth(old, new *lossless.Value) *lossless.Value {
	if old == nil || old.Kind != lossless.Array || new.Kind != lossless.Array || len(old.Elems) == 0 {
		return nil
	}
	for drop := 0; drop < len(old.Elems); drop++ {
		kept := old.Elems[drop:]
		if len(kept) > len(new.Elems) || !lossless.Equal(kept[0], new.Elems[0]) {
			continue
		}
		if slices.EqualFunc(kept, new.Elems[:len(kept)], lossless.Equal) {
			return lossless.Record("drop", drop, "rows", array(new.Elems[len(kept):]))
		}
	}
	return nil
}

// spliced describes an array in which elements in one place were replaced, removed or added. It
// returns nil if no element stayed the same.
func spliced(old, new *lossless.Value) *lossless.Value {
	if old == nil || old.Kind != lossless.Array || new.Kind != lossless.Array {
		return nil
	}
	a, b := old.Elems, new.Elems
	at, behind, most := 0, 0, min(len(a), len(b))
	for at < most && lossless.Equal(a[at], b[at]) {
		at++
	}
	for behind < most-at && lossless.Equal(a[len(a)-1-behind], b[len(b)-1-behind]) {
		behind++
	}
	if at+behind == 0 {
		return nil
	}
	return lossless.Record("at", at, "drop", len(a)-at-behind, "rows", array(b[at:len(b)-behind]))
}

// apply applies a patch to a document. A patch that does not fit is an error: it never guesses.
func apply(doc, patch *lossless.Value) (*lossless.Value, error) {
	if doc == nil || patch == nil || patch.Kind != lossless.Object {
		return nil, errors.New("there is nothing to apply a change to")
	}
	out := doc
	for _, m := range membersOf(patch.Get("set")) {
		out = out.With(m.Key, m.Value)
	}
	for _, name := range patch.Get("unset").List() {
		out = out.Without(name.Text())
	}
	for _, m := range membersOf(patch.Get("grow")) {
		was := out.Get(m.Key)
		drop, ok := m.Value.Get("drop").Int()
		if was == nil || was.Kind != lossless.Array || !ok || drop < 0 || drop > int64(len(was.Elems)) {
			return nil, fmt.Errorf("the change of %q does not fit", m.Key)
		}
		grown := append([]*lossless.Value(nil), was.Elems[drop:]...)
		out = out.With(m.Key, array(append(grown, m.Value.Get("rows").List()...)))
	}
	for _, m := range membersOf(patch.Get("splice")) {
		was := out.Get(m.Key)
		at, ok := m.Value.Get("at").Int()
		drop, known := m.Value.Get("drop").Int()
		if was == nil || was.Kind != lossless.Array || !ok || !known || at < 0 || drop < 0 || at > int64(len(was.Elems)) || drop > int64(len(was.Elems))-at {
			return nil, fmt.Errorf("the change of %q does not fit", m.Key)
		}
		next := append([]*lossless.Value(nil), was.Elems[:at]...)
		out = out.With(m.Key, array(append(append(next, m.Value.Get("rows").List()...), was.Elems[at+drop:]...)))
	}
	if order := patch.Get("order"); order != nil {
		sorted := lossless.NewObject()
		for _, name := range order.Elems {
			v := out.Get(name.Text())
			if v == nil || sorted.Get(name.Text()) != nil {
				return nil, fmt.Errorf("the member %q is missing or named twice", name.Text())
			}
			sorted.Members = append(sorted.Members, lossless.Member{Key: name.Text(), Value: v})
		}
		if len(sorted.Members) != len(out.Members) {
			return nil, errors.New("the order does not name every member")
		}
		out = sorted
	}
	return out, nil
}
