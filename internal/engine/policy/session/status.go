package session

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/engine/step"
)

// status is what an agent wrote about its iteration instead of returning a result: to the file of
// ${STATUS}, or of ${RESULT} in the prompt of a stage folder.
type status struct {
	Decision string `json:"decision"` // continue, stop, error
	Reason   string `json:"reason"`
	Summary  string `json:"summary"`
	Work     struct {
		Items []any `json:"items_completed"`
	} `json:"work"`
	Errors []any `json:"errors"`
}

// mostStatus bounds how much of the file is read: an agent may write anything there.
const mostStatus = 64 << 10

// readStatus reads the agent's status file; nil if none is readable. The result file takes
// precedence.
func (d desk) readStatus() *status {
	for _, file := range []string{resultFile, statusFile} {
		if d.folder == "" {
			break
		}
		said, err := d.readJSON(d.path(file))
		switch {
		case os.IsNotExist(err):
		case err != nil:
			d.remark("ignoring what the agent wrote to %s: %v", file, err)
		default:
			return said
		}
	}
	return nil
}

func (d desk) readJSON(path string) (*status, error) {
	if st, err := os.Lstat(path); err != nil {
		return nil, err
	} else if !st.Mode().IsRegular() {
		return nil, durable.ErrOdd
	}
	f, err := durable.OpenPlain(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, mostStatus+1))
	if err != nil {
		return nil, err
	}
	if len(raw) > mostStatus {
		return nil, fmt.Errorf("it is larger than %d kB", mostStatus>>10)
	}
	var s status
	if err := json.Unmarshal([]byte(d.redact(string(raw))), &s); err != nil {
		return nil, err
	}
	s.Decision = strings.ToLower(strings.TrimSpace(s.Decision))
	return &s, nil
}

// stops reports whether the agent found nothing left to do. Its output then is its last word, not a
// change.
func (s *status) stops() bool { return s != nil && s.Decision == "stop" }

// apply uses the written status as the answer's missing result.
func (s *status) apply(a step.Answer) step.Answer {
	if s == nil || a.End != agent.Done {
		return a
	}
	if s.Decision == "error" {
		why := append([]string{orNoAnswer(s.Reason, s.Summary)}, toTexts(s.Errors)...)
		a.End, a.Why = agent.Crashed, text.Opening("it reported an error: "+strings.Join(why, "; "))
		return a
	}
	said, err := json.Marshal(Report{Summary: orNoAnswer(s.Summary, s.Reason), Reasoning: s.Reason, Plateau: s.stops(), Done: toTexts(s.Work.Items)})
	if err == nil { // marshalling texts cannot fail
		a.Result, a.Invalid = said, ""
	}
	return a
}

// toTexts converts a list in which an agent may have put anything.
func toTexts(list []any) (all []string) {
	for _, w := range list {
		if said, ok := w.(string); ok {
			all = append(all, said)
			continue
		}
		if raw, err := json.Marshal(w); err == nil {
			all = append(all, string(raw))
		}
	}
	return all
}
