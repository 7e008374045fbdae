package project

import (
	"strings"
	"testing"
)

// What a command only looks at does not decide how it is run; what it runs does.
func TestWithoutReaders(t *testing.T) {
	for line, want := range map[string]string{
		"grep -q foo README.md":                "",
		"grep -q 'a|b; c' README.md":           "",
		"test -s a.txt && ! grep -q x b.txt":   "",
		"[ -e a ] || ./run.sh":                 "./run.sh",
		"cat script.sh | sh":                   "cat script.sh | sh",
		"cat a.txt | grep -c x | wc -l":        "",
		"grep -qf patterns.txt out.txt":        "grep -qf patterns.txt out.txt",
		"grep --file=p out.txt":                "grep --file=p out.txt",
		"test -x run.sh; ./run.sh && diff a b": "./run.sh",
		"sh -c 'test -s a; ./b'":               "sh -c 'test -s a; ./b'",
		"grep -q x < a.txt":                    "grep -q x < a.txt",
		"if test -e a; then ./b.sh; fi":        "then ./b.sh fi",
		"go test ./... & (cd web && npm test)": "go test ./... cd web npm test",
		"cat < x | sh":                         "cat < x | sh",
		"eval `cat x`":                         "eval `cat x`",
	} {
		if have := strings.Join(strings.Fields(withoutReaders(line)), " "); have != want {
			t.Errorf("%s: %q, want %q", line, have, want)
		}
	}
}
