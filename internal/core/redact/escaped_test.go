package redact

import (
	"bytes"
	"encoding/json"
	"testing"
)

func TestEscapesAreThoseOfJSON(t *testing.T) {
	values := []string{"\"\\/\b\f\n\r\t\x00\x1f\x7f", "<a href='x'>&amp;", "é世😀", "\u2028\u2029\ufffd", "\xff\xc3 \xed\xa0\x80", ""}
	for c := range 256 {
		values = append(values, "a"+string([]byte{byte(c)})+"b", string(rune(c)))
	}
	for _, value := range values {
		for _, html := range []bool{false, true} {
			var want bytes.Buffer
			enc := json.NewEncoder(&want)
			enc.SetEscapeHTML(html)
			if err := enc.Encode(value); err != nil {
				t.Fatal(err)
			}
			if got := "\"" + escaped(value, html) + "\"\n"; got != want.String() {
				t.Errorf("%q, html %v: %s, want %s", value, html, got, want.String())
			}
		}
	}
}
