package quality

import (
	"strings"
	"unicode"
)

// target is what a criterion may name: a test file, and perhaps a test in it.
type target struct {
	paths []string
	test  string
	own   map[string]bool // the words of the file's name and the test's
	all   map[string]bool // also those of its folders
}

func newTarget(f Finding, test string) *target {
	t := &target{paths: []string{f.Path}, test: test, own: map[string]bool{}, all: map[string]bool{}}
	if f.OldPath != "" {
		t.paths = append(t.paths, f.OldPath)
	}
	for _, p := range t.paths {
		dirs, base := splitPath(p)
		for _, w := range append(wordsOf(stem(base)), wordsOf(test)...) {
			t.own[w], t.all[w] = true, true
		}
		for _, d := range dirs {
			for _, w := range wordsOf(d) {
				t.all[w] = true
			}
		}
	}
	return t
}

// stem is a file's name without its last extension.
func stem(base string) string {
	if dot := strings.LastIndexByte(base, '.'); dot > 0 {
		return base[:dot]
	}
	return base
}

// wordsOf splits a name at its capitals and at what is no letter or digit, into
// small letters and without the s of a plural.
func wordsOf(name string) []string {
	var words []string
	var word []rune
	flush := func() {
		if w := strings.ToLower(string(word)); w != "" {
			if len(w) > 3 {
				w = strings.TrimSuffix(w, "s")
			}
			words = append(words, w)
		}
		word = word[:0]
	}
	runes := []rune(name)
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
			continue
		case i > 0 && unicode.IsUpper(r) && (!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			flush()
		}
		word = append(word, r)
	}
	flush()
	return words
}

// is tells whether a term is the name of the target: of the test, or of its
// file. An ordinary word is no name unless it is quoted.
func (t *target) is(tok term) bool {
	name := strings.TrimSuffix(tok.text, "()")
	if t.test != "" && name == t.test && (tok.quoted || telling(name)) {
		return true
	}
	return t.isFile(name) || t.qualified(name)
}

// telling tells a name from an ordinary word: it has a capital or an underscore
// inside, or a digit.
func telling(name string) bool {
	for i, r := range name {
		if i > 0 && (unicode.IsUpper(r) || r == '_' || unicode.IsDigit(r)) {
			return true
		}
	}
	return false
}

// qualified reads Class.method, module::test and file::test.
func (t *target) qualified(name string) bool {
	if t.test == "" {
		return false
	}
	front, ok := strings.CutSuffix(name, t.test)
	if !ok || front == "" || !strings.ContainsAny(front[len(front)-1:], ".:#") {
		return false
	}
	front = strings.TrimRight(front, ".:#")
	if t.isFile(front) {
		return true
	}
	words := wordsOf(front)
	for _, w := range words {
		if !t.all[w] && w != "test" {
			return false
		}
	}
	return len(words) > 0
}

// isFile tells whether a name is that of the file: its path or the end of it,
// or its base without the extension, where that is the name of a test.
func (t *target) isFile(name string) bool {
	name = strings.TrimPrefix(name, "./")
	if name == "" {
		return false
	}
	for _, p := range t.paths {
		_, base := splitPath(p)
		if name == p || strings.Contains(name, ".") && strings.HasSuffix(p, "/"+name) {
			return true
		}
		if low := strings.ToLower(name); name == stem(base) && !testNouns.Has(low) && (strings.Contains(low, "test") || strings.Contains(low, "spec")) {
			return true
		}
	}
	return false
}

// holds tells whether some words are the place of the target: its file, or a
// folder of it that is given as a path, or the test.
func (t *target) holds(place []term) bool {
	place = rid(place)
	if len(place) != 1 {
		return false
	}
	if t.is(place[0]) {
		return true
	}
	folder := strings.TrimPrefix(place[0].text, "./")
	for _, p := range t.paths {
		if strings.Contains(folder, "/") && strings.HasPrefix(p, strings.TrimSuffix(folder, "/")+"/") {
			return true
		}
	}
	return false
}

// has tells whether all words of some tokens are in the names of the target, one
// of them at least in its own name and not in that of a folder.
func (t *target) has(tokens []term) bool {
	own := false
	for _, tok := range tokens {
		name := tok.text
		if dot := strings.LastIndexByte(name, '.'); dot > 0 && code.Has(name[dot+1:]) {
			name = name[:dot]
		}
		words := wordsOf(name)
		for _, w := range words {
			if !t.all[w] {
				return false
			}
			own = own || t.own[w] && !testNouns.Has(w)
		}
		if actions.Has(strings.ToLower(tok.text)) || strings.Contains(name, "'") || len(words) == 0 {
			return false
		}
	}
	return own
}
