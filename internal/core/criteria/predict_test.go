package criteria_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"warp/internal/core/criteria"
	"warp/internal/core/redfirst"
)

// likely.txt has criteria below the kinds that a reader gives them. Few may be predicted otherwise,
// since people trust what stands beside their words; that a behaviour cannot be tested is never said.
func TestPredict(t *testing.T) {
	table, err := os.ReadFile("testdata/likely.txt")
	if err != nil {
		t.Fatal(err)
	}
	want, all, wrong := "", 0, 0
	for line := range strings.Lines(string(table)) {
		text := strings.TrimSpace(line)
		if kinds, heading := strings.CutPrefix(text, "# "); heading {
			want = kinds
			continue
		}
		all++
		got := strings.Join(predictOne(t, text).Kinds, " ")
		if strings.Contains(got, "cannot") && want != "cannot" {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
		if got != want {
			wrong++
			t.Logf("%q: %s, want %s", text, got, want)
		}
	}
	if all < 40 || wrong*20 > all {
		t.Errorf("%d of %d are wrong", wrong, all)
	}
}

// The kinds are those that a checker gives.
func TestPredictNamesTheKindsOfRedFirst(t *testing.T) {
	for kind, text := range map[redfirst.Kind]string{redfirst.New: "it prints 1", redfirst.Keeps: "it still prints 1", redfirst.Shape: "go.mod is there",
		redfirst.Read: "the wording is right", redfirst.Cannot: "CI is green"} {
		if got := predictOne(t, text).Kinds; len(got) != 1 || got[0] != string(kind) {
			t.Errorf("%s: %s, want %s", text, got, kind)
		}
	}
}

func predictOne(t *testing.T, text string) criteria.Prediction {
	t.Helper()
	list := criteria.Predict("- [ ] " + text + "\n")
	if len(list) != 1 || list[0].Criterion != "AC-01" || list[0].Line != 1 || list[0].Message == "" || len(list[0].Kinds) == 0 || len(list[0].Kinds) > 2 {
		t.Fatalf("%q: %+v", text, list)
	}
	return list[0]
}

// What can be tested as it stands gets no advice, and every other criterion an example to follow.
func TestPredictSaysHowToWordItBetter(t *testing.T) {
	for _, test := range []struct{ text, want string }{ // want: what the advice has; "" for none
		{"an empty file exits with 1", ""},
		{"`slug(\"A b\")` is \"a-b\"", ""},
		{"`sum 1 2` still prints 3", ""},
		{"All tests pass", ""},
		{"go.mod has no further line", ""},
		{"Dockerfile uses a user that is not root", ""},
		{"README.md has the section \"Install\"", ""},
		{"the parser is fast", ""}, // a finding says it
		{"the page shows all users and exports them", ""},
		{"the parser is fast: under 200 ms for 1,000 rows", ""},
		{"空のファイルはエラーになる", ""},
		{"Eine leere Datei ergibt einen Fehler", ""},
		{"a price has two decimals", "one example with its result"},
		{"a bad line is refused", "its exact message"},
		{"line 3 of a bad file prints a clear error", "its exact message"},
		{"the endpoint returns the users of a team", "GET /"},
		{"the command prints the users of a team", "command line"},
		{"the button saves the form", "what is done there"},
		{"users are sorted by name", "b, a, C"},
		{"timestamps may be slightly in the future", `how much "slightly" is`},
		{"existing projects still work", "what must stay"},
		{"the deprecated functions are removed", "in backticks"},
		{"Unit tests are added", "what the test shows"},
		{"All options are documented", "the words that must be there"},
		{"The error messages are clear and friendly", "exact words"},
		{"the page looks good on small screens", "320 px"},
		{"the code is readable", "must be there or gone"},
		{"The release is published on npm", "npm pack"},
		{"The text is approved by the legal team", "outside the issue"},
		{"Tested on a real iPhone", "stand-in"},
		{"Tested against the real payment API", "stand-in"},
		{"the settings page is intuitive", "the steps"},
		{"CI is green", "the command"},
	} {
		if got := predictOne(t, test.text).Do; test.want == "" && got != "" || !strings.Contains(got, test.want) {
			t.Errorf("%q: %q, want %q", test.text, got, test.want)
		}
	}
}

func TestPredictReadsTheCriteriaOnly(t *testing.T) {
	got := criteria.Predict("The docs are old.\n\n- [x] AC-07: prices have no tax. allow-test-change: docs/**\n- [ ] the README says so\n")
	if len(got) != 2 || got[0].Criterion != "AC-07" || got[0].Line != 3 || strings.Join(got[0].Kinds, " ") != "new" || strings.Join(got[1].Kinds, " ") != "shape read" {
		t.Errorf("%+v", got)
	}
	if got := criteria.Predict("no criteria"); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

// A criterion made to be costly is not.
func TestPredictIsBounded(t *testing.T) {
	start := time.Now()
	predictOne(t, "if it "+strings.Repeat("is still documented, ", 50_000))
	if took := time.Since(start); took > 2*time.Second {
		t.Error(took)
	}
}

func FuzzPredict(f *testing.F) {
	f.Add("- [ ] AC-01: \"x` still İ, documented. but `a.go` if it\n* [x] allow-test-change: y")
	f.Fuzz(func(t *testing.T, text string) {
		for _, p := range criteria.Predict(text) {
			if p.Criterion == "" || p.Message == "" || len(p.Kinds) == 0 || len(p.Kinds) > 2 {
				t.Errorf("%q: %+v", text, p)
			}
		}
	})
}
