package quality

var goAttacks = []edit{
	{"file deleted", goSum, "-", "deleted"},
	{"file blanked", goSum, "\n", "emptied"},
	{"test removed", goTwo, `package sum
func TestParse(t *testing.T) {
	require.Equal(t, 7, Parse("seven"))
	require.Equal(t, 8, Parse("eight"))
}`, "removed"},
	{"test commented out", goTwo, `package sum
func TestParse(t *testing.T) {
	require.Equal(t, 7, Parse("seven"))
	require.Equal(t, 8, Parse("eight"))
}
/*
func TestPrint(t *testing.T) {
	assert.Equal(t, "nine", Print(9))
}
*/`, "removed"},
	{"test made a helper", goTwo, `package sum
func TestParse(t *testing.T) {
	require.Equal(t, 7, Parse("seven"))
	require.Equal(t, 8, Parse("eight"))
}
func testPrint(t *testing.T) {
	assert.Equal(t, "nine", Print(9))
}`, "removed"},
	{"assertion removed", goTwo, `package sum
func TestParse(t *testing.T) {
	require.Equal(t, 7, Parse("seven"))
}
func TestPrint(t *testing.T) {
	assert.Equal(t, "nine", Print(9))
}`, "weakened"},
	{"assertion commented out", goTwo, `package sum
func TestParse(t *testing.T) {
	require.Equal(t, 7, Parse("seven"))
	// require.Equal(t, 8, Parse("eight"))
}
func TestPrint(t *testing.T) {
	assert.Equal(t, "nine", Print(9))
}`, "weakened"},
	{"assertion put into a string", goTwo, `package sum
func TestParse(t *testing.T) {
	require.Equal(t, 7, Parse("seven"))
	_ = ` + "`require.Equal(t, 8, Parse(\"eight\"))`" + `
}
func TestPrint(t *testing.T) {
	assert.Equal(t, "nine", Print(9))
}`, "weakened"},
	{"loss hidden by new tests", goTwo, `package sum
func TestParse(t *testing.T) {
	require.Equal(t, 7, Parse("seven"))
}
func TestPrint(t *testing.T) {
	assert.Equal(t, "nine", Print(9))
}
func TestEasy(t *testing.T) {
	assert.Equal(t, 1, One())
	assert.Equal(t, 2, Two())
	assert.Equal(t, 3, Three())
}`, "weakened"},
	{"test replaced by an easy one", goTwo, `package sum
func TestParse(t *testing.T) {
	require.Equal(t, 7, Parse("seven"))
	require.Equal(t, 8, Parse("eight"))
}
func TestOther(t *testing.T) {
	assert.Equal(t, 1, len(os.Args))
}`, "removed"},
	{"skip", goTwo, `package sum
func TestParse(t *testing.T) {
	t.Skip("flaky")
	require.Equal(t, 7, Parse("seven"))
	require.Equal(t, 8, Parse("eight"))
}
func TestPrint(t *testing.T) {
	assert.Equal(t, "nine", Print(9))
}`, "skipped"},
	{"skip under a condition", goTwo, `package sum
func TestParse(t *testing.T) {
	if os.Getenv("CI") != "" { t.SkipNow() }
	require.Equal(t, 7, Parse("seven"))
	require.Equal(t, 8, Parse("eight"))
}
func TestPrint(t *testing.T) {
	assert.Equal(t, "nine", Print(9))
}`, "skipped"},
	{"build constraint", goSum, "//go:build ignore\n\n" + goSum, "skipped"},
	{"old build constraint", goSum, "// +build never\n\n" + goSum, "skipped"},
	{"body emptied", goSum, "package sum\nfunc TestSum(t *testing.T) {\n\t// later\n}\n", "emptied"},
	{"return first", goTwo, `package sum
func TestParse(t *testing.T) {
	return
	require.Equal(t, 7, Parse("seven"))
	require.Equal(t, 8, Parse("eight"))
}
func TestPrint(t *testing.T) {
	assert.Equal(t, "nine", Print(9))
}`, "emptied"},
	{"return in the middle", goTwo, `package sum
func TestParse(t *testing.T) {
	require.Equal(t, 7, Parse("seven"))
	return
	require.Equal(t, 8, Parse("eight"))
}
func TestPrint(t *testing.T) {
	assert.Equal(t, "nine", Print(9))
}`, "weakened"},
	{"return after a block", goTwo, `package sum
func TestParse(t *testing.T) {
	require.Equal(t, 7, Parse("seven"))
	if x {
		run()
	}
	return
	require.Equal(t, 8, Parse("eight"))
}
func TestPrint(t *testing.T) {
	assert.Equal(t, "nine", Print(9))
}`, "weakened"},
	{"loop over fewer strings", `func TestF(t *testing.T) { require.Equal(t, 1, F("aa")); require.Equal(t, 1, F("bb")); require.Equal(t, 1, F("cc")) }`,
		`func TestF(t *testing.T) { for range 1 { require.Equal(t, 1, F("aa")) } }`, "weakened"},
	{"if false", goTwo, `package sum
func TestParse(t *testing.T) {
	require.Equal(t, 7, Parse("seven"))
	if false {
		require.Equal(t, 8, Parse("eight"))
	}
}
func TestPrint(t *testing.T) {
	assert.Equal(t, "nine", Print(9))
}`, "skipped"},
	{"constant instead of a comparison", goTwo, `package sum
func TestParse(t *testing.T) {
	require.Equal(t, 7, Parse("seven"))
	require.True(t, true)
}
func TestPrint(t *testing.T) {
	assert.Equal(t, "nine", Print(9))
}`, "weakened weakened"},
	{"compared with itself", goTwo, `package sum
func TestParse(t *testing.T) {
	require.Equal(t, 7, Parse("seven"))
	require.Equal(t, 8, Parse("eight"))
}
func TestPrint(t *testing.T) {
	got := Print(9)
	assert.Equal(t, got, got)
}`, "weakened weakened"},
	{"comparison became a nil check", goTwo, `package sum
func TestParse(t *testing.T) {
	require.Equal(t, 7, Parse("seven"))
	require.NotNil(t, Parse("eight"))
}
func TestPrint(t *testing.T) {
	assert.Equal(t, "nine", Print(9))
}`, "weakened"},
	{"if became a nil check", `func TestA(t *testing.T) { if got := A(); got.N != 5 { t.Error(got) } }`,
		`func TestA(t *testing.T) { if got := A(); got == nil { t.Error(got) } }`, "weakened"},
	{"new test that says nothing", goTwo, goTwo + "func TestNew(t *testing.T) { assert.True(t, true) }", "weakened"},
	{"new test that is skipped", goTwo, goTwo + "func TestNew(t *testing.T) { t.Skip(); assert.Equal(t, 2, New()) }", "skipped"},
	{"TestMain that runs nothing", goTwo, goTwo + "func TestMain(m *testing.M) { os.Exit(0) }", "skipped"},
	{"subtests removed", `func TestA(t *testing.T) {
	t.Run("one", testOne)
	t.Run("two", testTwo)
}`, `func TestA(t *testing.T) {
	t.Run("one", testOne)
}`, "removed"},
	{"helper hollowed out", `func check(t *testing.T, n int) { if n < 0 { t.Error(n) } ; if n > 9 { t.Error(n) } }
func TestA(t *testing.T) { check(t, A(4)) }
func TestB(t *testing.T) { check(t, B(5)) }`, `func check(t *testing.T, n int) { _ = n }
func TestA(t *testing.T) { check(t, A(4)) }
func TestB(t *testing.T) { check(t, B(5)) }`, "weakened"},
	{"hollow new helper", goTwo, `package sum
func equal(t *testing.T, a, b any) { t.Log(a, b) }
func TestParse(t *testing.T) {
	equal(t, 7, Parse("seven"))
	equal(t, 8, Parse("eight"))
}
func TestPrint(t *testing.T) {
	assert.Equal(t, "nine", Print(9))
}`, "weakened"},
	{"case of a table removed", goTable(`{"a", 1}, {"b", 2}, {"c", 3},`), goTable(`{"a", 1}, {"c", 3},`), "weakened"},
	{"case of a named table removed", goTable(`{name: "a", want: 1}, {name: "b", want: 2},`), goTable(`{name: "a", want: 1},`), "weakened"},
	{"case of a table outside removed", "var cases = []T{\n\t{\"a\", 1},\n\t{\"b\", 2},\n}\nfunc TestF(t *testing.T) { for _, c := range cases { c.run(t) } }",
		"var cases = []T{\n\t{\"a\", 1},\n}\nfunc TestF(t *testing.T) { for _, c := range cases { c.run(t) } }", "weakened"},
	{"value of a loop removed", `func TestF(t *testing.T) { for _, s := range []string{"a", "b", "c"} { if !F(s) { t.Error(s) } } }`,
		`func TestF(t *testing.T) { for _, s := range []string{"a", "c"} { if !F(s) { t.Error(s) } } }`, "weakened"},
	{"loop added and assertion dropped", goSum, `package sum
func TestSum(t *testing.T) {
	for range 3 {
		if got := Sum(1, 2); got != 3 {
			t.Errorf("Sum(1, 2) = %d", got)
		}
	}
	if _, err := Parse("x"); err == nil {
		t.Fatal("no error")
	}
}`, "weakened"},
	{"renamed and skipped under a condition", goTwo, `package sum
func TestParseWords(t *testing.T) {
	if os.Getenv("CI") != "" { t.Skip() }
	require.Equal(t, 7, Parse("seven"))
	require.Equal(t, 8, Parse("eight"))
}
func TestPrint(t *testing.T) { assert.Equal(t, "nine", Print(9)) }`, "skipped"},
	{"loss hidden by a gain of a test alike", `func TestA(t *testing.T) { require.Equal(t, 5, F("a")); require.Equal(t, 6, F("b")) }
func TestB(t *testing.T) { require.Equal(t, 6, F("b")) }`, `func TestA(t *testing.T) { require.Equal(t, 5, F("a")) }
func TestB(t *testing.T) { require.Equal(t, 6, F("b")); require.Equal(t, 0, len(x)) }`, "weakened"},
	{"file that ends the run", goTwo, goTwo + "func init() { os.Exit(0) }", "skipped"},
	{"TestMain that forgets its tests", goTwo, goTwo + "func TestMain(m *testing.M) { _ = m\n run() }", "skipped"},
	{"method with the name of a helper", "func same(t *testing.T) { t.Error(1); t.Error(2) }\nfunc TestA(t *testing.T) { same(t); require.Equal(t, 11, A(12)) }",
		"func same(t *testing.T) { t.Error(1); t.Error(2) }\nfunc TestA(t *testing.T) { x.same(t); require.Equal(t, 11, A(12)) }", "weakened"},
	{"two assertions became one under a new name", goTwo, `package sum
func TestBoth(t *testing.T) { require.Equal(t, 7+8, Parse("seven")+Parse("eight")) }
func TestPrint(t *testing.T) { assert.Equal(t, "nine", Print(9)) }`, "removed"},
	{"loop that never runs", goTwo, `package sum
func TestParse(t *testing.T) {
	require.Equal(t, 7, Parse("seven"))
	for false {
		require.Equal(t, 8, Parse("eight"))
	}
}
func TestPrint(t *testing.T) { assert.Equal(t, "nine", Print(9)) }`, "skipped"},
	{"suite assertion removed", `func (s *Suite) TestA() { s.Equal(1, A()); s.Require().NoError(B("b")) }`,
		`func (s *Suite) TestA() { s.Equal(1, A()) }`, "weakened"},
	{"gomega assertion without a matcher", `func TestA(t *testing.T) { g.Expect(A()).To(Equal(4)) }`,
		`func TestA(t *testing.T) { g.Expect(A()) }`, "weakened"},
	{"check library assertion removed", `func TestA(t *testing.T) { c.Assert(A(), qt.Equals, 4); c.Check(B(), qt.IsTrue) }`,
		`func TestA(t *testing.T) { c.Assert(A(), qt.Equals, 4) }`, "weakened"},
}
