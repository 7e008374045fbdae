package suite

import (
	"strings"

	"warp/internal/core/lexicon"
)

const maxLevels = 32

// titles are the tests and suites that are open, by their depth.
type titles [maxLevels]string

func (t *titles) path(level int, title string) string {
	list := make([]string, 0, level+1)
	for _, outer := range t[:level] {
		if outer != "" {
			list = append(list, outer)
		}
	}
	return strings.Join(append(list, title), " > ")
}

// open names what is open at a level, and forgets what was open inside it.
func (t *titles) open(level int, title string) {
	t[level] = title
	clear(t[level+1:])
}

// depth is how deep a line stands, and its text.
func depth(text string, width int) (int, string) {
	inner := strings.TrimLeft(text, " ")
	return min((len(text)-len(inner))/width, maxLevels-1), inner
}

// tapReader reads the Test Anything Protocol: node --test, bats, prove -v, tap. It counts
// from a line with the version or the plan on; what looks like a result elsewhere is kept
// until one of them comes.
type tapReader struct {
	tally   *tally
	titles  titles
	file    string // of prove
	yaml    int    // the indentation of a block of details plus one, which is not read
	sure    bool
	waiting []named
}

func (t *tapReader) line(text string) bool {
	blanks := len(text) - len(strings.TrimLeft(text, " "))
	if t.yaml > 0 {
		if strings.TrimSpace(text) == "..." && blanks+1 == t.yaml {
			t.yaml = 0
		}
		return false
	}
	level, inner := depth(text, 4)
	title, subtest := strings.CutPrefix(inner, "# Subtest: ")
	switch {
	case inner == "---" && blanks > 0:
		t.yaml = blanks + 1
	case subtest:
		t.titles.open(level, unescaped(title))
	case strings.HasPrefix(text, "TAP version ") || plan(text):
		t.settle()
	case strings.HasPrefix(text, "Result: "):
		t.file = "" // the end of prove
	case t.harness(text):
	default:
		t.point(level, inner)
	}
	return false
}

// plan tells the line 1..4.
func plan(text string) bool {
	count, ok := strings.CutPrefix(text, "1..")
	count, _, _ = strings.Cut(count, " ")
	return ok && count != "" && strings.Trim(count, "0123456789") == ""
}

func (t *tapReader) settle() {
	t.sure = true
	for _, n := range t.waiting {
		t.tally.test(n.name, n.result)
	}
	t.waiting = nil
}

// point reads one result: "ok 1 - title # SKIP why", "not ok 2 title".
func (t *tapReader) point(level int, text string) {
	result := Passed
	rest, ok := strings.CutPrefix(text, "ok ")
	if !ok {
		if rest, ok = strings.CutPrefix(text, "not ok "); !ok {
			return
		}
		result = Failed
	}
	number := 0
	for number < len(rest) && lexicon.IsDigit(rest[number]) {
		number++
	}
	if number == 0 {
		return
	}
	title, directive, _ := strings.Cut(rest[number:], " # ")
	title = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(title)+" ", "- "))
	if d := strings.ToUpper(directive); strings.HasPrefix(d, "SKIP") || strings.HasPrefix(d, "TODO") {
		result = Skipped
	}
	title, opens := strings.CutSuffix(title, " {")
	if before, after, ok := cutLast(title, " in "); ok && duration(after) {
		title = before // bats --timing
	}
	if title = unescaped(title); title == "" {
		title = "test " + rest[:number]
	}
	name := t.titles.path(level, title)
	if t.file != "" {
		name = t.file + " > " + name
	}
	if t.titles.open(level, ""); opens {
		t.titles.open(level, title)
	}
	if t.sure {
		t.tally.test(name, result)
	} else if len(t.waiting) < maxTests {
		t.waiting = append(t.waiting, named{name, result})
	}
}

// harness reads what prove says of a file: "t/a.t .. ok", "t/a.t .. " before its results,
// "t/a.t (Wstat: 256 ...)" in the list of those that failed.
func (t *tapReader) harness(text string) bool {
	if file, _, ok := strings.Cut(text, " (Wstat: "); ok && !strings.Contains(file, " ") {
		t.tally.whole(file, Failed)
		return true
	}
	file, rest, ok := strings.Cut(text, " ..")
	if !ok || file == "" || strings.ContainsAny(file, " \t") {
		return false
	}
	switch rest = strings.TrimSpace(strings.TrimLeft(rest, ".")); {
	case rest == "":
		t.file, t.titles = file, titles{}
	case rest == "ok":
		t.tally.whole(file, Passed)
	case strings.HasPrefix(rest, "skipped"):
		t.tally.whole(file, Skipped)
	default:
		return false
	}
	return true
}

func cutLast(s, separator string) (before, after string, found bool) {
	if i := strings.LastIndex(s, separator); i >= 0 {
		return s[:i], s[i+len(separator):], true
	}
	return s, "", false
}

func unescaped(title string) string {
	return strings.ReplaceAll(strings.ReplaceAll(title, `\#`, "#"), `\\`, `\`)
}

func (t *tapReader) confirmed() { t.waiting = nil }
func (t *tapReader) end()       { t.waiting = nil }
