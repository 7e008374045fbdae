package plot_test

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warp/internal/ui/plot"
)

func TestANightStandsAlone(t *testing.T) {
	got, err := plot.Night(dusk, []plot.Hour{{3, 900_000}, {0, 400_000}, {12, 2_100_000}})
	if err != nil {
		t.Fatal(err)
	}
	for d := xml.NewDecoder(strings.NewReader(string(got))); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("it is no SVG: %v\n%s", err, got)
		}
	}
	path := filepath.Join("testdata", "night.svg")
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
		t.Errorf("run with -update and look at it in a browser:\n%s", diff)
	}
	for _, says := range []string{"A night: 15 merged, $3.40", "12 merged, $2.10 spent", "Merged by hour", "Money spent"} {
		if !strings.Contains(string(got), says) {
			t.Errorf("it does not say %q", says)
		}
	}
	if _, err := plot.Night(dusk, nil); err != nil {
		t.Errorf("a night in which nothing happened: %v", err)
	}
}
