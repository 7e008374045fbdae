package supervise

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"warp/internal/core/testintegrity"
	"warp/internal/core/text"
)

// tongue is a language whose public names are read line by line.
type tongue struct {
	name    string
	exts    []string
	exports func(text string) []string
}

var tongues = []tongue{
	{"JavaScript", []string{".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts"}, jsExports},
	{"Python", []string{".py"}, pyExports},
	{"Rust", []string{".rs"}, rustExports},
}

// textAPI finds public names that are gone from all files of the diff. A name that moved to another
// file is still there; declarations are not compared.
func textAPI(w Work) (found []Conflict) {
	for _, t := range tongues {
		var had, has, files []string
		for _, c := range w.Changes {
			if t.reads(was(c)) && c.Before != nil {
				had = append(had, t.exports(string(c.Before))...)
				files = append(files, was(c))
			}
			if t.reads(c.Path) && c.After != nil {
				has = append(has, t.exports(string(c.After))...)
			}
		}
		var gone []string
		for _, name := range had {
			if !slices.Contains(has, name) && !slices.Contains(gone, name) && !named(w.Asked, name) {
				gone = append(gone, name)
			}
		}
		if len(gone) > 0 {
			found = append(found, Conflict{Type: API, Severity: High, Files: files, Detail: fmt.Sprintf("public names of %s removed: %s", t.name, text.List(gone, 5))})
		}
	}
	return found
}

// reads reports whether others may use the file, and it is in the language.
func (t *tongue) reads(file string) bool {
	if !slices.Contains(t.exts, path.Ext(file)) || testintegrity.IsTest(file) {
		return false
	}
	return t.name != "Python" || !slices.ContainsFunc(strings.Split(file, "/"), func(s string) bool {
		return strings.HasPrefix(s, "_") && s != "__init__.py"
	})
}

// jsExports returns the names that a module exports, including "default".
func jsExports(text string) (names []string) {
	for lines := text; lines != ""; {
		line, rest, _ := strings.Cut(lines, "\n")
		lines = rest
		for _, prefix := range []string{"exports.", "module.exports."} {
			if after, ok := strings.CutPrefix(line, prefix); ok {
				if name := ident(after); strings.HasPrefix(strings.TrimLeft(after[len(name):], " \t"), "=") {
					names = append(names, name)
				}
			}
		}
		after, ok := strings.CutPrefix(line, "export ")
		if !ok {
			continue
		}
		if list, ok := strings.CutPrefix(strings.TrimPrefix(after, "type "), "{"); ok {
			inner, _, _ := strings.Cut(list+"\n"+rest, "}")
			names = append(names, exportList(inner)...)
			continue
		}
		if all, ok := strings.CutPrefix(after, "*"); ok {
			if words := strings.Fields(all); len(words) > 1 && words[0] == "as" {
				names = append(names, words[1])
			}
			continue
		}
		names = append(names, declared(after, "declare async abstract function class const let var interface type enum namespace")...)
	}
	return names
}

// exportList returns the exported names of { a, b as c, type D }.
func exportList(inner string) (names []string) {
	for part := range strings.SplitSeq(inner, ",") {
		words := strings.Fields(strings.TrimPrefix(strings.TrimSpace(part), "type "))
		if len(words) > 0 && ident(words[len(words)-1]) != "" {
			names = append(names, ident(words[len(words)-1]))
		}
	}
	return names
}

// declared returns the first name after some keywords.
func declared(rest, keywords string) []string {
	for {
		rest = strings.TrimLeft(rest, " \t*")
		word := ident(rest)
		if !slices.Contains(strings.Fields(keywords), word) {
			if word == "" {
				return nil
			}
			return []string{word}
		}
		rest = rest[len(word):]
	}
}

// ident returns the name that a text begins with.
func ident(line string) string {
	end := 0
	for end < len(line) && text.IsWord(line[end]) {
		end++
	}
	return line[:end]
}

// pyExports returns a module's functions and classes without a leading underscore.
func pyExports(text string) (names []string) {
	for line := range strings.Lines(text) {
		line = strings.TrimPrefix(line, "async ")
		for _, keyword := range []string{"def ", "class "} {
			if after, ok := strings.CutPrefix(line, keyword); ok && ident(after) != "" && after[0] != '_' {
				names = append(names, ident(after))
			}
		}
	}
	return names
}

// rustExports returns a crate's public items.
func rustExports(text string) (names []string) {
	for line := range strings.Lines(text) {
		if after, ok := strings.CutPrefix(strings.TrimLeft(line, " \t"), "pub "); ok {
			after = strings.ReplaceAll(after, `extern "C" `, "")
			if strings.HasPrefix(after, "use ") {
				continue
			}
			names = append(names, declared(after, "unsafe async const static mut fn struct enum union trait type mod")...)
		}
	}
	return names
}
