package testoutput

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestFailingTests(t *testing.T) {
	long := strings.Repeat("é", 300)
	for _, c := range []struct {
		name, output string
		want         []string
	}{
		{"nothing", "", []string{}},
		{"make names no test", "make: *** [Makefile:3: test] Error 1\nmake[1]: *** [x] Error 2", []string{}},
		{"a passing run", "ok  \tshop/a\t0.1s\n?   \tshop/b\t[no test files]\nPASS\n", []string{}},
		{"go: CRLF and colours", "\x1b[31m--- FAIL: TestA (0.00s)\x1b[0m\r\nFAIL\r\nFAIL\tshop/a\t0.1s\r\n", []string{"shop/a TestA"}},
		{"go: a verdict behind what was printed", "half a line--- FAIL: TestA (0.00s)\nFAIL\nFAIL\tshop/a\t0.1s", []string{"shop/a TestA"}},
		{"go: a verdict that is a message", "    a_test.go:3: --- FAIL: something (0.00s)\n--- FAIL: TestA\nFAIL\nFAIL\tshop/a\t0.1s", []string{"shop/a"}},
		{"go: a verdict in a package that passes", "--- FAIL: TestInner (0.00s)\nFAIL\nok  \tshop/a\t0.1s\nFAIL\tshop/b\t0.1s", []string{"shop/b [cut short]"}},
		{"go: no package is told", "--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/b (0.00s)\n    --- FAIL: TestA/c/d (1m2.5s)\n", []string{"TestA/b", "TestA/c/d"}},
		{"go: one name in two packages", "--- FAIL: TestA (0.00s)\nFAIL\nFAIL\tx\t0.1s\n--- FAIL: TestA (0.00s)\nFAIL\nFAIL\ty\t0.1s", []string{"x TestA", "y TestA"}},
		{"go: the tests before a broken build are not its own", "--- FAIL: TestA (0.00s)\nFAIL\tx [build failed]\nFAIL\nFAIL\ty\t0.1s", []string{"x [build failed]", "y TestA"}},
		{"go: a benchmark and a fuzz target", "--- FAIL: BenchmarkA\n--- FAIL: FuzzB (0.01s)\nFAIL\nFAIL\tx\t1s", []string{"x FuzzB"}},
		{"tap: without titles", "not ok 1\nnot ok 2 - \nok 3\nnot ok x\n", []string{"test 1", "test 2"}},
		{"tap: bats", "1..2\nnot ok 1 adds tax\n# (in test file a.bats, line 3)\nok 2 rounds # skip later", []string{"adds tax"}},
		{"tap: directives", "not ok 1 - a # TODO later\nnot ok 2 - b # skip\nnot ok 3 - c # time=1.2ms\nnot ok 4 - d \\# TODO", []string{"c", "d # TODO"}},
		{"tap: a suite that fails by itself", "# Subtest: cart\n    # Subtest: a\n    ok 1 - a\nnot ok 1 - cart\n", []string{"cart"}},
		{"tap: a suite after one with failures", "# Subtest: a\n    not ok 1 - x\nnot ok 1 - a\n# Subtest: b\n    ok 1 - y\nnot ok 2 - b\n", []string{"a > x", "b"}},
		{"tap: deeper than anybody nests", strings.Repeat(" ", 400) + "not ok 1 - deep", []string{"deep"}},
		{"spec: not every cross is a test", "✖ 1 problem (1 error, 0 warnings)\n✖ later (1ms) # SKIP\n", []string{}},
		{"spec: two runs", "✖ a (1ms)\n✖ failing tests:\n✖ a (1ms)\n\n> b@1.0.0 test\n✖ c (1ms)\n✔ d (1ms)\n▶ e (1ms)\n  ✖ f (1ms)\n", []string{"a", "c", "e > f"}},
		{"jest: projects, times and consoles", "PASS a.test.js\n  ● Console\nFAIL unit src/b.test.ts (5.2 s)\n  ● Console\n  ● adds › tax\nTest Suites: 1 failed\n", []string{"unit src/b.test.ts > adds › tax"}},
		{"jest: bullets of a passing file", "FAIL a.test.js\n  ● x\nPASS b.test.js\n  ● y\n", []string{"a.test.js > x"}},
		{"vitest: a project", " FAIL  |unit| src/a.test.ts > adds > tax\n", []string{"|unit| src/a.test.ts > adds > tax"}},
		{"no script", "FAIL something\nFAIL: x\n FAIL  a > b\n", []string{}},
		{"mocha: a title that ends like the last", "  1 failing\n\n  1) cart:\n       with items:\n         adds:\n     Error: x\n", []string{"cart: > with items: > adds"}},
		{"mocha: numbers that are no failures", "  1) not yet\n  2 passing\n  1 failing\n\n  x) y\n  3)\n  1) a:\n", []string{"a"}},
		{"pytest: a message cut off", "FAILED tests/a.py::test_b[x - Assertion\nFAILED tests/a.py::test_c[x - y] - no\nERROR    root:a.py:12 no\nFAILED something\nERROR: no tests/a.py\n", []string{"tests/a.py::test_b[x - Assertion", "tests/a.py::test_c[x - y]"}},
		{"pytest: a line that only has the word", "tests/a.py::test_b FAILED because\n", []string{}},
		{"unittest before 3.11", strings.Repeat("=", 70) + "\nFAIL: test_a (shop.test_price.TestPrice)\n" + strings.Repeat("=", 70) + "\nERROR: broken\n" + strings.Repeat("=", 70) + "\nWARNING: x\nFAIL: test_z (a.B)\n", []string{"broken", "shop.test_price.TestPrice.test_a"}},
		{"cargo -q", "running 2 tests\nF.\nfailures:\n\n---- tests::a stdout ----\n\nfailures:\n    tests::a\n\ntest result: FAILED.", []string{"tests::a"}},
		{"cargo: a process that died", `     Running tests\it.rs (target\debug\deps\it-e44fe44fe44fe44f.exe)` + "\ntest a ... ok\nCaused by:\n  process didn't exit successfully: `it` (signal: 6, SIGABRT)\n  process didn't exit successfully: `it` (exit status: 101)", []string{"it:tests/it.rs [cut short]"}},
		{"cargo: a process that ended as it does", "  process didn't exit successfully: `it` (exit status: 101)", []string{}},
		{"maven: other parentheses", "a b(x.Y)  Time elapsed: 0 s  <<< ERROR!\nm(int, long)  Time elapsed: 0 s  <<< ERROR!\nFailed to execute goal x\n", []string{"a b(x.Y)", "m(int, long)"}},
		{"gradle: what has no test", "> Task :test FAILED\nBUILD FAILED\n  a > b FAILED\n> Task :kaptKotlin FAILED\n", []string{":kaptKotlin [build failed]"}},
		{"rspec", "Failed examples:\n\nrspec ./spec/cart_spec.rb:12 # Cart adds tax\nrspec './spec/a_spec.rb[1:2]' # Cart rounds\n", []string{"Cart adds tax", "Cart rounds"}},
		{"phpunit", "There were 2 failures:\n\n1) Tests\\CartTest::testAdds\nFailed asserting\n\n2) CartTest::testSum with data set #1 (3)\nno\n", []string{"CartTest::testSum with data set #1 (3)", "Tests\\CartTest::testAdds"}},
		{"dotnet", "  Passed Shop.CartTest.Sums [1 ms]\n  Failed Shop.CartTest.Adds(x: 3) [12 ms]\n  Error Message:\n", []string{"Shop.CartTest.Adds(x: 3)"}},
		{"control characters and odd bytes", "not ok 1 - a\x07\x00b\xff \u009b31m  c\n", []string{"a b\ufffd 31m c"}},
		{"long names", "not ok 1 - " + long, []string{tidy(long)}},
		{"folders of machines", "not ok 1 - /home/me/p/a.test.js\nnot ok 2 - C:\\p\\b.test.js\n# Subtest: /w/c.test.js\n    not ok 1 - /x/ y\nnot ok 3 - /w/c.test.js\nnot ok 4 - /users\n", []string{"a.test.js", "b.test.js", "c.test.js > /x/ y", "users"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, FailingTests(c.output)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFailingIsBounded(t *testing.T) {
	var b strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&b, "not ok %d - test %d\n", i+1, i)
	}
	if got := FailingTests(b.String()); len(got) != maxNames {
		t.Errorf("%d names", len(got))
	}
}

func seed(f *testing.F) {
	files, _ := filepath.Glob("testdata/runs/*.txtar")
	for _, file := range files {
		run, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(run), 1200)
	}
}

func FuzzFailingTests(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, output string, _ int) {
		names := FailingTests(output)
		if len(names) > maxNames || !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
			t.Fatalf("%q", names)
		}
		for _, n := range names {
			if n == "" || len(n) > 2*maxName || !utf8.ValidString(n) || strings.ContainsAny(n, "\x1b\n\r\t") {
				t.Fatalf("%q", n)
			}
		}
	})
}
