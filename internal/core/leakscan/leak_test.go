package leakscan

import (
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"strings"
	"testing"
)

func TestOnlyWhatIsAddedCounts(t *testing.T) {
	for _, c := range []struct{ before, after, want string }{
		{"", "a\nb", "a\nb"},
		{"a\nb\n", "b\na\n", ""},
		{"a\r\nb", "a\nb\nc\n", "c\n"},
		{"a\n", "", ""},
	} {
		if got := string(AddedLines([]byte(c.before), []byte(c.after))); got != c.want {
			t.Errorf("%q, %q: %q", c.before, c.after, got)
		}
	}
}

func TestNothingHidesBetweenNULs(t *testing.T) {
	wide := ""
	for _, r := range "token=abc" {
		wide += string(r) + "\x00"
	}
	for content, want := range map[string]string{"plain": "plain", "x\x00token=abc, and much more text": "x\ntoken=abc, and much more text", wide: "token=abc"} {
		if got := string(ToText([]byte(content))); got != want {
			t.Errorf("%q: %q", content, got)
		}
	}
}

func TestKnownValuesHoweverSpelled(t *testing.T) {
	const value = `hunter2-is/"long" enough+`
	var k Known
	k.Add([]string{"DB_PASS=" + value, "SHORT_TOKEN=12345678901", "EDITOR=some-long-editor-name", "MY_KEY=your-api-key-goes-here", "A_TOKEN=${OTHER_TOKEN_OF_MINE}", "MY_CREDENTIALS=/home/me/key-of-mine",
		"DATABASE_URL=postgres://me:" + "p4ssword-of-postgres" + "@db/x"}, "")
	for _, prefix := range []string{"", "a", "ab", "abc"} {
		for _, e := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
			if got := k.Find([]byte("x " + e.EncodeToString([]byte(prefix+value+"tail")) + " y")); len(got) != 1 {
				t.Errorf("base64 behind %q: %v", prefix, got)
			}
		}
	}
	for _, text := range []string{value, url.QueryEscape(value), hex.EncodeToString([]byte(value)), strings.ReplaceAll(value, `"`, `\"`), `+hguone "gnol"/si-2retnuh`} {
		got := k.Find([]byte("a=" + text + ";"))
		if len(got) != 1 || got[0].Rule != "value of DB_PASS" || got[0].Value != value {
			t.Errorf("%q: %v", text, got)
		}
	}
	if got := k.Find([]byte("p4ssword-of-postgres")); len(got) != 1 || got[0].Rule != "value of DATABASE_URL" {
		t.Errorf("a password in an address: %v", got)
	}
	if got := k.Find([]byte("12345678901 some-long-editor-name your-api-key-goes-here ${OTHER_TOKEN_OF_MINE} /home/me/key-of-mine")); len(got) != 0 {
		t.Errorf("what is none: %v", got)
	}
}

func TestAHitNeverTellsTheValue(t *testing.T) {
	content := []byte("one\ntwo v4lue-of-mine\n")
	h := NewHit("a\x1b.go", content, Match{"github-pat", "v4lue-of-mine"})
	e := &FoundError{[]Hit{h, NewHit("b.go", nil, Match{"value of X", "other-value-of-mine"})}}
	for _, text := range []string{h.String(), h.Hash, e.Error(), e.Brief()} {
		if strings.Contains(text, "value-of-mine") || strings.Contains(text, "v4lue") || strings.Contains(text, "\x1b") {
			t.Error(text)
		}
	}
	if h.Line != 2 || !strings.Contains(e.Error(), `a\u001b.go:2: github-pat (`+h.ID()) || !strings.Contains(e.Brief(), "and 1 more") {
		t.Error(e)
	}
	if NewHit("a\x1b.go", nil, Match{"github-pat", "another-value"}).Hash == h.Hash || NewHit("c", nil, Match{"github-pat", "v4lue-of-mine"}).Hash == h.Hash {
		t.Error("another value, or file, has the same hash")
	}
}

func TestDotenv(t *testing.T) {
	got := ParseDotenv([]byte("\xef\xbb\xbfA_TOKEN=one # said\r\n# B=two\nexport C_KEY = 'th#ree' x\nD=\"four\nfive\"\nno variable\nE=`six`\n =x\nF=\"open"))
	if want := "A_TOKEN=one|C_KEY=th#ree|D=four\nfive|E=six|F=\"open"; strings.Join(got, "|") != want {
		t.Errorf("%q", got)
	}
	for file, want := range map[string]bool{".env": true, "a/.env.local": true, "prod.env": true, ".envrc": true, ".env.example": false, "environment": false, ".env.sample": false} {
		if IsDotenv(file) != want {
			t.Error(file)
		}
	}
}

func TestLockFilesAreRandom(t *testing.T) {
	if RuleApplies("web/package-lock.json", GenericRule) || !RuleApplies("web/package-lock.json", "github-pat") || !RuleApplies("a.go", GenericRule) {
		t.Error("a rule counts elsewhere")
	}
}

func FuzzParseDotenv(f *testing.F) {
	f.Add([]byte("A='b\nc'\nD=\"e"))
	f.Fuzz(func(t *testing.T, content []byte) {
		for _, v := range ParseDotenv(content) {
			if !strings.Contains(v, "=") {
				t.Fatalf("%q", v)
			}
		}
	})
}

func TestSuspiciousLines(t *testing.T) {
	for line, want := range map[string]bool{
		"key: ghp_q8Zt3LmWx7Kd2RvYb5Nc9HsJf4Pg": true, "postgres://me:secret@db/x": true, "-----BEGIN PRIVATE KEY-----": true, "(abcdefgh1234567890)": true,
		"--- PASS: TestAllOfIt (0.00s)": false, "a_long_name_without_any_number = true": false, "1234567890123456789012": false, "": false,
	} {
		if got := len(SuspiciousLines([]byte(line+"\n"))) > 0; got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}
