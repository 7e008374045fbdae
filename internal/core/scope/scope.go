// Package scope finds in a change what no one asked for: files that stray into a commit, and lines
// that were only reformatted. It is pure. It reads facts alone (names, sizes, modes, white space), so
// it cannot tell whether a line of code was asked for: a verifier does.
//
// A criterion that names a file, its folder or a pattern allows all of it.
package scope

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"warp/internal/core/criteria"
)

// File is a file that a change touches.
type File struct {
	Path, OldPath string // OldPath: of a renamed one
	Status        byte   // as in git: A, D, M, R, T
	Size, OldSize int64
	Binary        bool
	Executable    bool
	WasExecutable bool
	Reformatted   int // lines of hunks that change white space only
}

// Asked is what people asked for, and what the coder says belongs in the commit.
type Asked struct {
	Criteria []string // their texts, and what people decided
	Issue    string   // title and body
	Files    []string // the coder's list
	Listed   bool     // each coding run listed files
	Prefix   string   // the project's folder, to which the coder's paths may be relative
}

// Point is a file that holds what no one asked for.
type Point struct {
	File string `json:"file"`
	Why  string `json:"why"`
	By   string `json:"by,omitempty"` // the agent that says so; "": warp sees it
	// Named says that a criterion names the file, so that the point is about a part of its content.
	Named bool `json:"named,omitempty"`
}

func (p Point) String() string {
	if p.By != "" {
		return fmt.Sprintf("%s: %s (says the verifier)", p.File, p.Why)
	}
	return p.File + ": " + p.Why
}

// maxSize is the size from which a file is looked at, in bytes.
const maxSize = 100_000

// Find returns what no one asked for, in the order of the files.
func Find(files []File, a Asked) (list []Point) {
	criteria, issue := namesIn(a.Criteria...), namesIn(append(a.Criteria, a.Issue)...)
	vendored := vendors(files)
	for _, f := range files {
		if f.isNamed(criteria) {
			continue
		}
		if why := f.faults(a, issue, vendored); len(why) > 0 {
			list = append(list, Point{File: f.Path, Why: strings.Join(why, ", ")})
		}
	}
	return list
}

// Allows reports whether a criterion names a file.
func (a Asked) Allows(file string) bool { return File{Path: file}.isNamed(namesIn(a.Criteria...)) }

// faults lists what is wrong with a file that no criterion names.
func (f File) faults(a Asked, issue []string, vendored string) (why []string) {
	fresh := f.Status == 'A'
	if what := loaded(f.Path); what != "" {
		why = append(why, what)
	} else if what := loaded(f.OldPath); what != "" {
		why = append(why, what)
	}
	if f.Status == 'D' {
		return why
	}
	if fresh && f.Binary {
		why = append(why, "a new binary file")
	}
	text := isLock(f.Path) || inFolder(f.Path, vendored) && !f.Binary // its manifest answers for its size, and for its being new
	if f.Size > maxSize && f.OldSize <= maxSize && !text {
		why = append(why, fmt.Sprintf("%d kB", f.Size/1000))
	}
	if f.Executable && !f.WasExecutable && f.Status != 'T' {
		why = append(why, "newly executable")
	}
	if f.Reformatted > 0 {
		why = append(why, fmt.Sprintf("%s only in white space", plural(f.Reformatted)))
	}
	if fresh && !f.isNamed(issue) && !text {
		switch {
		case a.lists(f.Path):
		case a.Listed:
			why = append(why, "a new file that neither the issue nor the coder names")
		case isStray(f.Path):
			why = append(why, "a new file that is named nowhere, and looks left over")
		}
	}
	return why
}

func plural(n int) string {
	if n == 1 {
		return "1 line changed"
	}
	return fmt.Sprintf("%d lines changed", n)
}

// lists reports whether the coder's list has a file, or its folder. A pattern names no file: ** would
// name them all.
func (a Asked) lists(file string) bool {
	return slices.ContainsFunc(a.Files, func(name string) bool {
		name = path.Clean(strings.ReplaceAll(strings.TrimSpace(name), `\`, "/"))
		for _, p := range []string{name, path.Join(a.Prefix, name)} {
			if p != "." && (p == file || strings.HasPrefix(file, p+"/")) {
				return true
			}
		}
		return strings.HasPrefix(name, "/") && strings.HasSuffix(name, "/"+file)
	})
}

// isNamed reports whether one of the names is the file's, its folder's, or a pattern of it.
func (f File) isNamed(names []string) bool {
	for _, file := range []string{f.Path, f.OldPath} {
		if file == "" {
			continue
		}
		base, whole := path.Base(file), "/"+strings.ToLower(file)+"/"
		stem := strings.TrimSuffix(base, path.Ext(base))
		for _, n := range names {
			switch {
			case !strings.ContainsAny(n, "/*") && IsInstructions(file): // it speaks of those at the top
				if strings.HasPrefix(whole, "/"+strings.ToLower(n)+"/") {
					return true
				}
			case strings.EqualFold(n, base):
				return true
			case strings.Contains(n, "*"):
				if criteria.MatchesAny([]string{n}, file) || criteria.MatchesAny([]string{n}, base) {
					return true
				}
			case strings.Contains(n, "/") || strings.HasPrefix(n, "."):
				if strings.Contains(whole, "/"+strings.ToLower(strings.Trim(n, "/"))+"/") {
					return true
				}
			case n == stem && len(n) > 3 && n == strings.ToUpper(n) && loaded(file) == "": // README, CHANGELOG
				return true
			}
		}
	}
	return false
}

// namesIn returns the words of texts that can name files.
func namesIn(texts ...string) (names []string) {
	for _, t := range texts {
		for _, w := range strings.FieldsFunc(t, func(r rune) bool { return strings.ContainsRune(" \t\r\n\"'`()[]{}<>,;|", r) }) {
			w = strings.TrimPrefix(strings.TrimRight(w, ".:!?"), "./")
			if in := strings.Trim(w, "*"); in != w && strings.Trim(w, "*_") == in && !strings.ContainsAny(in, "*./") && strings.HasSuffix(w, "*") {
				w = in // a word in bold is no pattern
			}
			if strings.ContainsFunc(w, func(r rune) bool { return r >= '0' && r <= '9' || r >= 'A' && r <= 'z' || r > 127 }) {
				names = append(names, w)
			}
		}
	}
	return names
}

// MostDescribed is the number of points that Describe writes.
const MostDescribed = 20

// Describe writes points as lines, for a prompt or a message.
func Describe(list []Point) string {
	var b strings.Builder
	for i, p := range list {
		if i == MostDescribed {
			fmt.Fprintf(&b, "and %d more\n", len(list)-MostDescribed)
			break
		}
		fmt.Fprintf(&b, "%s\n", p)
	}
	return strings.TrimRight(b.String(), "\n")
}

// Has reports whether points are about a file.
func Has(list []Point, file string) bool {
	return slices.ContainsFunc(list, func(p Point) bool { return p.File == file })
}

// Names returns the files of points.
func Names(list []Point) (files []string) {
	for _, p := range list {
		files = append(files, p.File)
	}
	return files
}

// Merge adds points about further files.
func Merge(list, more []Point) []Point {
	for _, p := range more {
		if !Has(list, p.File) {
			list = append(list, p)
		}
	}
	return list
}

// FindPath returns which of the changed paths an agent means, who may name it from the project's
// folder; "": none.
func FindPath(said, prefix string, paths []string) string {
	said = strings.TrimPrefix(path.Clean(said), "./")
	for _, name := range []string{said, path.Join(prefix, said)} {
		if slices.Contains(paths, name) {
			return name
		}
	}
	return ""
}
