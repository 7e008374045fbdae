package redfirst

import (
	"strings"
	"testing"
)

func TestWhatACheckerLeaves(t *testing.T) {
	s := &Set{Issue: "7", Token: "k3f9"}
	if s.Name("AC-01") != "warp_k3f9_ac01" {
		t.Fatal(s.Name("AC-01"))
	}
	ids := []string{"AC-01", "AC-02", "AC-03", "AC-04", "AC-05", "AC-06"}
	long := strings.Repeat("x", MaxContract+1)
	problems, err := s.Take([]byte(`{"criteria":[
		{"id":"AC-01","kind":["new","odd","new"],"contract":" Div(6, 3) is 2 ","command":"go test ./warp_k3f9_ac01/","keep_as":"div_test.go","files":[{"path":"planted"}],"lost":"planted"},
		{"id":"AC-02","kind":["read"],"contract":"","command":"true","why":"wording"},
		{"id":"AC-03","kind":["keeps"],"contract":"`+long+`","command":"true"},
		{"id":"AC-04","kind":["shape"],"contract":"a file","command":"true"},
		{"id":"AC-06","kind":["new"],"contract":"a","keep_as":"../../etc/passwd"}]}`),
		[]File{{Path: "warp_k3f9_ac01/div_test.go", Content: "package x"}, {Path: "div.go", Content: "package div"}, {Path: "warp_k3f9_other", Content: "?"}, {Path: "test_warp_k3f9_ac06.py"}}, ids)
	if err != nil {
		t.Fatal(err)
	}
	one := s.Of("AC-01")
	if !one.Runs() || !one.NeedsStub() || one.Contract != "Div(6, 3) is 2" || len(one.Files) != 1 || one.KeepAs != "div_test.go" || one.Lost != "" || len(one.Kinds) != 1 {
		t.Errorf("%+v", one)
	}
	if len(s.Stub) != 1 || s.Stub[0].Path != "div.go" {
		t.Errorf("the stub: %+v", s.Stub)
	}
	for id, want := range map[string]string{"AC-01": "", "AC-02": "", "AC-03": "has 401 characters", "AC-04": "no file of the checkout has its name", "AC-05": "", "AC-06": "it has no command"} {
		if have := problems[id]; (have == "") != (want == "") || !strings.Contains(have, want) {
			t.Errorf("%s: %q, want %q", id, have, want)
		}
	}
	if c := s.Of("AC-05"); !c.Is(Read) || c.Runs() || c.Why == "" {
		t.Errorf("one that the answer leaves out: %+v", c)
	}
	if c := s.Of("AC-06"); c.KeepAs != "" {
		t.Errorf("a path out of the project: %q", c.KeepAs)
	}
	if have := s.Contracts([]string{"AC-01", "AC-02", "AC-05"}); len(have) != 1 || have[0] != "AC-01: Div(6, 3) is 2" {
		t.Errorf("%q", have)
	}
	// Written again: the old one is replaced, and remembered as a second try.
	one.Again = true
	if problems, err = s.Take([]byte(`{"criteria":[{"id":"AC-01","kind":["cannot"],"why":"needs a printer"}]}`), nil, []string{"AC-01"}); err != nil || len(problems) > 0 {
		t.Error(problems, err)
	}
	if c := s.Of("AC-01"); !c.Is(Cannot) || !c.Again || c.Runs() || len(s.Criteria) != len(ids) {
		t.Errorf("%+v", c)
	}
	if _, err := s.Take([]byte(`[]`), nil, ids); err == nil {
		t.Error("an answer of another form")
	}
	var none *Set
	if none.Of("AC-01") != nil || none.Contracts(ids) != nil {
		t.Error("no set")
	}
}

func TestCheckFilesAreBounded(t *testing.T) {
	s := &Set{Token: "a"}
	problems, err := s.Take([]byte(`{"criteria":[{"id":"AC-01","kind":["new"],"contract":"x","command":"y"}]}`), []File{{Path: "warp_a_ac01", Content: strings.Repeat("x", maxFile+1)}}, []string{"AC-01"})
	if err != nil || !strings.Contains(problems["AC-01"], "bytes") {
		t.Error(problems, err)
	}
}

// A check that did not get as far as an assertion proves nothing: each line was printed by the real
// program.
func TestOutcomes(t *testing.T) {
	for _, c := range []struct {
		exit   int
		output string
		want   Outcome
	}{
		{0, "ok", Green},
		{1, "--- FAIL: TestDiv (0.00s)\n    div_test.go:9: example 1: expected 2, got 0", Red},
		{1, "# shop/warp_a_ac01 [shop/warp_a_ac01.test]\n./x_test.go:4:5: undefined: Div\nFAIL\tshop/warp_a_ac01 [build failed]", Broken},
		{1, "x_test.go:3:8: no required module provides package example.com/y", Broken},
		{1, "AssertionError: example 1: expected 2, got 0\n\nFAILED (failures=1)", Red},
		{1, "ImportError: cannot import name 'div' from 'calc'", Broken},
		{1, "AttributeError: module 'calc' has no attribute 'div'", Broken},
		{5, "Ran 0 tests in 0.000s\n\nNO TESTS RAN", Broken},
		{1, "AssertionError [ERR_ASSERTION]: example 1: expected 2, got 0", Red},
		{1, "TypeError: calc.div is not a function", Broken},
		{1, "ReferenceError: div is not defined", Broken},
		{1, "Error: Cannot find module './calc'", Broken},
		{1, "example 1: expected 2, got nothing", Red},
		{127, "", Broken},
		{1, "sh: 3: divide: not found", Broken},
		{2, "calc.sh: 4: Syntax error: \"fi\" unexpected", Broken},
	} {
		if have := Judge(c.exit == 0, false, c.exit, c.output); have != c.want {
			t.Errorf("%d %q: %s, want %s", c.exit, c.output, have, c.want)
		}
	}
	if Judge(false, true, 1, "example 1: slow") != Broken {
		t.Error("one that does not end")
	}
	if All([]Outcome{Red, Red, Green}) != Wavers || All([]Outcome{Red, Red}) != Red || All(nil) != Broken {
		t.Error("several runs")
	}
}

// The coder is told of the contract's example only, whatever the work under test prints.
func TestFailuresTellNothingHidden(t *testing.T) {
	c := Criterion{Contract: "div 6 3 prints 2", Files: []File{{Path: "warp_a_ac01.sh", Content: "echo \"example 1: div 6 3: expected 2, got $x\"\n[ \"$(div 2100 700)\" = 3 ] || echo \"no secret three\"\n"}}}
	for output, want := range map[string]string{
		"x\n  FAIL example 1: div 6 3:  expected 2, got 0\nexample 2: got 9\n": "example 1: div 6 3: expected 2, got 0",
		"example 1: expected 2, got 0 example 2: div 2100 700":                 "example 1: expected 2, got 0",
		"example 2: div 2100 700: expected 3":                                  "",
		"example 1: $(div 2100 700)":                                           "",
		"example 1: no secret three":                                           "",
		"warp_a_ac01.sh: line 1: example 1: x":                                 "example 1: x",
		"example 1: cat warp_a_ac01.sh":                                        "",
		"example 1: " + strings.Repeat("y", 500):                               "example 1: " + strings.Repeat("y", maxFailure-len("example 1: ")-1) + "…",
	} {
		if have := Failure(output, "warp_a_ac01", c); have != want {
			t.Errorf("%q: %q, want %q", output, have, want)
		}
	}
}

func TestAPersonWritesAContract(t *testing.T) {
	s := &Set{Issue: "7", Token: "a", Criteria: []Criterion{{ID: "AC-01", Kinds: []Kind{New}, Contract: "x", Decided: "y", Command: "z", Files: []File{{Path: "f"}}, Lost: "no", Again: true}}}
	for contract, want := range map[string]string{"": "between 1 and 400", strings.Repeat("x", MaxContract+1): "not 401"} {
		if err := s.Edit("AC-01", contract); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if err := s.Edit("AC-02", "x"); err == nil {
		t.Error("one that is not there")
	}
	if err := s.Edit("AC-01", " mine "); err != nil || s.Of("AC-01").Contract != "mine" || s.Of("AC-01").Runs() || len(s.Edited()) != 1 {
		t.Errorf("%v %+v", err, s.Criteria)
	}
	// The checker writes the check, and cannot change the contract.
	if problems, err := s.Take([]byte(`{"criteria":[{"id":"AC-01","kind":["new"],"contract":"theirs","decided":"much","command":"sh x"}]}`), []File{{Path: s.Name("AC-01")}}, []string{"AC-01"}); err != nil || len(problems) > 0 {
		t.Error(problems, err)
	}
	if c := s.Of("AC-01"); c.Contract != "mine" || c.Decided != "" || !c.Runs() || len(s.Edited()) > 0 {
		t.Errorf("%+v", c)
	}
	s.Frozen = true
	if err := s.Edit("AC-01", "again"); err == nil || !strings.Contains(err.Error(), "frozen") {
		t.Error(err)
	}
}
