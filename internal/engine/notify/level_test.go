package notify_test

import (
	"strings"
	"testing"
	"time"

	"warp/internal/core/questions"
	"warp/internal/engine/notify"
)

func TestWhatPeopleAreTold(t *testing.T) {
	kinds := []string{notify.Phase, notify.Commit, notify.Remark, notify.Merged, notify.Failed, notify.Person, notify.End, notify.Decision, notify.Settled, notify.Reply}
	for level, want := range map[string]string{
		"all":       "phase commit note merged failed needs_person end decision settled reply",
		"important": "merged failed needs_person end decision settled reply",
		"questions": "decision settled reply",
	} {
		var told []string
		for _, k := range kinds {
			if notify.Wanted(level, k) {
				told = append(told, k)
			}
		}
		if got := strings.Join(told, " "); got != want {
			t.Errorf("%s: %s, want %s", level, got, want)
		}
	}
}

func TestASettlementSaysHow(t *testing.T) {
	for want, i := range map[string]questions.Item{
		"question q1 no longer needs an answer: the work has continued or ended":                                                     {},
		"question q1 was answered by ann: red":                                                                                       {Answer: "red", AnsweredBy: "ann"},
		"question q1 was answered by ann: red, late: it counts when the item is picked up again":                                     {Answer: "red", AnsweredBy: "ann", Late: true},
		"question q1 was changed by ann from blue to red":                                                                            {Answer: "red", AnsweredBy: "ann", Was: "blue"},
		"question q1 had no answer in time, so its default was taken: red (an answer still counts when the item is picked up again)": {Answer: "red", AnsweredBy: questions.ByDefault},
	} {
		i.ID = "q1"
		if got := notify.Settlement(i).Text; got != "[warp-drive] "+want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestAQuestionThatWaitsWithoutBoundNamesNoTime(t *testing.T) {
	var b questions.Book
	if got := notify.Question(*b.Ask(questions.Question{Text: "what?"}, time.Now(), questions.Forever)).Text; got != "[warp-drive] question q1\nwhat?\nReply to this message." {
		t.Errorf("%q", got)
	}
}

func TestAQuestionNamesItsDeadlineByThePersonsClock(t *testing.T) {
	until := time.Date(2026, 3, 1, 12, 0, 30, 5e6, time.UTC)
	i := questions.Item{ID: "q1", Question: "what?", Deadline: until.Format("2006-01-02T15:04:05.000Z07:00")}
	want := "Until " + until.Local().Format("2006-01-02 15:04 MST") + ". Reply"
	if got := notify.Question(i).Text; !strings.Contains(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
