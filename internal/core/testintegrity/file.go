package testintegrity

import (
	"slices"
	"strings"
)

// file is one side of a changed file.
type file struct {
	path      string
	lang      *language
	src, code string // the original, and without comments and strings
	list      []declaration
	gate      string // what keeps all of it from running
	skips     int    // markers outside of tests
	focus     int    // markers that keep other tests from running

	// For FindMoves, once it asks for a body:
	bare   string      // the original without comments
	closed map[int]int // where each bracket closes
	budget int         // how much of bodies is still read
}

// declaration is a test or something else with a name.
type declaration struct {
	name     string
	test     bool
	group    bool // contains tests: its markers count for the file
	at, head int  // where it begins, and where its name ends
	end      int  // where the next one begins
	skips    int
	body     string // with its language, without spaces and comments; "": not read yet
}

// readFile finds a file's declarations and markers.
func readFile(path string, content []byte) *file {
	f := &file{path: path, lang: languageOf(path), src: blankLongLines(string(content))}
	if f.lang == nil {
		return f
	}
	code := []byte(f.src)
	for _, hidden := range pattern(f.lang.hidden).FindAllStringIndex(f.src, -1) {
		for i := hidden[0]; i < hidden[1]; i++ {
			if code[i] != '\n' {
				code[i] = ' '
			}
		}
	}
	f.code = string(code)
	f.gate = gateOf(f)
	f.declare(f.lang.tests, declaration{test: true})
	f.declare(f.lang.groups, declaration{group: true})
	f.declare(f.lang.others, declaration{})
	slices.SortStableFunc(f.list, func(a, b declaration) int { return a.head - b.head })
	f.list = slices.CompactFunc(f.list, func(a, b declaration) bool { return a.head == b.head }) // a test is a function, too
	for i := range f.list {
		f.list[i].end = len(f.code)
		if i > 0 {
			f.list[i-1].end = max(f.list[i].at, f.list[i-1].head)
		}
	}
	if f.lang.focus != "" {
		f.focus = len(pattern(f.lang.focus).FindAllStringIndex(f.code, -1))
	}
	for _, marker := range pattern(f.lang.skips).FindAllStringIndex(f.code, -1) {
		*f.ownerOf(marker[1] - 1)++
	}
	return f
}

// blankLongLines blanks lines that no person writes: a match may be searched for to the end of its
// line.
func blankLongLines(src string) string {
	const longest = 2000
	var b strings.Builder
	for line := range strings.Lines(src) {
		if len(line) > longest {
			line = strings.Repeat(" ", len(line)-1) + line[len(line)-1:]
		}
		b.WriteString(line)
	}
	return b.String()
}

// declare finds the declarations of one kind. It searches the original text, since some names are
// strings, but they must begin in code.
func (f *file) declare(expr string, kind declaration) {
	if expr == "" {
		return
	}
	for _, m := range pattern(expr).FindAllStringSubmatchIndex(f.src, -1) {
		for i := 2; i < len(m); i += 2 {
			if m[i] < 0 {
				continue
			}
			d := kind
			d.name, d.at, d.head = strings.Trim(f.src[m[i]:m[i+1]], "`"), m[0], m[i+1]
			for d.at < m[i] && strings.IndexByte(" \t\n({;,", f.src[d.at]) >= 0 {
				d.at++
			}
			if f.code[d.at] != f.src[d.at] {
				break // in a comment or string
			}
			if d.name == "TestMain" || isConftest(f.path) {
				d.test = false
			}
			f.list = append(f.list, d)
			break
		}
	}
}

// ownerOf returns the skip count for a marker: of the declaration that contains it or, for an
// annotation, of the next one.
func (f *file) ownerOf(at int) *int {
	i, inside := slices.BinarySearchFunc(f.list, at, func(d declaration, at int) int {
		switch {
		case d.head <= at:
			return -1
		case d.at > at:
			return 1
		}
		return 0
	})
	line := f.code[strings.LastIndexByte(f.code[:at], '\n')+1 : at+1]
	annotation := strings.HasPrefix(strings.TrimLeft(line, " \t"), "@") || strings.HasPrefix(strings.TrimLeft(line, " \t"), "#")
	if !inside && !annotation {
		i--
	}
	if i < 0 || i >= len(f.list) || f.list[i].group || isConftest(f.path) {
		return &f.skips
	}
	return &f.list[i].skips
}

// isHollow reports whether a test does nothing.
func (f *file) isHollow(d *declaration) bool {
	return pattern(f.lang.empty).MatchString(f.code[d.head:d.end])
}

// asserting matches words with which tests fail, and Go's passing on of t.
const asserting = `(?i:\b(?:assert|expect|require|should|verify|check|must|ensure|raises|throws|fail|panic))|\b(?:Error|Errorf|Fatal|Fatalf|Run)\b|\(t[,)]`

// meaningful returns a part of the code without assertions that compare constants alone.
func (f *file) meaningful(from, to int) string {
	if f.lang.vacuous == "" {
		return f.code[from:to]
	}
	code := []byte(f.code[from:to])
	for _, m := range pattern(f.lang.vacuous).FindAllIndex(code, -1) {
		if strings.Contains(f.src[from+m[0]:from+m[1]], "{") { // a template's values
			continue
		}
		for i := m[0]; i < m[1]; i++ {
			code[i] = ' '
		}
	}
	return string(code)
}

// asserts reports whether a test can fail: by an assertion, or through a helper.
func (f *file) asserts(d *declaration, helpers map[string]bool) bool {
	body := f.meaningful(d.head, d.end)
	if pattern(asserting).MatchString(body) {
		return true
	}
	return len(helpers) > 0 && slices.ContainsFunc(pattern(`\w+`).FindAllString(body, -1), func(w string) bool { return helpers[w] })
}
