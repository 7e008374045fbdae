package demo

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warp/internal/core/text"
)

func TestDraftsComeFromTheWish(t *testing.T) {
	const last = "the new test fails without the change"
	long := strings.Repeat("wort ", 40)
	for _, c := range []struct {
		name, wish string
		want       draft
	}{
		{"a sentence", "prices should be in euros", draft{"Prices should be in euros", "prices should be in euros", []string{"a test shows: prices should be in euros", last}}},
		{"several", "Read main.go 1.5 times. Print it; stop!\n", draft{"Read main.go 1.5 times", "Read main.go 1.5 times. Print it; stop!",
			[]string{"a test shows: Read main.go 1.5 times", "a test shows: Print it", "a test shows: stop", last}}},
		{"a list", "# Übersicht:\n- [ ] eins\n\n* zwei", draft{"Übersicht", "# Übersicht:\n- [ ] eins\n\n* zwei", []string{"a test shows: Übersicht", "a test shows: eins", "a test shows: zwei", last}}},
		{"fences", "say ```x\n``` ok", draft{"Say ```x", "say ```x\n``` ok", []string{"a test shows: say ```x", "a test shows: ``` ok", last}}},
		{"many words", long, draft{strings.TrimSpace("W" + long[1:50]), strings.TrimSpace(long), []string{"a test shows: " + strings.TrimSpace(long), last}}},
		{"marks only", "… - .", draft{"… -", "… - .", []string{"a test shows: … -", last}}},
		{"nothing", "- .\n", draft{Criteria: []string{}}},
	} {
		have := writeDraft("Rules\n" + beforeWish + text.Fence(c.wish) + "\n")
		first := firstNumber(wishOf(beforeWish + text.Fence(c.wish)))
		for i, words := range c.want.Criteria {
			c.want.Criteria[i] = fmt.Sprintf("AC-%d: %s", first+i, words)
		}
		if diff := cmp.Diff(c.want, have); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
	if firstNumber("one") == firstNumber("two") || firstNumber("one")%10 != 0 {
		t.Error("the criteria of two wishes have the same names")
	}
	if have := writeDraft("a prompt of another form"); have.Title != "" {
		t.Errorf("%+v", have)
	}
}
