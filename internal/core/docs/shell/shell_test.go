package shell_test

import (
	"strings"
	"testing"

	"warp/internal/core/docs/shell"
)

// told writes calls as text: unknown words in braces, files that are written
// behind an arrow.
func told(calls []shell.Call) string {
	var lines []string
	for _, c := range calls {
		var words []string
		for _, w := range c.Words {
			if w.Known {
				words = append(words, w.Text)
			} else {
				words = append(words, "{"+w.Text+"}")
			}
		}
		for _, w := range c.Writes {
			words = append(words, ">"+w)
		}
		lines = append(lines, strings.Join(words, " "))
	}
	return strings.Join(lines, "\n")
}

func TestRead(t *testing.T) {
	for text, want := range map[string]string{
		"make test # now":                        "make test",
		"a && b | c; d":                          "a\nb\nc\nd",
		"echo 'x y' \"z\"$HOME":                  "echo x y {z}",
		"run <name> <a|b> <a b>":                 "run {_name_} {_a_b_} {_a_b_}",
		"run [--flag] [path] [-v | -q]":          "run --flag {____} -v {_} -q",
		"get on|off --a|--b":                     "get {on} {off} --a --b",
		"x > out 2>> log < in":                   "x >out >log",
		"x \\\n  --y":                            "x --y",
		"[ -f x ] && [[ -n $a ]] || y":           "[ -f x ]\ny",
		"for f in *.md; do cat \"$f\"; done":     "cat {}",
		"cat <<EOF\nmake nothing\nEOF\nmake all": "cat\nmake all",
		"x a[0] ... … {a,b} ?":                   "x a[0] {...} {…} {{a,b}} {?}",
		"A=1 env B=2 make c":                     "env B=2 make c",
		"$(inner one) two":                       "{} two\ninner one",
		"<only>":                                 "{_only_}",
		"a <b >c":                                "a >c",
		"a <$x>":                                 "",
	} {
		calls, err := shell.Read(text)
		if got := told(calls); got != want {
			t.Errorf("%q: %v\n%s\nwant\n%s", text, err, got, want)
		}
	}
}

func TestWhatDoesNotParseIsReadByLine(t *testing.T) {
	calls, err := shell.Read("one\nif two\nthree 'x\nfour")
	if err == nil || told(calls) != "one\nfour" {
		t.Errorf("%v\n%s", err, told(calls))
	}
	if last := calls[1].Words[0]; last.Offset != len("one\nif two\nthree 'x\n") {
		t.Errorf("%+v", last)
	}
}

func TestOffsetsAreThoseOfTheText(t *testing.T) {
	text := "x <it> [--now|--then] 'q' --end"
	calls, _ := shell.Read(text)
	for _, w := range calls[0].Words {
		if w.Known && strings.HasPrefix(w.Text, "-") && !strings.HasPrefix(text[w.Offset:], w.Text) {
			t.Errorf("%+v is not at %q", w, text[w.Offset:])
		}
	}
}

func TestPrompts(t *testing.T) {
	text := "$ make \\\n  all\noutput $ x\n  % next\nmore"
	got, found := shell.Prompts(text)
	if !found || len(got) != len(text) || strings.Join(strings.Fields(got), " ") != `make \ all next` {
		t.Errorf("%q", got)
	}
	if _, found := shell.Prompts("make all\n"); found {
		t.Error("there is no prompt")
	}
}

func FuzzRead(f *testing.F) {
	f.Add("a <b> [c] d|e 'f' \"$g\" # h\n$ i \\\n j")
	f.Fuzz(func(t *testing.T, text string) {
		calls, _ := shell.Read(text)
		for _, c := range calls {
			for _, w := range c.Words {
				if w.Offset < 0 || w.Offset > len(text) {
					t.Errorf("%+v in %d bytes", w, len(text))
				}
			}
		}
		if got, _ := shell.Prompts(text); len(got) != len(text) {
			t.Errorf("%q became %q", text, got)
		}
	})
}
