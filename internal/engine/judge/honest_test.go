package judge_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warp/internal/engine/judge"
	"warp/internal/sys/git"
	"warp/internal/testkit/need"
	"warp/internal/testkit/rooms"
)

// stack is a small project with tests in one language.
type stack struct {
	tool, command string
	files         map[string]string
}

var stacks = map[string]stack{
	"shell": {"sh", "sh test.sh", map[string]string{"code.txt": "one\n", "tests/a.sh": "grep -q one code.txt\n", "tests/b.sh": "test -f code.txt\n", "test.sh": runner}},
	"make": {"make", "make -s test", map[string]string{"code.txt": "one\n", "tests/a.sh": "grep -q one code.txt\n", "tests/b.sh": "test -f code.txt\n", "scripts/run.sh": runner,
		"Makefile": "include config.mk\ntest:\n\tsh scripts/run.sh\nbuild:\n\ttrue\n", "config.mk": "NAME = shop\n"}},
	"node": {"node", "node --test test/", map[string]string{"package.json": `{"name":"shop","version":"1.0.0","scripts":{"test":"node --test test/"},"dependencies":{}}` + "\n",
		"sum.js": "exports.sum = (a, b) => a + b;\nexports.tax = (x) => x * 2;\n",
		"test/sum.test.js": `const test = require('node:test'); const assert = require('node:assert'); const { sum, tax } = require('../sum.js');
test('adds', () => assert.equal(sum(1, 2), 3));
test('taxes', () => assert.equal(tax(2), 4));
`}},
	"go": {"go", "go test ./...", map[string]string{"go.mod": "module shop\n\ngo 1.21\n", "shop.go": "package shop\n\nfunc Add(a, b int) int { return a + b }\n",
		"shop_test.go": "package shop\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(1, 2) != 3 {\n\t\tt.Error(\"add\")\n\t}\n}\n\nfunc TestCases(t *testing.T) {\n\tt.Run(\"zero\", func(t *testing.T) {\n\t\tif Add(0, 0) != 0 {\n\t\t\tt.Error(\"zero\")\n\t\t}\n\t})\n}\n"}},
	"plain": {"sh", "sh test.sh", map[string]string{"code.txt": "one\n", "tests/a.sh": "grep -q one code.txt\n", "tests/b.sh": "test -f code.txt\n",
		"test.sh": "for f in tests/*.sh; do sh $f || bad=1; done\nexit ${bad:-0}\n"}},
	"python": {"python3", "python3 -m unittest discover -v -s tests -t .", map[string]string{"shop.py": "def add(a, b):\n    return a + b\n", "tests/__init__.py": "",
		"tests/test_shop.py": "import unittest\nimport shop\n\n\nclass Shop(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(shop.add(1, 2), 3)\n\n    def test_zero(self):\n        self.assertEqual(shop.add(0, 0), 0)\n",
		"setup.cfg":          "[metadata]\nname = shop\n\n[tool:pytest]\naddopts = -q\n"}},
}

// allow gives a path free.
func allow(path string) string { return "It is asked for. allow-test-change: " + path }

// honest are changes that people make for good reasons: none of them may be refused. Says
// is what a person is told of it; "": there is nothing to tell.
var honest = []struct{ stack, name, does, asked, says string }{
	{"shell", "the product", "echo more >> code.txt", "", ""},
	{"shell", "a new test", "echo 'grep -q one code.txt' > tests/c.sh", "", ""},
	{"shell", "a new test for new work", "echo two >> code.txt; echo 'grep -q two code.txt' > tests/c.sh", "", ""},
	{"shell", "a stricter test", "echo 'grep -qx one code.txt' > tests/a.sh", "", ""},
	{"shell", "a comment in a test", "echo '# why' >> tests/a.sh", "", ""},
	{"shell", "another expectation", "echo two > code.txt; echo 'grep -q two code.txt' > tests/a.sh", "", "tests/a.sh"},
	{"shell", "a test goes", "rm tests/b.sh", allow("tests/b.sh"), ""},
	{"shell", "all tests of a folder go", "rm tests/a.sh", allow("tests/**"), ""},
	{"shell", "a test is renamed", "git mv tests/b.sh tests/exists.sh", allow("tests/b.sh"), ""},
	{"shell", "a test is skipped", "echo 'exit 77' > tests/b.sh", allow("tests/b.sh"), ""},
	{"shell", "the runner says more", `sed -i.bak 's/^n=0/echo "# begin"; n=0/' test.sh; rm test.sh.bak`, "", "test.sh"},
	{"shell", "the runner is tidied", "printf '# runs all\\n' >> test.sh", "", "test.sh"},
	{"shell", "a fixture", "mkdir tests/data; echo x > tests/data/x.txt", "", ""},
	{"shell", "documents", "mkdir docs; echo x > docs/x.md; echo '# Shop' > README.md", "", ""},
	{"shell", "an ignored file more", "printf 'out/\\n' > .gitignore", "", ""},
	{"make", "another target", "printf 'lint:\\n\\ttrue\\n' >> Makefile", "", "Makefile"},
	{"make", "another name", "echo 'NAME = store' > config.mk", "", "config.mk"},
	{"make", "the build", "sed -i.bak 's/^\\ttrue/\\techo built/' Makefile; rm Makefile.bak", "", "Makefile"},
	{"make", "the product", "echo more >> code.txt", "", ""},
	{"make", "a test more", "echo true > tests/c.sh", "", ""},
	{"node", "the product", "echo 'exports.more = 1;' >> sum.js", "", ""},
	{"node", "a test more", `echo "test('again', () => assert.equal(sum(2, 2), 4));" >> test/sum.test.js`, "", ""},
	{"node", "a file of tests more", `echo "require('node:test')('more', () => {});" > test/more.test.js`, "", ""},
	{"node", "a dependency", `sed -i.bak 's/"dependencies":{}/"dependencies":{"left-pad":"1.3.0"}/' package.json; rm package.json.bak`, "", ""},
	{"node", "a version", `sed -i.bak 's/1.0.0/1.1.0/' package.json; rm package.json.bak`, "", ""},
	{"node", "a script more", `sed -i.bak 's/"scripts":{/"scripts":{"build":"true",/' package.json; rm package.json.bak`, "", "package.json"},
	{"node", "a lock file", `echo '{"lockfileVersion":3}' > package-lock.json`, "", ""},
	{"node", "another expectation", `sed -i.bak 's/x \* 2/x * 3/' sum.js; sed -i.bak 's/tax(2), 4/tax(2), 6/' test/sum.test.js; rm *.bak test/*.bak`, "", "taxes"},
	{"node", "a function goes with its test", `sed -i.bak '/tax/d' sum.js; sed -i.bak -e '/taxes/d' -e 's/{ sum, tax }/{ sum }/' test/sum.test.js; rm *.bak test/*.bak`, allow("test/sum.test.js"), "taxes"},
	{"node", "a snapshot", "mkdir test/__snapshots__; echo x > test/__snapshots__/sum.snap", "", ""},
	{"node", "tests are moved", "mkdir test/unit; git mv test/sum.test.js test/unit/sum.test.js; sed -i.bak 's#../sum.js#../../sum.js#' test/unit/sum.test.js; rm test/unit/*.bak", allow("test/sum.test.js"), ""},
	{"node", "a helper of tests", "echo 'exports.x = 1;' > test/helper.js", "", ""},
	{"node", "configuration of a formatter", "echo '{}' > .prettierrc", "", ""},
	{"node", "generated code", "mkdir dist; cp sum.js dist/sum.js", "", ""},
	{"python", "the product", "echo '# more' >> shop.py", "", ""},
	{"python", "a test more", "printf '\\n    def test_more(self):\\n        self.assertEqual(shop.add(2, 2), 4)\\n' >> tests/test_shop.py", "", ""},
	{"python", "a stricter test", "sed -i.bak 's/shop.add(1, 2), 3)/shop.add(1, 2), 3, \"sum\")/' tests/test_shop.py; rm tests/*.bak", "", ""},
	{"python", "another expectation", "printf 'def add(a, b):\\n    return a + b + 1\\n' > shop.py; sed -i.bak -e 's/, 3)/, 4)/' -e 's/0), 0)/0), 1)/' tests/test_shop.py; rm tests/*.bak", "", "test_add"},
	{"python", "a test goes", "sed -i.bak '/test_zero/,$d' tests/test_shop.py; rm tests/*.bak", allow("tests/test_shop.py"), ""},
	{"python", "metadata", "sed -i.bak 's/name = shop/name = store/' setup.cfg; rm setup.cfg.bak", "", ""},
	{"python", "a module more", "echo 'x = 1' > more.py", "", ""},
	{"python", "a requirement", "echo 'requests==2.31' > requirements.txt", "", ""},
	{"python", "a test is renamed", "sed -i.bak s/test_zero/test_nothing/ tests/test_shop.py; rm tests/*.bak", "", ""},
	{"python", "a test is renamed and gets a comment", "sed -i.bak -e s/test_zero/test_nothing/ -e 's/, 0)$/, 0)  # why/' tests/test_shop.py; rm tests/*.bak", "", ""},
	{"python", "the file is renamed", "git mv tests/test_shop.py tests/test_basket.py", "", ""},
	{"python", "the class is renamed", "sed -i.bak s/class.Shop/class\\ Basket/ tests/test_shop.py; rm tests/*.bak", "", ""},
	{"python", "the file is split", "(sed -n 1,4p tests/test_shop.py; printf 'class Zero(unittest.TestCase):\\n'; sed -n '/test_zero/,$p' tests/test_shop.py) > tests/test_zero.py; sed -i.bak '/test_zero/,$d' tests/test_shop.py; rm tests/*.bak", "", ""},
	{"python", "formatting", "sed -i.bak 's/shop.add(1, 2), 3/\\n            shop.add(1, 2), 3\\n        /' tests/test_shop.py; rm tests/*.bak", "", ""},
	{"python", "another import", "sed -i.bak -e 's/^import shop/from shop import add/' -e 's/shop\\.add/add/' tests/test_shop.py; rm tests/*.bak", "", ""},
	{"python", "subtests", "printf '\\n    def test_more(self):\\n        for n in (1, 2):\\n            with self.subTest(n=n):\\n                self.assertEqual(shop.add(n, 0), n)\\n' >> tests/test_shop.py", "", ""},
	{"python", "a helper of tests", "printf 'def same(test, a, b):\\n    test.assertEqual(a, b)\\n' > tests/helper.py; sed -i.bak -e 's/^import shop/import shop\\nfrom tests.helper import same/' -e 's/self.assertEqual(/same(self, /' tests/test_shop.py; rm tests/*.bak", "", ""},
	{"python", "a test that skips itself on Windows", "printf '\\n    @unittest.skipIf(__import__(\"os\").name == \"nt\", \"forks\")\\n    def test_more(self):\\n        self.assertEqual(shop.add(2, 2), 4)\\n' >> tests/test_shop.py", "", ""},
	{"python", "a helper changes with the product", "printf 'def add(a, b, c):\\n    return a + b + c\\n' > shop.py; printf 'import shop\\n\\n\\ndef add(a, b):\\n    return shop.add(a, b, 0)\\n' > tests/adding.py; sed -i.bak -e 's/^import shop/from tests import adding/' -e 's/shop\\.add/adding.add/' tests/test_shop.py; rm tests/*.bak", "", "test_add"},
	{"node", "a test is renamed", "sed -i.bak \"s/'taxes'/'adds tax'/\" test/sum.test.js; rm test/*.bak", "", ""},
	{"node", "tests get a group", `sed -i.bak -e "s/^test('adds'/test.describe('sum', () => {\\ntest('adds'/" test/sum.test.js; echo '});' >> test/sum.test.js; rm test/*.bak`, "", ""},
	{"node", "the file is renamed", "git mv test/sum.test.js test/total.test.js", "", ""},
	{"node", "the file is split", "(sed -n 1p test/sum.test.js; grep taxes test/sum.test.js) > test/tax.test.js; sed -i.bak /taxes/d test/sum.test.js; rm test/*.bak", "", ""},
	{"node", "formatting", `sed -i.bak "s/() => assert.equal(tax(2), 4)/() =>\\n  assert.equal(tax(2), 4)/" test/sum.test.js; rm test/*.bak`, "", ""},
	{"node", "a test is moved and renamed", `mkdir test/unit; (sed -n 1p test/sum.test.js | sed 's#../sum#../../sum#'; grep taxes test/sum.test.js | sed "s/'taxes'/'adds tax'/") > test/unit/tax.test.js; sed -i.bak /taxes/d test/sum.test.js; rm test/*.bak`, "", ""},
	{"go", "the product", "printf '\\nfunc Sub(a, b int) int { return a - b }\\n' >> shop.go", "", ""},
	{"go", "a test more", "printf '\\nfunc TestMore(t *testing.T) {\\n\\tif Add(2, 2) != 4 {\\n\\t\\tt.Error()\\n\\t}\\n}\\n' >> shop_test.go", "", ""},
	{"go", "a test is renamed", "sed -i.bak s/TestAdd/TestSum/ shop_test.go; rm *.bak", "", ""},
	{"go", "a test with subtests is renamed", "sed -i.bak s/TestCases/TestEdges/ shop_test.go; rm *.bak", "", ""},
	{"go", "a test is moved and renamed", "(sed -n 1,4p shop_test.go; sed -n '/TestCases/,$p' shop_test.go | sed s/TestCases/TestEdges/) > edges_test.go; sed -i.bak '/TestCases/,$d' shop_test.go; rm *.bak", "", ""},
	{"go", "the file is renamed", "git mv shop_test.go sum_test.go", "", ""},
	{"go", "the package is moved", "mkdir money; git mv shop.go shop_test.go money", "", "shop_test.go"},
	{"go", "subtests", "sed -i.bak 's/^func TestCases(t \\*testing.T) {/&\\n\\tt.Run(\"one\", func(t *testing.T) {})/' shop_test.go; rm *.bak", "", ""},
	{"go", "a table that keeps the names", "printf 'package shop\\n\\nimport \"testing\"\\n\\nfunc TestAdd(t *testing.T) {\\n\\tfor _, c := range []struct{ a, b, want int }{{1, 2, 3}, {2, 2, 4}} {\\n\\t\\tif Add(c.a, c.b) != c.want {\\n\\t\\t\\tt.Error(c)\\n\\t\\t}\\n\\t}\\n}\\n\\nfunc TestCases(t *testing.T) {\\n\\tfor name, want := range map[string]int{\"zero\": 0} {\\n\\t\\tt.Run(name, func(t *testing.T) {\\n\\t\\t\\tif Add(0, 0) != want {\\n\\t\\t\\t\\tt.Error(want)\\n\\t\\t\\t}\\n\\t\\t})\\n\\t}\\n}\\n' > shop_test.go", "", ""},
	{"go", "another expectation", "sed -i.bak 's/a + b/a + b + 1/' shop.go; sed -i.bak -e 's/!= 3/!= 4/' -e 's/0) != 0/0) != 1/' shop_test.go; rm *.bak", "", "TestAdd"},
	{"go", "an external test package", "sed -i.bak -e 's/^package shop/package shop_test/' -e 's/^import \"testing\"/import (\\n\\t\"testing\"\\n\\n\\t. \"shop\"\\n)/' shop_test.go; rm *.bak", "", ""},
	{"go", "a test for one system", "printf 'package shop\\n\\nimport \"testing\"\\n\\nfunc TestMore(t *testing.T) { t.Skip() }\\n' > more_windows_test.go", "", ""},
	{"plain", "another expectation", "echo two > code.txt; echo 'grep -q two code.txt' > tests/a.sh", "", "tests/a.sh"},
	{"plain", "a test more", "echo two >> code.txt; echo 'grep -q two code.txt' > tests/c.sh", "", ""},
	{"plain", "a helper of tests", "echo 'has() { grep -q \"$1\" code.txt; }' > tests/lib.sh; echo '. tests/lib.sh; has one' > tests/a.sh", "", ""},
	{"plain", "a test is renamed", "git mv tests/b.sh tests/exists.sh", "", ""},
	{"shell", "a test without a language is renamed", "git mv tests/b.sh tests/exists.sh", "", ""},
}

// begin makes a repository of the stack, and runs its tests.
func (s stack) begin(t *testing.T) *judge.Tests {
	t.Helper()
	root := t.TempDir()
	for _, name := range slices.Sorted(maps.Keys(s.files)) {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(s.files[name]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	sh(t, root, "git init -q -b main; git config user.name t; git config user.email t@example.invalid; git add -A; git commit -qm base")
	base := sh(t, root, "git rev-parse HEAD^{tree}")
	tests := &judge.Tests{Command: judge.Command{Line: s.command, Environ: os.Environ()}, Repo: git.Repo{Dir: root}, Site: judge.Site{Dir: root, Rooms: rooms.Open(t, root), Base: base}}
	if ran, err := tests.Run(t.Context(), base); err != nil || !ran.Result.Passed || (ran.Named == nil) != (s.files["tests/b.sh"] != "" && s.files["test.sh"] != runner && s.tool == "sh") {
		t.Fatalf("it begins red, or without names: %+v, %v", ran, err)
	}
	return tests
}

// None of them is refused, and what a person should know is said. As in a night, one suite
// judges one change of its project after the other.
func TestHonestChangesAreNotRefused(t *testing.T) {
	t.Parallel()
	if len(honest) < 40 {
		t.Errorf("there are only %d", len(honest))
	}
	for name, s := range stacks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			need.Tool(t, s.tool)
			tests := s.begin(t)
			root, base := tests.Site.Dir, tests.Site.Base
			for _, c := range honest {
				if c.stack != name {
					continue
				}
				t.Run(c.name, func(t *testing.T) {
					tree := sh(t, root, "git read-tree --reset -u HEAD; git clean -fdqx\n"+c.does+"\ngit add -A; git write-tree")
					work := judge.Candidate{Repo: tests.Repo, Base: base, Tree: tree, Tests: s.command, Criteria: []string{c.asked}, Suite: tests}
					if why, err := judge.ReadTests(work); err != nil || why != "" {
						t.Errorf("refused by reading: %s %v", why, err)
					}
					f, err := tests.CompareWithOldTests(t.Context(), work)
					if err != nil || len(f.Blocks) > 0 {
						t.Errorf("refused: %s %v", f.Why(), err)
					}
					said := strings.Join(append(f.Points, f.Changed...), "\n")
					if !strings.Contains(said, c.says) || c.says == "" && said != "" {
						t.Errorf("it is said %q, want %q", said, c.says)
					}
				})
			}
		})
	}
}
