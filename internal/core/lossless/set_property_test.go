package lossless

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// written spells a tree with white space wherever the grammar allows any.
func written(t *rapid.T, v *Value, b *strings.Builder) {
	blank := func() {
		b.WriteString(rapid.SampledFrom([]string{"", "", " ", "\n", "\r\n", "\t", "\n\t\t", "\n    "}).Draw(t, "blank"))
	}
	blank()
	defer blank()
	switch v.Kind {
	case Array:
		b.WriteByte('[')
		blank()
		for i, e := range v.Elems {
			if i > 0 {
				b.WriteByte(',')
			}
			written(t, e, b)
		}
		b.WriteByte(']')
	case Object:
		b.WriteByte('{')
		blank()
		for i, m := range v.Members {
			if i > 0 {
				b.WriteByte(',')
				blank()
			}
			b.WriteString(quote(m.Key))
			blank()
			b.WriteByte(':')
			written(t, m.Value, b)
		}
		b.WriteByte('}')
	default:
		b.WriteString(v.Raw)
	}
}

// way draws a way into a document: along members that are there, and perhaps
// some that are not.
func way(t *rapid.T, v *Value) (keys []string, there *Value) {
	for v != nil && v.Kind == Object && rapid.IntRange(0, 3).Draw(t, "on") > 0 {
		names := []string{"new", "é\"\n"}
		for _, m := range v.Members {
			names = append(names, m.Key, m.Key)
		}
		k := rapid.SampledFrom(names).Draw(t, "key")
		keys, v = append(keys, k), v.Get(k)
	}
	if v == nil {
		keys = append(keys, []string{"x", "y", "z"}[:rapid.IntRange(0, 3).Draw(t, "further")]...)
	}
	return keys, v
}

// at is what a way leads to, and without is the tree without that.
func at(v *Value, keys []string) *Value {
	for _, k := range keys {
		v = v.Get(k)
	}
	return v
}

func without(v *Value, keys []string) *Value {
	if len(keys) == 0 {
		return nil
	}
	next := v.Get(keys[0])
	if next == nil || len(keys) == 1 {
		return v.Without(keys[0])
	}
	return v.With(keys[0], without(next, keys[1:]))
}

func TestSetTouchesNothingElse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := &Value{Kind: Object}
		for _, k := range rapid.SliceOfNDistinct(key(), 0, 3, rapid.ID).Draw(t, "keys") {
			doc.Members = append(doc.Members, Member{k, tree(3).Draw(t, "member")})
		}
		var b strings.Builder
		written(t, doc, &b)
		text := b.String()
		keys, there := way(t, doc)
		value := tree(2).Draw(t, "value")

		out, err := Set([]byte(text), value, keys...)
		if err != nil {
			t.Fatalf("Set(%q, %q): %v", text, keys, err)
		}
		now, err := Parse(out)
		if err != nil {
			t.Fatalf("Set(%q, %q) made %q: %v", text, keys, out, err)
		}
		if !Equal(at(now, keys), value) {
			t.Fatalf("%q is %s, want %s, in %q", keys, compact(at(now, keys)), compact(value), out)
		}
		made := len(keys) // the outermost member that had to be made
		for made > 0 && at(doc, keys[:made]) == nil {
			made--
		}
		if there == nil {
			made++
		}
		if !Equal(without(doc, keys[:made]), without(now, keys[:made])) {
			t.Fatalf("setting %q in %q changed something else: %q", keys, text, out)
		}
		untouched(t, text, string(out), there, at(doc, keys[:max(0, made-1)]))
	})
}

// untouched checks the bytes: of the text, only the old value may be gone, or
// the blanks of an empty object.
func untouched(t *rapid.T, text, out string, old, object *Value) {
	front := 0
	for front < min(len(text), len(out)) && text[front] == out[front] {
		front++
	}
	back := 0
	for back < min(len(text), len(out))-front && text[len(text)-1-back] == out[len(out)-1-back] {
		back++
	}
	gone := text[front : len(text)-back]
	if old == nil {
		if gone != "" && (len(object.Members) > 0 || strings.TrimSpace(gone) != "") {
			t.Fatalf("adding a member took %q away: %q became %q", gone, text, out)
		}
		return
	}
	if gone == "" {
		return
	}
	parsed, _ := Parse([]byte(text))
	if !within(parsed, front, len(text)-back, old) {
		t.Fatalf("%q is gone, which is more than the old value %s: %q became %q", gone, compact(old), text, out)
	}
}

// within tells whether a span of the text lies inside a value equal to old.
func within(v *Value, from, to int, old *Value) bool {
	if int(v.start) <= from && to <= int(v.end) && Equal(v, old) {
		return true
	}
	for _, m := range v.Members {
		if within(m.Value, from, to, old) {
			return true
		}
	}
	for _, e := range v.Elems {
		if within(e, from, to, old) {
			return true
		}
	}
	return false
}
