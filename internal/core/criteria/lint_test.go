package criteria_test

import (
	"strings"
	"testing"

	"warp/internal/core/criteria"
)

func TestLint(t *testing.T) {
	for _, test := range []struct{ body, want string }{ // want: criterion rule, in order; ! marks an error
		{"", "!none"},
		{"Only words.\n- no box\n", "!none"},
		{"```\n- [ ] in code\n```\n", "!none"},
		{"- [ ] \n", "!none"}, // what the template has
		{"- [ ] an empty file prints an error and exits with 1\n", ""},
		{"- [ ] the parser is fast\n", "AC-01 vague"},
		{"- [ ] the parser is fast: under 200 ms for 1,000 rows\n", ""},
		{"- [ ] errors are handled Properly.\n", "AC-01 vague"},
		{"- [ ] breakfast is served at noon\n", ""}, // words, not parts of them
		{"- [ ] the page shows all users and exports them as CSV\n", "AC-01 several"},
		{"- [ ] the page shows all users; it stores none\n", ""},
		{"- [ ] the page shows all users; stores none of them\n", "AC-01 several"},
		{"- [ ] the page shows names and addresses\n", ""},
		{"- [ ] a bad line prints its number and returns an error\n", ""},
		{"- [ ] refactor the parser module\n", "AC-01 outcome"},
		{"- [ ] refactor `parse` out of main.go\n", ""},
		{"- [ ] CSV export\n", "AC-01 outcome"},
		{"- [ ] 空のファイルはエラーになる\n", ""},
		{"- [ ] AC-01: one line for each user\n- [ ] AC-01: no line for strangers\n", "!duplicate"},
		{"- [ ] one line for each user\n- [ ] One line for each user.\n", "AC-02 repeated"},
		{"- [ ] AC-07: it is nice to look at\n- [ ] review the code well\n", "AC-07 vague, AC-02 outcome"},
	} {
		var got []string
		for _, f := range criteria.Lint(test.body) {
			row := strings.TrimSpace(f.Criterion + " " + f.Rule)
			if f.Error {
				row = "!" + row
			}
			if got = append(got, row); f.Message == "" || f.Do == "" || (f.Criterion != "") != (f.Line > 0) {
				t.Errorf("%q: %+v", test.body, f)
			}
		}
		if s := strings.Join(got, ", "); s != test.want {
			t.Errorf("%q: %s, want %s", test.body, s, test.want)
		}
	}
}
