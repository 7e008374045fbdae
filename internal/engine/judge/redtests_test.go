package judge_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/engine/judge"
	"warp/internal/sys/git"
	"warp/internal/testkit/gittest"
	"warp/internal/testkit/need"
	"warp/internal/testkit/rooms"
)

// redStack is a project with a test that fails, one that passes, and a command that runs both.
type redStack struct{ tool, command, begin string }

var redStacks = map[string]redStack{
	"named": {"sh", "sh test.sh", "mkdir tests; echo one > code.txt; echo 'grep -q one code.txt' > tests/a.sh; echo 'grep -q never code.txt' > tests/b.sh\ncat > test.sh <<'EOF'\n" + runner + "EOF"},
	"unnamed": {"sh", "sh test.sh", `mkdir tests; echo one > code.txt; echo 'grep -q one code.txt' > tests/a.sh; echo 'grep -q never code.txt' > tests/b.sh
echo 'for f in tests/*.sh; do sh $f || bad=1; done; exit ${bad:-0}' > test.sh`},
	"python": {"python3", "python3 -m unittest discover -s tests -t .", `mkdir tests; touch tests/__init__.py; printf 'def f():\n    return 1\n\n\ndef g():\n    return 1\n' > shop.py
printf 'import unittest\nimport shop\n\n\nclass Shop(unittest.TestCase):\n    def test_f(self):\n        self.assertEqual(shop.f(), 2)\n\n    def test_g(self):\n        self.assertEqual(shop.g(), 1)\n' > tests/test_shop.py`},
	"unloaded": {"python3", "python3 -m unittest discover -s tests -t .", `mkdir tests; touch tests/__init__.py; printf 'def g():\n    return 1\n' > shop.py
printf 'import unittest\nfrom shop import f\n\n\nclass Shop(unittest.TestCase):\n    def test_f(self):\n        self.assertEqual(f(), 2)\n' > tests/test_shop.py`},
	"go": {"go", "go test ./...", `printf 'module shop\n\ngo 1.21\n' > go.mod; printf 'package shop\n\nfunc F() int { return 1 }\nfunc G() int { return 1 }\n' > shop.go
printf 'package shop\n\nimport "testing"\n\nfunc TestF(t *testing.T) {\n\tif F() != 2 {\n\t\tt.Error(F())\n\t}\n}\n\nfunc TestG(t *testing.T) {\n\tif G() != 1 {\n\t\tt.Error(G())\n\t}\n}\n' > shop_test.go`},
	"node": {"node", "node --test", `printf 'exports.f = () => 1;\nexports.g = () => 1;\n' > shop.js
printf "const test = require('node:test'); const assert = require('node:assert'); const { f, g } = require('./shop.js');\ntest('f', () => assert.equal(f(), 2));\ntest('g', () => assert.equal(g(), 1));\n" > shop.test.js`},
}

// A test that was red at the start is compared, too: its old version must turn green.
func TestARedTestTurnsGreenInItsOldVersion(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		stack, name, does, asked string
		blocks, changed          string // "": none
	}{
		{"named", "it is rewritten", "echo true > tests/b.sh", "", `"tests/b.sh"; make the old version pass; if a criterion demands this, add to its text: allow-test-change: tests/b.sh`, ""},
		{"named", "it may be", "echo 'grep -q one code.txt' > tests/b.sh", allow("tests/b.sh"), "", ""},
		{"named", "it goes", "rm tests/b.sh", "", `"tests/b.sh"`, ""},
		{"named", "it is fixed, and another expectation changes", "echo 'two, never' > code.txt; echo 'grep -q two code.txt' > tests/a.sh", "", "", "tests/a.sh"},
		{"named", "it is fixed and made stricter", "echo 'one, never' > code.txt; echo 'grep -q ., code.txt && grep -q never code.txt' > tests/b.sh", "", "", ""},
		{"named", "it stays red", "echo 'grep -q never code.txt # why' > tests/b.sh", "", "", ""},
		{"named", "a new test beside it", "echo 'one, never' > code.txt; echo true > tests/c.sh", "", "", ""},
		{"unnamed", "it is rewritten", "echo true > tests/b.sh", "", `fails with the old version of "tests/b.sh"`, ""},
		{"unnamed", "it may be", "echo true > tests/b.sh", allow("tests/b.sh"), "", ""},
		{"unnamed", "it is fixed", "echo 'one, never' > code.txt; echo '# why' >> tests/b.sh", "", "", ""},
		{"unnamed", "it stays red", "echo 'grep -q never code.txt # why' > tests/b.sh", "", "", ""},
		{"python", "it is rewritten", "sed -i.bak 's/f(), 2/f(), 1/' tests/test_shop.py; rm tests/*.bak", "", "test_f", ""},
		{"python", "it is renamed and rewritten", "sed -i.bak -e 's/f(), 2/f(), 1/' -e s/test_f/test_one/ tests/test_shop.py; rm tests/*.bak", "", "test_f", ""},
		{"python", "it is fixed", "sed -i.bak '2s/1/2/' shop.py; rm *.bak; echo '# why' >> tests/test_shop.py", "", "", ""},
		{"unloaded", "it is fixed", "printf 'def f():\n    return 2\n' >> shop.py; echo '# why' >> tests/test_shop.py", "", "", ""},
		{"unloaded", "it is rewritten", "printf 'def f():\n    return 1\n' >> shop.py; sed -i.bak 's/f(), 2/f(), 1/' tests/test_shop.py; rm tests/*.bak", "", "test_f", ""},
		{"unloaded", "it tests another", "sed -i.bak -e 's/import f/import g/' -e 's/f(), 2/g(), 1/' tests/test_shop.py; rm tests/*.bak", "", "tests/test_shop.py", ""},
		{"go", "it is rewritten", "sed -i.bak 's/F() != 2/F() != 1/' shop_test.go; rm *.bak", "", "TestF", ""},
		{"go", "it is fixed, and another expectation changes", "sed -i.bak 's/return 1/return 2/' shop.go; sed -i.bak 's/G() != 1/G() != 2/' shop_test.go; rm *.bak", "", "", "TestG"},
		{"node", "it is rewritten", "sed -i.bak 's/f(), 2/f(), 1/' shop.test.js; rm *.bak", "", `"f"`, ""},
		{"node", "it is fixed", "sed -i.bak 's/f = () => 1/f = () => 2/' shop.js; echo '// why' >> shop.test.js; rm *.bak", "", "", ""},
	} {
		t.Run(c.stack+"/"+c.name, func(t *testing.T) {
			t.Parallel()
			s := redStacks[c.stack]
			need.Tool(t, s.tool)
			root := t.TempDir()
			gittest.Copy(t, root, "git init -q -b main; git config user.name t; git config user.email t@example.invalid\n"+s.begin+"\ngit add -A; git commit -qm base")
			base := sh(t, root, "git rev-parse HEAD^{tree}")
			sh(t, root, c.does+"; git add -A")
			tests := &judge.Tests{Command: judge.Command{Line: s.command, Environ: os.Environ()}, Repo: git.Repo{Dir: root}, CacheDir: filepath.Join(t.TempDir(), "known"),
				Site: judge.Site{Dir: root, Rooms: rooms.Open(t, root), Base: base}}
			work := judge.Candidate{Repo: git.Repo{Dir: root}, Base: base, Tree: sh(t, root, "git write-tree"), Criteria: []string{c.asked}, Tests: s.command, Suite: tests}
			f, err := tests.CompareWithOldTests(t.Context(), work)
			if err != nil {
				t.Fatal(err)
			}
			for what, x := range map[string][2]string{"blocks": {f.Why(), c.blocks}, "changed": {strings.Join(f.Changed, " "), c.changed}} {
				if x[1] == "" && x[0] != "" || !strings.Contains(x[0], x[1]) {
					t.Errorf("%s: %q, want %q", what, x[0], x[1])
				}
			}
			if why, err := judge.CheckIntegrity(t.Context(), work); err != nil || (why == "") != (c.blocks+c.changed == "") {
				t.Errorf("an engine without a verifier says %q, %v", why, err)
			}
		})
	}
}
