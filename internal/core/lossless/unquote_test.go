package lossless

import (
	"encoding/json"
	"testing"
)

func TestUnquoteReadsWhatJSONReads(t *testing.T) {
	for _, raw := range []string{`"\"\\\/\b\f\n\r\t"`, `"\u0041\u00e9\u4e16\u2028"`, `"\ud83d\ude00 \uD83D\uDE00"`, `"\ud83d"`, `"\ude00\ud83d"`,
		`"\ud83d\ud83d\ude00"`, `"\ud83dx\ude00"`, `"\ud83d\n"`, `"é\u0000世"`, `"\\u0041"`, `"\uFFFD\ud800\uFFFD"`} {
		var want string
		if err := json.Unmarshal([]byte(raw), &want); err != nil {
			t.Fatal(err)
		}
		v, err := Parse([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		if got := v.Text(); got != want {
			t.Errorf("%s: %q, want %q", raw, got, want)
		}
	}
}
