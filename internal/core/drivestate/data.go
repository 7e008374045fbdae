package drivestate

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"warp/internal/core/lazy"
	"warp/internal/core/lossless"
	"warp/internal/core/text"
)

// Data accompanies an event. Absent fields keep their current value.
type Data struct {
	Requirement string     `json:"requirement,omitempty"`
	Branch      string     `json:"branch,omitempty"`
	Chunks      [][]string `json:"chunks,omitempty"`
	Commit      string     `json:"commit,omitempty"`
	Failure     string     `json:"failure,omitempty"`
	Tokens      *int64     `json:"tokens,omitempty"` // the session's total so far
}

// The events that may carry each member. A member on any other event would change what a gate or
// guard checks behind its back.
var (
	workEvents    = []Event{Start, PrerequisitesOK, WorkSelected, PlanReady, ChunksDefined, ContinueYes}
	commitEvents  = []Event{Committed, CommitWithDocGate, DriftClean, Merged, AbortResolved}
	branchEvents  = []Event{WorkSelected, PlanReady, ChunksDefined} // by then the branch exists
	failureEvents = []Event{TestsFailed, DriftBlocked, MergeFailed, PushFailed, Abort, BudgetAbort, AbortCleanupFailed}
)

func goesWith(events []Event, on Event) error {
	if slices.Contains(events, on) {
		return nil
	}
	return fmt.Errorf("does not go with the event %q", on)
}

// ParseData reads the JSON text of an event. It guesses nothing: an unknown member, a wrong type or
// a misplaced value is an error.
func ParseData(text string, on Event, l Limits) (Data, error) {
	var d Data
	v, err := lossless.Parse([]byte(text))
	if err != nil {
		return d, fmt.Errorf("data is not valid JSON: %w", err)
	}
	if v.Kind != lossless.Object {
		return d, fmt.Errorf("data must be an object, not %s", v.Kind)
	}
	for _, m := range v.Members {
		read := dataMembers.Get(m.Key)
		if read == nil {
			return Data{}, fmt.Errorf("data has the unknown member %q; known are branch, chunks, commit, failure, requirement, tokens", m.Key)
		}
		if err := read(&d, m.Value, on, l); err != nil {
			return Data{}, fmt.Errorf("data.%s: %w", m.Key, err)
		}
	}
	return d, nil
}

type reader func(*Data, *lossless.Value, Event, Limits) error

var dataMembers = lazy.Table[string, reader]{
	{"requirement", func(d *Data, v *lossless.Value, on Event, _ Limits) (err error) {
		if d.Requirement, err = word(v); err != nil {
			return err
		}
		return goesWith(workEvents, on)
	}},
	{"branch", func(d *Data, v *lossless.Value, on Event, _ Limits) (err error) {
		if d.Branch, err = branch(v); err != nil {
			return err
		}
		return goesWith(workEvents, on)
	}},
	{"commit", func(d *Data, v *lossless.Value, on Event, _ Limits) (err error) {
		if d.Commit, err = hash(v); err != nil {
			return err
		}
		return goesWith(commitEvents, on)
	}},
	{"tokens", func(d *Data, v *lossless.Value, _ Event, _ Limits) error {
		n, ok := v.Int()
		if !ok || n < 0 {
			return errors.New("must be a whole number, 0 or more: the session's total so far")
		}
		d.Tokens = &n
		return nil
	}},
	{"failure", func(d *Data, v *lossless.Value, on Event, _ Limits) error {
		if v.Kind != lossless.String {
			return fmt.Errorf("must be a string, not %s", v.Kind)
		}
		d.Failure = v.Text()
		return goesWith(failureEvents, on)
	}},
	{"chunks", func(d *Data, v *lossless.Value, on Event, l Limits) (err error) {
		if on != ChunksDefined {
			return fmt.Errorf("goes with the event %q, not with %q", ChunksDefined, on)
		}
		d.Chunks, err = chunks(v, l.ACsPerCommit)
		return err
	}},
}

func word(v *lossless.Value) (string, error) {
	s := v.Text()
	if v.Kind != lossless.String || !text.ValidName(s) {
		return "", errors.New("must be a string of " + text.NameRule)
	}
	return s, nil
}

// branch accepts names that git accepts as a branch and a shell as one word.
func branch(v *lossless.Value) (string, error) {
	s := v.Text()
	bad := v.Kind != lossless.String || s == "" || len(s) > 200 || strings.Contains(s, "@{") || s == "@"
	for _, part := range strings.Split(s, "/") {
		bad = bad || part == "" || part[0] == '.' || part[0] == '-' || strings.Contains(part, "..") ||
			strings.HasSuffix(part, ".") || strings.HasSuffix(part, ".lock")
	}
	bad = bad || strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r == 0x7f || strings.ContainsRune("~^:?*[\\\"'`$&;|<>(){}!#", r) || !unicode.IsPrint(r)
	})
	if bad {
		return "", fmt.Errorf("%q is not a usable branch name", s)
	}
	return s, nil
}

func hash(v *lossless.Value) (string, error) {
	s := v.Text()
	ok := v.Kind == lossless.String && len(s) >= 7 && len(s) <= 64
	for i := 0; ok && i < len(s); i++ {
		ok = s[i] >= '0' && s[i] <= '9' || s[i] >= 'a' && s[i] <= 'f'
	}
	if !ok {
		return "", errors.New("must be a commit hash: 7 to 64 of 0-9 and a-f")
	}
	return s, nil
}

func chunks(v *lossless.Value, most int) ([][]string, error) {
	form := errors.New(`must be an array of arrays of criteria, such as [["AC-01","AC-02"],["AC-03"]]`)
	if v.Kind != lossless.Array || len(v.Elems) == 0 {
		return nil, form
	}
	seen := map[string]bool{}
	out := make([][]string, 0, len(v.Elems))
	for i, c := range v.Elems {
		if c.Kind != lossless.Array || len(c.Elems) == 0 {
			return nil, form
		}
		if len(c.Elems) > most {
			return nil, fmt.Errorf("chunk %d has %d criteria; max_acs_per_commit allows %d", i+1, len(c.Elems), most)
		}
		acs := make([]string, 0, len(c.Elems))
		for _, e := range c.Elems {
			id, err := word(e)
			if err != nil {
				return nil, fmt.Errorf("chunk %d: a criterion %w", i+1, err)
			}
			if seen[id] {
				return nil, fmt.Errorf("chunk %d: the criterion %s is named twice", i+1, id)
			}
			seen[id] = true
			acs = append(acs, id)
		}
		out = append(out, acs)
	}
	return out, nil
}
