package event

import (
	"strings"
	"testing"
	"time"
)

func TestASignedLineIsSplitAgain(t *testing.T) {
	var signed string
	line, mac := (Row{Kind: Gate}).SignedLine(func(text []byte) string { signed = string(text); return strings.Repeat("a", MacLength) })
	body, found, ok := Signature(strings.TrimSuffix(string(line), "\n"))
	if !ok || body != signed || found != mac {
		t.Errorf("%q, %q, %v of %s", body, found, ok, line)
	}
	for _, bad := range []string{"", "{}", strings.Replace(strings.TrimSuffix(string(line), "\n"), `,"mac":"`, `,"mic":"`, 1)} {
		if _, _, ok := Signature(bad); ok {
			t.Errorf("%q has a signature", bad)
		}
	}
}

func TestWhatCounts(t *testing.T) {
	for s, want := range map[Standing]bool{Unchecked: true, Signed: true, Unsigned: false, Forged: false, Misplaced: false} {
		if (Row{Standing: s}).Counts() != want {
			t.Errorf("%v", s)
		}
	}
	if at := Stamp(time.Date(2026, 1, 2, 3, 4, 5, 6_000_000, time.FixedZone("x", 3600))); at != "2026-01-02T02:04:05.006Z" {
		t.Error(at)
	}
}
