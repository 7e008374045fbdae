package testintegrity

import (
	"bytes"
	"runtime"
	"testing"
)

// samplePaths has one test path for every way a file is read.
var samplePaths = []string{
	"a_test.go", "a.test.tsx", "test_a.py", "tests/a.rs", "src/a.rs", "ATest.java", "ATest.kt", "conftest.py", "a_spec.rb", "a.go",
}

// FuzzWeakened wants no panic on any bytes, no finding where nothing changed,
// and the same answer twice.
func FuzzWeakened(f *testing.F) {
	for i, list := range [][]edit{goAttacks, jsAttacks, pyAttacks, rsAttacks, rsAttacks, jvAttacks} {
		for _, e := range list {
			f.Add(byte(i), []byte(e.before), []byte(e.after))
		}
	}
	f.Add(byte(6), []byte(ktPrice), []byte("\"${\"${`"))
	f.Fuzz(func(t *testing.T, which byte, before, after []byte) {
		path := samplePaths[int(which)%len(samplePaths)]
		if got := FindWeakened([]Change{{Path: path, Before: before, After: bytes.Clone(before)}}); before != nil && len(got) != 0 {
			t.Fatalf("nothing changed, got %v", got)
		}
		changes := []Change{{Path: path, Before: before, After: after}, {Path: "b" + path, OldPath: path, Before: after, After: before}}
		first, second := FindWeakened(changes), FindWeakened(changes)
		if kinds(first) != kinds(second) {
			t.Fatalf("first %v\nthen %v", first, second)
		}
	})
}

// hostile holds what a careless reader takes a square of time for: in any
// language, and then in one of them.
var hostile = map[string][]string{
	"": {"(", "{", "[", "}", ")(", "a.", "/[", "/a ", "`${", "'", "\"", "\\", "/*", "*/", "#[", "r#", "\"\"\"", "\n", "\x00\xff", "a b(", "return\n"},
	"a_test.go": {"func TestA(t *testing.T) {", "func ", "\nfunc a(", "t.Run(", "if x { return\n", "//go:build x\n", "require.Equal(t, ",
		"\nfunc TestA(t *testing.T) { t.Error(1) }"},
	"a.test.tsx": {"it(", "it('a', () => {", "describe('a', () => {", "expect(", "expect(a).", "it.each`", "function a() {", "const a = () => {",
		"assert(", "catch (", "it('a', () => { expect(f(1)).toBe(2) })\n", "return;"},
	"test_a.py": {"def test_a():\n", "\ndef a", "    return\n", "\nclass A:\n ", "@a\n", "pytest.skip(", "assert a, ", "assert (", "except ", "async ",
		"def test_a(): assert f(1) == 2\n"},
	"src/a.rs":   {"#[test]\nfn a() {", "#[cfg(x)]\nmod a {", "fn a", "fn a<", "mod a {", "assert!(", "#[test]\nfn a() {}\n"},
	"ATest.java": {"@Test void a() {", "class A {", "class ", "@a.b.", "assertThat(", "void a() throws ", "assert a ? "},
	"ATest.kt":   {"@Test fun a() = ", "fun a() = (", "\"${", "@Test fun a() { assertEquals(1, f()) }\n"},
}

// A reader that takes a square of time does not come to the end of these.
func TestHostileInputIsReadToItsEnd(t *testing.T) {
	const size = 4 << 10
	for own, seeds := range hostile {
		for _, path := range samplePaths[:7] {
			if own != "" && own != path {
				continue
			}
			for _, seed := range seeds {
				before := bytes.Repeat([]byte(seed), size/len(seed))
				after := bytes.Repeat([]byte(seed+" "), size/(len(seed)+1))
				FindWeakened([]Change{{Path: path, Before: before, After: after}})
			}
		}
	}
}

// Names that grow with the nesting cost a square of memory.
func TestNestingIsCheap(t *testing.T) {
	for path, seed := range map[string]string{"src/a.rs": "#[cfg(x)]\nmod a {", "a.test.js": "describe('a', () => {"} {
		src := bytes.Repeat([]byte(seed), 5000)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		FindWeakened([]Change{{Path: path, Before: src}})
		runtime.ReadMemStats(&after)
		if used := (after.TotalAlloc - before.TotalAlloc) / uint64(len(src)); used > 400 {
			t.Errorf("%s: %d bytes for each byte", path, used)
		}
	}
}

func BenchmarkWeakened(b *testing.B) {
	for i, list := range [][]edit{goHarmless, jsHarmless, pyHarmless, rsHarmless, rsHarmless, jvHarmless} {
		var all []byte
		for _, e := range list {
			all = append(all, e.after...)
		}
		src := bytes.Repeat(all, 5<<19/len(all))
		b.Run(samplePaths[i], func(b *testing.B) {
			b.SetBytes(int64(2 * len(src)))
			for b.Loop() {
				FindWeakened([]Change{{Path: samplePaths[i], Before: src, After: src[:len(src)-len(all)]}})
			}
		})
	}
}
