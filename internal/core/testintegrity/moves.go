package testintegrity

import "strings"

// Move is a test whose body is unchanged, with its name and file before and now. A file that no
// language of the table describes moves as a whole: its names are "".
type Move struct {
	OldPath, OldName string
	Path, Name       string
}

// FindMoves pairs the tests of changed files by their bodies: a test that was renamed, or moved to
// another file, class or group, is the same test. Spaces and comments do not count.
func FindMoves(changes []Change) (moves []Move) {
	_, pairs := readPairs(changes)
	for _, m := range pairMoves(pairs) {
		moves = append(moves, Move{m.was.file.path, m.was.name, m.is.file.path, m.is.name})
	}
	return append(moves, moveFiles(pairs)...)
}

// move is a test and its earlier version.
type move struct{ was, is located }

// pairMoves pairs each test with one of the same body: best one of the same file and name, then one
// of the same name, then one of the same file.
func pairMoves(pairs []*pair) (moves []move) {
	var olds []located
	news := map[string][]located{}
	for _, p := range pairs {
		olds = append(olds, testsOf(p.was)...)
		for _, one := range testsOf(p.is) {
			news[one.key()] = append(news[one.key()], one)
		}
	}
	used := map[*declaration]bool{}
	for _, fits := range [...]func(was, is located) bool{
		func(was, is located) bool { return was.file.path == is.file.path && was.name == is.name },
		func(was, is located) bool { return was.name == is.name },
		func(was, is located) bool { return was.file.path == is.file.path },
		func(was, is located) bool { return true },
	} {
		for _, was := range olds {
			if used[was.declaration] {
				continue
			}
			for _, is := range news[was.key()] {
				if !used[is.declaration] && fits(was, is) {
					used[was.declaration], used[is.declaration] = true, true
					moves = append(moves, move{was, is})
					break
				}
			}
		}
	}
	return moves
}

// testsOf returns the tests of a file that do something.
func testsOf(f *file) (list []located) {
	if f == nil {
		return nil
	}
	for i := range f.list {
		if one := (located{&f.list[i], f}); one.test && !f.isHollow(one.declaration) && one.key() != "" {
			list = append(list, one)
		}
	}
	return list
}

// key returns what tests of one family with the same body share; "" if the body is not found.
func (l located) key() string {
	f, d := l.file, l.declaration
	if f.closed == nil {
		f.prepareBodies()
	}
	if d.body == "" {
		from, to := f.extent(d)
		if f.budget -= to - from; f.budget < 0 { // tests inside tests, without end
			return ""
		}
		d.body = f.lang.family + "\n" + strings.Join(strings.Fields(f.bare[from:to]), "")
	}
	return d.body
}

// prepareBodies finds what a body needs: the text without comments, and where each bracket closes.
func (f *file) prepareBodies() {
	f.budget = 4 * len(f.src)
	bare := []byte(f.src)
	for _, hidden := range pattern(f.lang.hidden).FindAllStringIndex(f.src, -1) {
		if text := f.src[hidden[0]:hidden[1]]; text[0] == '#' || strings.HasPrefix(text, "//") || strings.HasPrefix(text, "/*") {
			copy(bare[hidden[0]:], strings.Repeat(" ", len(text)))
		}
	}
	f.bare, f.closed = string(bare), map[int]int{}
	var open []int
	for i := range len(f.code) {
		switch f.code[i] {
		case '(', '[', '{':
			open = append(open, i)
		case ')', ']', '}':
			if len(open) > 0 {
				f.closed[open[len(open)-1]] = i
				open = open[:len(open)-1]
			}
		}
	}
}

// extent returns where the body of a test begins and ends, behind its name and parameters.
func (f *file) extent(d *declaration) (from, to int) {
	if f.lang.family == "JavaScript" { // what else is handed to the function that declares it
		from = min(d.head+1, len(f.code)) // behind the quote of its title
		if to, ok := f.closed[d.at+strings.LastIndexByte(f.code[d.at:d.head], '(')]; ok {
			return from, max(from, to)
		}
		return min(from, d.end), d.end
	}
	from = d.head
	if open := strings.IndexByte(f.code[d.head:d.end], '('); open >= 0 {
		if to, ok := f.closed[d.head+open]; ok {
			from = to + 1
		}
	}
	if f.lang.family == "Python" {
		return f.indented(d, from)
	}
	open := strings.IndexByte(f.code[from:max(from, d.end)], '{')
	if to, ok := f.closed[from+open]; open >= 0 && ok {
		return from, to + 1
	}
	return min(from, d.end), d.end
}

// indented returns the extent of a body in Python, behind the parameters: the lines that are
// indented deeper than the definition.
func (f *file) indented(d *declaration, from int) (begin, end int) {
	colon := strings.IndexByte(f.code[from:], ':')
	if colon < 0 {
		return from, from
	}
	from += colon + 1
	line := f.code[strings.LastIndexByte(f.code[:d.head], '\n')+1 : d.head]
	indent := len(line) - len(strings.TrimLeft(line, " \t"))
	end = lineEnd(f.code, from)
	for end < len(f.code) {
		next := lineEnd(f.code, end+1)
		line := f.code[end+1 : next]
		if words := strings.TrimLeft(line, " \t\r"); words != "" && len(line)-len(words) <= indent {
			break
		}
		end = next
	}
	return from, end
}

// lineEnd returns the end of the line at an offset.
func lineEnd(code string, at int) int {
	if n := strings.IndexByte(code[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(code)
}

// moveFiles pairs files without declared tests by their content.
func moveFiles(pairs []*pair) (moves []Move) {
	squeeze := func(text []byte) string { return strings.Join(strings.Fields(string(text)), " ") }
	arrived := map[string][]string{}
	for _, p := range pairs {
		if p.is != nil && (p.OldPath != "" || p.Before == nil) {
			key := extension(p.Path) + " " + squeeze(p.After)
			arrived[key] = append(arrived[key], p.Path)
		}
	}
	for _, p := range pairs {
		if p.was == nil || p.OldPath == "" && p.After != nil {
			continue
		}
		key := extension(p.was.path) + " " + squeeze(p.Before)
		if to := arrived[key]; len(to) > 0 {
			moves = append(moves, Move{OldPath: p.was.path, Path: to[0]})
			arrived[key] = to[1:]
		}
	}
	return moves
}
