package secrets

import (
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
)

const (
	hexDigits = "0123456789abcdef"
	digits    = "123456789"
	letters   = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	base62    = letters + digits
)

// random makes values at run time, the same ones each time: sources that hold
// what looks like a secret are reported by scanners.
func random(n int, alphabet string) string {
	r := rand.New(rand.NewPCG(uint64(n), uint64(len(alphabet))))
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[r.IntN(len(alphabet))]
	}
	return string(b)
}

// Each is a text with the secret between the signs « and ».
func TestFound(t *testing.T) {
	telegram := random(10, digits) + ":AA" + random(33, base62)
	for name, text := range map[string]string{
		"a header":                      "Authorization: Bearer «" + random(40, base62) + "»",
		"a header of curl":              `curl -H "Authorization: token «` + random(40, hexDigits) + `»" https://git.example`,
		"a header in JSON":              `{"authorization": "Bearer «` + random(36, base62) + `»"}`,
		"a header in escaped JSON":      `{\"Authorization\": \"Basic «` + random(31, base62) + `=»\"}`,
		"a bearer in prose":             "it sent Bearer «" + random(36, hexDigits) + "».",
		"a password in a URL":           "postgres://app:«" + random(12, base62) + "»@db.example:5432/x?y=z",
		"a password with signs":         "amqp://a:«p4ss:w@rd9»@mq.example/",
		"a password that is a word":     "postgres://app«:hunter@»db.example/x",
		"a password without a user":     "redis://:«" + random(20, base62) + "»@cache.example",
		"a token for a password":        "https://x-access-token:«ghs_" + random(36, base62) + "»@github.com/a/b.git",
		"a token for a user":            "https://«" + random(40, hexDigits) + "»@git.example/a/b.git",
		"a bot's token":                 "the bot has «" + telegram + "».",
		"a bot's token in a URL":        "POST https://api.telegram.org/bot«" + telegram + "»/sendMessage: 401",
		"a bot's token in a variable":   "TELEGRAM_BOT_TOKEN=«" + telegram + "»",
		"Anthropic, a key":              "x-api-key: «sk-ant-" + "api03-" + random(93, base62) + "AA»",
		"Anthropic, a key in prose":     "(«sk-ant-" + "api03-" + random(93, base62) + "AA»),",
		"Anthropic, a login":            "«sk-ant-" + "oat01-" + random(90, base62) + "»",
		"OpenAI, of a project":          "with «sk-" + "proj-" + random(120, base62) + "».",
		"OpenAI, an old one":            "«sk-" + random(20, base62) + "T3Blbk" + "FJ" + random(20, base62) + "»",
		"GitHub":                        "(«ghp_" + random(36, base62) + "»)",
		"GitLab":                        "uses «glpat-" + random(20, base62) + "».",
		"npm, in prose":                 "uses «npm_" + random(36, base62) + "».",
		"Stripe, in escaped JSON":       `{\"key\":\"«sk_` + `live_` + random(24, base62) + `»\"}`,
		"AWS":                           "aws_secret_access_key = «" + random(40, base62) + "»",
		"a hash named token":            "token: «" + random(40, hexDigits) + "»",
		"a UUID named key of an API":    `HEROKU_API_KEY = "«` + uuid() + `»"`,
		"a variable":                    "export GITEA_TOKEN=«" + random(40, hexDigits) + "»",
		"a short password":              "PGPASSWORD=«" + random(9, base62) + "» psql",
		"a variable of a framework":     "SECRET_KEY_BASE=«" + random(64, hexDigits) + "»",
		"JSON":                          `{"client_secret": "«` + random(16, base62) + `»", "id": 1}`,
		"escaped JSON":                  `"{\"password\":\"«` + random(12, base62+"!%") + `»\"}"`,
		"what asks to be overlooked":    "ghs = «ghs_" + random(36, base62) + "» # gitleaks" + ":allow",
		"what follows invalid encoding": "\xff\xfe İ «ghp_" + random(36, base62) + "»",
	} {
		before, rest, _ := strings.Cut(text, "«")
		want, after, _ := strings.Cut(rest, "»")
		if got := Find(before + want + after); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: found %q in %q", name, got, before+want+after)
		}
	}
}

func uuid() string {
	h := random(32, hexDigits)
	return strings.Join([]string{h[:8], h[8:12], h[12:16], h[16:20], h[20:]}, "-")
}

// What is replaced in this order leaves nothing half, and nothing is told twice.
func TestTheLongestFirst(t *testing.T) {
	short := "ghp_" + random(36, base62)
	long := "https://x:" + short + "-" + random(10, digits) + "@git.example"
	got := Find(short + "\n" + long + "\n" + short + "\n" + long)
	if want := []string{short + "-" + random(10, digits), short}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Wherever a secret stands in a long text, also across the border of windows.
func TestLongTexts(t *testing.T) {
	token := "ghp_" + random(36, base62)
	for _, filler := range []string{"all tests of the package passed\n", "x", "é ", "word "} {
		long := strings.Repeat(filler, 2*window/len(filler))
		for _, border := range []int{window - overlap, window, len(long)} {
			for at := border - len(token); at <= min(len(long), border+10); at += 25 {
				text := long[:at] + " " + token + " " + long[at:]
				if got := Find(text); !slices.Equal(got, []string{token}) {
					t.Fatalf("%q at %d: %q", filler, at, got)
				}
			}
		}
	}
}

// Windows hold every line of a text whole, so that no end of a word is taken for
// a word.
func TestWindowsKeepLines(t *testing.T) {
	line := strings.Repeat("0123456789", 12) + "\n"
	for part := range windows(strings.Repeat(line, 3*window/len(line))) {
		if strings.ReplaceAll(part, line, "") != "" {
			t.Errorf("a window of %d bytes begins with %.20q and ends with %q", len(part), part, part[len(part)-20:])
		}
	}
}

func TestAtOnce(t *testing.T) {
	token := "npm_" + random(36, base62)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if got := Find("a " + token + "."); !slices.Equal(got, []string{token}) {
				t.Errorf("%q", got)
			}
		})
	}
	all.Wait()
}

func TestNothing(t *testing.T) {
	if got := Find(""); len(got) > 0 {
		t.Errorf("%q", got)
	}
}

func BenchmarkFind(b *testing.B) {
	for name, size := range map[string]int{"4KB": 4 << 10, "1MB": 1 << 20} {
		text := strings.Repeat(chunkReport, size/len(chunkReport)+1)[:size]
		b.Run(name, func(b *testing.B) {
			Find("")
			b.SetBytes(int64(size))
			for b.Loop() {
				Find(text)
			}
		})
	}
}
