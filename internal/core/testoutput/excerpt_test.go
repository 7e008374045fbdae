package testoutput

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestExcerpt(t *testing.T) {
	passing := strings.Repeat("ok  \tshop/a\t0.01s, and some more words to fill a line\n", 1234)
	for _, c := range []struct {
		name, output string
		most         int
		want         string
	}{
		{"nothing", "", 100, ""},
		{"blank lines", "\n\r\n\n", 100, ""},
		{"what says nothing of failures", "one\ntwo\n", 100, "one\ntwo\n"},
		{"the last lines", strings.Repeat("some words\n", 100) + "the end\n", 60, "[… 98 lines left out …]\nsome words\nsome words\nthe end\n"},
		{"the failing part", passing + "--- FAIL: TestA (0.00s)\n    a_test.go:3: no\nFAIL\nFAIL\tshop/a\t0.1s\n" + passing, 1000,
			"[… 1,234 lines left out …]\n--- FAIL: TestA (0.00s)\n    a_test.go:3: no\nFAIL\nFAIL\tshop/a\t0.1s\n[… 1,234 lines left out …]\n"},
		{"a gap shorter than its note", "--- FAIL: TestA (0.00s)\nok  \tx\t0.1s\n--- FAIL: TestB (0.00s)\n", 1000, "--- FAIL: TestA (0.00s)\nok  \tx\t0.1s\n--- FAIL: TestB (0.00s)\n"},
		{"control characters", "\x1b[31mpanic:\x1b[0m boom\x07\x00 \u009b31m\xff\r\ngoroutine 1\r\n", 1000, "panic: boom 31m\ufffd\ngoroutine 1\n"},
		{"no room for anything", "panic: boom\n" + passing, 10, ""},
		{"no room at all", "panic: boom\n", -1, ""},
		{"room for the note alone", "panic: " + strings.Repeat("x", 100), 40, "[… 1 line left out …]\n"},
		{"a long line", "panic: " + strings.Repeat("é", 300), 400, "panic: " + strings.Repeat("é", 45) + "…\n"},
		{"the ends of a long failure", "--- FAIL: TestA (0.00s)\n" + strings.Repeat("    a_test.go:3: it went on and on\n", 50) + "    a_test.go:9: last\n", 200,
			"--- FAIL: TestA (0.00s)\n" + strings.Repeat("    a_test.go:3: it went on and on\n", 2) + "[… 47 lines left out …]\n    a_test.go:3: it went on and on\n    a_test.go:9: last\n"},
		{"what Jest says twice", "FAIL a.test.js\n  ● adds\n\n    no\n\nSummary of all failing tests\nFAIL a.test.js\n  ● adds\n\n    no\n", 1000, "FAIL a.test.js\n  ● adds\n\n    no\n\n[… 5 lines left out …]\n"},
		{"consoles of Jest", "FAIL a.test.js\n  ● Console\n\n    console.log\n      one\n      two and some more words\n\n  ● adds\n\n    no\n", 1000,
			"FAIL a.test.js\n[… 6 lines left out …]\n  ● adds\n\n    no\n"},
		{"the tree of node's tests alone", "✔ one (1ms)\n▶ cart, a suite with a name that is long\n  ✖ adds (1ms)\n    Error: no\n  ✔ two, a test with a name that is long (1ms)\n", 1000,
			"[… 2 lines left out …]\n  ✖ adds (1ms)\n    Error: no\n[… 1 line left out …]\n"},
		{"what node says twice", "▶ cart, a suite with a name that is long\n  ✖ adds (1ms)\n    Error: no\nℹ tests 1 and other counts of the run\n✖ failing tests:\n\ntest at a.test.js:2:1\n✖ adds (1ms)\n  Error: no\n", 1000,
			"[… 1 line left out …]\n  ✖ adds (1ms)\n    Error: no\n[… 6 lines left out …]\n"},
		{"what go test -v prints before a verdict", "=== RUN   TestA\n    a_test.go:3: fine, and some more words to fill it\n--- PASS: TestA (0.00s)\n=== RUN   TestB\n=== RUN   TestB/x\n    b_test.go:3: no\n--- FAIL: TestB (0.00s)\n", 1000,
			"[… 5 lines left out …]\n    b_test.go:3: no\n--- FAIL: TestB (0.00s)\n"},
		{"what may fail", "not ok 1 - a # TODO\n  ---\n  error: no, and some more words to fill it\n  ...\nnot ok 2 - b\n  ---\n  error: x\n  ...\n", 1000,
			"[… 4 lines left out …]\nnot ok 2 - b\n  ---\n  error: x\n  ...\n"},
		{"a program that ends", "compiling all the many files of the project\nthread 'main' panicked at src/main.rs:3:\nboom\n\nand other words to fill the output to its end\n", 1000,
			"[… 1 line left out …]\nthread 'main' panicked at src/main.rs:3:\nboom\n[… 2 lines left out …]\n"},
		{"a compiler", "checking all the many files of the project\nsrc/a.ts(1,2): error TS2322: no\n\nthere were errors somewhere in the files\nmake: *** [test] Error 2\n", 1000,
			"[… 1 line left out …]\nsrc/a.ts(1,2): error TS2322: no\n[… 2 lines left out …]\nmake: *** [test] Error 2\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Excerpt(c.output, c.most); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// Of many failures the first are shown, each with enough of it.
func TestExcerptShares(t *testing.T) {
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, "--- FAIL: Test%02d (0.00s)\n%s", i, strings.Repeat("    a_test.go:3: words of the failure\n", i%5*10))
	}
	got := Excerpt(b.String(), 4000)
	for i := range 12 {
		if !strings.Contains(got, fmt.Sprintf("--- FAIL: Test%02d", i)) {
			t.Errorf("no test %d in\n%s", i, got)
		}
	}
	if len(got) < 3000 {
		t.Errorf("%d bytes of 4000:\n%s", len(got), got)
	}
}

func TestExcerptReadsHostileTextToItsEnd(t *testing.T) {
	for _, f := range []string{"a", "\n", "--- FAIL: TestA (0.00s)\n", "=== RUN\n", "=== RUN\n--- FAIL: TestA (1s)\n", "not ok 1 - /a\n", "✖ a (1ms)\n", "  1 failing\n  1) a\n", "  ● a\n", "FAIL a.js\n",
		"(", "--- FAIL: TestA/a/a/a (1s)\n", "failures:\n    a\n", "\x1b[", "\xff", "FAILED a.py::b[ - ]", "# a\n"} {
		text := string(bytes.Repeat([]byte(f), 1<<15/len(f)))
		FailingTests(text)
		if got := Excerpt(text, 2000); len(got) > 2000 {
			t.Errorf("%q: %d bytes", f, len(got))
		}
	}
}

func FuzzExcerpt(f *testing.F) {
	seed(f)
	f.Add("panic: é\n", 7)
	f.Fuzz(func(t *testing.T, output string, most int) {
		most %= 1 << 16
		got := Excerpt(output, most)
		if len(got) > max(most, 0) || !utf8.ValidString(got) || strings.ContainsAny(got, "\x1b\r\x00") {
			t.Fatalf("%d of %d bytes: %q", len(got), most, got)
		}
		if got == "" && most >= 100 && strings.TrimSpace(Normalise(output)) != "" && utf8.ValidString(output) {
			t.Fatalf("nothing is left of %q", output)
		}
		if got != "" && !strings.HasSuffix(got, "\n") {
			t.Fatalf("cut inside a line: %q", got)
		}
	})
}
