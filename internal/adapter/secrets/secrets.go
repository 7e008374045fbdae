// Package secrets finds secrets in a text, with the rules and the machinery of
// gitleaks and a few rules of our own. It works on the text alone: no file, no
// variable and no word in the text changes what it finds. Hashes, identifiers,
// versions and paths, of which reports are full, are not taken for secrets.
//
// A text is looked at as it stands: what is encoded in it is not decoded.
package secrets

import (
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/viper"
	"github.com/zricethezav/gitleaks/v8/config"
	"github.com/zricethezav/gitleaks/v8/detect"
	"github.com/zricethezav/gitleaks/v8/logging"
	"github.com/zricethezav/gitleaks/v8/report"
)

// missing is what the library's rules miss, in the library's format.
//
//go:embed rules.toml
var missing string

// The detector is made when it is first wanted: its rules take longer to compile
// than a program to start.
var detector = sync.OnceValue(load)

// Find returns the secrets in a text, each once and without its name, the longest
// first, so that a replacement leaves none half. The text must not be shortened
// before it: half a secret is not found.
func Find(text string) []string {
	found := privateKeys(text)
	for part := range windows(text) {
		for _, f := range detector().DetectString(part) {
			if !harmless(f) {
				found = append(found, secret(f))
			}
		}
	}
	slices.SortFunc(found, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	return slices.Compact(found)
}

// secret is what is to be replaced. A password that could be a word of the text
// is told with the signs around it, so that the word stays elsewhere.
func secret(f report.Finding) string {
	if f.RuleID == passwordInURL && wordlike(f.Secret) {
		return ":" + f.Secret + "@"
	}
	return f.Secret
}

// load does what the library's own constructor does, without its global state.
// The rules are part of the program: that they do not load is found by tests.
func load() *detect.Detector {
	logging.Logger = logging.Logger.Output(io.Discard)
	v := viper.New()
	v.SetConfigType("toml")
	var rules config.ViperConfig
	err := v.ReadConfig(strings.NewReader(prose(config.DefaultConfig) + missing))
	if err == nil {
		err = v.Unmarshal(&rules)
	}
	var cfg config.Config
	if err == nil {
		cfg, err = rules.Translate()
	}
	if err != nil {
		panic(fmt.Sprintf("the rules for secrets: %v", err))
	}
	// Exceptions that look at a secret's whole line are for imports and for builds
	// of images; on a long line with many secrets they take minutes.
	for id, rule := range cfg.Rules {
		rule.Allowlists = slices.DeleteFunc(rule.Allowlists, func(a *config.Allowlist) bool { return a.RegexTarget == "line" })
		cfg.Rules[id] = rule
	}
	// It takes prose between two marks for a key; privateKeys does not.
	delete(cfg.Rules, "private-key")
	d := detect.NewDetector(cfg)
	// Otherwise a comment could ask for a secret to be overlooked.
	d.IgnoreGitleaksAllow = true
	return d
}

// prose lets a token that is known by its own beginning end at any sign. The
// library wants a quote or a space behind it, as in sources; in what people and
// agents write there is a full stop, a bracket or an escaped quote.
//
// Names of values may be of any length: to count to 50 at each letter of a text
// takes half of the time.
func prose(rules string) string {
	rules = strings.ReplaceAll(rules, `[\w.-]{0,50}?`, `[\w.-]*?`)
	const inSource, anywhere = `(?:[\x60'"\s;]|\\[nr]|$)'''`, `(?:[^\w-]|$)'''`
	lines := strings.SplitAfter(rules, "\n")
	for i, line := range lines {
		expr := strings.TrimPrefix(strings.TrimPrefix(line, "regex = '''"), "(?i)")
		if expr != line && strings.HasPrefix(expr, `\b(`) {
			lines[i] = strings.Replace(line, inSource, anywhere, 1)
		}
	}
	return strings.Join(lines, "")
}
