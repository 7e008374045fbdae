package testoutput

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFailuresOutsideTests(t *testing.T) {
	for _, c := range []struct {
		name, output string
		want         []string
	}{
		{"tests alone", "--- FAIL: TestOld (0.00s)\n    x_test.go:3: Error: no\nFAIL\nFAIL\tx/old\t0.1s\n", []string{}},
		{"a panic in a test", "--- FAIL: TestOld (0.00s)\npanic: boom [recovered]\n\ngoroutine 7 [running]:\nFAIL\tx/old\t0.1s\n", []string{}},
		{"a panic elsewhere", "--- FAIL: TestOld (0.00s)\nFAIL\nFAIL\tx/old\t0.1s\npanic: boom\n\ngoroutine 1 [running]:\nexit status 2\n", []string{"panic: boom"}},
		{"go vet behind the tests", "FAIL\tx/old\t0.1s\n# x/new\n./new.go:3:1: self-assignment\n", []string{"./new.go:<n>:<n>: self-assignment"}},
		{"a build that failed", "# x/new\n./new.go:3:1: syntax error\nFAIL\tx/new [build failed]\n", []string{}},
		{"a shell and make", "FAILED tests/test_a.py::test_old - assert\n=== 1 failed in 0.12s ===\nt.sh: line 3:  4711 Segmentation fault      (core dumped) ./unit\nmake: *** [Makefile:3: integration] Error 139\n",
			[]string{"Segmentation fault (core dumped) ./unit", "make: *** [integration] Error 139"}},
		{"behind pytest", "=== FAILURES ===\n___ test_old ___\nE  ValueError: 1\n=== short test summary info ===\nFAILED a.py::test_old\n=== 1 failed in 0.12s ===\nTraceback (most recent call last):\n  File \"b.py\", line 12, in <module>\nValueError: 2\n",
			[]string{"ValueError: 2"}},
		{"an exception by another name", "Traceback (most recent call last):\n  File \"b.py\", line 12, in <module>\nshop.Boom: 2\n", []string{"shop.Boom: 2"}},
		{"behind mocha", "  1 failing\n\n  1) adds\n     Error: no\n\nKilled\n", []string{"Killed"}},
		{"a compiler", "src/cart.ts(12,5): error TS2322: no\n", []string{"src/cart.ts(<n>,<n>): error TS2322: no"}},
		{"what make adds to a vet", "# shop/price\nprice.go:12:2: undefined: rate\nmake: *** [Makefile:12: lint] Error 1\n", []string{"make: *** [lint] Error 1", "price.go:<n>:<n>: undefined: rate"}},
		{"a comment of TAP", "# node:internal/modules/cjs/loader:1210\n# Node.js v20\nok 1 - x\n", []string{}},
		{"what a passing test of go prints", "=== RUN   TestA\nError: no\n--- PASS: TestA (0.00s)\nok  \tx\t0.1s\n", []string{}},
		{"cargo's sum", "test result: FAILED.\n\nerror: test failed, to rerun pass `--lib`\nerror: 2 targets failed:\n", []string{}},
		{"sentences", "Killed by hand\nAborted the job\nit is Aborted\nSegmentation faults are bad\n", []string{}},
	} {
		if diff := cmp.Diff(c.want, FailuresOutsideTests(c.output)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}
