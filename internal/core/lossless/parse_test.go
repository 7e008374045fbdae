package lossless

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// corpus are texts at the borders of the grammar; each is held against
// encoding/json and is a seed of FuzzParse.
var corpus = []string{
	``, ` `, `null`, `true`, `false`, ` true `, `nul`, `nulL`, `True`, `truefalse`, `true false`,
	`0`, `-0`, `-`, `00`, `01`, `-01`, `1.`, `.1`, `1.5`, `1.50`, `-1.5e10`, `1e`, `1e+`, `1E-05`, `1e5.`, `+1`, `0x1`, `1_000`, `NaN`, `Infinity`,
	`9223372036854775807`, `9223372036854775808`, `1e400`, `--1`, `1 2`,
	`""`, `"a"`, `"`, `"\"`, `"\""`, `"\\"`, `"\/\b\f\n\r\t"`, `"\x"`, `"\u"`, `"\u12"`, `"\u00e9"`, `"\u00g9"`, `"\u+123"`, `"\u 123"`, `"\u_123"`,
	`"\ud83d\ude00"`, `"\ud83d"`, `"\ude00\ud83d"`, `"\ud83d\ud83d\ude00"`, `"\ud83dx"`, `"\ud83d\n"`, `"\ud83d\u0041"`, `"\uD83D\uDE00"`,
	"\"\x00\"", "\"\x1f\"", "\"\t\"", "\"\n\"", "\"\x7f\"", `"é"`, `"\u2028"`, "\"\u2028\"", `"😀"`, "\"\xff\"", "\"\xc3\"", "\"\xed\xa0\x80\"", `'a'`,
	`[]`, `[ ]`, `[1]`, `[1,2]`, `[1,]`, `[,1]`, `[,]`, `[1 2]`, `[`, `]`, `[1`, `[1,`, `[[]]`, `[[],[]]`, `[}`, `[1}`, `[]]`, `[] []`,
	`{}`, `{ }`, `{"a":1}`, `{"a" : 1 , "b" : 2}`, `{"a":1,}`, `{,}`, `{"a"}`, `{"a":}`, `{"a" 1}`, `{a:1}`, `{1:1}`, `{"a":1 "b":2}`, `{"a":1,,"b":2}`,
	`{`, `}`, `{"`, `{"a`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{]`, `{"a":1]`, `{"":1}`, `{null:1}`, "{\"\xff\":1}",
	`{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `{"a":{"b":1,"b":1}}`, `[{"a":1,"b":2,"a":3}]`, `{"\ud800":1,"\ud801":2}`, `{"a":1,"A":2}`,
	"\ufeff{}", "{}\ufeff", "[\ufeff]", `{} x`, `{}//`, `/**/{}`, `{}{}`, "\u00a0{}", "\x00", "{}\x00", "\v1", "\f1", "\r\n\t 1 \r\n\t ",
	`{"version":1,"session":{"pid":51506,"level":3},"phase":"coding","acs":[["AC-01"],[]],"x":null,"n":1.50}`,
}

func TestParseAcceptsAndReadsWhatEncodingJSONDoes(t *testing.T) {
	for _, text := range corpus {
		checkAgainstEncodingJSON(t, []byte(text))
	}
	for c := range 256 { // every byte at every kind of place
		for _, around := range []string{"%c", "\"%c\"", "\"\\%c\"", "\"\\u%c000\"", "1%c", "1.%c", "1e%c", "[1%c2]", "{\"a\"%c1}", "{%c", "tru%c"} {
			checkAgainstEncodingJSON(t, []byte(strings.Replace(around, "%c", string([]byte{byte(c)}), 1)))
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range corpus {
		f.Add([]byte(text))
	}
	f.Add([]byte(nested(maxDepth)))
	f.Add([]byte(nested(maxDepth + 2)))
	f.Fuzz(func(t *testing.T, text []byte) { checkAgainstEncodingJSON(t, text) })
}

// checkAgainstEncodingJSON holds the parser to encoding/json: the same texts,
// less duplicate keys, invalid UTF-8 and deep nesting; the same values; and
// both printed forms read back as the same tree.
func checkAgainstEncodingJSON(t *testing.T, text []byte) {
	t.Helper()
	want := json.Valid(text) && utf8.Valid(text) && plain(text)
	v, err := Parse(text)
	if (err == nil) != want {
		t.Fatalf("Parse(%q) = %v, want accepted: %v", text, err, want)
	}
	if err != nil {
		var syntax *syntaxError
		if !errors.As(err, &syntax) || syntax.Line < 1 || syntax.Column < 1 || v != nil {
			t.Fatalf("Parse(%q) = %v, %v, want no value and a place", text, v, err)
		}
		return
	}
	var std any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&std); err != nil {
		t.Fatalf("encoding/json on %q: %v", text, err)
	}
	if got := plainGo(v); !reflect.DeepEqual(got, std) { // cmp takes for ever on deep nesting
		t.Fatalf("Parse(%q) = %v, want %v as encoding/json has it", text, got, std)
	}
	for name, out := range map[string][]byte{"compact": AppendCompact(nil, v), "indented": AppendIndent(nil, v)} {
		back, err := Parse(out)
		if err != nil || !Equal(v, back) {
			t.Fatalf("%q printed %s is %q, which reads back as another tree (%v)", text, name, out, err)
		}
	}
}

// plain tells whether a valid text has no object with a key twice and no value
// with more than MaxDepth levels around it.
func plain(text []byte) bool {
	type level struct {
		object, key bool
		seen        map[string]bool
	}
	var open []level
	d := json.NewDecoder(bytes.NewReader(text))
	for {
		tok, err := d.Token()
		if err != nil {
			return true
		}
		if tok == json.Delim('}') || tok == json.Delim(']') {
			open = open[:len(open)-1]
			continue
		}
		if len(open) > 0 && open[len(open)-1].object {
			top := &open[len(open)-1]
			if top.key = !top.key; top.key {
				if top.seen[tok.(string)] {
					return false
				}
				top.seen[tok.(string)] = true
				continue
			}
		}
		if len(open) > maxDepth {
			return false
		}
		if tok == json.Delim('{') || tok == json.Delim('[') {
			open = append(open, level{object: tok == json.Delim('{'), seen: map[string]bool{}})
		}
	}
}

// plainGo is a tree as encoding/json would have read it.
func plainGo(v *Value) any {
	switch v.Kind {
	case Bool:
		return v.Raw == "true"
	case Number:
		return json.Number(v.Raw)
	case String:
		return v.Text()
	case Array:
		list := []any{}
		for _, e := range v.Elems {
			list = append(list, plainGo(e))
		}
		return list
	case Object:
		object := map[string]any{}
		for _, m := range v.Members {
			object[m.Key] = plainGo(m.Value)
		}
		return object
	}
	return nil
}

func nested(levels int) string { return strings.Repeat("[", levels) + strings.Repeat("]", levels) }

func TestParseBoundsNesting(t *testing.T) {
	for _, c := range []struct {
		text string
		ok   bool
	}{
		{nested(maxDepth + 1), true},
		{nested(maxDepth + 2), false},
		{strings.Repeat(`{"a":`, maxDepth) + "1" + strings.Repeat("}", maxDepth), true},
		{strings.Repeat(`{"a":`, maxDepth+1) + "1" + strings.Repeat("}", maxDepth+1), false},
		{strings.Repeat("[", 1_000_000), false},
		{strings.Repeat(`{"a":`, 1_000_000), false},
	} {
		_, err := Parse([]byte(c.text))
		if (err == nil) != c.ok {
			t.Errorf("%.20s… of %d bytes: %v, want accepted: %v", c.text, len(c.text), err, c.ok)
		}
	}
}
