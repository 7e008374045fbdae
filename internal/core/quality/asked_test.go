package quality

import (
	"strings"
	"testing"
)

// The findings that criteria are held against.
var (
	file     = Finding{Path: "internal/parse/legacy_parser_test.go", Kind: "deleted", Tests: []string{"TestLegacyParser", "TestLegacyErrors"}}
	blank    = Finding{Path: "internal/parse/legacy_parser_test.go", Kind: "emptied"}
	gone     = Finding{Path: "internal/cart/cart_test.go", Kind: "removed", Tests: []string{"TestRetryLimit"}}
	weaker   = Finding{Path: "internal/cart/cart_test.go", Kind: "weakened", Tests: []string{"TestRetryLimit"}}
	skipped  = Finding{Path: "internal/cart/cart_test.go", Kind: "skipped", Tests: []string{"TestRetryLimit"}}
	hollow   = Finding{Path: "internal/cart/cart_test.go", Kind: "emptied", Tests: []string{"TestRetryLimit"}}
	script   = Finding{Path: "web/src/cart.spec.ts", Kind: "removed", Tests: []string{"adds the tax"}}
	javaTest = Finding{Path: "src/test/java/shop/PriceTest.java", Kind: "removed", Tests: []string{"addsTax"}}
	pyTest   = Finding{Path: "tests/test_price.py", Kind: "removed", Tests: []string{"test_adds_tax"}}
	rustTest = Finding{Path: "src/area.rs", Kind: "removed", Tests: []string{"square"}}
	renamed  = Finding{Path: "internal/cart/fixture.go", OldPath: "internal/cart/fixture_test.go", Kind: "deleted"}
	parser   = Finding{Path: "internal/parse/parser_test.go", Kind: "deleted", Tests: []string{"TestParser"}}
	merging  = Finding{Path: "merge_test.go", Kind: "deleted", Tests: []string{"TestMerge"}}
	updating = Finding{Path: "update_parser_test.go", Kind: "deleted"}
	both     = Finding{Path: "a_test.go", Kind: "deleted", Tests: []string{"TestOne", "TestTwo"}}
	anywhere = Finding{Path: "a_test.go", Kind: "weakened"}
)

func TestAsked(t *testing.T) {
	for _, c := range []struct {
		finding  Finding
		criteria string // between bars
	}{
		// The file.
		{file, "Remove internal/parse/legacy_parser_test.go"},
		{file, "Delete `legacy_parser_test.go`."},
		{file, "Drop legacy_parser_test"},
		{file, "please remove ./internal/parse/legacy_parser_test.go entirely"},
		{file, "We must delete the obsolete test file parse/legacy_parser_test.go because it is stale"},
		{file, "legacy_parser_test.go is deleted"},
		{file, "legacy_parser_test.go has been removed"},
		{file, "The file legacy_parser_test.go is no longer needed"},
		{file, "`legacy_parser_test.go` is obsolete"},
		{file, "legacy_parser_test.go can be removed"},
		{file, "Removed legacy_parser_test.go"},
		{file, "Clean-up: remove legacy_parser_test.go"},
		{file, "Clean-up (remove legacy_parser_test.go), as agreed"},
		{file, "**Delete** legacy_parser_test.go (it is stale). Do not touch the lexer."},
		{file, "Do not touch the lexer; delete legacy_parser_test.go!"},
		{file, "Replace legacy_parser_test.go with golden files"},
		{file, "Rewrite `legacy_parser_test.go` as a script"},
		{blank, "Remove legacy_parser_test.go"},
		{gone, "Rewrite cart_test.go"},
		{renamed, "Rename fixture_test.go to fixture.go"},
		{renamed, "Move internal/cart/fixture_test.go"},
		// The tests of a subject.
		{file, "Remove the legacy parser tests"},
		{file, "remove the Legacy Parser's tests | Delete the legacy-parser test cases"},
		{file, "Remove the tests of the legacy parser"},
		{file, "Remove the obsolete unit tests for the legacy parser."},
		{file, "The tests for the legacy parser are removed"},
		{file, "All legacy parser tests must be deleted"},
		{file, "Legacy parser tests removed"},
		{file, "The legacy parser tests are no longer needed"},
		{file, "Remove the legacy parser and its tests"},
		{file, "Remove the legacy parser together with nothing | Delete legacy_parser.go and its unit tests"},
		{file, "Remove the legacy parser with its tests"},
		{file, "Add the new parser, and remove the legacy parser tests"},
		{file, "Delete the tests in internal/parse"},
		{file, "Delete the tests under internal/parse/"},
		{file, "Removal of the legacy parser tests"},
		{file, "Remove the legacy parser tests from the repository"},
		{gone, "Remove the tests from cart_test.go"},
		{gone, "Remove the retry test from cart_test.go"},
		{gone, "Simplify the cart tests"},
		{merging, "Remove the merge tests"},
		// The test.
		{gone, "Remove TestRetryLimit"},
		{gone, "Delete the flaky test TestRetryLimit()"},
		{gone, "Remove TestRetryLimit from cart_test.go"},
		{gone, "Remove TestRetryLimit from the suite"},
		{gone, "Remove TestOther, TestRetryLimit and TestThird"},
		{gone, "TestOther and TestRetryLimit are removed"},
		{gone, "Rename TestRetryLimit to TestLimit"},
		{gone, "Merge `TestRetryLimit` with TestOther"},
		{gone, "all tests pass | TestRetryLimit is dropped"},
		{weaker, "Simplify TestRetryLimit"},
		{weaker, "Remove the timing check from TestRetryLimit"},
		{weaker, "Drop two cases of `TestRetryLimit`"},
		{hollow, "Remove TestRetryLimit"},
		{skipped, "Skip TestRetryLimit on Windows"},
		{skipped, "Disable TestRetryLimit until the server is there"},
		{skipped, "TestRetryLimit is skipped when offline"},
		{skipped, "Quarantine the retry limit test"},
		{skipped, "TestRetryLimit no longer runs"},
		{skipped, "Remove TestRetryLimit"},
		{script, `Remove the test "adds the tax"`},
		{script, "Delete cart.spec.ts"},
		{script, "Delete the cart specs"},
		{javaTest, "Remove PriceTest.addsTax"},
		{javaTest, "Drop `addsTax()`"},
		{javaTest, "PriceTest is removed"},
		{pyTest, "Remove tests/test_price.py::test_adds_tax"},
		{pyTest, "Delete test_adds_tax"},
		{rustTest, "Remove `tests::square`"},
		{rustTest, "Remove the `square` test"},
		{rustTest, "Drop the square tests"},
		{both, "Remove TestOne | Remove TestTwo"},
	} {
		if !Asked(c.finding, strings.Split(c.criteria, "|")) {
			t.Errorf("%s %s %v: %q does not ask for it", c.finding.Kind, c.finding.Path, c.finding.Tests, c.criteria)
		}
	}
}

func TestNotAsked(t *testing.T) {
	for finding, criteria := range map[*Finding][]string{
		&file: {
			"", "all tests pass", "All tests must pass and none is skipped", "Remove the tests", "Remove all tests", "Delete failing tests", "Remove the flaky tests",
			"Delete the old tests", "Remove the Go tests", "Remove internal tests", "Remove the test", "Drop tests", "delete test", "No tests are removed",
			"Do not delete legacy_parser_test.go", "Don't remove the legacy parser tests", "Never remove the legacy parser tests", "The legacy parser tests are not deleted",
			"The legacy parser tests must not be removed", "legacy_parser_test.go isn't removed", "Do not, under any circumstances, delete the legacy parser tests",
			"Remove nothing, neither legacy_parser_test.go", "Nobody may delete legacy_parser_test.go", "It is forbidden to delete legacy_parser_test.go",
			"Avoid the following: delete legacy_parser_test.go and avoid it", "Fix the parser rather than delete legacy_parser_test.go",
			"Remove the legacy parser", "Remove the legacy parser; legacy_parser_test.go passes", "Remove the legacy parser and legacy_parser_test.go passes",
			"Remove dead code, keep legacy_parser_test.go", "Delete legacy_parser.go and keep the legacy parser tests", "Remove dead code, update legacy parser tests",
			"Remove the imports from legacy_parser_test.go", "Remove the skip in legacy_parser_test.go", "Remove the sleep of legacy_parser_test.go",
			"Remove legacy_parser_test.go from the ignore list", "legacy_parser_test.go is removed from the list of skipped tests",
			"Remove legacy_parser_test.go's dependency on the network", "Remove the legacy parser test data", "Remove the legacy parser tests folder",
			"Delete the legacy parser tests' output", "Remove what legacy parser tests need", "Remove warnings of the legacy parser tests",
			"If somebody removes legacy_parser_test.go the build fails", "The build fails when legacy_parser_test.go is deleted", "When legacy_parser_test.go is deleted, warn",
			"Warn when the legacy parser tests are removed", "Users can delete the legacy parser tests", "Users view and delete legacy parser tests",
			"The tool removes the legacy parser tests", "Deleted legacy parser tests are restored", "Removed legacy_parser_test.go is found again",
			"The legacy parser tests deleted by mistake are restored", "The message says `remove the legacy parser tests`", "\"Delete legacy_parser_test.go\" is printed",
			"legacy_parser_test.go is obsolete in a way", "The legacy parser tests no longer fail", "legacy_parser_test.go no longer sleeps", "legacy_parser_test.go no longer",
			"Skip legacy_parser_test.go", "Disable the legacy parser tests", "Remove the new parser tests", "Remove the legacy lexer tests", "Delete lexer_test.go",
			"Remove TestLegacyParser", "Remove the legacy parser assertions", "Rename the legacy parser", "Replace the lexer with the legacy parser tests",
			"Move helpers to legacy_parser_test.go", "Merge lexer_test.go with legacy_parser_test.go", "Remove duplication in legacy_parser_test.go",
			"Remove the tests in internal", "Remove the tests of parse", "Delete the tests in internal/pars", "Drop the legacy parser tests table",
			"Drop legacy parser support for the tests", "Extend the legacy parser tests", "Remove the legacy parser tests' flakiness", "Remove its tests", "Delete flags, and its tests",
			"Remove the legacy parser tests if they fail", "Remove the legacy parser tests when asked", "legacy_parser_test.go may be edited", "removal of", "remove", "remove and",
			"Do not (under any circumstances) delete legacy_parser_test.go", "Do not — ever — delete legacy_parser_test.go", "Never: delete legacy_parser_test.go",
			"Do **not** delete legacy_parser_test.go", "Do not:\n- delete legacy_parser_test.go", "~~Delete legacy_parser_test.go~~", "When asked: delete legacy_parser_test.go",
			"Users can: delete legacy_parser_test.go", "Print \"x\", delete legacy_parser_test.go or warn", "The tool can add, delete legacy_parser_test.go",
			"Delete (maybe) what legacy_parser_test.go needs", "NOT: DELETE legacy_parser_test.go", "Dont delete legacy_parser_test.go",
			"Remove the legacy parser tests are", "remove a", "remove the it's tests", "remove the … tests",
		},
		&gone: {
			"Remove TestRetry", "Remove TestRetryLimitOther", "Skip TestRetryLimit", "Delete retries after the limit", "Remove the retry limit", "Drop the cart",
			"Remove TestRetryLimit from the skip list", "TestRetryLimit is removed from the skip list", "Remove t.Skip from TestRetryLimit", "Remove the timing check from TestRetryLimit",
			"Remove TestRetryLimit from lexer_test.go", "Remove lexer.TestRetryLimit", "Delete the cart and rerun TestRetryLimit", "The cart is removed, TestRetryLimit passes",
			"Remove `cart`", "Remove .TestRetryLimit", "TestRetryLimit replaced values", "The retry test from lexer_test.go is removed",
		},
		&hollow:   {"Rewrite TestRetryLimit", "Skip TestRetryLimit", "Rename TestRetryLimit to TestLimit"},
		&skipped:  {"Rewrite TestRetryLimit", "Tests are not skipped", "Skip tests on Windows", "Skip the slow tests", "Skip TestOther when TestRetryLimit runs"},
		&weaker:   {"Skip the checks in TestRetryLimit", "Remove the checks in TestOther", "Remove the checks", "Remove the checks for TestRetryLimit"},
		&script:   {"Remove adds the tax", "Remove `cart`", "Remove the tax", `Remove "adds the"`},
		&rustTest: {"Remove square", "Remove the square root", "Delete square brackets in tests"},
		&both:     {"Remove TestOne", "Fix TestTwo and remove TestOne"},
		&updating: {"Remove dead code, update parser tests"},
		&anywhere: {"Remove TestA", "Remove a"},
		&parser:   {"Remove the legacy parser tests", "Remove the old parser tests", "The old parser tests are removed"},
	} {
		for _, c := range criteria {
			if Asked(*finding, []string{c}) {
				t.Errorf("%s %s %v: %q asks for it", finding.Kind, finding.Path, finding.Tests, c)
			}
		}
		if Asked(*finding, criteria) {
			t.Errorf("%s: all of them together ask for it", finding.Path)
		}
	}
}

func TestUnasked(t *testing.T) {
	all := []Finding{gone, file, weaker}
	got := Unasked(all, []string{"Remove the legacy parser and its tests", "All tests pass"})
	if len(got) != 2 || got[0].Path != gone.Path || got[1].Kind != weaker.Kind {
		t.Errorf("got %v", got)
	}
	if all[1].Path != file.Path || len(Unasked(nil, nil)) != 0 {
		t.Errorf("the findings were changed: %v", all)
	}
}

// What Weakened finds names what a criterion would.
func TestWhatIsFoundCanBeAsked(t *testing.T) {
	one := "func TestOne(t *testing.T) { if f() != 1 { t.Error(1) } }\n"
	two := "func TestTwo(t *testing.T) { if g() != 2 { t.Error(2) } }\n"
	for _, c := range []struct {
		change Change
		ask    string
	}{
		{Change{Path: "a_test.go", Before: []byte(one + two)}, "Remove TestOne and TestTwo"},
		{Change{Path: "a_test.go", Before: []byte(one + two), After: []byte(one)}, "Remove TestTwo"},
		{Change{Path: "b.go", OldPath: "a_test.go", Before: []byte(one), After: []byte(one)}, "Rename a_test.go to b.go"},
	} {
		found := Weakened([]Change{c.change})
		if len(found) != 1 || len(Unasked(found, []string{c.ask})) != 0 || len(Unasked(found, []string{"Remove TestOther"})) != 1 {
			t.Errorf("%q: %v", c.ask, found)
		}
	}
}

// A text made to be costly is not read.
func TestAskedIsBounded(t *testing.T) {
	for _, piece := range []string{"remove , ", "`", "remove x and ", "(", "\"a\" ", "a.b.c ", ":", "'", "the tests of "} {
		if Asked(gone, []string{strings.Repeat(piece, 200_000/len(piece)) + " remove TestRetryLimit"}) && piece != ":" {
			t.Errorf("%q asks for it", piece)
		}
	}
}

func FuzzAsked(f *testing.F) {
	f.Add("Remove the legacy parser and its tests", "internal/legacy_parser_test.go", "TestA")
	f.Add("(`x` is \"no longer\" needed).", "", "")
	f.Add("Remove , and of the", "a/b.", "’")
	f.Fuzz(func(t *testing.T, criterion, path, test string) {
		finding := Finding{Path: path, Kind: "removed", Tests: []string{test}}
		if Asked(finding, []string{criterion}) && Asked(finding, []string{"do not " + criterion}) && !strings.ContainsAny(criterion, ".:!?;()\n—–") {
			t.Errorf("%q, denied, asks for %s of %s", criterion, test, path)
		}
	})
}
