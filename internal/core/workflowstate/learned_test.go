package workflowstate

import (
	"fmt"
	"strings"
	"testing"

	"warp/internal/core/learning"
)

func TestALessonIsLearnedOncePerIteration(t *testing.T) {
	s := Begin(plan(), clock(12, 0, 0))
	l := learning.Learning{Task: "1.1", Type: learning.Pattern, Lesson: "x"}
	if !s.Learned(l) || s.Learned(l) {
		t.Error("once")
	}
	l.Timestamp = Stamp(clock(13, 0, 0))
	if s.Learned(l) {
		t.Error("it was only told again")
	}
	l.Iteration = 2
	if !s.Learned(l) {
		t.Error("another iteration")
	}
}

func TestKeys(t *testing.T) {
	got := Keys([]string{"JWT tokens expire (1h)", "tests passing", "Tests: passing!", "", "…", strings.Repeat("long words ", 20), strings.Repeat("x", 100), "Größe stimmt"})
	want := []string{"jwt_tokens_expire_1h", "tests_passing", "tests_passing_2", "criterion", "criterion_2",
		"long_words_long_words_long_words_long_words_long_words_long", strings.Repeat("x", maxKey), "größe_stimmt"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%q", got)
	}
}
