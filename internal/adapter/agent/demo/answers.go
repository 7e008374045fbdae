package demo

import (
	"context"
	"crypto/sha256"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"warp/internal/core/text"
	"warp/internal/engine/agent"
)

// chunkSize is how many criteria a plan puts into one chunk.
const chunkSize = 3

// The answers that the roles expect.
type (
	plan struct {
		Approach string     `json:"approach"`
		Chunks   [][]string `json:"chunks"`
	}
	verdict struct {
		ID     string `json:"id"`
		Met    bool   `json:"met"`
		Reason string `json:"reason"`
	}
)

const drivesOnly = "the demo agent plays drives only"

// nothing holds the empty answers for the roles of other engines.
var nothing = map[agent.Role]any{
	agent.Supervise: map[string]any{"conflicts": []string{}},
	agent.Scan:      map[string]any{"findings": []string{}},
	agent.Choose:    map[string]any{"choice": "", "reason": "it has no preference"},
	agent.Iterate:   map[string]any{"summary": "there is nothing to do", "plateau": true, "reasoning": drivesOnly, "items_completed": []string{}},
	agent.Judge:     map[string]any{"stop": true, "reason": drivesOnly, "confidence": 1},
}

// answer does the role's work and returns the answer.
func (a *Run) answer(ctx context.Context) (said string, result any, err error) {
	if !slices.Contains(changers, a.Role) {
		if err := a.Halfway(ctx); err != nil {
			return "", nil, err
		}
		a.tally()
	}
	if More != nil {
		if said, result, answered, err := More(ctx, a); answered || err != nil {
			return said, result, err
		}
	}
	if empty, ok := nothing[a.Role]; ok {
		return "there is nothing to tell", empty, nil
	}
	if a.Role == agent.Plan && strings.Contains(a.Prompt, asksForDraft) {
		d := writeDraft(a.Prompt)
		return "a draft: " + d.Title, d, nil
	}
	switch a.Role {
	case agent.Plan:
		chunks := slices.AppendSeq([][]string{}, slices.Chunk(a.Criteria, chunkSize))
		return fmt.Sprintf("%d chunks", len(chunks)), plan{"write one small file for each criterion", chunks}, nil
	case agent.Check:
		list, err := a.check(ctx)
		return text.Count(len(list), "check") + " written", map[string]any{"criteria": list}, err
	case agent.Verify:
		list, met, err := a.verify(ctx)
		return fmt.Sprintf("%d of %d criteria are met", met, len(a.Criteria)), map[string]any{"criteria": list}, err
	}
	done, err := a.Work(ctx, a.Criteria)
	said = text.Count(len(done), "criterion") + " are done"
	if len(done) == 1 {
		said = "1 criterion is done"
	}
	return said, map[string]any{"summary": said}, err
}

// IsMet reports whether the work for a criterion is there.
func (a *Run) IsMet(id string) bool {
	_, met := a.stack().checkCriterion(a.World.Dir, id)
	return met
}

// verify checks the criteria in the work tree; a liar does not look.
func (a *Run) verify(ctx context.Context) (list []verdict, met int, err error) {
	list = []verdict{}
	stack := a.stack()
	for _, id := range a.Criteria {
		v := verdict{id, true, "it is done"}
		if !a.Does(liar) {
			err := a.Tool(ctx, "read", stack.files(id)[0].name, func() error {
				v.Reason, v.Met = stack.checkCriterion(a.World.Dir, id)
				return nil
			})
			if err != nil {
				return nil, 0, err
			}
		}
		if v.Met {
			met++
		}
		list = append(list, v)
	}
	return list, met, nil
}

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
