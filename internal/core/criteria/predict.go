package criteria

import (
	"slices"
	"strings"

	"warp/internal/core/lazy"
)

// The kinds, as package redfirst has them: warp-hook links this package, and may not link JSON.
const (
	kindNew    = "new"
	kindKeeps  = "keeps"
	kindShape  = "shape"
	kindRead   = "read"
	kindCannot = "cannot"
)

// kindOrder is the order in which kinds are named, from what a test proves to what it does not.
var kindOrder = []string{kindNew, kindKeeps, kindShape, kindRead, kindCannot}

// mostJudged is how many bytes of a criterion are looked at: an issue may be written to be costly.
const mostJudged = 2000

// mostKinds is how many kinds a criterion may have: documentation is a shape and a read.
const mostKinds = 2

// Prediction is how a criterion will likely be proven, as far as its words tell.
type Prediction struct {
	Criterion string   `json:"criterion"`
	Line      int      `json:"line"`  // counted from 1
	Kinds     []string `json:"kinds"` // one or two
	Message   string   `json:"message"`
	Do        string   `json:"do,omitempty"` // how to word it so that a test can prove it
}

// Predict says of each criterion how it will likely be proven. It only knows English words; what it
// does not recognise is new.
func Predict(markdown string) (list []Prediction) {
	boxes, _ := findBoxes(markdown) // a duplicate name is a finding of Lint
	for _, b := range boxes {
		text := b.Text
		if at := strings.Index(strings.ToLower(text), allowKey); at >= 0 && at < len(text) {
			text = text[:at]
		}
		p := predict(text[:min(len(text), mostJudged)])
		p.Criterion, p.Line = b.ID, b.Line
		list = append(list, p)
	}
	return list
}

func predict(text string) (p Prediction) {
	clauses := findKinds(text)
	for _, kind := range kindOrder {
		if len(p.Kinds) < mostKinds && slices.ContainsFunc(clauses, func(r *kindRule) bool { return r.kind == kind || r.also == kind }) {
			p.Kinds = append(p.Kinds, kind)
		}
	}
	hardest := slices.MaxFunc(clauses, func(a, b *kindRule) int { return a.difficulty() - b.difficulty() })
	p.Message, p.Do = hardest.message, hardest.do
	testable := hardest.difficulty() < slices.Index(kindOrder, kindRead)
	if testable && p.Kinds[0] == kindNew {
		p.Message = sayNew
	}
	switch {
	case isMeasured(text) && !hardest.always:
		p.Do = adviseMessage(text)
	case testable && hasFinding(text): // the finding says what to write
		p.Message, p.Do = sayOnceSettled, ""
	case hardest.do == doShape && fileNames.Get().MatchString(text):
		p.Do = ""
	case hardest == &newRule:
		p.Do = adviseNew(text)
	}
	return p
}

// findKinds returns the rule for each clause of a criterion.
func findKinds(text string) (rules []*kindRule) {
	measured := isMeasured(text)
	for _, clause := range clauseEnd.Get().Split(simplify(text), -1) {
		clause = strings.TrimSpace(clause)
		r := findKind(clause, measured)
		if r == &newRule && len(strings.Fields(clause)) < fewWords {
			continue // a remainder, such as "as always"
		}
		rules = append(rules, r)
	}
	if len(rules) == 0 {
		rules = append(rules, &newRule)
	}
	return rules
}

func findKind(clause string, measured bool) *kindRule {
	for i := range kindRules {
		r := &kindRules[i]
		if measured && r.vague {
			continue
		}
		for _, at := range r.words.Get().FindAllStringIndex(clause, -1) {
			before := strings.Fields(clause[strings.LastIndexByte(clause[:at[0]], ',')+1 : at[0]])
			if r.kind == kindKeeps && len(before) > nearWords { // "clients that send no version still get"
				before = before[len(before)-nearWords:]
			}
			cases := conditions
			if r.kind == kindCannot {
				cases += " after before"
			}
			if !slices.ContainsFunc(before, func(word string) bool { return hasWord(cases, word) }) {
				return r
			}
		}
	}
	return &newRule
}

// conditions begin a case, which is not what is demanded: "an order that is", "if it is still".
const conditions = "if when whenever while unless until once that which who whose where"

// nearWords is how many words a case has at most when what stays follows it.
const nearWords = 4

func (r *kindRule) difficulty() int { return slices.Index(kindOrder, r.kind) }

func hasFinding(text string) bool {
	return slices.ContainsFunc(lintRules, func(r lintRule) bool {
		message, _ := r.find(text)
		return message != ""
	})
}

// adviseNew returns how to word new behaviour that has no example.
func adviseNew(text string) string {
	if do := adviseMessage(text); do != "" {
		return do
	}
	words := lowerWords(text)
	if !slices.ContainsFunc(words, func(word string) bool { return hasWord(englishWords, word) }) {
		return ""
	}
	for _, word := range words {
		if hasWord(openWords, word) {
			return `say how much "` + word + `" is, with an example on each side: 20 characters stay, of 21 the last one is cut`
		}
	}
	for _, t := range topics {
		if slices.ContainsFunc(words, func(word string) bool { return hasWord(t.words, word) }) {
			return t.do
		}
	}
	return `add one example with its result, such as: slug("A b") is "a-b"`
}

// adviseMessage returns how to word an error whose words are left to a reader's taste.
func adviseMessage(text string) string {
	if strings.ContainsAny(text, "`\"“«") || !unclearMessage.Get().MatchString(text) {
		return ""
	}
	return unclearMessageDo
}

var (
	clauseEnd = lazy.Pattern{Text: `;|\.(?:\s|$)|\sbut\s`}
	literals  = lazy.Pattern{Text: "`[^`]+`|\"[^\"]*\"|“[^”]*”|«[^»]*»"}
	docNames  = lazy.Pattern{Text: `(?:[\w.-]+/)*\b(?:readme|changelog)\b(?:\.\w+)?|(?:[\w.-]+/)*[\w.-]+\.(?:md|mdx|rst|adoc)\b|\bdocs?/[\w./-]*\w`}
	fileNames = lazy.Pattern{Text: `(?i)(?:[\w.*-]*/)*[\w.*-]*\.(?:` + extensions + `)\b|` +
		`\b(?:dockerfile|makefile|jenkinsfile|gemfile|rakefile|justfile)\b|\.github/[\w./-]*\w|\.(?:gitignore|gitattributes|dockerignore|editorconfig|eslintrc|prettierrc|nvmrc)\b`}
	optionNames = lazy.Pattern{Text: `(^|\s)--?[a-z][\w-]*`}
	demanded    = lazy.Pattern{Text: `\b(?:should|must|shall|will|has to|have to|needs? to)(?: (not|never|also|still))? be\b`}
	assured     = lazy.Pattern{Text: `^(?:please )?(?:ensure|verify|make sure|confirm|check)(?: that)? `}
)

// simplify returns a criterion in lower case in which literals and file names are words that rules
// know: what is quoted tells nothing of the kind.
func simplify(text string) string {
	s := literals.Get().ReplaceAllStringFunc(strings.ToLower(text), func(literal string) string {
		if !strings.HasPrefix(literal, "`") {
			return "QUOTE"
		}
		return nameCode(strings.Trim(literal, "`"))
	})
	s = docNames.Get().ReplaceAllString(s, "DOC")
	s = fileNames.Get().ReplaceAllStringFunc(s, func(name string) string {
		if hasWord(frameworks, name) {
			return name
		}
		return "FILE"
	})
	s = optionNames.Get().ReplaceAllString(s, "${1}OPT")
	s = demanded.Get().ReplaceAllString(s, "is $1")
	s = strings.Join(strings.Fields(strings.NewReplacer("**", "", "e.g.", "such as", "i.e.", "that means", "n't ", " not ").Replace(s)), " ")
	return assured.Get().ReplaceAllString(s, "")
}

// nameCode returns what a piece of code in a criterion is.
func nameCode(code string) string {
	for i := range codeNames {
		if c := &codeNames[i]; c.pattern.Get().MatchString(code) {
			return c.name
		}
	}
	return "CODE"
}
