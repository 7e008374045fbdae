package text

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestShortened(t *testing.T) {
	for _, c := range []struct{ name, got, want string }{
		{"a text that fits is left alone", Clip("abcd", 4), "abcd"},
		{"the mark counts", Clip("abcde", 4), "a…"},
		{"no half rune before the mark", Clip("aéé", 5) + Clip("aééé", 5), "aéé" + "a…"},
		{"what fits keeps bytes that are no UTF-8", Clip("a\xff", 4), "a\xff"},
		{"what is cut does not", Clip("a\xffbcdefgh", 8), "abcd…"},
		{"no room for the mark", Clip("abcd", 2) + Clip("éé", 1) + Clip("ab", 0) + Clip("ab", -1), "ab"},
		{"a prefix has no mark", Prefix("abcd", 3) + Prefix("aé", 2) + Prefix("ab", 2) + Prefix("a", -1), "abc" + "a" + "ab"},
		{"a prefix of what is no UTF-8", Prefix("\x80\x80", 1) + Prefix("é", 1), ""},
		{"runes are counted, not bytes", ClipRunes("éééé", 4) + ClipRunes("ééééé", 4), "éééé" + "ééé…"},
		{"no room for a rune", ClipRunes("ab", 1) + ClipRunes("ab", 0) + ClipRunes("ab", -1), "…"},
		{"the end", Tail("abcdefgh", 6) + Tail("abc", 3) + Tail("aéé", 4), "…fgh" + "abc" + "…"},
		{"both ends stay", ClipMiddle("abcdefghij", 5) + ClipMiddle("abcdef", 4), "ab…ij" + "a…ef"},
		{"no room for the ends", ClipMiddle("ab", 1) + ClipMiddle("ab", 0) + ClipMiddle("äö", 2), "…" + "äö"},
		{"one line", OneLine(" a\n\tb\u00a0 c "), "a b c"},
		{"the first line that says something", FirstLine("\n \n  a b \r\nc"), "a b"},
		{"no line", FirstLine(" \n"), ""},
		{"an opening", Opening("a\n" + strings.Repeat("é", 300)), "a " + strings.Repeat("é", 197) + "…"},
		{"a hash", Hash("0123456789abcdef") + Hash("01234") + Hash(""), "0123456789" + "01234"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.want)
		}
	}
}

func TestClipUsesTheRoom(t *testing.T) {
	for _, word := range []string{"a", "é", "€", "😀", "a😀"} {
		long := strings.Repeat(word, 40)
		for size := len(ellipsis); size < 60; size++ {
			got := Clip(long, size)
			kept, marked := strings.CutSuffix(got, ellipsis)
			if len(long) > size && len(got) < size-3 || !strings.HasPrefix(long, kept) || marked != (len(long) > size) {
				t.Fatalf("%d bytes of %s…: %q", size, word, got)
			}
		}
	}
}

func TestList(t *testing.T) {
	for _, c := range []struct {
		names       []string
		most        int
		want, quote string
	}{
		{nil, 2, "", ""},
		{[]string{"a"}, 2, "a", `"a"`},
		{[]string{"a", "b"}, 2, "a, b", `"a", "b"`},
		{[]string{"a", "b\n", "c", "d"}, 2, "a, b\n and 2 more", `"a", "b\n" and 2 more`},
	} {
		if list, quote := List(c.names, c.most), Quote(c.names, c.most); list != c.want || quote != c.quote {
			t.Errorf("%q: %q and %q, want %q and %q", c.names, list, quote, c.want, c.quote)
		}
	}
}

func FuzzBounds(f *testing.F) {
	for _, s := range []string{"", "abc", "ééé", "a\xff\x80\x80b", "日本語", "a\n\n b", "…"} {
		for _, n := range []int{-1, 0, 1, 3, 5} {
			f.Add(s, n)
		}
	}
	f.Fuzz(func(t *testing.T, s string, n int) {
		for name, got := range map[string]string{"Clip": Clip(s, n), "Prefix": Prefix(s, n)} {
			if len(got) > max(n, 0) {
				t.Errorf("%s(%q, %d) has %d bytes: %q", name, s, n, len(got), got)
			}
			if utf8.ValidString(s) && !utf8.ValidString(got) {
				t.Errorf("%s(%q, %d) cuts a rune: %q", name, s, n, got)
			}
			if len(s) <= n && got != s {
				t.Errorf("%s(%q, %d) changes what fits: %q", name, s, n, got)
			}
		}
		for name, got := range map[string]string{"ClipRunes": ClipRunes(s, n), "ClipMiddle": ClipMiddle(s, n)} {
			count := utf8.RuneCountInString(s)
			if utf8.RuneCountInString(got) > max(n, 0) || count <= n && got != s {
				t.Errorf("%s(%q, %d): %q", name, s, n, got)
			}
		}
		if line := OneLine(s); strings.ContainsAny(line, "\n\r\t") || OneLine(line) != line {
			t.Errorf("OneLine(%q): %q", s, line)
		}
		if line := FirstLine(s); strings.Contains(line, "\n") || (line == "") != (strings.TrimSpace(s) == "") {
			t.Errorf("FirstLine(%q): %q", s, line)
		}
	})
}

func TestWithout(t *testing.T) {
	for _, c := range []struct{ names, drop, want string }{{"a b a c", "a", "b c"}, {"a", "", "a"}, {"", "a", ""}, {"a b", "b a", ""}} {
		if have := strings.Join(Without(strings.Fields(c.names), strings.Fields(c.drop)), " "); have != c.want {
			t.Errorf("%q without %q is %q", c.names, c.drop, have)
		}
	}
}

func TestFirstRunes(t *testing.T) {
	for _, c := range []struct {
		text  string
		count int
		first string
		more  int
	}{{"éa", 2, "éa", 0}, {"éab", 2, "éa", 1}, {"ab", 0, "", 2}, {"ab", -1, "", 2}, {"", 0, "", 0}} {
		if first, more := FirstRunes(c.text, c.count); first != c.first || more != c.more {
			t.Errorf("%q, %d: %q and %d", c.text, c.count, first, more)
		}
	}
}

func TestJoinNonEmpty(t *testing.T) {
	for want, words := range map[string][]string{"": {"", ""}, "a": {"", "a"}, "a, c": {"a", "", "c"}} {
		if got := JoinNonEmpty(", ", words...); got != want {
			t.Errorf("%q: %q, want %q", words, got, want)
		}
	}
}
