package secrets

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// rulesFile holds the rules of gitleaks, and ours for what those miss (rules.toml).
//
//go:embed rules.json
var rulesFile []byte

// A rule finds secrets by an expression, which is tried if the text contains one of its keywords.
// Compiling an expression takes longer than reading most texts, so each is compiled on first use.
type rule struct {
	ID       string      `json:"id"`
	Regex    lazyRegexp  `json:"regex"`
	Group    int         `json:"group"`    // the group with the secret; 0 for the first that is not empty
	Entropy  float64     `json:"entropy"`  // minimum bits per character
	Keywords []string    `json:"keywords"` // lowercase
	Allow    []exception `json:"allow"`
}

// exception describes what is not a secret: what matches the expression or contains one of the
// words.
type exception struct {
	Whole bool       `json:"whole"` // match the expression against the whole match, not the secret
	Regex lazyRegexp `json:"regex"`
	Words []string   `json:"words"` // lowercase
}

type ruleSet struct {
	Allow []exception `json:"allow"` // for all rules
	Rules []rule      `json:"rules"`
}

// finding is a secret in a text, with the whole match of the rule.
type finding struct {
	rule, match, secret string
	start               int // start of the match in the text
}

// The rules are part of the program, so a failure to load them is a bug that tests find.
var loadRules = sync.OnceValue(func() *ruleSet {
	var s ruleSet
	if err := json.Unmarshal(rulesFile, &s); err != nil {
		panic(fmt.Sprintf("the rules for secrets: %v", err))
	}
	return &s
})

// find returns what the rules find in a text, as gitleaks does.
func (s *ruleSet) find(text string) []finding {
	var found []finding
	lower := strings.ToLower(text)
	for i := range s.Rules {
		r := &s.Rules[i]
		if slices.ContainsFunc(r.Keywords, func(k string) bool { return strings.Contains(lower, k) }) {
			found = append(found, s.findByRule(r, text)...)
		}
	}
	return slices.DeleteFunc(slices.Clone(found), func(f finding) bool { return f.rule == genericRule && hasBetter(text, found, f) })
}

func (s *ruleSet) findByRule(r *rule, text string) (found []finding) {
	for _, at := range r.Regex.get().FindAllStringIndex(text, -1) {
		match := strings.Trim(text[at[0]:at[1]], "\n")
		f := finding{rule: r.ID, match: match, secret: r.secretIn(match), start: at[0]}
		if r.Entropy != 0 && entropy(f.secret) <= r.Entropy {
			continue
		}
		allows := func(e exception) bool { return e.allows(f) }
		if !slices.ContainsFunc(s.Allow, allows) && !slices.ContainsFunc(r.Allow, allows) {
			found = append(found, f)
		}
	}
	return found
}

// secretIn returns the group of a match that is the secret, or the whole match. It matches again on
// the match alone, as gitleaks does, so that its end counts as the end of the text.
func (r *rule) secretIn(match string) string {
	groups := r.Regex.get().FindStringSubmatch(match)
	if r.Group > 0 && r.Group < len(groups) {
		return groups[r.Group]
	}
	for _, g := range groups[min(1, len(groups)):] {
		if g != "" {
			return g
		}
	}
	return match
}

func (e exception) allows(f finding) bool {
	target := f.secret
	if e.Whole {
		target = f.match
	}
	if e.Regex.text != "" && target != "" && e.Regex.get().MatchString(target) {
		return true
	}
	lower := strings.ToLower(f.secret)
	return slices.ContainsFunc(e.Words, func(w string) bool { return strings.Contains(lower, w) })
}

// hasBetter reports whether a more specific rule has found the same secret in the same line.
func hasBetter(text string, all []finding, f finding) bool {
	return slices.ContainsFunc(all, func(o finding) bool {
		from, to := min(f.start, o.start), max(f.start, o.start)
		return o.rule != f.rule && strings.Contains(o.secret, f.secret) && !strings.Contains(text[from+1:to+1], "\n")
	})
}

// entropy returns the Shannon entropy of a text in bits per character.
func entropy(text string) (bits float64) {
	counts := map[rune]int{}
	for _, r := range text {
		counts[r]++
	}
	for _, n := range counts {
		share := float64(n) / float64(len(text))
		bits -= share * math.Log2(share)
	}
	return bits
}

// lazyRegexp is an expression that is compiled on first use.
type lazyRegexp struct {
	text string
	get  func() *regexp.Regexp
}

// UnmarshalText stores an expression without compiling it.
func (l *lazyRegexp) UnmarshalText(text []byte) error {
	l.text = string(text)
	l.get = lazy(l.text)
	return nil
}
