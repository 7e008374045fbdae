package drivecmd

import (
	"encoding/json"
	"io"
	"testing"

	"warp/internal/core/conduct"
	"warp/internal/core/config"
	"warp/internal/core/questions"
	"warp/internal/engine/conductor"
	"warp/internal/engine/policy/drive"
)

// A question goes to the people of the fleet; without an answer, the setting unattended
// decides as it does on one machine.
func TestAQuestionToTheFleet(t *testing.T) {
	for name, c := range map[string]struct {
		unattended, theirDefault string
		reply                    conduct.Reply
		want                     drive.Answer
		answered                 bool
		minutes                  int
	}{
		"an answer":                {questions.TakeDefault, "blue", conduct.Reply{Go: true, Answer: "red", By: "ann"}, drive.Answer{Text: "red", By: "ann"}, true, 15},
		"the default":              {questions.TakeDefault, "blue", conduct.Reply{Go: true}, drive.Answer{Text: "blue", By: questions.ByDefault}, true, 15},
		"there is no default":      {questions.TakeDefault, "", conduct.Reply{Go: true}, drive.Answer{}, false, 15},
		"it is given up":           {questions.GiveUp, "blue", conduct.Reply{Go: true}, drive.Answer{}, false, 15},
		"it is waited for":         {questions.KeepWaiting, "blue", conduct.Reply{Go: true, Answer: "red"}, drive.Answer{Text: "red"}, true, 0},
		"the drive must not go on": {questions.TakeDefault, "blue", conduct.Reply{Answer: "red"}, drive.Answer{}, false, 15},
	} {
		t.Run(name, func(t *testing.T) {
			replies, in := io.Pipe()
			said, out := io.Pipe()
			defer in.Close()
			w := conducted{engines: &engines{settings: config.Settings{Workflow: config.Workflow{Unattended: c.unattended, DecisionMinutes: 15}}}, worker: conductor.Open(replies, out, func() {})}
			var say conduct.Say
			go func() {
				_ = json.NewDecoder(said).Decode(&say)
				c.reply.Serial = say.Serial
				_ = json.NewEncoder(in).Encode(c.reply)
			}()
			have, answered := w.askWorker(t.Context(), drive.Question{Issue: "7", Chunk: 2, Text: "which?", Options: []string{"red", "blue"}, Default: c.theirDefault})
			if have != c.want || answered != c.answered {
				t.Errorf("%+v, %v", have, answered)
			}
			if q := say.Ask; say.Kind != conduct.Question || q == nil || q.ID == "" || q.Text != "which?" || q.Default != c.theirDefault || len(q.Options) != 2 || q.Minutes != c.minutes {
				t.Errorf("%+v %+v", say, q)
			}
		})
	}
}
