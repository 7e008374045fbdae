package demo

import (
	"crypto/sha256"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"warp/internal/core/text"
)

// asksForDraft begins the prompt of warp issue draft; beforeWish precedes what the person wants.
const (
	asksForDraft = "You write an issue for this repository."
	beforeWish   = "\nThe wish:\n"
)

// Limits of a draft.
const (
	titleWords = 10
	titleRunes = 70
	maxDemands = 5
)

// draft is an issue in the form that the prompt asks for.
type draft struct {
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Criteria    []string `json:"criteria"`
}

// writeDraft turns a wish into an issue: its first sentence becomes the title, each sentence a
// criterion.
func writeDraft(prompt string) draft {
	wish := wishOf(prompt)
	demands := sentences(wish)
	if len(demands) == 0 {
		return draft{Criteria: []string{}}
	}
	d := draft{Title: titleOf(demands[0]), Description: wish}
	for _, one := range demands[:min(len(demands), maxDemands)] {
		d.Criteria = append(d.Criteria, "a test shows: "+one)
	}
	d.Criteria = append(d.Criteria, "the new test fails without the change")
	first := firstNumber(wish)
	for i, words := range d.Criteria {
		d.Criteria[i] = fmt.Sprintf("AC-%d: %s", first+i, words)
	}
	return d
}

// firstNumber returns the number of a draft's first criterion. The agent names its files after
// criteria, so two issues must not share numbers.
func firstNumber(wish string) int {
	sum := sha256.Sum256([]byte(wish))
	return 100 + 10*((int(sum[0])<<8|int(sum[1]))%990)
}

// wishOf returns what the person wants: the block of text at the prompt's end.
func wishOf(prompt string) string {
	_, block, _ := strings.Cut(prompt, beforeWish)
	fence := block[:len(block)-len(strings.TrimLeft(block, "`"))]
	_, wish, _ := strings.Cut(block, "\n")
	if fence == "" {
		return ""
	}
	wish, _, _ = strings.Cut(wish, "\n"+fence)
	return strings.TrimSpace(wish)
}

// endOfSentence is an end mark before a space or the end of a line, so that 1.5 and main.go stay
// whole.
var endOfSentence = regexp.MustCompile(`[.!?;]+( |$)`)

// sentences splits a text at lines and ends of sentences, and drops list markers.
func sentences(wish string) (list []string) {
	for line := range strings.Lines(wish) {
		line = strings.TrimLeft(text.OneLine(line), "-*#>[] \t")
		for _, one := range endOfSentence.Split(line, -1) {
			if one = strings.Trim(one, ": "); one != "" {
				list = append(list, one)
			}
		}
	}
	return list
}

func titleOf(sentence string) string {
	words := strings.Fields(sentence)
	title := text.ClipRunes(strings.Join(words[:min(len(words), titleWords)], " "), titleRunes)
	first, size := utf8.DecodeRuneInString(title)
	return string(unicode.ToUpper(first)) + title[size:]
}
