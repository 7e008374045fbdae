package machine

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestRenderDrawsEachFormat(t *testing.T) {
	full := Drawing[place]{Start: "shut", Current: "wide", Trap: "gone", Trapped: []place{"shut", "ajar"}, Why: "rust"}
	for _, c := range []struct {
		golden, format string
		drawing        Drawing[place]
	}{
		{"doors.mmd", "mermaid", full},
		{"doors-plain.mmd", "mermaid", Drawing[place]{}},
		{"doors.dot", "dot", full},
		{"doors-plain.dot", "dot", Drawing[place]{}},
		{"doors.md", "markdown", full},
	} {
		got, err := doors.Render(c.format, c.drawing)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", c.golden)
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.golden, diff)
		}
		if !slices.Contains(Formats, c.format) {
			t.Errorf("%s is not listed among the formats %v", c.format, Formats)
		}
	}
}

func TestRenderNamesTheFormatsThereAre(t *testing.T) {
	_, err := doors.Render("svg", Drawing[place]{})
	if want := `there is no format "svg"; there are mermaid, dot, markdown`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
