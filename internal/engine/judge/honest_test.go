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
	if ran, err := tests.Run(t.Context(), base); err != nil || !ran.Result.Passed || ran.Named == nil {
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
