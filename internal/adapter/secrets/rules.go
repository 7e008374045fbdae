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

// rulesFile holds the rules of gitleaks, and what those miss (rules.toml).
//
//go:embed rules.json
var rulesFile []byte

// A rule finds secrets by an expression, which is tried where one of its keywords is in
// the text. An expression takes longer to compile than most texts to be read, so each
// is compiled when it is first wanted.
type rule struct {
	ID       string      `json:"id"`
	Regex    lazyRegexp  `json:"regex"`
	Group    int         `json:"group"`    // of the expression, which is the secret; 0: the first that is not empty
	Entropy  float64     `json:"entropy"`  // a secret has more bits for each letter
	Keywords []string    `json:"keywords"` // in lower case
	Allow    []exception `json:"allow"`
}

// exception tells what is no secret: what the expression matches, or what holds one of
// the words.
type exception struct {
	Whole bool       `json:"whole"` // the expression is tried on the whole match, not on the secret
	Regex lazyRegexp `json:"regex"`
	Words []string   `json:"words"` // in lower case
}

type ruleSet struct {
	Allow []exception `json:"allow"` // for all rules
	Rules []rule      `json:"rules"`
}

// finding is a secret in a text, with all that the rule has matched.
type finding struct {
	rule, match, secret string
	start               int // of the match in the text
}

// The rules are part of the program: that they do not load is found by tests.
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

// secretIn is the group of a match that is the secret, or the whole of it. The match is
// read again by itself, as gitleaks does: where it ends then counts as an end of text.
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

// hasBetter tells whether a rule that knows more has found the same, in the same line.
func hasBetter(text string, all []finding, f finding) bool {
	return slices.ContainsFunc(all, func(o finding) bool {
		from, to := min(f.start, o.start), max(f.start, o.start)
		return o.rule != f.rule && strings.Contains(o.secret, f.secret) && !strings.Contains(text[from+1:to+1], "\n")
	})
}

// entropy is Shannon's: how many bits a letter of a text carries.
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

// lazyRegexp is an expression that is compiled when it is first used.
type lazyRegexp struct {
	text string
	get  func() *regexp.Regexp
}

// UnmarshalText takes an expression without compiling it.
func (l *lazyRegexp) UnmarshalText(text []byte) error {
	l.text = string(text)
	l.get = lazy(l.text)
	return nil
}
