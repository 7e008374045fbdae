package command

import "testing"

func TestOrdinaryCommandsNeedNoParser(t *testing.T) {
	for text, want := range map[string]bool{
		"go test ./... | tail -20":      true,
		"ls -la src && cat a.go; wc b":  true,
		"make -j 8 check\nnpm run lint": true,
		"":                              true,
		"git status":                    false,
		"ls .GIT":                       false,
		"cat x | sh":                    false,
		"env go test":                   false,
		"X=1 go test":                   false,
		"go test $X":                    false,
		"ls > out":                      false,
		"echo 'x'":                      false,
		"ls `x`":                        false,
		"rm a":                          false,
		"go test -exec x ./...":         false,
		"cat .claude/x":                 false,
		"ls *":                          false,
		"make -e x":                     false,
		"./ls":                          false,
		"-c x":                          false,
	} {
		if ordinary(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}

// What is called ordinary must be nothing to the parser either.
func FuzzOrdinary(f *testing.F) {
	for _, s := range []string{"go test ./... | tail -20", "ls;cut -b 1 y", "echo a|grep b&", "cat a b\nmake x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !ordinary(text) {
			return
		}
		r := &reader{env: Env{Dir: "/w"}}
		r.dir = "/w"
		r.readAll(text)
		if len(r.acts) > 0 {
			t.Fatalf("%q: %+v", text, r.acts)
		}
	})
}
