package yamltree

import (
	"strings"
	"testing"
)

func parsed(t *testing.T, text string) *Node {
	t.Helper()
	var p Problems
	n := p.Parse("dir/p.yaml", []byte(text))
	if list := p.Sorted(); len(list) > 0 {
		t.Fatal(list)
	}
	return n
}

// spell is a tree in one line.
func spell(n *Node) string {
	var parts []string
	for _, e := range n.Entries {
		parts = append(parts, e.Key+": "+spell(e.Value))
	}
	for _, i := range n.Items {
		parts = append(parts, spell(i))
	}
	switch n.Kind {
	case Mapping:
		return "{" + strings.Join(parts, ", ") + "}"
	case List:
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return n.Text
}

// What is put into one of two mappings that share a value is not in the other.
func TestWhatIsPutIntoATreeStaysThere(t *testing.T) {
	n := parsed(t, "one: {stop: &s {after: 3, quiet: true}, id: a}\ntwo: {stop: *s}\n")
	one, two := n.Get("one"), n.Get("two")
	flag := Place{Source: &Source{File: "--after"}}
	one.Put("stop.after", NewText(flag, "5"))
	one.Put("id", NewText(flag, "b"))
	two.Put("limits.cost", NewText(flag, "1"))
	two.Remove("none", "id")
	if got, want := spell(n), "{one: {stop: {after: 5, quiet: true}, id: b}, two: {stop: {after: 3, quiet: true}, limits: {cost: 1}}}"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if at := one.Where("none", "stop"); at != one.Get("stop").Place {
		t.Errorf("%+v", at)
	}
	if at := one.Where("none"); at.Line != 1 || at.Column != one.Column {
		t.Errorf("%+v", at)
	}
	if two.Remove("stop"); two.Has("stop") || !one.Has("stop") {
		t.Error(spell(n))
	}
	var p Problems
	if p.Report(one.Get("stop").Get("after").Place, "too late"); p.Sorted()[0].Error() != "--after: too late" {
		t.Error(p.Sorted())
	}
}

func TestValuesAsMessagesQuoteThem(t *testing.T) {
	n := parsed(t, "- word\n- 5\n- true\n- [1, 2]\n- {a: 1}\n-\n- |\n  two\n  lines\n- "+strings.Repeat("x", 50)+"\n")
	var got []string
	for _, item := range n.Items {
		got = append(got, item.Quoted())
	}
	want := `"word" "5" true a list a mapping nothing "two\nlines\n" a long text`
	if strings.Join(got, " ") != want {
		t.Errorf("%q", got)
	}
	if list := n.Items[3]; len(n.Items[0].Elements()) != 1 || len(list.Elements()) != 2 {
		t.Error("a list is counted wrong")
	}
	if n.Items[6].OneLine() != "two lines" || (*Node)(nil).OneLine() != "" || n.Get("a") != nil {
		t.Errorf("%q", n.Items[6].OneLine())
	}
}

// A piece of a value is found where it is written, also behind folds and quotes.
func TestPiecesOfValuesHavePlaces(t *testing.T) {
	n := parsed(t, "a: x ${A} ${A}\nb: |\n  one ${A}\n  two ${A}\nc: \"\\x24{A}\"\n")
	for _, c := range []struct {
		key, piece   string
		at           int
		line, column int
	}{{"a", "${A}", 2, 1, 6}, {"a", "${A}", 7, 1, 11}, {"b", "${A}", 13, 4, 7}, {"c", "${A}", 0, 5, 4}} {
		v := n.Get(c.key)
		if got := v.Locate(v.Text, c.at, c.piece); got.Line != c.line || got.Column != c.column {
			t.Errorf("%s %d: %d:%d, want %d:%d", c.key, c.at, got.Line, got.Column, c.line, c.column)
		}
	}
	flag := Place{Source: &Source{File: "--prompt", Text: "${A}"}}
	if flag.Locate("x ${A}", 2, "${A}") != flag {
		t.Error("a flag has no lines")
	}
	if s := n.Source; s.Beside("x.md") != "dir/x.md" || s.Beside("../x.md") != "x.md" || s.Beside("/x.md") != "/x.md" {
		t.Errorf("%q %q %q", s.Beside("x.md"), s.Beside("../x.md"), s.Beside("/x.md"))
	}
}
