package lossless

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// containers are the arrays and objects of a document, the outermost first.
func containers(v *Value) []*Value {
	var all []*Value
	if v.Kind == Array || v.Kind == Object {
		all = append(all, v)
	}
	for _, e := range v.items() {
		all = append(all, containers(e)...)
	}
	return all
}

// spliced draws a text with a container, and the index of that container.
func spliced(t *rapid.T) (text []byte, in *Value, at int) {
	doc := NewObject(Member{"list", &Value{Kind: Array, Elems: rapid.SliceOfN(tree(2), 0, 3).Draw(t, "list")}}, Member{"more", tree(3).Draw(t, "more")})
	var b strings.Builder
	written(t, doc, &b)
	parsed, err := Parse([]byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	all := containers(parsed)
	at = rapid.IntRange(0, len(all)-1).Draw(t, "container")
	return []byte(b.String()), all[at], at
}

// again finds the same container in an edited text.
func again(t *rapid.T, text []byte, at int) *Value {
	doc, err := Parse(text)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return containers(doc)[at]
}

func fresh(v *Value) string {
	key := "fresh"
	for v.Get(key) != nil {
		key += "!"
	}
	return key
}

func grow(text []byte, in *Value, value *Value) []byte {
	if in.Kind == Array {
		return Add(text, in, value)
	}
	return AddMember(text, in, fresh(in), value)
}

func TestWhatIsAddedIsCutWithoutATrace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, in, at := spliced(t)
		value := tree(2).Draw(t, "value")
		out := grow(slices.Clone(text), in, value)
		now := again(t, out, at)
		items := now.items()
		if len(items) != len(in.items())+1 || !Equal(items[len(items)-1], value) {
			t.Fatalf("adding to %q made %q", text, out)
		}
		if !strings.HasPrefix(string(out), string(text[:in.start+1])) || !strings.HasSuffix(string(out), string(text[in.end-1:])) {
			t.Fatalf("adding to %q changed something else: %q", text, out)
		}
		back := RemoveItem(out, now, len(items)-1)
		want := string(text)
		if len(in.items()) == 0 { // the blanks inside nothing are nobody's
			want = string(text[:in.start+1]) + string(text[in.end-1:])
		}
		if string(back) != want {
			t.Fatalf("%q was %q, and is now %q", out, text, back)
		}
	})
}

func TestCutTouchesNothingElse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, in, at := spliced(t)
		items := in.items()
		if len(items) == 0 {
			return
		}
		i := rapid.IntRange(0, len(items)-1).Draw(t, "i")
		out := RemoveItem(text, in, i)
		now := again(t, out, at)
		left := now.items()
		for j, want := range slices.Delete(slices.Clone(items), i, i+1) {
			have := left[j]
			if string(out[have.start:have.end]) != string(text[want.start:want.end]) {
				t.Fatalf("cutting %d of %q changed %q to %q", i, text, text[want.start:want.end], out[have.start:have.end])
			}
		}
		if len(left) != len(items)-1 || !strings.HasPrefix(string(out), string(text[:in.start+1])) || !strings.HasSuffix(string(out), string(text[in.end-1:])) {
			t.Fatalf("cutting %d of %q made %q", i, text, out)
		}
	})
}

func TestExchangeTouchesNothingElse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, in, at := spliced(t)
		items := in.items()
		if len(items) == 0 {
			return
		}
		i := rapid.IntRange(0, len(items)-1).Draw(t, "i")
		value := tree(2).Draw(t, "value")
		out := ReplaceValue(text, items[i], value)
		if !Equal(again(t, out, at).items()[i], value) {
			t.Fatalf("putting %s into %q made %q", compact(value), text, out)
		}
		if !strings.HasPrefix(string(out), string(text[:items[i].start])) || !strings.HasSuffix(string(out), string(text[items[i].end:])) {
			t.Fatalf("putting %s into %q changed something else: %q", compact(value), text, out)
		}
	})
}
