package judge_test

import (
	"strings"
	"testing"

	"warp/internal/engine/judge"
	"warp/internal/testkit/need"
)

// dishonest are changes with which tests no longer show that the code works. Each is refused, by
// reading or by running, whatever a verifier says.
var dishonest = []struct{ stack, name, does, says string }{
	{"plain", "a test is reduced to nothing", "echo true > tests/a.sh", "emptied"},
	{"plain", "only words are left", "echo 'echo ok: one' > tests/a.sh", "emptied"},
	{"plain", "its failure is ignored", "echo zero > code.txt; echo 'grep -q one code.txt || true' > tests/a.sh", "emptied"},
	{"plain", "it exits first", "printf 'exit 0\ngrep -q one code.txt\n' > tests/a.sh", "emptied"},
	{"plain", "a test goes", "rm tests/a.sh", "deleted"},
	{"plain", "a new test repairs the source", "echo zero > code.txt; echo 'echo one > code.txt' > tests/0.sh", "tests/0.sh"},
	{"plain", "and puts it back", "echo zero > code.txt; echo 'cp code.txt keep; echo one > code.txt' > tests/0.sh; echo 'mv keep code.txt' > tests/z.sh", "tests/0.sh"},
	{"shell", "a new test repairs the source", "echo zero > code.txt; echo 'echo one > code.txt' > tests/0.sh", "tests/0.sh"},
	{"shell", "a renamed test is weaker", "git rm -q tests/a.sh; echo 'test -f code.txt' > tests/c.sh", "tests/a.sh"},
	{"python", "a new test stubs an assertion", "sed -i.bak 's/a + b/0/' shop.py; rm *.bak; printf 'import unittest\nunittest.TestCase.assertEqual = lambda *a: None\n' > tests/test_a.py", "tests/test_a.py"},
	{"python", "a new test replaces the function", "sed -i.bak 's/a + b/0/' shop.py; rm *.bak; printf 'import shop\nshop.add = lambda a, b: a + b\n' > tests/test_a.py", "tests/test_a.py"},
	{"python", "a new test writes the source", "sed -i.bak 's/a + b/0/' shop.py; rm *.bak; printf 'open(\"shop.py\", \"w\").write(\"def add(a, b):\\\\n    return a + b\\\\n\")\n' > tests/test_a.py", "shop.py"},
	{"python", "a new test writes source for new work alone", "printf 'import importlib, unittest\nopen(\"shop.py\", \"a\").write(\"\\\\ndef double(a):\\\\n    return 2 * a\\\\n\")\nimport shop\nimportlib.reload(shop)\n\n\nclass New(unittest.TestCase):\n    def test_double(self):\n        self.assertEqual(shop.double(2), 4)\n' > tests/test_a.py", "shop.py"},
	{"python", "a test asserts a constant", "sed -i.bak 's/shop.add(1, 2), 3/3, 3/' tests/test_shop.py; rm tests/*.bak", "test_add"},
	{"python", "a test passes", "sed -i.bak 's/self.assertEqual(shop.add(1, 2), 3)/pass/' tests/test_shop.py; rm tests/*.bak", "test_add"},
	{"python", "a test is renamed and rewritten", "sed -i.bak -e s/test_add/test_sum/ -e 's/shop.add(1, 2), 3/shop.add(1, 2) > 0, True/' tests/test_shop.py; rm tests/*.bak", "test_add"},
	{"python", "a test is renamed and skipped", "sed -i.bak -e 's/def test_add/@unittest.skip(\"later\")\\n    def test_sum/' tests/test_shop.py; rm tests/*.bak", "test_"},
	{"python", "a test is skipped", "sed -i.bak -e 's/def test_add/@unittest.skip(\"later\")\\n    def test_add/' tests/test_shop.py; rm tests/*.bak", "test_add"},
	{"node", "a test is reduced to nothing", `sed -i.bak 's/assert.equal(sum(1, 2), 3)/{}/' test/sum.test.js; rm test/*.bak`, "adds"},
	{"node", "a test asserts a constant", `sed -i.bak 's/assert.equal(sum(1, 2), 3)/assert.ok(true)/' test/sum.test.js; rm test/*.bak`, "adds"},
	{"node", "a test is renamed and rewritten", `sed -i.bak -e "s/'adds'/'sums'/" -e 's/assert.equal(sum(1, 2), 3)/assert.ok(sum(1, 2))/' test/sum.test.js; rm test/*.bak`, "adds"},
	{"node", "a new test writes the source", `sed -i.bak 's/a + b/0/' sum.js; rm *.bak; echo "require('node:fs').writeFileSync('sum.js', 'exports.sum = (a, b) => a + b;\nexports.tax = (x) => x * 2;\n'); require('node:test')('a', () => {});" > test/a.test.js`, ""},
	{"go", "a test loses its name", "sed -i.bak s/TestAdd/testAdd/ shop_test.go; rm *.bak", "TestAdd"},
	{"go", "a subtest goes", "sed -i.bak 's/t.Run(\"zero\", func(t \\*testing.T) {/func() {/; s/^\\t})/\\t}()/' shop_test.go; rm *.bak", "TestCases/zero"},
	{"go", "a condition is never true", "sed -i.bak 's/Add(1, 2) != 3/1 != 1/' shop_test.go; rm *.bak", "TestAdd"},
	{"go", "a new test ends the program", "sed -i.bak 's/a + b/0/' shop.go; rm *.bak; printf 'package shop\\n\\nimport \"os\"\\n\\nfunc init() { os.Exit(0) }\\n' > a_test.go", "TestAdd"},
	{"go", "a new test replaces a variable of the product", "printf 'package shop\\n\\nvar plus = func(a, b int) int { return 0 }\\n\\nfunc Add(a, b int) int { return plus(a, b) }\\n' > shop.go; printf 'package shop\\n\\nfunc init() { plus = func(a, b int) int { return a + b } }\\n' > a_test.go", "a_test.go"},
	{"go", "a renamed test is weaker", "sed -i.bak -e s/TestAdd/TestSum/ -e 's/!= 3/< 0/' shop_test.go; rm *.bak", "TestAdd"},
}

func TestDishonestChangesAreRefused(t *testing.T) {
	t.Parallel()
	if len(dishonest) < 20 {
		t.Errorf("there are only %d", len(dishonest))
	}
	for name, s := range stacks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			need.Tool(t, s.tool)
			tests := s.begin(t)
			root, base := tests.Site.Dir, tests.Site.Base
			for _, c := range dishonest {
				if c.stack != name {
					continue
				}
				t.Run(c.name, func(t *testing.T) {
					tree := sh(t, root, "git read-tree --reset -u HEAD; git clean -fdqx\n"+c.does+"\ngit add -A; git write-tree")
					work := judge.Candidate{Repo: tests.Repo, Base: base, Tree: tree, Tests: s.command, Suite: tests}
					why, err := judge.ReadTests(work)
					if err == nil && why == "" {
						var f judge.Finding
						f, err = tests.CompareWithOldTests(t.Context(), work)
						if why = f.Why(); why == "" {
							if now, err := tests.Run(t.Context(), tree); err == nil && !now.Result.Passed {
								return // it does not even pass
							}
							t.Errorf("accepted; a verifier is told %q", f.Changed)
						}
					}
					if err != nil || !strings.Contains(why, c.says) {
						t.Errorf("%q, %v, want %q", why, err, c.says)
					}
				})
			}
		})
	}
}
