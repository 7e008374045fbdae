package lossless

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// strangers puts members that no type knows into every object of a tree, at
// any place, and spells whole numbers in odd ways. A map knows all its keys.
func strangers(t *rapid.T, v *Value, isMap bool) *Value {
	switch v.Kind {
	case Number:
		if n, ok := v.Int(); ok {
			form := rapid.SampledFrom([]string{"%d", "%d.0", "%de0", "%d.00E+00"}).Draw(t, "spelling")
			return &Value{Kind: Number, Raw: fmt.Sprintf(form, n)}
		}
		return v
	case Array:
		out := &Value{Kind: Array}
		for _, e := range v.Elems {
			out.Elems = append(out.Elems, strangers(t, e, false))
		}
		return out
	case Object:
		out := &Value{Kind: Object}
		add := func() {
			if !isMap && rapid.Bool().Draw(t, "stranger?") {
				key := fmt.Sprint("?", len(out.Members), ":", rapid.StringN(0, 3, 12).Draw(t, "name"))
				out.Members = append(out.Members, Member{key, tree(2).Draw(t, "stranger")})
			}
		}
		for _, m := range v.Members {
			add()
			out.Members = append(out.Members, Member{m.Key, strangers(t, m.Value, m.Key == "places")})
		}
		add()
		return out
	}
	return v
}

func anyDocument() *rapid.Generator[document] {
	text := rapid.StringN(0, 4, 16)
	count := rapid.IntRange(-1000, 1000)
	return rapid.Custom(func(t *rapid.T) document {
		d := document{
			Name: text.Draw(t, "name"), Count: count.Draw(t, "count"), Epoch: rapid.Int64Range(0, 1<<52).Draw(t, "epoch"),
			Ratio: float64(count.Draw(t, "ratio")) / 4, On: rapid.Bool().Draw(t, "on"), Inner: inner{A: count.Draw(t, "a"), B: text.Draw(t, "b")},
			Lists: rapid.SliceOfN(rapid.SliceOfN(text, 0, 2), 0, 2).Draw(t, "lists"),
			Any:   tree(2).Draw(t, "any"), Many: rapid.SliceOfN(tree(1), 0, 2).Draw(t, "many"),
			Extra: text.Draw(t, "extra"), Tags: rapid.SliceOfN(text, 0, 2).Draw(t, "tags"),
			Note: rapid.Ptr(text, true).Draw(t, "note"), Places: map[string]spot{},
		}
		for _, k := range rapid.SliceOfNDistinct(text, 0, 3, rapid.ID).Draw(t, "places") {
			d.Places[k] = spot{X: count.Draw(t, "x"), Y: count.Draw(t, "y")}
		}
		for range rapid.IntRange(0, 4).Draw(t, "rows") {
			d.Rows = append(d.Rows, row{ID: count.Draw(t, "id"), Text: text.Draw(t, "text")})
		}
		if rapid.Bool().Draw(t, "late?") {
			d.Late = &inner{A: count.Draw(t, "late")}
		}
		return d
	})
}

// foreign draws a document as another program may have written it.
func foreign(t *rapid.T) (document, *Value) {
	src := strangers(t, Encode(anyDocument().Draw(t, "document"), nil), false)
	var d document
	if err := Decode(src, &d); err != nil {
		t.Fatalf("Decode(%s): %v", compact(src), err)
	}
	return d, src
}

func TestADocumentThatDidNotChangeIsItsOwnSource(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, src := foreign(t)
		if got := Encode(d, src); got != src {
			t.Fatalf("got  %s\nwant %s", compact(got), compact(src))
		}
	})
}

func TestWhatIsUnknownSurvivesAnyChangeInItsPlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, src := foreign(t)
		other := anyDocument().Draw(t, "other")
		rows, moved := d.Rows, []row{}
		for _, i := range rapid.Permutation(positions(rows)).Draw(t, "order")[:rapid.IntRange(0, len(rows)).Draw(t, "kept")] {
			moved = append(moved, rows[i])
		}
		if rapid.Bool().Draw(t, "grown") {
			at := rapid.IntRange(0, len(moved)).Draw(t, "at")
			moved = slices.Insert(moved, at, row{ID: 7777, Text: "new"})
		}
		d = other
		d.Rows = moved
		before := compact(src)
		got := Encode(d, src)
		if compact(src) != before {
			t.Fatalf("the source became %s, was %s", compact(src), before)
		}
		var back document
		if err := Decode(got, &back); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(d, back, alike, emptyIsNil); diff != "" {
			t.Fatalf("the change is lost (-want +got):\n%s", diff)
		}
		kept(t, "", src, got)
		kept(t, "inner", src.Get("inner"), got.Get("inner"))
		if src.Get("late") != nil && got.Get("late") != nil {
			kept(t, "late", src.Get("late"), got.Get("late"))
		}
		for _, m := range got.Get("places").Members {
			if was := src.Get("places").Get(m.Key); was != nil {
				kept(t, "places."+m.Key, was, m.Value)
			}
		}
		for i, r := range moved {
			if r.src != nil {
				kept(t, fmt.Sprintf("rows[%d]", i), r.src, got.Get("rows").Elems[i])
			}
		}
	})
}

func positions(rows []row) []int {
	is := []int{}
	for i := range rows {
		is = append(is, i)
	}
	return is
}

var emptyIsNil = cmp.FilterValues(
	func(a, b []string) bool { return len(a) == 0 && len(b) == 0 }, cmp.Comparer(func(a, b []string) bool { return true }))

// kept fails unless all strangers of an object are unchanged, and all members
// that both versions have stand in the same order.
func kept(t *rapid.T, path string, was, is *Value) {
	t.Helper()
	common := func(v, other *Value) (keys []string) {
		for _, m := range v.Members {
			if strings.HasPrefix(m.Key, "?") || other.Get(m.Key) != nil {
				keys = append(keys, m.Key)
			}
		}
		return keys
	}
	if a, b := common(was, is), common(is, was); !slices.Equal(a, b) {
		t.Fatalf("%s: members %q became %q", path, a, b)
	}
	for _, m := range was.Members {
		if strings.HasPrefix(m.Key, "?") && is.Get(m.Key) != m.Value {
			t.Fatalf("%s: %s was %s and became %s", path, m.Key, compact(m.Value), compact(is.Get(m.Key)))
		}
	}
}

func TestUnknownMembersMoveWithTheirElement(t *testing.T) {
	const text = `[{"id":1,"mark":"one"},{"note":2.50,"id":2},{"id":3,"mark":{"deep":["three"]}}]`
	for _, c := range []struct {
		name   string
		change func([]row) []row
		want   string
	}{
		{"trimmed at the front", func(r []row) []row { return slices.Delete(r, 0, 1) }, `[{"note":2.50,"id":2},{"id":3,"mark":{"deep":["three"]}}]`},
		{"trimmed at the end", func(r []row) []row { return r[:1] }, `[{"id":1,"mark":"one"}]`},
		{"reversed", func(r []row) []row { slices.Reverse(r); return r }, `[{"id":3,"mark":{"deep":["three"]}},{"note":2.50,"id":2},{"id":1,"mark":"one"}]`},
		{"grown in front", func(r []row) []row { return append([]row{{ID: 9}}, r[1]) }, `[{"id":9},{"note":2.50,"id":2}]`},
		{"changed", func(r []row) []row { r[1].ID, r[1].Text = 5, "t"; return r[1:2] }, `[{"note":2.50,"id":5,"text":"t"}]`},
		{"emptied", func(r []row) []row { return nil }, `[]`},
	} {
		src := mustParse(t, text)
		var rows []row
		if err := Decode(src, &rows); err != nil {
			t.Fatal(err)
		}
		if got := compact(Encode(c.change(rows), src)); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}
