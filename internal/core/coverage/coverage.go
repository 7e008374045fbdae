// Package coverage reads how much of a project its tests cover: from reports that runners leave in
// a project (Go, JavaScript, Python), and from their output. It does no I/O, and never guesses:
// what it does not understand is unknown.
//
// Other packages run tests, and decide when a figure counts.
package coverage

import (
	"strconv"
	"strings"

	"warp/internal/core/lossless"
)

// File holds warp's newest measurement, relative to the project's root.
const File = ".claude/state/coverage.json"

// MaxReport is the largest report that is read.
const MaxReport = 16 << 20

// Reports are where runners leave their reports, relative to the project's root.
var Reports = []string{
	"coverage.out", "cover.out", "coverage.txt", // go test -coverprofile
	"coverage/coverage-summary.json", "coverage/lcov.info", "lcov.info", // Istanbul: Jest, Vitest, nyc, c8
	"coverage.xml", "coverage.json", // coverage.py, pytest-cov
}

// Measured is the document of a measurement.
type Measured struct {
	Percent float64 `json:"percent"`
	At      string  `json:"at"`
	By      string  `json:"by"` // the command, or the report
}

func ReadMeasured(text []byte) (m Measured, ok bool) {
	v, err := lossless.Parse(text)
	return m, err == nil && lossless.Decode(v, &m) == nil && plausible(m.Percent) && m.At != ""
}

func (m Measured) Text() []byte {
	return append(lossless.AppendIndent(nil, lossless.Encode(m, nil)), '\n')
}

// Read returns the coverage in a report, in percent of lines or statements.
func Read(name string, text []byte) (percent float64, ok bool) {
	switch {
	case strings.HasSuffix(name, ".json"):
		return fromJSON(text)
	case strings.HasSuffix(name, ".xml"):
		return fromCobertura(string(text))
	case strings.HasSuffix(name, ".info"):
		return fromLcov(string(text))
	}
	return fromGo(string(text))
}

// fromGo adds up the statements of a profile: "file:1.2,3.4 statements count". A block that several
// packages' tests ran appears several times.
func fromGo(text string) (float64, bool) {
	if !strings.HasPrefix(text, "mode: ") {
		return 0, false
	}
	type block struct {
		statements float64
		ran        bool
	}
	blocks := map[string]block{}
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) != 3 || fields[0] == "mode:" {
			continue
		}
		statements, err := strconv.ParseFloat(fields[1], 64)
		if err != nil || statements < 0 {
			return 0, false
		}
		blocks[fields[0]] = block{statements, blocks[fields[0]].ran || fields[2] != "0"}
	}
	all, ran := 0.0, 0.0
	for _, b := range blocks {
		all += b.statements
		if b.ran {
			ran += b.statements
		}
	}
	return share(ran, all)
}

// fromLcov adds up the lines found (LF) and hit (LH) of each file.
func fromLcov(text string) (float64, bool) {
	all, ran := 0.0, 0.0
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		n, err := strconv.ParseFloat(value, 64)
		switch {
		case err != nil || n < 0:
		case key == "LF":
			all += n
		case key == "LH":
			ran += n
		}
	}
	return share(ran, all)
}

// fromJSON reads Istanbul's summary, and the report of coverage.py.
func fromJSON(text []byte) (float64, bool) {
	v, err := lossless.Parse(text)
	if err != nil {
		return 0, false
	}
	for _, at := range []*lossless.Value{v.Get("total").Get("lines").Get("pct"), v.Get("totals").Get("percent_covered")} {
		if at.Type() == lossless.Number {
			return number(at.Raw)
		}
	}
	return 0, false
}

// fromCobertura reads the line-rate of the outermost element.
func fromCobertura(text string) (float64, bool) {
	_, after, found := strings.Cut(text, "<coverage")
	tag, _, closed := strings.Cut(after, ">")
	_, rate, has := strings.Cut(tag, `line-rate="`)
	if !found || !closed || !has {
		return 0, false
	}
	rate, _, _ = strings.Cut(rate, `"`)
	n, ok := number(rate)
	return 100 * n, ok && n <= 1
}

func share(part, whole float64) (float64, bool) {
	if whole <= 0 || part > whole {
		return 0, false
	}
	return 100 * part / whole, true
}

func number(s string) (float64, bool) {
	n, err := strconv.ParseFloat(s, 64)
	return n, err == nil && plausible(n)
}

func plausible(percent float64) bool { return percent >= 0 && percent <= 100 }
