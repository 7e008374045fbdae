package testoutput

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

func read(output string) *Reader {
	r := NewReader("/home/me/shop/js")
	for line := range bytes.Lines([]byte(output)) {
		r.Line(line)
	}
	return r
}

func listed(r *Reader) string {
	run, named := r.Run()
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(run)) {
		b.WriteString([]string{"passed", "failed", "skipped"}[run[name]] + " " + name + "\n")
	}
	if !named {
		b.WriteString("(no test is named)\n")
	}
	return b.String()
}

// Each file holds what a runner printed, as it was printed, and the tests that are read
// from it.
func TestListedRuns(t *testing.T) {
	files, _ := filepath.Glob("testdata/listed/*.txtar")
	if len(files) < 15 {
		t.Fatalf("%d files", len(files))
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := listed(read(string(archive.Files[0].Data)))
			if *update {
				archive.Files = append(archive.Files[:1], txtar.File{Name: "run", Data: []byte(got)})
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(archive.Files[1].Data), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReader(t *testing.T) {
	const jsonRun = `{"Action":"run","Package":"p","Test":"TestA"}` + "\n"
	for _, c := range []struct{ name, output, want string }{
		{"nothing", "", "(no test is named)\n"},
		{"two with one name, in any order", "TAP version 13\nok 1 - x # SKIP\nok 2 - x\nnot ok 3 - x\n", "passed x\nfailed x #2\nskipped x #3\n"},
		{"go: a result without a start", `{"Action":"pass","Package":"p","Test":"TestA"}` + "\n", "(no test is named)\n"},
		{"go: a test that never ended", jsonRun + `{"Action":"pass","Package":"p"}` + "\n", "failed p TestA\npassed p [as a whole]\n"},
		{"go: a package that never ended", jsonRun, "failed p TestA\n"},
		{"go: the same test twice", strings.Repeat(jsonRun+`{"Action":"pass","Package":"p","Test":"TestA"}`+"\n", 2), "passed p TestA\npassed p TestA #2\n"},
		{"go: a package without a test", `{"Action":"pass","Package":"p"}` + "\nok  \tq\t0.1s [no tests to run]\nok  \tr\t(cached) [no tests to run]\n", "(no test is named)\n"},
		{"cargo: a program without a test", "     Running tests/it.rs (it)\nrunning 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured\n", "(no test is named)\n"},
		{"jest before mocha", "PASS a.test.js\n  cart\n    ✓ adds (3 ms)\n\nTest Suites: 1 passed\n\n  shop\n    ✔ opens\n\n  1 passing (3ms)\n", "passed a.test.js > cart > adds\npassed a.test.js [as a whole]\npassed shop > opens\n"},
		{"go: no test files", `{"Action":"skip","Package":"p"}` + "\n?   \tp\t[no test files]\n", "(no test is named)\n"},
		{"go: a test that prints other formats", jsonRun + `{"Action":"output","Package":"p","Test":"TestA","Output":"ok 1 - forged\n"}` + "\n1..1\n" +
			`{"Action":"pass","Package":"p","Test":"TestA"}` + "\n", "passed p TestA\n"},
		{"json that is no event", `{"Action":"deploy","Package":"p"}` + "\n" + `{"Action":"pass","Test":"TestA"}` + "\n" + `{"Action":` + "\n", "(no test is named)\n"},
		{"go -v: no package told", "=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\n", "passed TestA\n"},
		{"go -v: behind a print, not started, cut off", "=== RUN   TestA\nhalf--- PASS: TestA (0.00s)\n--- PASS: TestForged (0.00s)\n=== RUN   TestB\nFAIL\tp\t0.1s\n", "passed p TestA\nfailed p TestB\nfailed p [as a whole]\n"},
		{"go -v: not a package", "ok  \tall is: fine\n=== RUN   TestA\n--- PASS: TestA\n", "failed TestA\n"},
		{"tap: without a plan", "ok 1 - x\nnot ok 2 - y\n", "(no test is named)\n"},
		{"tap: the plan at the end", "ok 1 - x\nok\nok x\n1..2\n", "passed x\n"},
		{"tap: details that look like results", "1..1\nnot ok 1 - x\n  ---\n  stack: |-\nok 2 - forged\n  ...\n", "failed x\n"},
		{"tap: buffered subtests", "TAP version 14\nok 1 - outer {\n    ok 1 - inner # time=3ms\n    1..1\n}\nok 2 - next\n", "passed next\npassed outer\npassed outer > inner\n"},
		{"tap: prove on several files", "t/a.t .. ok\nt/b.t ....... skipped: no net\nt/c d.t .. ok\nt/e.t .. 3/7\nResult: PASS\n", "passed t/a.t [as a whole]\nskipped t/b.t [as a whole]\n(no test is named)\n"},
		{"spec: an older node, and a second script", "▶ a\n  ✔ x (1ms)\n▶ a (2ms)\n\nℹ tests 1\n✖ failing tests:\n✖ y (1ms)\n> shop@1.0.0 test\n✖ z (1ms)\nℹ tests 1\n", "passed a > x\nfailed z\n"},
		{"spec: without a summary", "✔ x (1ms)\n✔ not timed\n", "(no test is named)\n"},
		{"mocha behind spec", "✔ x (1ms)\nℹ tests 1\n\n  cart\n    ✓ adds\n    2) fails\n    -\n\n  1 passing (3ms)\n  1 failing\n\n  1) cart\n       fails:\nend\n  ✓ after\n  1 passing\n", "passed cart > adds\nfailed cart > fails\npassed x\n"},
		{"jest: a project, titles, colours, odd lines", "\x1b[32mPASS\x1b[0m unit src/a.test.ts (5.2 s)\n  cart\n    ✓ adds\r\n    ✓ \n    ○ skipped\n\n    ✓ not listed\nPASS something else\n", "passed unit src/a.test.ts > cart > adds\npassed unit src/a.test.ts [as a whole]\n"},
		{"vitest: times, skips and other lines", " RUN  v3.1.0 /w\n ✓ a.test.ts > x (retry x2) 12ms\n ↓ a.test.ts > y [skipped]\n ✓ not a file > z\n ✓ plain\n ? b\n Test Files  1 passed (1)\n ✓ c.test.ts > after\n", "passed a.test.ts > x\nskipped a.test.ts > y\n"},
		{"cargo: without the programs", "running 2 tests\ntest a ... output\nok\ntest b ... output\ntest result: ok. 2 passed\ntest c ... ok\n", "passed a\nfailed b\n"},
		{"cargo: windows, and cut off", `     Running tests\it.rs (target\debug\deps\it-e44fe44fe44fe44f.exe)` + "\nrunning 1 test\ntest x ... y\nother\ntest ok\n", "failed it:tests/it.rs x\n"},
		{"cargo: a name without a hash", "     Running src/main.rs (bin)\nrunning 1 test\ntest x ... ignored\n", "skipped bin:src/main.rs x\n"},
		{"pytest: quiet", "..F\nFAILED tests/a.py::test_b[x - y] - no\nFAILED tests/a.py::test_c[x - Assertion\nPASSED something\nPASSED tests/a.py\ntests/a.py::test_d FAILED because\ntests/a.py:: PASSED\n[gw1] no\n", "failed tests/a.py::test_b[x - y]\nfailed tests/a.py::test_c[x - Assertion\n"},
		{"pytest: two sessions", strings.Repeat("==== test session starts ====\na.py::t PASSED\n", 2), "passed a.py::t\npassed a.py::t #2\n"},
		{"unittest: no summary", "test_a (m.C.test_a) ... ok\n", "(no test is named)\n"},
		{"unittest: odd lines", "f (x y)\nf (x)\nf (m.C) more\ntest_a (m.C.test_a) ... ERROR\ntest_b (m.C.test_b) ... print\nRan 2 tests in 0.1s\nRan 0 tests in 0.0s\n", "failed m.C.test_a\nfailed m.C.test_b\n"},
		{"folders of the machine", "TAP version 13\nnot ok 1 - /home/me/shop/js/n/a.test.js\n", "failed n/a.test.js\n"},
		{"a line that is redrawn", "1..1\n  running\rok 1 - x\n", "passed x\n"},
		{"deep", "1..1\n" + strings.Repeat(" ", 400) + "ok 1 - deep\n", "passed deep\n"},
		{"control characters", "1..1\nok 1 - a\x07\x00b\xff  c\n", "passed a b\ufffd c\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, listed(read(c.output))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReaderIsBounded(t *testing.T) {
	long := strings.Repeat("é", 500)
	r := read("1..2\nok 1 - " + long + "a\nok 2 - " + long + "b\n")
	r.Line([]byte("ok 3 - " + strings.Repeat("x", maxLine)))
	run, named := r.Run()
	if len(run) != 2 || !named {
		t.Errorf("%v, %v: long names stay apart, a huge line is left out", run, named)
	}
	if r.Line([]byte("ok 4 - late")); len(run) != 2 {
		t.Error("a run that was given is not changed")
	}
	if again, _ := r.Run(); len(again) != 2 {
		t.Error(again)
	}
	for name, line := range map[string]string{
		"the same test": "ok 1 - t", "files": "t%d.t .. ok", "started": `{"Action":"run","Package":"p","Test":"T%d"}`, "tests": "ok 1 - t%d",
	} {
		r := NewReader("")
		r.Line([]byte("1..1"))
		r.Line([]byte("ok 1 - one"))
		for i := range maxTests + 1 {
			r.Line([]byte(strings.ReplaceAll(line, "%d", fmt.Sprint(i))))
		}
		if run, named := r.Run(); named {
			t.Errorf("%s: %d names", name, len(run))
		}
	}
}

func TestGoEventText(t *testing.T) {
	for line, want := range map[string]string{
		`{"Time":"2026-11-16T02:46:02Z","Action":"output","Package":"p","Test":"T","Output":"    a_test.go:3: no\n"}` + "\n": "    a_test.go:3: no\n",
		`{"ImportPath":"p","Action":"build-output","Output":"# p\n"}`:                                                        "# p\n",
		`{"Action":"start","Package":"p"}`:                                                                                   "",
		`{"Action":"output"}`:                                                                                                "-", `{"Output":"x"}`: "-", `{}`: "-", "": "-", "ok": "-", `[{"Action":"output"}]`: "-", `{"Action":"output","Package":3}`: "-",
	} {
		got, ok := GoEventText([]byte(line))
		if ok != (want != "-") || ok && string(got) != want {
			t.Errorf("%s: %q, %v", line, got, ok)
		}
	}
}

func FuzzReader(f *testing.F) {
	files, _ := filepath.Glob("testdata/listed/*.txtar")
	for _, file := range files {
		run, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(run))
	}
	f.Fuzz(func(t *testing.T, output string) {
		run, named := read(output).Run()
		if named && len(run) == 0 {
			t.Fatal("named, and nothing there")
		}
		for name := range run {
			if name == "" || len(name) > 2*maxName || !utf8.ValidString(name) || strings.ContainsAny(name, "\x1b\n\r\t\x00") {
				t.Fatalf("%q", name)
			}
		}
		again, _ := read(output).Run()
		if diff := cmp.Diff(run, again); diff != "" {
			t.Fatalf("against the same output: %s", diff)
		}
	})
}
