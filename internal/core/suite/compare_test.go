package suite

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"warp/internal/core/testoutput"
)

func TestCompare(t *testing.T) {
	for name, c := range map[string]struct {
		before, now testoutput.Run
		want        Difference
	}{
		"nothing":      {testoutput.Run{"p A": testoutput.Passed}, testoutput.Run{"p A": testoutput.Passed, "p B": testoutput.Failed}, Difference{}},
		"never passed": {testoutput.Run{"p A": testoutput.Failed, "p B": testoutput.Skipped}, testoutput.Run{}, Difference{}},
		"each kind": {testoutput.Run{"p A": testoutput.Passed, "p B": testoutput.Passed, "p C": testoutput.Passed, "p": testoutput.Passed}, testoutput.Run{"p A": testoutput.Skipped, "p B": testoutput.Failed, "p": testoutput.Passed},
			Difference{Vanished: []string{"p C"}, Skipped: []string{"p A"}, Failed: []string{"p B"}}},
		"a rename is not guessed": {testoutput.Run{"p TestSum": testoutput.Passed}, testoutput.Run{"p TestSums": testoutput.Passed}, Difference{Vanished: []string{"p TestSum"}}},
		"what differs in each run": {testoutput.Run{"p T/0xc000123456": testoutput.Passed, "x > waits 5ms": testoutput.Passed}, testoutput.Run{"p T/0xc000987654": testoutput.Passed, "x > waits 7ms": testoutput.Skipped},
			Difference{Skipped: []string{"x > waits 5ms"}}},
		"one of two that differ in each run": {testoutput.Run{"p T/0xc000123456": testoutput.Passed, "p T/0xc000123457": testoutput.Passed}, testoutput.Run{"p T/0xc000987654": testoutput.Passed},
			Difference{Vanished: []string{"p T/0xc000123457"}}},
		"a small number is a name":         {testoutput.Run{"p T/case_1": testoutput.Passed}, testoutput.Run{"p T/case_9": testoutput.Passed}, Difference{Vanished: []string{"p T/case_1"}}},
		"the inner test is named alone":    {testoutput.Run{"p T": testoutput.Passed, "p T/a": testoutput.Passed}, testoutput.Run{"p T": testoutput.Failed, "p T/a": testoutput.Failed}, Difference{Failed: []string{"p T/a"}}},
		"a title that begins like another": {testoutput.Run{"adds": testoutput.Passed, "adds tax": testoutput.Passed}, testoutput.Run{}, Difference{Vanished: []string{"adds", "adds tax"}}},
		"the outer test is skipped":        {testoutput.Run{"p T": testoutput.Passed, "p T/a": testoutput.Passed}, testoutput.Run{"p T": testoutput.Skipped}, Difference{Skipped: []string{"p T/a"}}},
		"the outer suite fails":            {testoutput.Run{"cart > adds": testoutput.Passed}, testoutput.Run{"cart": testoutput.Failed}, Difference{Failed: []string{"cart > adds"}}},
		"the inner test is deleted":        {testoutput.Run{"p T": testoutput.Passed, "p T/a": testoutput.Passed, "p T/b": testoutput.Passed}, testoutput.Run{"p T": testoutput.Passed, "p T/a": testoutput.Passed}, Difference{Vanished: []string{"p T/b"}}},
		"all inner tests are deleted":      {testoutput.Run{"p T": testoutput.Passed, "p T/a": testoutput.Passed}, testoutput.Run{"p T": testoutput.Passed, "p" + testoutput.Whole: testoutput.Passed}, Difference{Vanished: []string{"p T/a"}}},
		"a package that does not build":    {testoutput.Run{"p T": testoutput.Passed, "p" + testoutput.Whole: testoutput.Passed}, testoutput.Run{"p" + testoutput.Whole: testoutput.Failed}, Difference{Failed: []string{"p T"}}},
		"another package that does not":    {testoutput.Run{"p/a T": testoutput.Passed}, testoutput.Run{"p" + testoutput.Whole: testoutput.Failed}, Difference{Vanished: []string{"p/a T"}}},
		"a file that cannot be imported":   {testoutput.Run{"t/a.py::test_b": testoutput.Passed}, testoutput.Run{"t/a.py" + testoutput.Whole: testoutput.Failed}, Difference{Failed: []string{"t/a.py::test_b"}}},
		"a package is gone":                {testoutput.Run{"p T": testoutput.Passed, "p" + testoutput.Whole: testoutput.Passed}, testoutput.Run{"q U": testoutput.Passed}, Difference{Vanished: []string{"p T"}}},
		"a file without names":             {testoutput.Run{"a.js > x": testoutput.Passed, "a.js" + testoutput.Whole: testoutput.Passed}, testoutput.Run{"a.js" + testoutput.Whole: testoutput.Passed, "b.js" + testoutput.Whole: testoutput.Passed}, Difference{Unnamed: []string{"a.js > x"}}},
		"files alone":                      {testoutput.Run{"a.js" + testoutput.Whole: testoutput.Passed, "b.js" + testoutput.Whole: testoutput.Passed, "c.js" + testoutput.Whole: testoutput.Passed}, testoutput.Run{"a.js" + testoutput.Whole: testoutput.Failed, "c.js > x": testoutput.Passed, "c.js" + testoutput.Whole: testoutput.Passed}, Difference{Vanished: []string{"b.js" + testoutput.Whole}, Failed: []string{"a.js" + testoutput.Whole}}},
		"a file whose tests are named now": {testoutput.Run{"a.js" + testoutput.Whole: testoutput.Passed}, testoutput.Run{"a.js" + testoutput.Whole: testoutput.Passed, "a.js > x": testoutput.Passed}, Difference{}},
		"a package fails beside its tests": {testoutput.Run{"p T": testoutput.Passed, "p" + testoutput.Whole: testoutput.Passed}, testoutput.Run{"p T": testoutput.Passed, "p" + testoutput.Whole: testoutput.Failed}, Difference{}},
		"one of two with the same name":    {testoutput.Run{"x": testoutput.Passed, "x #2": testoutput.Passed}, testoutput.Run{"x": testoutput.Passed}, Difference{Vanished: []string{"x #2"}}},
	} {
		t.Run(name, func(t *testing.T) {
			got := Compare(c.before, c.now)
			if diff := cmp.Diff(c.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
			if got.Empty() != (cmp.Equal(c.want, Difference{}, cmpopts.EquateEmpty())) {
				t.Errorf("Empty is %v", got.Empty())
			}
			if d := Compare(c.before, c.before); !d.Empty() {
				t.Errorf("against itself: %+v", d)
			}
		})
	}
}
