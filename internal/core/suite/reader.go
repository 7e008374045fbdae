package suite

import (
	"bytes"
	"slices"
	"strings"

	"warp/internal/core/failure"
)

// Reader reads what test runners print, line by line, and collects the names of the
// tests. Feed it standard output and standard error in the order in which they were
// written: jest and unittest name their tests on the latter, and cargo says there which
// program the tests belong to. Several runners may follow each other. The zero value is
// ready.
type Reader struct {
	// Root is the folder of the tree, which is taken out of names: two runs may have
	// two folders.
	Root string

	tally  tally
	json   goEvents
	lines  []lineReader
	ended  bool
	result Run
	named  bool
}

// lineReader finds the names that one runner prints. It gets every line that is no event
// of go test -json. confirmed is called where the summary of another runner showed whose
// lines these were.
type lineReader interface {
	line(text string) (summary bool)
	confirmed()
	end()
}

// Line takes the next line, with or without its newline.
func (r *Reader) Line(line []byte) {
	if r.ended || len(line) > maxLine {
		return
	}
	r.start()
	if isOutput(line) {
		return
	}
	if e, ok := readEvent(line); ok {
		r.json.event(e)
		return
	}
	text := failure.Plain(string(bytes.TrimRight(line, "\r\n")))
	if r.Root != "" {
		text = strings.ReplaceAll(text, strings.TrimSuffix(r.Root, "/")+"/", "")
	}
	for part := range strings.SplitSeq(text, "\n") { // a lone carriage return redraws a line
		r.text(part)
	}
}

func (r *Reader) text(text string) {
	for i, reader := range r.lines {
		if !reader.line(text) {
			continue
		}
		for j, other := range r.lines {
			if i != j {
				other.confirmed()
			}
		}
	}
}

func (r *Reader) start() {
	if r.lines != nil {
		return
	}
	r.json.tally = &r.tally
	t := &r.tally
	r.lines = []lineReader{&goVerbose{tally: t}, &tapReader{tally: t}, &specReader{tally: t}, &mochaReader{tally: t},
		&jestReader{tally: t}, &vitestReader{tally: t}, &cargoReader{tally: t}, &pytestReader{tally: t}, &unittestReader{tally: t}}
}

// Run ends the reading and gives the tests. It is false where no test was named, or more
// than can be kept: such a run must not be compared by names.
func (r *Reader) Run() (Run, bool) {
	if !r.ended {
		r.start()
		r.json.end()
		for _, reader := range r.lines {
			reader.end()
		}
		r.result, r.named = r.tally.run()
		r.ended = true
	}
	return r.result, r.named
}

// Unnamed lists the packages and files that passed and of which no test was named: for
// these, names tell nothing.
func (r Run) Unnamed() (list []string) {
	held := below(r)
	for name, result := range r {
		if place, ok := strings.CutSuffix(name, Whole); ok && result == Passed && !held[place] {
			list = append(list, place)
		}
	}
	slices.Sort(list)
	return list
}

// untimed is a title without the duration in parentheses that ends it, and whether there
// was one: "(0.00s)", "(44 ms)", "(1.2ms)", "(1m2.5s)".
func untimed(title string) (string, bool) {
	title = strings.TrimRight(title, " ")
	open := strings.LastIndexByte(title, '(')
	if open < 0 || !strings.HasSuffix(title, ")") || !duration(title[open+1:len(title)-1]) {
		return title, false
	}
	return strings.TrimRight(title[:open], " "), true
}

// duration tells a number with a unit of time.
func duration(s string) bool {
	rest := strings.TrimLeft(s, "0123456789.")
	if rest == s {
		return false
	}
	switch unit := strings.TrimSpace(rest); unit {
	case "ms", "s", "m", "h", "µs", "us", "ns":
		return true
	default:
		for _, u := range [...]string{"h", "m"} {
			if more, ok := strings.CutPrefix(unit, u); ok && more != unit {
				return duration(more)
			}
		}
		return false
	}
}
