package text

import "testing"

func TestSlug(t *testing.T) {
	for _, c := range []struct {
		title string
		most  int
		want  string
	}{
		{"Parse e-mail addresses", 40, "parse-e-mail-addresses"},
		{"  Ümläute & $(rm -rf /); `x` ", 40, "uemlaeute-rm-rf-x"},
		{"Füge Löschen hinzu", 40, "fuege-loeschen-hinzu"},
		{"Fu\u0308ge e\u0301te\u0301 hinzu", 40, "fuege-ete-hinzu"},
		{"İstanbul", 40, "istanbul"},
		{"日本語", 40, ""},
		{"", 40, ""},
		{"--- ---", 40, ""},
		{"one two three four", 12, "one-two"},
		{"averyveryverylongword", 10, "averyveryv"},
		{"HTTP/2 Push", 40, "http-2-push"},
	} {
		if got := Slug(c.title, c.most); got != c.want {
			t.Errorf("Slug(%q, %d) = %q, want %q", c.title, c.most, got, c.want)
		}
	}
}
