package testintegrity

import (
	"fmt"
	"strings"
	"testing"
)

func TestFindMoves(t *testing.T) {
	for name, c := range map[string]struct {
		changes []Change
		want    string
	}{
		"go, renamed": {one("a_test.go", "package a\n\nfunc TestA(t *testing.T) {\n\tif f() != 1 {\n\t\tt.Error(`{`)\n\t}\n}\n\nfunc help() {}\n",
			"package a\n\nfunc TestB(t *testing.T) {\n\tif f() != 1 { // why\n\t\tt.Error(`{`)\n\t}\n}\n"), "a_test.go TestA -> a_test.go TestB"},
		"go, another expectation": {one("a_test.go", "package a\nfunc TestA(t *testing.T) { eq(t, f(), 1) }\n", "package a\nfunc TestB(t *testing.T) { eq(t, f(), 2) }\n"), ""},
		"go, a method":            {one("a_test.go", "package a\nfunc (s *Suite) TestA() { s.Equal(f(), 1) }\n", "package a\nfunc (s *Suite) TestB() { s.Equal(f(), 1) }\n"), "a_test.go TestA -> a_test.go TestB"},
		"go, nothing in it":       {one("a_test.go", "package a\nfunc TestA(t *testing.T) {}\n", "package a\nfunc TestB(t *testing.T) {}\n"), ""},
		"python, into a class":    {one("test_a.py", "def test_a():\n    x = f()\n\n    assert x == 1\n\ny = 1\n", "class TestF:\n    def test_b(self):\n        x = f()\n        assert x == 1  # one\n\n    z = 1\n"), "test_a.py test_a -> test_a.py test_b"},
		"python, one line":        {one("test_a.py", "def test_a(x: int): assert f(x) == 1\n", "def test_b(x: int): assert f(x) == 1\n"), "test_a.py test_a -> test_a.py test_b"},
		"python, more":            {one("test_a.py", "def test_a():\n    assert f() == 1\n    assert g() == 2\n", "def test_b():\n    assert f() == 1\n"), ""},
		"node, renamed":           {one("a.test.js", "test('a (one)', () => {\n  assert.equal(f(')'), 1);\n});\n", "test(\"b\", () => {\n  assert.equal(f(')'), 1);\n});\n"), "a.test.js a (one) -> a.test.js b"},
		"node, into a group":      {one("a.test.js", "it('a', async () => { expect(await f()).toBe(1) })\n", "describe('g', () => {\n  it('a', async () => {\n    expect(await f()).toBe(1)\n  })\n})\n"), "a.test.js a -> a.test.js a"},
		"two of one body":         {one("a.test.js", "it('a', () => check(1))\nit('b', () => check(1))\n", "it('b', () => check(1))\nit('c', () => check(1))\n"), "a.test.js b -> a.test.js b, a.test.js a -> a.test.js c"},
		"to another file":         {[]Change{{Path: "test_a.py", Before: []byte("def test_a():\n    assert f() == 1\n")}, {Path: "sub/test_b.py", After: []byte("from x import f\n\n\ndef test_a():\n    assert f() == 1\n")}}, "test_a.py test_a -> sub/test_b.py test_a"},
		"a script":                {[]Change{{Path: "tests/b.sh", OldPath: "tests/a.sh", Before: []byte("grep -q one x\n"), After: []byte("grep -q one x\n")}}, "tests/a.sh  -> tests/b.sh "},
		"another script":          {[]Change{{Path: "tests/b.sh", OldPath: "tests/a.sh", Before: []byte("grep -q one x\n"), After: []byte("grep -q two x\n")}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, m := range FindMoves(c.changes) {
				got = append(got, fmt.Sprintf("%s %s -> %s %s", m.OldPath, m.OldName, m.Path, m.Name))
			}
			if got := strings.Join(got, ", "); got != c.want {
				t.Errorf("got %q\nwant %q", got, c.want)
			}
		})
	}
}

func one(path, before, after string) []Change {
	return []Change{{Path: path, Before: []byte(before), After: []byte(after)}}
}

// A script that cannot fail any more tests nothing.
func TestScriptsReducedToNothing(t *testing.T) {
	const before = "#!/bin/sh\nset -e\n[ \"$(sh sum.sh 1 2)\" = 3 ] || { echo FAIL; exit 1; }\ngrep -q one code.txt\n"
	for after, nothing := range map[string]bool{
		"true\n": true, "#!/bin/sh\n": true, ":\n": true, "exit 0\n" + before: true, "echo 'ok: sum is 3'\n": true, "[ 3 = 3 ] || exit 1\n": true,
		"true || { echo FAIL; exit 1; }\n": true, "set -e\n# grep -q one code.txt\n": true, ": <<'END'\ngrep -q one code.txt\nEND\n": true,
		"grep -q one code.txt || true\n": true, "if true; then\n  exit 0\nfi\n": true, "test 1 -eq 1\n": true,
		before: false, "grep -q two code.txt\n": false, "\"$BIN\" --version\n": false, "[ -f code.txt ]\n": false, "sh sum.sh 1 2 | grep -q 3\n": false,
		"check() {\n  [ \"$1\" = \"$2\" ] || exit 1\n}\ncheck \"$(sh sum.sh)\" 3\nexit 0\n": false, "if ! grep -q one code.txt; then exit 1; fi\n": false,
		"case \"$(sh sum.sh)\" in\n3) ;;\n*) exit 1 ;;\nesac\n": false, "for f in *.txt; do\n  grep -q one \"$f\"\ndone\n": false, ". ./lib.sh\ncheck_all\n": false,
		"cmp -s code.txt want.txt || { echo differs; exit 1; }\n": false, "x=$(sh sum.sh 1 2)\n[ $x -eq 3 ]\n": false,
	} {
		found := FindWeakened(one("tests/a.sh", before, after))
		if (len(found) > 0) != nothing {
			t.Errorf("%q: %v", after, found)
		}
	}
	if found := FindWeakened(one("tests/setup.sh", "mkdir -p x\n", "true\n")); len(found) > 0 {
		t.Errorf("a script without checks: %v", found)
	}
}

// Assertions that compare constants are none.
func TestVacuousAssertions(t *testing.T) {
	for _, c := range []struct {
		path, before, after string
		nothing             bool
	}{
		{"test_a.py", "def test_a():\n    assert f() == 1\n", "def test_a():\n    assert True\n", true},
		{"test_a.py", "def test_a():\n    assert f() == 1\n", "def test_a():\n    f()\n    assert 1, 'fine'\n", true},
		{"test_a.py", "class A(T):\n    def test_a(self):\n        self.assertEqual(f(), 1)\n", "class A(T):\n    def test_a(self):\n        self.assertTrue(True)\n", true},
		{"test_a.py", "class A(T):\n    def test_a(self):\n        self.assertEqual(f(), 1)\n", "class A(T):\n    def test_a(self):\n        self.assertEqual('a', 'a')\n", true},
		{"test_a.py", "class A(T):\n    def test_a(self):\n        self.assertEqual(f(), 1)\n", "class A(T):\n    def test_a(self):\n        self.assertTrue(f())\n        self.assertTrue(True)\n", false},
		{"test_a.py", "class A(T):\n    def test_a(self):\n        self.assertEqual(f(), 1)\n", "class A(T):\n    def test_a(self):\n        self.assertEqual(f'{f()}', '1')\n", false},
		{"a.test.js", "test('a', () => assert.equal(f(), 1));\n", "test('a', () => assert.ok(true));\n", true},
		{"a.test.js", "test('a', () => { expect(f()).toBe(1) });\n", "test('a', () => { expect(true).toBe(true) });\n", true},
		{"a.test.js", "test('a', () => { expect(f()).toBe(1) });\n", "test('a', () => { expect(`${f()}`).toBe('1') });\n", false},
		{"a_test.go", "package a\nfunc TestA(t *testing.T) {\n\trequire.Equal(t, 1, f())\n}\n", "package a\nfunc TestA(t *testing.T) {\n\trequire.True(t, true)\n}\n", true},
		{"a_test.go", "package a\nfunc TestA(t *testing.T) {\n\tif f() != 1 {\n\t\tt.Error()\n\t}\n}\n", "package a\nfunc TestA(t *testing.T) {\n\tif 1 != 1 {\n\t\tt.Error()\n\t}\n}\n", true},
		{"a_test.go", "package a\nfunc TestA(t *testing.T) {\n\tif f() != 1 {\n\t\tt.Error()\n\t}\n}\n", "package a\nfunc TestA(t *testing.T) {\n\tif 2 != f() {\n\t\tt.Error()\n\t}\n}\n", false},
	} {
		if found := FindWeakened(one(c.path, c.before, c.after)); (len(found) > 0) != c.nothing {
			t.Errorf("%s: %q: %v", c.path, c.after, found)
		}
	}
}
