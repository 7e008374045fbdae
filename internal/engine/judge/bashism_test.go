package judge

import "testing"

func TestBashismsAreFound(t *testing.T) {
	for command, want := range map[string]string{
		"[[ -f a ]] && echo b":          "[[ ]]",
		"((i++))":                       "(( ))",
		"let i=1":                       "let",
		"declare -a list":               "declare",
		"export A=1; readonly B=2":      "",
		"make &> log":                   "&>",
		"make > log 2>&1":               "",
		`printf $'a\tb'`:                "$'…'",
		`echo $"a"`:                     `$"…"`,
		"echo ${!a}":                    "${!name}",
		"echo ${a:1}":                   "${name:offset}",
		"echo ${a/x/y}":                 "${name/a/b}",
		"echo ${a[0]}":                  "${name[index]}",
		"echo ${a^^}":                   "${name^^}",
		"echo ${a:-b} ${#a} ${a%x}":     "",
		"source ./env.sh":               "source",
		". ./env.sh":                    "",
		"[ a == a ]":                    "[ a == b",
		"test a = a":                    "",
		"set -o pipefail; make | tee a": "set -o pipefail",
		"A=1":                           "",
		"if":                            "",
	} {
		found := findBashisms(command)
		if want == "" && len(found) > 0 || want != "" && (len(found) != 1 || found[0].what != want) {
			t.Errorf("%s: %v, want %q", command, found, want)
		}
	}
	if found := findBashisms("[[ a ]] && [[ b ]]"); len(found) != 1 {
		t.Errorf("found twice: %v", found)
	}
}
