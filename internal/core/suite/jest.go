package suite

import "strings"

// jestReader reads jest. It names tests with --verbose, or where there is one file only;
// else the files.
type jestReader struct {
	tally  *tally
	titles titles
	file   string // whose tests are being listed
}

var jestMarks = map[string]Result{"✓": Passed, "√": Passed, "✕": Failed, "×": Failed, "○": Skipped, "✎": Skipped}

func (j *jestReader) line(text string) bool {
	if mark, rest, ok := strings.Cut(text, " "); ok && (mark == "PASS" || mark == "FAIL") {
		rest, _ = untimed(rest)
		if file := rest[strings.LastIndexByte(rest, ' ')+1:]; script(file) {
			j.file, j.titles = rest, titles{}
			j.tally.whole(rest, map[string]Result{"PASS": Passed, "FAIL": Failed}[mark])
			return false
		}
	}
	if strings.HasPrefix(text, "Test Suites: ") {
		j.file = ""
		return true
	}
	level, inner := depth(text, 2)
	mark, title, _ := strings.Cut(inner, " ")
	if level == 0 || mark == "●" {
		j.file = "" // the list is over: a blank line, or what failed
	}
	if j.file == "" {
		return false
	}
	result, ok := jestMarks[mark]
	if !ok {
		j.titles.open(level, inner)
		return false
	}
	switch result {
	case Skipped: // "○ skipped later", "✎ todo later"
		_, title, _ = strings.Cut(title, " ")
	default:
		title, _ = untimed(title)
	}
	if title != "" {
		j.tally.test(j.file+" > "+j.titles.path(level, title), result)
	}
	return false
}

// script tells a file of JavaScript or TypeScript.
func script(file string) bool {
	_, ext, _ := cutLast(file, ".")
	switch ext {
	case "js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "vue", "svelte":
		return true
	}
	return false
}

func (j *jestReader) confirmed() { j.file = "" }
func (j *jestReader) end()       {}

// vitestReader reads vitest. Its verbose reporter writes each test with its file; the
// default one the files, and some of their tests without their suites, which are not read.
type vitestReader struct {
	tally *tally
	runs  bool
}

var vitestMarks = map[string]Result{"✓": Passed, "✔": Passed, "√": Passed, "×": Failed, "✗": Failed, "❯": Failed, "↓": Skipped, "□": Skipped}

func (v *vitestReader) line(text string) bool {
	if strings.HasPrefix(text, " RUN  v") || strings.HasPrefix(text, " DEV  v") {
		v.runs = true
		return false
	}
	if !v.runs || !strings.HasPrefix(text, " ") || strings.HasPrefix(text, "  ") {
		return false
	}
	mark, rest, _ := strings.Cut(text[1:], " ")
	if mark == "Test" && strings.HasPrefix(rest, "Files ") {
		v.runs = false
		return true
	}
	result, ok := vitestMarks[mark]
	if !ok {
		return false
	}
	if before, after, ok := cutLast(rest, " "); ok && duration(after) {
		rest = before
	}
	rest = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSpace(rest), " [skipped]"), " [todo]")
	if before, count, ok := cutLast(rest, " (retry x"); ok && number(strings.TrimSuffix(count, ")")) {
		rest = before // how often differs from run to run
	}
	file, test, isTest := strings.Cut(rest, " > ")
	if isTest {
		if script(strings.TrimSpace(file)) && test != "" {
			v.tally.test(rest, result)
		}
		return false
	}
	if file, count, ok := strings.Cut(rest, " ("); ok && script(file) && strings.Contains(count, "test") {
		v.tally.whole(file, result)
	}
	return false
}

func (v *vitestReader) confirmed() {}
func (v *vitestReader) end()       {}
