package criteria

import (
	"fmt"
	"strings"
	"unicode"
)

// Finding is what makes a criterion hard or impossible to check, and what to write instead.
type Finding struct {
	Criterion string `json:"criterion,omitempty"`
	Line      int    `json:"line,omitempty"` // counted from 1
	Rule      string `json:"rule"`
	Error     bool   `json:"error"` // a drive would refuse the issue
	Message   string `json:"message"`
	Do        string `json:"do"`
}

// Lint finds criteria that cannot be checked. Its rules only know English words; criteria in other
// languages pass.
func Lint(markdown string) (found []Finding) {
	boxes, err := findBoxes(markdown)
	if err != nil {
		found = append(found, Finding{Rule: "duplicate", Error: true, Message: err.Error(), Do: "give each criterion its own id, or none: warp numbers them"})
	}
	if len(boxes) == 0 {
		return []Finding{{Rule: "none", Error: true, Message: "there are no acceptance criteria",
			Do: "add a checkbox for each thing that can be seen when it is done: - [ ] an empty file prints an error and exits with 1"}}
	}
	first := map[string]string{}
	for _, b := range boxes {
		add := func(rule, message, do string) {
			found = append(found, Finding{Criterion: b.ID, Line: b.Line, Rule: rule, Message: message, Do: do})
		}
		key := strings.ToLower(strings.TrimRight(b.Text, ". "))
		if same, known := first[key]; known {
			add("repeated", "it says the same as "+same, "remove one of them")
			continue
		}
		first[key] = b.ID
		for _, r := range lintRules {
			if message, do := r.find(b.Text); message != "" {
				add(r.name, message, do)
			}
		}
	}
	return found
}

type lintRule struct {
	name string
	find func(text string) (message, do string)
}

// lintRules return what is wrong with one criterion, and what to write instead; "" if nothing.
var lintRules = []lintRule{
	{"vague", findVague},
	{"several", findSeveral},
	{"outcome", findNoOutcome},
}

// vagueWords measure nothing.
var vagueWords = []struct{ words, do string }{
	{"fast faster quick quickly responsive efficient efficiently performant", "say how long it may take, and for which input: under 200 ms for 1,000 rows"},
	{"better nice nicer nicely good clean cleaner cleanly elegant modern improved beautiful", "say what a user or a reader sees that is different"},
	{"properly correctly robust robustly reliable reliably gracefully stable sensible", "name an input and its result: an empty file prints an error and exits with 1"},
	{"easy easier easily simple simpler simply intuitive user-friendly convenient", "name the steps that a user takes"},
	{"appropriate appropriately reasonable sufficient enough etc", "name each case, or the number"},
}

func findVague(text string) (message, do string) {
	if isMeasured(text) {
		return "", ""
	}
	for _, word := range lowerWords(text) {
		for _, v := range vagueWords {
			if hasWord(v.words, word) {
				return fmt.Sprintf("%q is not a measure", word), v.do
			}
		}
	}
	return "", ""
}

// isMeasured reports whether a text contains a number, code or literal words.
func isMeasured(text string) bool { return strings.ContainsAny(text, "0123456789`\"“«") }

// demands are verbs that each ask for a piece of work. How a command ends (prints, exits, returns,
// fails) is not included: an error and its exit code are one outcome.
const demands = "accepts adds allows creates deletes displays documents exports handles imports logs notifies parses reads rejects removes renders replaces saves sends shows sorts stores supports updates validates writes " +
	"accept add allow create delete display document export handle import log notify parse read reject remove render replace save send show sort store support update validate write"

// findSeveral finds two demands joined by "and" or a semicolon.
func findSeveral(text string) (message, do string) {
	words := lowerWords(strings.ReplaceAll(text, ";", " and "))
	first := ""
	for i, word := range words {
		switch {
		case !hasWord(demands, word):
		case first == "":
			first = word
		case words[i-1] == "and" && word != first:
			return fmt.Sprintf("it asks for several things: %q and %q", first, word), "write one criterion for each, so that each can fail on its own"
		}
	}
	return "", ""
}

// activities are verbs at the beginning of a criterion that describe what someone does, not the
// result.
const activities = "analyse analyze clean cleanup consider discuss explore improve investigate look optimise optimize polish refactor research review rework think todo tbd"

// fewWords is the minimum for an outcome: who, does, what.
const fewWords = 3

func findNoOutcome(text string) (message, do string) {
	const write = "write what can be seen when it is done: which command, input or test, with what result"
	words := lowerWords(text)
	switch {
	case isMeasured(text):
		return "", ""
	case len(words) > 0 && hasWord(activities, words[0]):
		return fmt.Sprintf("%q names work, not an outcome", words[0]), write
	case len(words) < fewWords && isLatin(text):
		return "it is too short to tell an outcome", write
	}
	return "", ""
}

func lowerWords(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '\'' })
}

func hasWord(list, word string) bool { return strings.Contains(" "+list+" ", " "+word+" ") }

// isLatin reports whether the script separates words by spaces.
func isLatin(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r) })
}
