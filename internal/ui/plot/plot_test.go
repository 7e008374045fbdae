package plot_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"warp/internal/ui/plot"
)

var update = flag.Bool("update", false, "write the golden files")

var dusk = time.Date(2026, 11, 14, 22, 10, 0, 0, time.UTC)

func after(minutes int) time.Time { return dusk.Add(time.Duration(minutes) * time.Minute) }

func day(n int) time.Time { return time.Date(2026, 11, n, 0, 0, 0, 0, time.UTC) }

// drawings are one of each, with data that a night has.
var drawings = map[string]func() ([]byte, error){
	"burn": func() ([]byte, error) {
		return plot.BurnDown(plot.Burn{From: dusk, Now: after(240), End: after(530), Cap: 20_000_000, Points: []plot.Point{{after(12), 400_000}, {after(55), 2_100_000}, {after(140), 4_000_000}, {after(230), 5_250_000}}})
	},
	"burn-capped": func() ([]byte, error) {
		return plot.BurnDown(plot.Burn{From: dusk, Now: after(240), End: after(530), Cap: 6_000_000, Points: []plot.Point{{after(12), 400_000}, {after(230), 5_250_000}}})
	},
	"burn-empty": func() ([]byte, error) { return plot.BurnDown(plot.Burn{From: dusk, Now: dusk}) },
	"gantt": func() ([]byte, error) {
		return plot.Gantt([]plot.Bar{
			{Row: "#42 Greet people", Kind: "plan", From: dusk, To: after(4)},
			{Row: "#42 Greet people", Kind: "code", From: after(4), To: after(31), Says: "chunk 1, opus"},
			{Row: "#42 Greet people", Kind: "test", From: after(31), To: after(33)},
			{Row: "#42 Greet people", Kind: "verify", From: after(33), To: after(40)},
			{Row: "#43 Store", Kind: "code", From: after(40), To: after(90)},
			{Row: "#43 Store", Kind: "waiting", From: after(90), To: after(150)},
			{Row: "#43 Store", Kind: "review", From: after(150), To: after(160)},
		}, dusk, after(180))
	},
	"gantt-empty": func() ([]byte, error) { return plot.Gantt(nil, dusk, dusk) },
	"stacked": func() ([]byte, error) {
		return plot.Stacked([]plot.Day{
			{day(10), []plot.Part{{"opus", 3_000_000}, {"haiku", 200_000}}},
			{day(11), nil},
			{day(12), []plot.Part{{"haiku", 900_000}, {"sonnet", 1_500_000}}},
			{day(13), []plot.Part{{"opus", 7_410_000}}},
		})
	},
	"trend": func() ([]byte, error) {
		return plot.Trend("Money per merged criterion", []plot.Point{{day(8), 900_000}, {day(10), 700_000}, {day(13), 410_000}})
	},
	"share": func() ([]byte, error) {
		return plot.Share("Tokens by kind", []plot.Part{{"input", 120_000}, {"output", 80_000}, {"cache read", 900_000}, {"cache write", 0}})
	},
}

func TestDrawings(t *testing.T) {
	for name, draw := range drawings {
		t.Run(name, func(t *testing.T) {
			got, err := draw()
			if err != nil {
				t.Fatal(err)
			}
			checkCalm(t, got)
			path := filepath.Join("testdata", name+".html")
			if *update {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("%s (-update writes it):\n%s", path, diff)
			}
		})
	}
}

// checkCalm holds a drawing to what a strict page allows: well-formed, small, no script,
// no style attribute, no handler and nothing from elsewhere.
func checkCalm(t *testing.T, figure []byte) {
	t.Helper()
	if len(figure) > 16_000 {
		t.Errorf("it has %d bytes", len(figure))
	}
	allowed := map[string]bool{"figure": true, "svg": true, "title": true, "desc": true, "path": true, "text": true, "figcaption": true, "p": true, "ul": true, "li": true, "i": true}
	attributes := map[string]bool{"class": true, "d": true, "x": true, "y": true, "viewBox": true, "role": true, "aria-label": true}
	named := false
	for d := xml.NewDecoder(bytes.NewReader(figure)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		named = named || e.Name.Local == "desc"
		if !allowed[e.Name.Local] {
			t.Errorf("an element %s", e.Name.Local)
		}
		for _, a := range e.Attr {
			if !attributes[a.Name.Local] {
				t.Errorf("an attribute %s=%q", a.Name.Local, a.Value)
			}
		}
	}
	if !named || bytes.Contains(figure, []byte("NaN")) || bytes.Contains(figure, []byte("Inf")) {
		t.Errorf("no description, or a number that is none:\n%s", figure)
	}
}

// Titles of issues and names of models are written by others.
func TestHostileNames(t *testing.T) {
	for _, name := range []string{`</title><script>alert(1)</script>`, `" onload="alert(1)`, "a\x00b\x1b[31mc", "\u202egnp.exe", strings.Repeat("x", 10<<20), "\xff\xfe", "]]>", "&amp;"} {
		for _, draw := range []func() ([]byte, error){
			func() ([]byte, error) {
				return plot.Gantt([]plot.Bar{{Row: name, Kind: name, Says: name, From: dusk, To: after(9)}}, dusk, after(10))
			},
			func() ([]byte, error) { return plot.Stacked([]plot.Day{{day(1), []plot.Part{{name, 5}}}}) },
			func() ([]byte, error) { return plot.Share(name, []plot.Part{{name, 5}}) },
			func() ([]byte, error) { return plot.Trend(name, []plot.Point{{day(1), 5}}) },
		} {
			got, err := draw()
			if err != nil {
				t.Fatal(err)
			}
			checkCalm(t, got)
			if bytes.ContainsAny(got, "\x00\x1b\u202e") {
				t.Errorf("something hidden is in %q", got)
			}
		}
	}
}

// However many rows there are, a chart stays one that a page can hold, and says what it
// leaves out.
func TestManyRows(t *testing.T) {
	var bars []plot.Bar
	for i := range 500 {
		bars = append(bars, plot.Bar{Row: strings.Repeat("i", i+1), Kind: "code", From: after(i), To: after(i + 1)})
	}
	got, err := plot.Gantt(bars, dusk, after(600))
	if err != nil {
		t.Fatal(err)
	}
	checkCalm(t, got)
	if !bytes.Contains(got, []byte("440 more rows are not drawn.")) {
		t.Errorf("%s", got)
	}
}

func TestManyModels(t *testing.T) {
	var parts []plot.Part
	for i := range 9 {
		parts = append(parts, plot.Part{Name: strings.Repeat("m", i+1), Amount: int64(1000 - i)})
	}
	got, err := plot.Stacked([]plot.Day{{day(1), parts}})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(got, []byte(`<li><i class="p-s5"></i>4 others</li>`)) || bytes.Contains(got, []byte("p-s6")) {
		t.Errorf("%s", got)
	}
}
