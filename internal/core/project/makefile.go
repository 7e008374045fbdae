package project

import "strings"

// byMake looks for a target test, or else check, in the file that make reads.
func byMake(has Files) (Test, bool) {
	file := has.first("GNUmakefile", "makefile", "Makefile")
	if file == "" {
		return Test{}, false
	}
	content, _ := has(file)
	targets := MakeTargets(string(content))
	for _, name := range [...]string{"test", "check"} {
		if targets[name] {
			return Test{"make", "make " + name, file + " has a target " + name}, true
		}
	}
	return Test{}, false
}

// MakeTargets returns the names before the colon of a rule. It does not see names made from
// variables or in includes.
func MakeTargets(makefile string) map[string]bool {
	found := map[string]bool{}
	defining := false
	for line := range strings.Lines(strings.ReplaceAll(makefile, "\\\n", " ")) {
		word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case word == "define":
			defining = true
		case word == "endef":
			defining = false
		case !defining && !strings.HasPrefix(line, "\t"):
			for name := range strings.FieldsSeq(heads(line)) {
				found[name] = true
			}
		}
	}
	return found
}

// heads returns what precedes the colon of a rule, "" for any other line: the colon of test := x
// and test ::= x belongs to an assignment.
func heads(line string) string {
	line, _, _ = strings.Cut(line, "#")
	names, rest, ok := strings.Cut(line, ":")
	if !ok || strings.ContainsAny(names, "=$\"'(") || strings.HasPrefix(strings.TrimLeft(rest, ":"), "=") {
		return ""
	}
	if assigned, _, _ := strings.Cut(rest, ";"); strings.Contains(assigned, "=") {
		return "" // a variable for one target
	}
	return names
}
