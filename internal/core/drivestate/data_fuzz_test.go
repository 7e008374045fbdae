package drivestate

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"warp/internal/core/lossless"
)

func quoted(s string) string { return lossless.NewString(s).Raw }

// The rules, written another way than the program has them.
var (
	nameForm   = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,79}$`)
	hashForm   = regexp.MustCompile(`^[0-9a-f]{7,64}$`)
	badBranch  = regexp.MustCompile("(^|/)[-.]|(^|/)$|^/|//|\\.\\.|\\.(/|$)|\\.lock(/|$)|@\\{|^@$|[\\x00-\\x20\\x7f~^:?*\\[\\\\\"'`$&;|<>(){}!#]")
	allowances = []int{1, 3, 7}
)

func FuzzData(f *testing.F) {
	for _, text := range []string{
		`{}`, `null`, `[]`, `{"requirement":"42","branch":"feature/issue-42-title"}`, `{"commit":"0a1b2c3","tokens":12}`, `{"failure":"it\nbroke"}`,
		`{"chunks":[["AC-01","AC-02"],["AC-03"]]}`, `{"chunks":[["AC-01"],["AC-01"]]}`, `{"branch":"a/../b"}`, `{"branch":"\u202e"}`, `{"tokens":-1e2}`, `{"x":1}`,
	} {
		for i := range 30 {
			f.Add(text, uint8(i))
		}
	}
	f.Fuzz(func(t *testing.T, text string, n uint8) {
		on := Table.AllEvents()[int(n)%30]
		most := allowances[int(n)%len(allowances)]
		d, err := ParseData(text, on, Limits{ACsPerCommit: most})
		if err != nil {
			if !strings.HasPrefix(err.Error(), "data") || d.Requirement+d.Branch+d.Commit+d.Failure != "" || d.Chunks != nil || d.Tokens != nil {
				t.Fatalf("%q: refused with %v and %+v", text, err, d)
			}
			return
		}
		v, err := lossless.Parse([]byte(text))
		if err != nil || v.Kind != lossless.Object {
			t.Fatalf("%q was accepted: %v", text, err)
		}
		checkData(t, v, d, on, most)
		for _, p := range Table.States() { // accepted data never harms a drive
			s := working(p)
			if _, err := s.Apply(Step{Event: on, Data: d, Now: t1, Limits: huge}); err == nil {
				if err := Validate(s); err != nil {
					t.Fatalf("%q: %v", text, err)
				}
			}
		}
	})
}

// checkData checks that accepted data keeps every rule, and that nothing that
// was given is lost.
func checkData(t *testing.T, v *lossless.Value, d Data, on Event, most int) {
	t.Helper()
	members := 0
	given := func(key string, ok bool) {
		if v.Get(key) != nil {
			members++
			if !ok {
				t.Errorf("%s of %+v breaks its rule with %s", key, d, on)
			}
		}
	}
	given("requirement", nameForm.MatchString(d.Requirement))
	given("commit", hashForm.MatchString(d.Commit))
	given("branch", d.Branch != "" && len(d.Branch) <= 200 && utf8.ValidString(d.Branch) && !badBranch.MatchString(d.Branch) &&
		!strings.ContainsFunc(d.Branch, func(r rune) bool { return !unicode.IsPrint(r) }))
	given("tokens", d.Tokens != nil && *d.Tokens >= 0)
	given("failure", strings.HasSuffix(string(on), "failed") || slices.Contains([]Event{DriftBlocked, Abort, BudgetAbort}, on))
	given("chunks", on == ChunksDefined && len(d.Chunks) > 0)
	if members != len(v.Members) {
		t.Errorf("%d members were given, %d are known", len(v.Members), members)
	}
	var all []string
	for _, c := range d.Chunks {
		if len(c) == 0 || len(c) > most {
			t.Errorf("a chunk of %d criteria, where 1 to %d are allowed", len(c), most)
		}
		all = append(all, c...)
	}
	slices.Sort(all)
	if len(slices.Compact(slices.Clone(all))) != len(all) || slices.ContainsFunc(all, func(id string) bool { return !nameForm.MatchString(id) }) {
		t.Errorf("criteria %q", all)
	}
}
