package quality

import (
	"strings"
	"testing"
)

// The tokens of each source, with a blank between them and a slash where a line
// starts. Strings stay in one piece; comments are gone.
func TestLex(t *testing.T) {
	for _, c := range []struct {
		lang      *language
		src, want string
	}{
		{&golang, "a := 1 // b\nc", "/a : = 1 /c"},
		{&golang, "a /* b\n c */ d", "/a /d"},
		{&golang, "a /* b */ c", "/a c"},
		{&golang, "\"a$b\" \"${c}\"", "/\"a$b\" \"${c}\""},
		{&javascript, "'${a}' `$b` `{c}`", "/'${a}' `$b` `{c}`"},
		{&golang, "`a\n\"b` \"c\\\"d\" 'e' '\\''", "/`a\n\"b` \"c\\\"d\" 'e' '\\''"},
		{&golang, "\"open\nnext", "/\"open /next"},
		{&golang, "`open\nnext", "/`open\nnext"},
		{&golang, "/* open", ""},
		{&golang, "1.5 a.5 0x1f 1..2", "/1.5 a . 5 0x1f 1 . . 2"},
		{&golang, "é_1$ \x00\x7f\x01b", "/é_1$ b"},
		{&golang, "/* /* a */ b */", "/b * /"},
		{&javascript, "a / b / c", "/a / b / c"},
		{&javascript, "x = /['\"]/g; y", "/x = /['\"]/ g ; y"},
		{&javascript, "return /[/]\\//.test(a)", "/return /[/]\\// . test ( a )"},
		{&javascript, "(a) / 'b' / 2", "/( a ) / 'b' / 2"},
		{&javascript, "'a' / b / 2", "/'a' / b / 2"},
		{&javascript, "/a/", "//a/"},
		{&javascript, "= / open\n/", "/= / open //"},
		{&javascript, "`a${b}c`", "/`a$ { b } c`"},
		{&javascript, "`a${`b${c}`}d` e", "/`a$ { `b$ { c } ` } d` e"},
		{&javascript, "`a${{b: 1}}` c", "/`a$ { { b : 1 } } ` c"},
		{&javascript, "`open ${", "/`open $ {"},
		{&javascript, "'it' \"don't\" '\\''", "/'it' \"don't\" '\\''"},
		{&javascript, "`open", "/`open"},
		{&javascript, "`open\\", "/`open\\"},
		{&javascript, "a }b", "/a } b"},
		{&python, "a # b\nc", "/a /c"},
		{&python, "f(a,\n  b)\nc", "/f ( a , b ) /c"},
		{&python, "a \\\nb\nc", "/a \\ b /c"},
		{&python, "a \\\r\nb\nc", "/a \\ b /c"},
		{&python, "'''a\n'b'''  \"\"\"c\"\"\"", "/'''a\n'b''' \"\"\"c\"\"\""},
		{&python, "rb'a' f\"b\" fn'c' u", "/rb'a' f\"b\" fn 'c' u"},
		{&python, "a // b", "/a / / b"},
		{&python, "'' \"\"", "/'' \"\""},
		{&rust, "/* /* a */ b */ c", "/c"},
		{&rust, "&'a str 'b' '\\n' '\\u{41}' 'é'", "/& a str 'b' '\\n' '\\u{41}' 'é'"},
		{&rust, "r#\"a\"b\"# r\"c\" br##\"d\"#\"## b\"e\" r#fn", "/r#\"a\"b\"# r\"c\" br##\"d\"#\"## b\"e\" r # fn"},
		{&rust, "\"a\nb\" c", "/\"a\nb\" c"},
		{&rust, "r#\"open", "/r#\"open"},
		{&rust, "'\\", "/'\\"},
		{&rust, "'", ""},
		{&rust, "'\\x\nb", "/'\\x /b"},
		{&java, "\"\"\"a\n\"b\"\"\" '\"' c", "/\"\"\"a\n\"b\"\"\" '\"' c"},
		{&kotlin, "fun `a b`() \"x ${f(\"y\")} z\"", "/fun `a b` ( ) \"x $ { f ( \"y\" ) }  z\""},
		{&kotlin, "\"\"\"\\${a}\"\"\" b", "/\"\"\"\\$ { a } \"\"\" b"},
		{&kotlin, "\"\\${a}\" b", "/\"\\${a}\" b"},
	} {
		var b strings.Builder
		for i, tok := range lex(c.src, c.lang.lexis) {
			if i > 0 {
				b.WriteByte(' ')
			}
			if tok.nl {
				b.WriteByte('/')
			}
			b.WriteString(c.src[tok.at:tok.end])
		}
		if b.String() != c.want {
			t.Errorf("%q:\ngot  %q\nwant %q", c.src, b.String(), c.want)
		}
	}
}

func TestLexIndents(t *testing.T) {
	var cols []uint16
	for _, tok := range lex("a\n  b\n\tc\n    \td\n", python.lexis) {
		cols = append(cols, tok.col)
	}
	if len(cols) != 4 || cols[0] != 0 || cols[1] != 2 || cols[2] != 8 || cols[3] != 8 {
		t.Errorf("got %v", cols)
	}
	if got := indent(strings.Repeat(" ", 1<<17)); got != 1<<15 {
		t.Errorf("got %d", got)
	}
}

func TestPairs(t *testing.T) {
	s := parse("a_test.go", []byte("( [ ) ] { ( }"), &golang)
	// The bracket without a partner closes with its pair, the stray one is nothing.
	for i, want := range []int{2, 2, 2, 3, 6, 6, 6} {
		if got := s.close(i); got != want {
			t.Errorf("token %d closes at %d, want %d", i, got, want)
		}
	}
	if open := parse("a_test.go", []byte("( a"), &golang); open.close(0) != 2 || open.close(-1) != -1 || open.close(9) != 9 {
		t.Error("an open bracket closes at the end")
	}
}
