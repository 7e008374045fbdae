package leakscan

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const spreadValue = `hunter2-is/"long" enough+`

func wrap(s string, n int, sep string) string {
	var parts []string
	for len(s) > n {
		parts, s = append(parts, s[:n]), s[n:]
	}
	return strings.Join(append(parts, s), sep)
}

func TestKnownValuesInPieces(t *testing.T) {
	var k Known
	k.Add([]string{"DB_PASS=" + spreadValue, "ONES_TOKEN=111111111111"}, "")
	h := hex.EncodeToString([]byte(spreadValue))
	escaped, numbers := "", ""
	for _, b := range []byte(spreadValue) {
		escaped += fmt.Sprintf(`\x%02x`, b)
		numbers += fmt.Sprintf("0x%02X, ", b)
	}
	for name, text := range map[string]string{
		"hex with spaces": wrap(h, 2, " "), "hex with colons": wrap(strings.ToUpper(h), 2, ":"), "hex with dashes": wrap(h, 4, "-"), "hex in lines": wrap(h, 16, "\n    "),
		"hex joined": `"` + wrap(h, 10, `" + "`) + `"`, "escapes": escaped, "numbers": numbers, "unicode": strings.ReplaceAll(escaped, `\x`, `\u00`),
		"hex in variables": `a = '` + wrap(h, 10, "'\nnext_decade = '") + `'`,
	} {
		testSpread(t, &k, name, "x = {"+text+"}\n")
	}
	for _, prefix := range []string{"", "a", "ab", "abc"} {
		for _, e := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
			s := e.EncodeToString([]byte(prefix + spreadValue + "and a tail"))
			for _, sep := range []string{"\n", "\r\n  ", `\n`, `" +` + "\n\t\"", " ", `", "`, "\"\npart_two = \""} {
				for _, n := range []int{4, 20} {
					testSpread(t, &k, "base64 behind "+prefix, `k = "`+wrap(s, n, sep)+`"`)
				}
			}
		}
	}
	if got := k.Find([]byte("31 31 31 31 31 31 31 31 31 31 31 31")); len(got) > 0 {
		t.Errorf("a table of ones: %v", got)
	}
}

func testSpread(t *testing.T, k *Known, name, text string) {
	t.Helper()
	content := []byte("package a\n\n// 1\n" + text + "\nvar b = 0x1f\n")
	got := k.Find(content)
	if len(got) != 1 || got[0].Rule != "value of DB_PASS" {
		t.Errorf("%s: %v in %q", name, got, text)
		return
	}
	if spelled := k.FindSpelling(content, got[0]); spelled == "" || !strings.Contains(text, spelled) {
		t.Errorf("%s: it is spelled %q", name, spelled)
	}
}

// What is only similar to a secret is none: values of every kind are found nowhere in our sources.
func TestNoFalseAlarmInSources(t *testing.T) {
	var k Known
	for i := range 3 {
		k.Add([]string{fmt.Sprintf("A%d_TOKEN=token-%d-of-mine", i, i*7919), fmt.Sprintf("B%d_SECRET=development%d", i, i)}, "")
	}
	for _, w := range []string{"correct-horse", "hello world!!", "administrator", "0123456789abcdef", "abcdefghijklmnop", "postgrespostgres"} {
		k.Add([]string{"C_" + strings.ToUpper(w[:3]) + "_PASSWORD=" + w}, "")
	}
	roots := []string{"../..", "../../../docs"}
	if dir := os.Getenv("WARP_TEST_SOURCES"); dir != "" {
		roots = append(roots, dir)
	}
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() || strings.HasSuffix(path, "spread_test.go") {
				return nil
			}
			content, err := os.ReadFile(path)
			if err != nil {
				return nil
			}
			for _, m := range k.findSpread(content) {
				t.Errorf("%s: %v", path, m)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
