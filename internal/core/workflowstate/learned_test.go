package workflowstate

import (
	"testing"

	"warp/internal/core/learning"
)

func TestALessonIsLearnedOncePerIteration(t *testing.T) {
	s := Begin(plan(), clock(12, 0, 0))
	l := learning.Learning{Task: "1.1", Type: learning.Pattern, Lesson: "x"}
	if !s.Learnings.Add(l) || s.Learnings.Add(l) {
		t.Error("once")
	}
	l.Timestamp = Stamp(clock(13, 0, 0))
	if s.Learnings.Add(l) {
		t.Error("it was only told again")
	}
	l.Iteration = 2
	if !s.Learnings.Add(l) {
		t.Error("another iteration")
	}
}
