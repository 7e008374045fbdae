package commit

import "testing"

func TestUndocumentedTooling(t *testing.T) {
	for _, c := range []struct {
		want  string
		files []string
	}{
		{"", nil},
		{"", []string{"main.go", "bin"}},
		{"scripts/run", []string{"main.go", "scripts/run", "bin/x"}},
		{"", []string{"scripts/run", "docs/USAGE.MD"}},
		{"Makefile", []string{"Makefile"}},
		{"sub/Makefile", []string{"sub/Makefile"}},
		{"a/hooks/b/c.sh", []string{"a/hooks/b/c.sh"}},
		{"", []string{"NotAMakefile", "hooks.go"}},
	} {
		if got := UndocumentedTooling(c.files); got != c.want {
			t.Errorf("%q: got %q, want %q", c.files, got, c.want)
		}
	}
}
