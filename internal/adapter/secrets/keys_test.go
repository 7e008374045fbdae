package secrets

import (
	"slices"
	"strings"
	"testing"
)

func pem(kind string, lines int) string {
	return "-----BEGIN " + kind + "-----\n" + strings.Repeat(random(64, base62+"+/")+"\n", lines) + random(22, base62) + "==\n-----END " + kind + "-----"
}

func TestPrivateKeys(t *testing.T) {
	rsa, ssh := pem("RSA PRIVATE "+"KEY", 25), pem("OPENSSH PRIVATE "+"KEY", 6)
	numbered := strings.ReplaceAll(rsa, "\n", "\n   12→")
	headers := strings.Replace(rsa, "\n", "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,"+random(32, hexDigits)+"\n\n", 1)
	block := strings.Replace(pem("PGP PRIVATE "+"KEY BLOCK", 3*window/65), "\n", "\nVersion: 1\n\n", 1)
	lines := strings.SplitAfter(rsa, "\n")
	head, tail := strings.TrimSuffix(strings.Join(lines[:9], ""), "\n"), strings.Join(lines[9:], "")
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"whole":                        {"before\n" + rsa + "\nafter", []string{rsa}},
		"two":                          {rsa + "\n" + ssh, []string{rsa, ssh}},
		"numbered lines":               {numbered, []string{numbered}},
		"escaped":                      {`{"key":"` + strings.ReplaceAll(rsa, "\n", `\n`) + `\n"}`, []string{strings.ReplaceAll(rsa, "\n", `\n`)}},
		"with headers":                 {headers, []string{headers}},
		"longer than a window":         {"x " + block + " y", []string{block}},
		"without its end":              {head + "\nPASS: TestIt\nok", []string{head}},
		"without its end, and another": {head + "\nPASS\n" + ssh, []string{ssh, head}},
		"without its end, escaped":     {strings.ReplaceAll(head, "\n", `\n`) + `\nPASS", "x": 1`, []string{strings.ReplaceAll(head, "\n", `\n`)}},
		"without its beginning":        {"1 of 2\n" + tail + "\nafter", []string{"\n" + tail}},
		"without either, escaped":      {`"a\n` + strings.ReplaceAll(tail, "\n", `\n`) + `\n"`, []string{`\n` + strings.ReplaceAll(tail, "\n", `\n`)}},
		"spoken of": {"Everything from `-----BEGIN PRIVATE " + "KEY-----` on was kept in the report, up to the line that says `-----END PRIVATE " + "KEY-----`.\n" +
			"The block is dropped now; `-----END PRIVATE " + "KEY-----` alone is left, and so is `-----BEGIN EC PRIVATE " + "KEY-----`\nin " + random(40, hexDigits) + ".", nil},
		"a public one":  {pem("PUBLIC KEY", 6), nil},
		"a certificate": {pem("CERTIFICATE", 20), nil},
	} {
		got := Find(c.text)
		slices.SortFunc(c.want, func(a, b string) int { return len(b) - len(a) })
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: found %q\nwant %q", name, got, c.want)
		}
	}
}
