package coverage

import (
	"math"
	"testing"
)

func TestReports(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       float64 // negative: not known
	}{
		{"coverage.out", "mode: set\na.go:1.1,2.2 3 1\na.go:3.1,4.2 1 0\n", 75},
		{"coverage.out", "mode: count\na.go:1.1,2.2 1 0\na.go:1.1,2.2 1 7\nb.go:1.1,2.2 1 0\n", 50}, // two packages' tests
		{"coverage.out", "mode: set\n", -1}, {"coverage.out", "total 80%", -1}, {"coverage.out", "mode: set\na.go:1.1,2.2 x 1\n", -1},
		{"coverage/coverage-summary.json", `{"total":{"lines":{"total":10,"covered":8,"pct":80.5}}}`, 80.5},
		{"coverage/coverage-summary.json", `{"total":{"lines":{"pct":"Unknown"}}}`, -1},
		{"coverage.json", `{"totals":{"percent_covered":91.25}}`, 91.25}, {"coverage.json", `{"totals":{"percent_covered":191}}`, -1},
		{"coverage.json", `[]`, -1}, {"coverage.json", `{`, -1},
		{"coverage/lcov.info", "SF:a.js\nLF:10\nLH:5\nend_of_record\nSF:b.js\nLF:10\nLH:10\nend_of_record\n", 75},
		{"lcov.info", "LF:x\nLH:3\n", -1}, {"lcov.info", "", -1},
		{"coverage.xml", `<?xml version="1.0" ?><coverage version="7" line-rate="0.815" branch-rate="0">`, 81.5},
		{"coverage.xml", `<coverage line-rate="7">`, -1}, {"coverage.xml", `<coverage branch-rate="1">`, -1}, {"coverage.xml", `<other line-rate="1"/>`, -1},
	} {
		got, ok := Read(c.name, []byte(c.text))
		if ok != (c.want >= 0) || ok && math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s %q: %v, %v, want %v", c.name, c.text, got, ok, c.want)
		}
	}
}

func TestWhatCommandsPrint(t *testing.T) {
	for output, want := range map[string]float64{
		"ok  \tx\t0.1s\tcoverage: 50% of statements\ntotal:\t(statements)\t81.3%\n":                                             81.3,
		"Name  Stmts  Miss  Cover\na.py  10  1  90%\nTOTAL  10  1  90%\n":                                                       90,
		"File      | % Stmts | % Branch | % Funcs | % Lines | Uncovered\nAll files |   66.66 |      100 |     100 |   77.5 |\n": 77.5,
		"Statements   : 66% ( 2/3 )\nLines        : 70.5% ( 7/10 )\n":                                                           70.5,
		"# a.js      |  50.00 |    66.67 |   50.00 | 2 5-6\n# all files |  62.50 |    80.00 |   66.67 |\n":                      62.5, // TAP, as pipes have it
		"ℹ all files |  62.50 |    80.00 |   66.67 |\n":                                                                         62.5,
		"# all files |": -1,
		"42.5%\n":       42.5,
		"All files | 1": -1, "nothing": -1, "": -1, "total: many": -1, "TOTAL 120%": -1, "up 5% since": -1,
	} {
		got, ok := ReadOutput(output)
		if ok != (want >= 0) || ok && got != want {
			t.Errorf("%q: %v, %v, want %v", output, got, ok, want)
		}
	}
}

func TestAMeasurementIsReadAsItWasWritten(t *testing.T) {
	m := Measured{81.25, "2026-01-29T10:00:00Z", "go test"}
	if got, ok := ReadMeasured(m.Text()); !ok || got != m {
		t.Errorf("%+v, %v", got, ok)
	}
	for _, text := range []string{"", "{}", "[]", `{"percent":"80"}`, `{"percent":180,"at":"x"}`} {
		if m, ok := ReadMeasured([]byte(text)); ok {
			t.Errorf("%s is %+v", text, m)
		}
	}
}

func TestTheCommandOfAProject(t *testing.T) {
	for name, text := range map[string]string{"go.mod": "", "package.json": `{"devDependencies":{"vitest":"1"}}`, "pyproject.toml": ""} {
		if Command(func(n string) ([]byte, bool) { return []byte(text), n == name }) == "" {
			t.Errorf("%s tells nothing", name)
		}
	}
	for _, text := range []string{`{"scripts":{"coverage":"c8 node --test"}}`, `{"devDependencies":{"jest":"1"}}`, `{"scripts":{"test":"node --import tsx --test src"}}`} {
		if Command(func(n string) ([]byte, bool) { return []byte(text), n == "package.json" }) == "" {
			t.Errorf("%s tells nothing", text)
		}
	}
	for _, text := range []string{`{"scripts":{"test":"node test.js"}}`, `{"scripts":"coverage","config":{"coverage":"x"}}`, `{`} {
		if got := Command(func(n string) ([]byte, bool) { return []byte(text), n == "package.json" }); got != "" {
			t.Errorf("%s tells %s", text, got)
		}
	}
	if got := Command(func(string) ([]byte, bool) { return nil, false }); got != "" {
		t.Error(got)
	}
}
