package lossless

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func mustParse(t testing.TB, text string) *Value {
	t.Helper()
	v, err := Parse([]byte(text))
	if err != nil {
		t.Fatalf("Parse(%q): %v", text, err)
	}
	return v
}

func compact(v *Value) string { return string(AppendCompact(nil, v)) }

func TestIntReadsWholeNumbersHoweverSpelled(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int64
		ok   bool
	}{
		{"0", 0, true}, {"-0", 0, true}, {"-7", -7, true}, {"1.0", 1, true}, {"1e3", 1000, true}, {"1.5e1", 15, true}, {"100E-2", 1, true},
		{"9223372036854775807", math.MaxInt64, true}, {"-9223372036854775808", math.MinInt64, true},
		{"9223372036854775808", 0, false}, {"1.5", 0, false}, {"1e-1", 0, false}, {"1e400", 0, false}, {"-1e400", 0, false},
		{"9007199254740991.0", 1<<53 - 1, true}, {"9007199254740992.0", 0, false}, {"-9007199254740992.0", 0, false}, {"1e19", 0, false},
		{`"1"`, 0, false}, {"null", 0, false}, {"true", 0, false}, {"[1]", 0, false}, {"{}", 0, false},
	} {
		n, ok := mustParse(t, c.text).Int()
		if n != c.n || ok != c.ok {
			t.Errorf("Int of %s = %d, %v, want %d, %v", c.text, n, ok, c.n, c.ok)
		}
	}
	if _, ok := (*Value)(nil).Int(); ok {
		t.Error("nothing is a number")
	}
}

func TestTextAndGetAnswerEmptyForWhatIsNotThere(t *testing.T) {
	v := mustParse(t, `{"a":"\u00e9\n\ud83d\ude00","n":1,"":"empty","o":{"a":2}}`)
	for _, c := range []struct {
		at   *Value
		want string
	}{
		{v.Get("a"), "é\n😀"}, {v.Get(""), "empty"}, {v.Get("n"), ""}, {v, ""}, {v.Get("x"), ""}, {v.Get("x").Get("y"), ""}, {v.Get("a").Get("a"), ""},
	} {
		if got := c.at.Text(); got != c.want {
			t.Errorf("Text() = %q, want %q", got, c.want)
		}
	}
	if n, _ := v.Get("o").Get("a").Int(); n != 2 {
		t.Errorf("o.a = %d, want 2", n)
	}
}

func TestWithAndWithoutLeaveTheOriginalAlone(t *testing.T) {
	const text = `{"a":1,"b":2,"c":3}`
	v := mustParse(t, text)
	for _, c := range []struct {
		name string
		got  *Value
		want string
	}{
		{"replaced in place", v.With("b", NewInt(9)), `{"a":1,"b":9,"c":3}`},
		{"added at the end", v.With("d", NewString("x")), `{"a":1,"b":2,"c":3,"d":"x"}`},
		{"taken out", v.Without("b"), `{"a":1,"c":3}`},
		{"not there", v.Without("z"), text},
		{"made by hand", NewObject(Member{"k", NewInt(-1)}, Member{"o", NewObject()}), `{"k":-1,"o":{}}`},
	} {
		if compact(c.got) != c.want {
			t.Errorf("%s: %s, want %s", c.name, compact(c.got), c.want)
		}
	}
	if compact(v) != text {
		t.Errorf("the original became %s", compact(v))
	}
}

func TestEqualMeansTheSameLiteralsInTheSameOrder(t *testing.T) {
	texts := []string{
		`null`, `true`, `false`, `1`, `1.0`, `1e0`, `"1"`, `"a"`, `"\u0061"`, `[]`, `[1]`, `[1,1]`, `[2]`, `{}`,
		`{"a":1}`, `{"a":2}`, `{"b":1}`, `{"a":1,"b":1}`, `{"b":1,"a":1}`, `[[1]]`, `[{"a":[1]}]`, `[{"a":[2]}]`,
	}
	for i, a := range texts {
		for j, b := range texts {
			if got := Equal(mustParse(t, a), mustParse(t, " "+b+"\n")); got != (i == j) {
				t.Errorf("Equal(%s, %s) = %v", a, b, got)
			}
		}
	}
	v := mustParse(t, "{}")
	if !Equal(nil, nil) || !Equal(v, v) || Equal(v, nil) || Equal(nil, v) {
		t.Error("nothing equals nothing only")
	}
}

func TestKindsHaveNamesForMessages(t *testing.T) {
	for text, want := range map[string]string{
		"null": "null", "true": "a boolean", "1": "a number", `""`: "a string", "[]": "an array", "{}": "an object",
	} {
		if got := mustParse(t, text).Kind.String(); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}

func TestAnyTextSurvivesBeingQuoted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		v := NewString(s)
		back, err := Parse([]byte(v.Raw))
		if err != nil || back.Text() != s || v.Text() != s {
			t.Fatalf("%q is spelled %s and read as %q (%v)", s, v.Raw, back.Text(), err)
		}
		n := rapid.Int64().Draw(t, "n")
		if got, ok := NewInt(n).Int(); !ok || got != n {
			t.Fatalf("%d is read as %d, %v", n, got, ok)
		}
	})
	if got := NewString("a\xffb\x7f\x00\x1b").Raw; got != `"a�b\u007f\u0000\u001b"` {
		t.Errorf("broken UTF-8 and control characters are spelled %s", got)
	}
	if got := compact(Encode(map[string]int{"a\xff\x7f": 1}, nil)); got != `{"a�\u007f":1}` {
		t.Errorf("a key of broken UTF-8 is spelled %s", got)
	}
}

// Every question may be put to a value that is not there: documents of others lack
// much of what they are asked for.
func TestWhatIsAbsentCanBeAsked(t *testing.T) {
	var none *Value
	if none.Is("") || none.Is("x") || none.Text() != "" || none.Get("a").Get("b") != nil || none.Type() != Null || none.Line([]byte("a\nb")) != 1 {
		t.Error("nothing has a content")
	}
	if got := compact(none.With("a", NewInt(1))); got != `{"a":1}` {
		t.Errorf("with a member it is %s", got)
	}
	if none.Without("a") != nil {
		t.Error("without a member it is something")
	}
	hollow := NewObject(Member{"a", nil}, Member{"b", &Value{Kind: Array, Elems: []*Value{nil}}}, Member{"c", &Value{Kind: Array, Elems: []*Value{NewObject(Member{"d", nil})}}})
	if got := compact(hollow); got != `{"a":null,"b":[null],"c":[{"d":null}]}` {
		t.Errorf("printed as %s", got)
	}
	if v := mustParse(t, string(AppendIndent(nil, hollow))); compact(v) != compact(hollow) {
		t.Errorf("indented it is %s", compact(v))
	}
	for _, x := range []any{nil, (*document)(nil), (*Value)(nil)} {
		if got := compact(Encode(x, nil)); got != "null" {
			t.Errorf("%T is encoded as %s", x, got)
		}
	}
	if err := Decode(nil, new(document)); err == nil {
		t.Error("nothing was decoded as an object")
	}
	if err := Wrong(nil, "an object"); err.Have != "null" {
		t.Errorf("%+v", err)
	}
}
