package testoutput

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite what testdata/runs wants")

// Each file holds the output of a run as it was printed, the names of what
// failed in it, and its excerpt of at most 1,200 bytes.
func TestRuns(t *testing.T) {
	files, err := filepath.Glob("testdata/runs/*.txtar")
	if err != nil || len(files) < 20 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			run, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			output := string(run.Files[0].Data)
			names := ""
			for _, n := range FailingTests(output) {
				names += n + "\n"
			}
			got := []txtar.File{run.Files[0], {Name: "failing", Data: []byte(names)}, {Name: "excerpt", Data: []byte(Excerpt(output, 1200))}}
			if *update {
				run.Files = got
				if err := os.WriteFile(file, txtar.Format(run), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(texts(run.Files[1:]), texts(got[1:])); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func texts(files []txtar.File) map[string]string {
	m := map[string]string{}
	for _, f := range files {
		m[f.Name] = string(f.Data)
	}
	return m
}

// A package is no test, unless nothing else is named.
func TestCountTests(t *testing.T) {
	for want, run := range map[int]Run{
		0: nil,
		1: {"p TestA": Passed, "p" + Whole: Passed},
		2: {"p" + Whole: Passed, "q" + Whole: Failed},
	} {
		if have := run.CountTests(); have != want {
			t.Errorf("%v: %d, not %d", run, have, want)
		}
	}
}

// A test belongs to a file by what each language names it after.
func TestATestOfAFile(t *testing.T) {
	for _, c := range []struct {
		name, file, content string
		is                  bool
	}{
		{"shop/cart TestSum/empty", "cart/sum_test.go", "func TestSum(t *testing.T)", true},
		{"shop TestSum", "sum_test.go", "func TestSum(t *testing.T)", true},
		{"shop/cart TestSums", "cart/sum_test.go", "func TestSum(t *testing.T)", false},
		{"shop/car TestSum", "cart/sum_test.go", "func TestSum(t *testing.T)", false},
		{"cart > adds tax", "test/cart.test.js", `describe("cart", `, true},
		{"carts > adds tax", "test/cart.test.js", `describe("cart", `, false},
		{"src/cart.test.js > cart > adds", "src/cart.test.js", "", true},
		{"src/other.test.js > cart > adds", "src/cart.test.js", `describe("src/other`, false},
		{"tests/test_a.py::test_b[x]", "tests/test_a.py", "", true},
		{"tests/test_ab.py::test_b[x]", "tests/test_a.py", "def test_b", false},
		{"pytest > tests.test_shop.test_a > test_b", "tests/test_shop/test_a.py", "", true},
		{"pytest > tests.test_shop.test_ab > test_b", "tests/test_shop/test_a.py", "", false},
		{"tests.test_a.A.test_ok", "tests/test_a.py", "", true},
		{"test_a.A.test_ok", "tests/test_a.py", "", true},
		{"test_b.A.test_a", "tests/test_a.py", "", false},
		{"com.shop.CartTest > adds", "src/test/java/com/shop/CartTest.java", "", true},
		{"tests/cart_test.sh", "tests/cart_test.sh", "", true},
	} {
		if have := IsTestOf(c.name, c.file, c.content); have != c.is {
			t.Errorf("%q of %s: %t", c.name, c.file, have)
		}
	}
	run := Run{"a [as a whole]": Passed, "a TestB": Failed}
	if run.HasTestsOf("b_test.go", "func TestB(") {
		t.Error("a test that failed ran and passed")
	}
}
