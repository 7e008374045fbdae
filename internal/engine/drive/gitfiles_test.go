package drive

import "testing"

// Git's settings may get branches of others, as git writes them, and nothing else.
func TestWhatMayBeAddedToGitsSettings(t *testing.T) {
	const was = "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = x\n"
	g := &guard{tips: map[string]string{"feature": "", "main": ""}}
	for more, want := range map[string]bool{
		"": true,
		"[branch \"b\"]\n\tremote = .\n\tmerge = refs/heads/main\n":                                                         true,
		"[branch \"b\"]\n\tremote = origin\n\tmerge = refs/heads/b\n[branch \"c\"]\n\tremote = .\n\tmerge = refs/heads/b\n": true,
		"[branch \"b\"]\n\tremote = other\n":                                                                                false,
		"[branch \"b\"]\n\tremote = https://x.invalid/y\n":                                                                  false,
		"[branch \"b\"]\n\tpushRemote = origin\n":                                                                           false,
		"[branch \"feature\"]\n\tremote = origin\n":                                                                         false,
		"[branch \"b\"]\n\tmerge = refs/heads/b\\\n":                                                                        false,
		"[branch \"b\"]\n[core]hooksPath = x\n":                                                                             false,
		"[branch \"b\"]hooksPath = \"\"]\n":                                                                                 false,
		"[branch \"b\n":                                                                                                     false,
		"\turl = y\n":                                                                                                       false,
		"[alias]\n\tx = !y\n":                                                                                               false,
	} {
		if got := g.unchanged("config", gitFile{Text: []byte(was + more)}, gitFile{Text: []byte(was)}); got != want {
			t.Errorf("%q: %t", more, got)
		}
	}
	if g.unchanged("config", gitFile{Text: []byte("[core]\n")}, gitFile{Text: []byte(was)}) {
		t.Error("something was taken away")
	}
	if g.unchanged("hooks/x", gitFile{Text: []byte("a"), Link: true}, gitFile{Text: []byte("a")}) {
		t.Error("a link is in the place of a file")
	}
}
