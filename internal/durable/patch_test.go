package durable

import (
	"testing"

	"warp/internal/core/lossless"
)

func parse(t testing.TB, text string) *lossless.Value {
	t.Helper()
	v, err := lossless.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func compact(v *lossless.Value) string { return string(lossless.AppendCompact(nil, v)) }

func TestAPatchTellsOnlyWhatChanged(t *testing.T) {
	for _, test := range []struct{ name, old, new, want string }{
		{"nothing", `{"a":1}`, `{"a":1}`, `{}`},
		{"a member", `{"a":1,"b":2}`, `{"a":1,"b":3}`, `{"set":{"b":3}}`},
		{"a spelling", `{"a":1}`, `{"a":1.0}`, `{"set":{"a":1.0}}`},
		{"one more", `{"a":1}`, `{"a":1,"b":2}`, `{"set":{"b":2},"order":["a","b"]}`},
		{"one less", `{"a":1,"b":2}`, `{"b":2}`, `{"unset":["a"],"order":["b"]}`},
		{"the last one", `{"a":1}`, `{}`, `{"unset":["a"]}`},
		{"another order", `{"a":1,"b":2}`, `{"b":2,"a":1}`, `{"order":["b","a"]}`},
		{"an array grows", `{"a":[1,2]}`, `{"a":[1,2,3]}`, `{"grow":{"a":{"drop":0,"rows":[3]}}}`},
		{"an array shifts", `{"a":[1,2,3]}`, `{"a":[2,3,4]}`, `{"grow":{"a":{"drop":1,"rows":[4]}}}`},
		{"an array loses its front", `{"a":[1,2,3]}`, `{"a":[3]}`, `{"grow":{"a":{"drop":2,"rows":[]}}}`},
		{"an array loses its end", `{"a":[1,2,3]}`, `{"a":[1,2]}`, `{"splice":{"a":{"at":2,"drop":1,"rows":[]}}}`},
		{"an element changes", `{"a":[1,2,3]}`, `{"a":[1,7,3]}`, `{"splice":{"a":{"at":1,"drop":1,"rows":[7]}}}`},
		{"the first element changes", `{"a":[1,2,3]}`, `{"a":[7,2,3]}`, `{"splice":{"a":{"at":0,"drop":1,"rows":[7]}}}`},
		{"an element goes", `{"a":[1,2,3]}`, `{"a":[1,3]}`, `{"splice":{"a":{"at":1,"drop":1,"rows":[]}}}`},
		{"an element comes", `{"a":[1,3]}`, `{"a":[1,2,3]}`, `{"splice":{"a":{"at":1,"drop":0,"rows":[2]}}}`},
		{"equal elements", `{"a":[1,1,2,1]}`, `{"a":[1,2,1]}`, `{"grow":{"a":{"drop":1,"rows":[]}}}`},
		{"all elements change", `{"a":[1,2]}`, `{"a":[3,4]}`, `{"set":{"a":[3,4]}}`},
		{"an array is emptied", `{"a":[1,2,3]}`, `{"a":[]}`, `{"set":{"a":[]}}`},
		{"an array is filled", `{"a":[]}`, `{"a":[1]}`, `{"set":{"a":[1]}}`},
		{"an array of equal elements shifts", `{"a":[1,1,1]}`, `{"a":[1,1,2]}`, `{"grow":{"a":{"drop":1,"rows":[2]}}}`},
		{"no array any more", `{"a":[1]}`, `{"a":1}`, `{"set":{"a":1}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			old, new := parse(t, test.old), parse(t, test.new)
			p := diff(old, new)
			if got := compact(p); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
			if got, err := apply(old, p); err != nil || !lossless.Equal(got, new) {
				t.Errorf("applied: %v, %v", got, err)
			}
		})
	}
}

func TestAPatchThatDoesNotFitIsAnError(t *testing.T) {
	doc := `{"a":1,"b":[1,2]}`
	for _, patch := range []string{
		`7`, `null`, `{"grow":{"a":{"drop":0,"rows":[]}}}`, `{"grow":{"c":{"drop":0,"rows":[]}}}`, `{"grow":{"b":{"drop":3,"rows":[]}}}`,
		`{"grow":{"b":{"drop":-1,"rows":[]}}}`, `{"grow":{"b":{"rows":[]}}}`, `{"grow":{"b":7}}`,
		`{"splice":{"a":{"at":0,"drop":0,"rows":[]}}}`, `{"splice":{"b":{"at":1,"drop":2,"rows":[]}}}`, `{"splice":{"b":{"at":3,"drop":0,"rows":[]}}}`, `{"splice":{"b":{"at":-1,"drop":0}}}`, `{"splice":{"b":{"at":1}}}`, `{"splice":{"b":7}}`,
		`{"order":["a","c"]}`, `{"order":["a","a"]}`, `{"order":["a"]}`, `{"order":[]}`, `{"order":7}`,
	} {
		if got, err := apply(parse(t, doc), parse(t, patch)); err == nil {
			t.Errorf("%s gave %s", patch, compact(got))
		}
	}
	if _, err := apply(nil, parse(t, `{}`)); err == nil {
		t.Error("a patch of nothing was applied")
	}
	if _, err := apply(parse(t, doc), nil); err == nil {
		t.Error("no patch was applied")
	}
}

// Any patch on any document: an error, or a document that can be written and
// read. And any document becomes any other by the difference between them.
func FuzzPatch(f *testing.F) {
	for _, pair := range [][2]string{
		{`{"a":1}`, `{"set":{"b":2},"order":["b","a"]}`}, {`{"a":[1,2]}`, `{"grow":{"a":{"drop":1,"rows":[3]}}}`},
		{`{"a":1}`, `{"unset":["a",7]}`}, {`{"a":[1,2]}`, `{"a":[2,1.0]}`}, {`[1]`, `{"set":{"a":1}}`}, {`{"":{}}`, `{"order":[""]}`}, {`{"a":[1,2,3]}`, `{"splice":{"a":{"at":1,"drop":1,"rows":[9]}}}`}, {`{"a":[1,2,3,4]}`, `{"a":[1,4]}`},
	} {
		f.Add([]byte(pair[0]), []byte(pair[1]))
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		doc, err := lossless.Parse(a)
		if err != nil {
			return
		}
		other, err := lossless.Parse(b)
		if err != nil {
			return
		}
		before := compact(doc)
		if got, err := apply(doc, other); err == nil {
			if again, err := lossless.Parse(lossless.AppendCompact(nil, got)); err != nil || !lossless.Equal(again, got) {
				t.Fatalf("%s with %s gave %s: %v", a, b, compact(got), err)
			}
		}
		if doc.Kind == lossless.Object && other.Kind == lossless.Object {
			if got, err := apply(doc, diff(doc, other)); err != nil || !lossless.Equal(got, other) {
				t.Fatalf("%s to %s by %s: %v", a, b, compact(diff(doc, other)), err)
			}
		}
		if compact(doc) != before {
			t.Fatalf("%s was changed", a)
		}
	})
}
