package errorclass

import (
	"slices"
	"strings"
	"testing"
)

func TestClassify(t *testing.T) {
	for _, c := range cases {
		got, isError := Classify(c.tool, c.message, false)
		if got != c.want || isError != (c.want != None) {
			t.Errorf("%s %q: got %q, %v, want %q", c.tool, c.message, got, isError, c.want)
		}
		if got, isError := Classify(c.tool, c.message, true); got != None || isError {
			t.Errorf("%s %q, interrupted: got %q, %v", c.tool, c.message, got, isError)
		}
	}
}

func TestEachClassHasItsCases(t *testing.T) {
	count := map[Class]int{}
	for _, c := range cases {
		count[c.want]++
	}
	for _, p := range Policies {
		if count[p.Class] < 7 {
			t.Errorf("%s has %d cases", p.Class, count[p.Class])
		}
	}
}

func TestOnlyTheEdgesCount(t *testing.T) {
	filler := strings.Repeat("line\n\n \n", 20)
	for message, want := range map[string]Class{
		"Exit code 1\n1\n2\n3\nENOSPC\n" + filler:                           Resource,
		"Exit code 1\n1\n2\n3\n4\nENOSPC\n" + filler:                        None,
		"Exit code 1\n" + filler + "ENOSPC\n1\n2\n3\n4":                     Resource,
		"Exit code 1\n" + filler + "ENOSPC\n1\n2\n3\n4\n\n\n":               Resource,
		"Exit code 1\n" + filler + "ENOSPC\n1\n2\n3\n4\n5":                  None,
		"Exit code 1\n" + strings.Repeat("x ", 240) + " ENOSPC":             Resource,
		"Exit code 1\n" + strings.Repeat("x ", 250) + " ENOSPC":             None,
		"Exit code 1\n" + strings.Repeat("\x1b[1mx\x1b[0m", 60) + " ENOSPC": Resource,
		"Exit code 1\nENOSPC\x1b":                                           Resource,
		"Exit code 1\nENOSPC\x1b[3":                                         Resource,
	} {
		if got, _ := Classify("Bash", message, false); got != want {
			t.Errorf("%.60q…: got %q, want %q", message, got, want)
		}
	}
}

func TestPoliciesAreTheTable(t *testing.T) {
	want := []string{
		"network|Exponential backoff|3", "rate_limit|Wait for reset|3", "timeout|Immediate retry|2", "syntax|Add to work queue|0",
		"permission|Escalate to user|0", "resource|Wait and retry|2", "validation|Add to work queue|0", "unknown|Log and continue|1",
	}
	var got []string
	for _, p := range Policies {
		got = append(got, string(p.Class)+"|"+p.Strategy+"|"+string(rune('0'+p.MaxRetries)))
		if p.Class.Policy() != p {
			t.Errorf("%s has the policy %+v", p.Class, p.Class.Policy())
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if p := Class("made up").Policy(); p.Class != Unknown {
		t.Errorf("a class of others has the policy %+v", p)
	}
}

func TestSignsAreInLowerCaseAndInTheirOrder(t *testing.T) {
	var order []Class
	for _, s := range table {
		if all := s.phrases + s.weak + s.statuses; all != lower(all) {
			t.Errorf("%q can never match", all)
		}
		order = append(order, s.class)
	}
	if want := []Class{RateLimit, Resource, Permission, Network, Timeout, Syntax, Validation}; !slices.Equal(order, want) {
		t.Errorf("got %q", order)
	}
}

func FuzzClassify(f *testing.F) {
	for _, c := range cases {
		f.Add(c.tool, c.message)
	}
	f.Fuzz(func(t *testing.T, tool, message string) {
		class, isError := Classify(tool, message, false)
		if isError != (class != None) || class != None && class.Policy().Class != class {
			t.Fatalf("%q, %v", class, isError)
		}
		if class, isError := Classify(tool, message, true); isError || class != None {
			t.Fatalf("an interrupt is %q", class)
		}
		// What stands in the midst says nothing.
		lines := edgesOf(message)
		if len(lines) == 2*edge {
			longer := strings.Join(lines[:edge], "\n") + "\nENOSPC\n" + strings.Join(lines[edge:], "\n")
			plain := strings.Join(lines, "\n")
			a, _ := Classify(tool, plain, false)
			if b, _ := Classify(tool, longer, false); a != b {
				t.Fatalf("%q became %q", a, b)
			}
		}
	})
}
