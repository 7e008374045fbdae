package lossless

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEncodeWithoutASourceFollowsTheType(t *testing.T) {
	for _, c := range []struct {
		name string
		in   any
		want string
	}{
		{"zero document", document{}, `{"name":"","count":0,"epoch":0,"ratio":0,"on":false,"note":null,"inner":{"a":0},"rows":[],"lists":[],"places":{},"any":null,"many":[]}`},
		{"pointer to a struct", &inner{1, "x"}, `{"a":1,"b":"x"}`},
		{"nil pointer", (*inner)(nil), `null`},
		{"map, keys sorted", map[string]int{"b": 2, "a": 1, "c": 3}, `{"a":1,"b":2,"c":3}`},
		{"floats", []float64{0, 1, -1.5, 1e21, 1e-7}, `[0,1,-1.5,1000000000000000000000,0.0000001]`},
		{"strings", []string{"", "é\n\"\\"}, `["","é\n\"\\"]`},
		{"values", []*Value{nil, NewInt(3)}, `[null,3]`},
		{"nil slices inside", [][]string{nil, {}}, `[[],[]]`},
	} {
		if got := compact(Encode(c.in, nil)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// Each case is a document, a change, and the document after it: everything
// that the change does not concern must be as it was, literally.
func TestEncodeMergesOntoTheSource(t *testing.T) {
	for _, c := range []struct {
		name, text string
		change     func(*document)
		want       string
	}{
		{"a scalar", `{"x":[1.0],"name":"a","y":{"z":null}}`, func(d *document) { d.Name = "b" },
			`{"x":[1.0],"name":"b","count":0,"epoch":0,"ratio":0,"on":false,"note":null,"inner":{"a":0},"rows":[],"lists":[],"places":{},"any":null,"many":[],"y":{"z":null}}`},
		{"numbers keep their spelling", known(`"count":1e1,"epoch":2.0,"ratio":1.50`), func(d *document) {},
			known(`"count":1e1,"epoch":2.0,"ratio":1.50`)},
		{"changed numbers are spelled anew", known(`"count":1e1,"epoch":2.0,"ratio":1.50`), func(d *document) { d.Count++; d.Epoch--; d.Ratio *= 2 },
			known(`"count":11,"epoch":1,"ratio":3`)},
		{"strings keep their escapes", known(`"name":"\u0061\/"`), func(d *document) { d.On = true }, known(`"name":"\u0061\/","on":true`)},
		{"a map keeps its order, new keys last and sorted", known(`"places":{"z":{"x":1,"u":0},"a":{"x":2},"m":{"x":3}}`),
			func(d *document) { delete(d.Places, "a"); d.Places["c"] = spot{X: 5}; d.Places["b"] = spot{X: 4} },
			known(`"places":{"z":{"x":1,"u":0},"m":{"x":3},"b":{"x":4},"c":{"x":5}}`)},
		{"null for a map becomes an object when filled", known(`"places":null`), func(d *document) { d.Places = map[string]spot{"a": {}} }, known(`"places":{"a":{"x":0}}`)},
		{"null stays null", known(`"rows":null,"places":null,"any":null,"note":null`), func(d *document) {}, known(`"rows":null,"places":null,"any":null,"note":null`)},
		{"a slice of null becomes an array when filled", known(`"rows":null`), func(d *document) { d.Rows = []row{{ID: 1}} }, known(`"rows":[{"id":1}]`)},
		{"a pointer set and cleared", known(`"note":"n","late":{"a":1}`), func(d *document) { d.Note, d.Late = nil, nil }, known(`"note":null`)},
		{"a pointer's object keeps what is unknown", known(`"late":{"u":1,"a":1,"v":2}`), func(d *document) { d.Late = &inner{A: 9} }, known(`"late":{"u":1,"a":9,"v":2}`)},
		{"omitempty appears in its place", known(`"many":[],"zzz":1`), func(d *document) { d.Extra = "e"; d.Tags = []string{"t"} },
			known(`"many":[],"extra":"e","tags":["t"],"zzz":1`)},
		{"omitempty disappears when emptied", known(`"extra":"e","tags":["t"]`), func(d *document) { d.Extra, d.Tags = "", nil }, known(``)},
		{"omitempty that was empty stays", known(`"extra":"","late":null,"tags":[]`), func(d *document) { d.On = true }, known(`"extra":"","late":null,"tags":[],"on":true`)},
	} {
		d, src := decoded(t, c.text)
		c.change(&d)
		got := Encode(d, src)
		if diff := cmp.Diff(mustParse(t, c.want), got, cmp.Comparer(sameMembers)); diff != "" {
			t.Errorf("%s\n got %s\nwant %s", c.name, compact(got), c.want)
		}
		if compact(src) != compact(mustParse(t, c.text)) {
			t.Errorf("%s: the source was changed to %s", c.name, compact(src))
		}
	}
}

// known is a document with every obligatory member, so that cases can be told
// by the members that matter to them: those replace or follow the usual ones.
func known(members string) string {
	doc := Encode(document{}, nil)
	given, _ := Parse([]byte("{" + members + "}"))
	for _, m := range given.Members {
		doc = doc.With(m.Key, m.Value)
	}
	return compact(doc)
}

// sameMembers is Equal, the order of the outermost members left aside.
func sameMembers(a, b *Value) bool {
	if len(a.Members) != len(b.Members) || a.Kind != b.Kind {
		return false
	}
	for _, m := range a.Members {
		if !Equal(m.Value, b.Get(m.Key)) {
			return false
		}
	}
	return a.Kind == Object || Equal(a, b)
}

func TestMissingMembersAreAddedBehindTheirPredecessor(t *testing.T) {
	type four struct {
		A int `json:"a"`
		B int `json:"b"`
		C int `json:"c,omitempty"`
		D int `json:"d"`
	}
	for _, c := range []struct {
		text string
		in   four
		want string
	}{
		{`{"x":0}`, four{1, 2, 3, 4}, `{"a":1,"b":2,"c":3,"d":4,"x":0}`},
		{`{"x":0,"b":0,"y":0}`, four{1, 2, 3, 4}, `{"a":1,"x":0,"b":2,"c":3,"d":4,"y":0}`},
		{`{"x":0,"b":0,"y":0}`, four{1, 2, 0, 4}, `{"a":1,"x":0,"b":2,"d":4,"y":0}`},
		{`{"d":0,"x":0,"a":0}`, four{1, 2, 3, 4}, `{"d":4,"x":0,"a":1,"b":2,"c":3}`},
	} {
		if got := compact(Encode(c.in, mustParse(t, c.text))); got != c.want {
			t.Errorf("%+v onto %s\n got %s\nwant %s", c.in, c.text, got, c.want)
		}
	}
}

func TestASourceOfAnotherKindIsReplaced(t *testing.T) {
	for _, other := range []string{`null`, `true`, `1`, `"s"`, `[1]`, `{"u":1}`} {
		src := mustParse(t, other)
		for _, c := range []struct {
			in   any
			want string
		}{
			{"x", `"x"`}, {true, `true`}, {7, `7`}, {1.5, `1.5`}, {[]string{"e"}, `["e"]`}, {(*int)(nil), `null`},
		} {
			if src.Kind == Object || c.want != other {
				if got := compact(Encode(c.in, src)); got != c.want {
					t.Errorf("%v onto %s: %s, want %s", c.in, other, got, c.want)
				}
			}
		}
		if src.Kind == Object {
			continue
		}
		if got := compact(Encode(map[string]int{"k": 1}, src)) + compact(Encode(inner{A: 1}, src)); got != `{"k":1}{"a":1}` {
			t.Errorf("objects onto %s: %s", other, got)
		}
	}
}
