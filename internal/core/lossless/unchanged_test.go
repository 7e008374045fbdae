package lossless

import (
	"slices"
	"testing"
)

// line is an element of plain strings, as long arrays mostly have them.
type line struct {
	Origin
	Phase   string   `json:"phase"`
	At      string   `json:"at"`
	From    string   `json:"from,omitempty"`
	Reasons []string `json:"reasons,omitempty"`
}

func TestElementsThatDidNotChangeAreTheirOwnNodes(t *testing.T) {
	src := mustParse(t, `[
		{"phase": "a", "at": "1"},
		{"mark": 1, "at": "2", "from": "\u0061", "phase": "b\/c"},
		{"phase": "c", "at": "3", "from": "b", "reasons": ["r"], "mark": {"x": 1.0}},
		{"phase": "d", "at": "4", "from": "", "reasons": []}
	]`)
	var lines []line
	if err := Decode(src, &lines); err != nil {
		t.Fatal(err)
	}
	if Encode(lines, src) != src {
		t.Error("an array that did not change is not its own source")
	}
	shifted := Encode(append(lines[1:len(lines):len(lines)], line{Phase: "e", At: "5"}), src)
	if !slices.Equal(shifted.Elems[:3], src.Elems[1:]) {
		t.Errorf("elements that moved are spelled anew: %s", compact(shifted))
	}
}

func TestEveryChangeOfAnElementIsSeen(t *testing.T) {
	for _, c := range []struct {
		name, text string
		change     func(*line)
		want       string
	}{
		{"a member", `{"phase":"a","at":"1"}`, func(l *line) { l.Phase = "b" }, `{"phase":"b","at":"1"}`},
		{"same length", `{"phase":"ab","at":"1"}`, func(l *line) { l.Phase = "ba" }, `{"phase":"ba","at":"1"}`},
		{"as long as its spelling", `{"phase":"\u0061","at":"1"}`, func(l *line) { l.Phase = `\u0061` }, `{"phase":"\\u0061","at":"1"}`},
		{"emptied", `{"phase":"a","at":"1","from":"x"}`, func(l *line) { l.From = "" }, `{"phase":"a","at":"1"}`},
		{"obligatory, emptied", `{"phase":"a","at":"1"}`, func(l *line) { l.At = "" }, `{"phase":"a","at":""}`},
		{"optional, filled", `{"phase":"a","at":"1"}`, func(l *line) { l.From = "x" }, `{"phase":"a","at":"1","from":"x"}`},
		{"optional list, filled", `{"phase":"a","at":"1"}`, func(l *line) { l.Reasons = []string{"r"} }, `{"phase":"a","at":"1","reasons":["r"]}`},
		{"missing, obligatory", `{"phase":"a","mark":1}`, func(l *line) {}, `{"phase":"a","at":"","mark":1}`},
		{"all gone but strangers", `{"mark":1}`, func(l *line) { l.From = "x" }, `{"phase":"","at":"","from":"x","mark":1}`},
	} {
		src := mustParse(t, c.text)
		var l line
		if err := Decode(src, &l); err != nil {
			t.Fatal(err)
		}
		c.change(&l)
		if got := compact(Encode(l, nil)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
