package testintegrity

import (
	"strings"
	"testing"
)

const goSum = `package sum

import "testing"

func TestSum(t *testing.T) {
	if got := Sum(1, 2); got != 3 {
		t.Errorf("Sum(1, 2) = %d", got)
	}
	if got := Sum(-4, 9); got != 5 {
		t.Errorf("Sum(-4, 9) = %d", got)
	}
	if _, err := Parse("x"); err == nil {
		t.Fatal("no error")
	}
}
`

const goTwo = `package sum

func TestParse(t *testing.T) {
	require.Equal(t, 7, Parse("seven"))
	require.Equal(t, 8, Parse("eight"))
}

func TestPrint(t *testing.T) {
	assert.Equal(t, "nine", Print(9))
}
`

// goTable is a test with the given rows.
func goTable(rows string) string {
	return "func TestTable(t *testing.T) {\n\tfor _, c := range []struct{ name string; want int }{" + rows +
		"} {\n\t\tif got := F(c.name); got != c.want {\n\t\t\tt.Error(got)\n\t\t}\n\t}\n}\n"
}

var goHarmless = []edit{
	{"new file", "-", goSum, ""},
	{"test added", goTwo, goTwo + "func TestMore(t *testing.T) { assert.Equal(t, 3, More()) }", ""},
	{"assertion added", goTwo, `package sum
func TestParse(t *testing.T) {
	require.Equal(t, 7, Parse("seven"))
	require.Equal(t, 8, Parse("eight"))
	require.Equal(t, 9, Parse("nine"))
}
func TestPrint(t *testing.T) { assert.Equal(t, "nine", Print(9)) }`, ""},
	{"test renamed", goTwo, `package sum
func TestParseWords(t *testing.T) {
	require.Equal(t, 7, Parse("seven"))
	require.Equal(t, 8, Parse("eight"))
}
func TestPrint(t *testing.T) { assert.Equal(t, "nine", Print(9)) }`, ""},
	{"reordered", goTwo, `package sum
func TestPrint(t *testing.T) { assert.Equal(t, "nine", Print(9)) }
func TestParse(t *testing.T) {
	require.Equal(t, 8, Parse("eight"))
	require.Equal(t, 7, Parse("seven"))
}`, ""},
	{"expected value changed", goTwo, `package sum
func TestParse(t *testing.T) {
	require.Equal(t, 70, Parse("seven"))
	require.Equal(t, 80, Parse("eight"))
}
func TestPrint(t *testing.T) { assert.Equal(t, "nine", Print(9)) }`, ""},
	{"table", goSum, `package sum
func TestSum(t *testing.T) {
	for _, c := range []struct{ a, b, want int }{{1, 2, 3}, {-4, 9, 5}} {
		if got := Sum(c.a, c.b); got != c.want {
			t.Errorf("Sum(%d, %d) = %d", c.a, c.b, got)
		}
	}
	_, err := Parse("x")
	require.Error(t, err)
}`, ""},
	{"test split", goTwo, `package sum
func TestParseSeven(t *testing.T) { require.Equal(t, 7, Parse("seven")) }
func TestParseEight(t *testing.T) { require.Equal(t, 8, Parse("eight")) }
func TestPrint(t *testing.T) { assert.Equal(t, "nine", Print(9)) }`, ""},
	{"assertion moved to a test of its own", goTwo, `package sum
func TestParse(t *testing.T) { require.Equal(t, 7, Parse("seven")) }
func TestParseEight(t *testing.T) { require.Equal(t, 8, Parse("eight")) }
func TestPrint(t *testing.T) { assert.Equal(t, "nine", Print(9)) }`, ""},
	{"assertions moved into a helper", goTwo, `package sum
func check(t *testing.T) {
	t.Helper()
	require.Equal(t, 7, Parse("seven"))
	require.Equal(t, 8, Parse("eight"))
}
func TestParse(t *testing.T) { check(t) }
func TestPrint(t *testing.T) { assert.Equal(t, "nine", Print(9)) }`, ""},
	{"helper of a helper", goTwo, `package sum
func seven(t *testing.T) { require.Equal(t, 7, Parse("seven")); eight(t) }
func eight(t *testing.T) { require.Equal(t, 8, Parse("eight")) }
func TestParse(t *testing.T) { seven(t) }
func TestPrint(t *testing.T) { assert.Equal(t, "nine", Print(9)) }`, ""},
	{"other comparison", `func TestA(t *testing.T) { if d := cmp.Diff(want, A()); d != "" { t.Error(d) } }`,
		`func TestA(t *testing.T) { if !reflect.DeepEqual(want, A()) { t.Error(want) } }`, ""},
	{"other library", goTwo, `package sum
func TestParse(t *testing.T) {
	if Parse("seven") != 7 { t.Error("seven") }
	if Parse("eight") != 8 { t.Error("eight") }
}
func TestPrint(t *testing.T) { if Print(9) != "nine" { t.Fatal() } }`, ""},
	{"words of a test in comments and strings", "func TestA(t *testing.T) { t.Error(A()) } // t.Skip() assert.Equal(t, 1, 1)",
		"func TestA(t *testing.T) { t.Error(A()) } // t.Skip()", ""},
	{"new test that skips itself", goTwo, goTwo + "func TestNew(t *testing.T) { t.Skip(); assert.Equal(t, 2, New()) }", ""},
	{"word that only looks like a skip", goTwo, strings.Replace(goTwo, "require.Equal(t, 7", "parser.Skip(1); fs.SkipAll = nil; require.Equal(t, 7", 1), ""},
	{"new slow test", goTwo, goTwo + `func TestSlow(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	assert.Equal(t, 5, Slow())
}`, ""},
	{"empty test removed", goTwo + "func TestTODO(t *testing.T) {\n}\n", goTwo, ""},
	{"TestMain that runs", goTwo, goTwo + "func TestMain(m *testing.M) { setup(); os.Exit(m.Run()) }", ""},
	{"err.Error is no assertion", `func TestA(t *testing.T) { s := A().Error(); x := fmt.Errorf("a"); t.Error(s, x) }`,
		`func TestA(t *testing.T) { t.Error("a") }`, ""},
	{"constraint kept", "//go:build linux\n" + goSum, "//go:build linux\n" + goSum, ""},
	{"case of a table added", goTable(`{"a", 1}, {"b", 2},`), goTable(`{"a", 1}, {"b", 2}, {"c", 3},`), ""},
	{"cases of a table changed", goTable(`{"a", 1}, {"b", 2},`), goTable(`{"a", 10}, {"b", 20},`), ""},
	{"case written twice removed", goTable(`{"a", 1}, {"b", 2}, {"b", 2},`), goTable(`{"a", 1}, {"b", 2},`), ""},
	{"case moved to a test of its own", goTable(`{"a", 1}, {"b", 2}, {"cc", 3},`),
		goTable(`{"a", 1}, {"b", 2},`) + "func TestCC(t *testing.T) { if F(\"cc\") != 3 { t.Error(3) } }", ""},
	{"field of a table dropped", goTable(`{"a", "x", 1, 0}, {"b", "y", 2, 0},`), goTable(`{"a", 1}, {"b", 2},`), ""},
	{"shorter value that is no table", `func TestF(t *testing.T) { assert.Equal(t, []T{{1}, {2}}, F()) }`, `func TestF(t *testing.T) { assert.Equal(t, []T{{3}}, F()) }`, ""},
	{"statements in a loop", "func TestF(t *testing.T) { for { a, b := f(1), 2\n c, d := f(3), 4\n t.Error(a, b, c, d) } }",
		"func TestF(t *testing.T) { for { a, b := f(1), 2\n t.Error(a, b) } }", ""},
	{"TestMain that hands on", goTwo, goTwo + "func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }", ""},
	{"TestMain of a child process", goTwo, goTwo + `func TestMain(m *testing.M) {
	if os.Getenv("CHILD") != "" { os.Exit(0) }
	os.Exit(m.Run())
}`, ""},
	{"loop that never ends", goTwo, strings.Replace(goTwo, "assert.Equal", "for { run() }\n assert.Equal", 1), ""},
	{"child process", goTwo, goTwo + `func TestChild(t *testing.T) {
	if os.Getenv("CHILD") == "" { return }
	fmt.Println("child")
	os.Exit(0)
}`, ""},
	{"return of a case", "func TestF(t *testing.T) { switch F() {\ncase 1:\n\tt.Error(1)\n\treturn\ncase 2:\n\tt.Error(2)\n\treturn\ndefault:\n\tt.Error(3) } }",
		"func TestF(t *testing.T) { switch F() {\ncase 1:\n\tt.Error(1)\ncase 2:\n\tt.Error(2)\ndefault:\n\tt.Error(3) } }", ""},
	{"case without a return", "func TestF(t *testing.T) { switch F() {\ncase 1:\n\tt.Error(1)\ncase 2:\n\tt.Error(2)\ndefault:\n\tt.Error(3) } }",
		"func TestF(t *testing.T) { switch F() {\ncase 1:\n\tt.Error(1)\n\treturn\ncase 2:\n\tt.Error(2)\n\treturn\ndefault:\n\tt.Error(3) } }", ""},
	{"stable result", goTwo, goTwo + "func TestStable(t *testing.T) { assert.Equal(t, Hash(1), Hash(1)) }", ""},
	{"early return of a branch", goTwo, `package sum
func TestParse(t *testing.T) {
	if err := setup(); err != nil {
		return
	}
	require.Equal(t, 7, Parse("seven"))
	require.Equal(t, 8, Parse("eight"))
}
func TestPrint(t *testing.T) { assert.Equal(t, "nine", Print(9)) }`, ""},
}

func TestWeakenedGo(t *testing.T) {
	atLeast(t, goAttacks, goHarmless, 12, 8)
	t.Run("attack", func(t *testing.T) { runEdits(t, "sum/sum_test.go", goAttacks) })
	t.Run("harmless", func(t *testing.T) { runEdits(t, "sum/sum_test.go", goHarmless) })
}
