package forge

import (
	"context"
	"errors"
	"testing"
	"time"

	"warp/internal/core/text"
)

func TestJudge(t *testing.T) {
	at := func(second int) time.Time { return time.Date(2026, 1, 2, 3, 4, second, 0, time.UTC) }
	down := errors.New("down")
	mayWrite := func(_ context.Context, who string) (bool, error) {
		if who == "lost" {
			return false, down
		}
		return who == "ada" || who == "bob", nil
	}
	approved := "approved on " + text.LocalTime(at(10)) + " by @ada, "
	for _, test := range []struct {
		name    string
		history History
		why     string // "": approved
		err     error
	}{
		{"by a writer", History{By: "ada", At: at(10)}, "", nil},
		{"by a reader", History{By: "eve", At: at(10)}, "labelled by @eve, who cannot approve", nil},
		{"by an unknown user", History{}, "labelled by an unknown user, who cannot approve", nil},
		{"edited before", History{By: "ada", At: at(10), Edits: []Edit{{"eve", at(9)}}}, "", nil},
		{"edited by a writer", History{By: "ada", At: at(10), Edits: []Edit{{"bob", at(12)}, {"ada", at(11)}}}, "", nil},
		{"edited by a reader", History{By: "ada", At: at(10), Edits: []Edit{{"bob", at(12)}, {"eve", at(11)}}}, approved + "edited since by @eve, who cannot approve: approve it again (take the label off, then put it back)", nil},
		{"edited in the same second", History{By: "ada", At: at(10), Edits: []Edit{{"eve", at(10)}}}, approved + "edited since by @eve, who cannot approve: approve it again (take the label off, then put it back)", nil},
		{"edited by an unknown user", History{By: "ada", At: at(10), Edits: []Edit{{"", at(11)}}}, approved + "edited since by an unknown user, who cannot approve: approve it again (take the label off, then put it back)", nil},
		{"nobody knows", History{By: "ada", At: at(10), Unknown: "it is dark"}, approved + "but it is dark", nil},
		{"rights that cannot be asked for", History{By: "ada", At: at(10), Edits: []Edit{{"lost", at(11)}}}, "", down},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := test.history.Judge(t.Context(), Issue{Number: 1, ApprovedBy: "stale", NotApproved: "stale"}, mayWrite)
			by, when := "ada", at(10)
			if test.why != "" || test.err != nil {
				by, when = "", time.Time{}
			}
			if !errors.Is(err, test.err) || got.NotApproved != test.why || got.ApprovedBy != by || !got.ApprovedAt.Equal(when) || got.Number != 1 {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

func TestASealIsOfWhatIsSaid(t *testing.T) {
	a := Issue{Title: "T", Body: "- [ ] a\n- [x] b\n"}
	for _, test := range []struct {
		b    Issue
		same bool
	}{
		{Issue{Number: 7, Title: "T", Body: "- [X] a\n- [ ] b\n", Labels: []string{"x"}}, true},
		{Issue{Title: "T", Body: "- [ ] a\n- [ ] c\n"}, false},
		{Issue{Title: "T", Body: "- [ ] a\n- [ ] b\n- [ ] c\n"}, false},
		{Issue{Title: "U", Body: a.Body}, false},
		{Issue{Title: "T\x00", Body: a.Body}, false},
		{Issue{Title: "T", Body: "- [ ] AC-01: a\n- [ ] AC-01: b\n"}, false},
	} {
		if (Seal(a) == Seal(test.b)) != test.same {
			t.Errorf("%+v", test.b)
		}
	}
}
