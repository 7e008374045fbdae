// Package approved lists the approved issues that have not begun, in the order of work. It asks
// the warp command that lists them, so that screens show what a night would take up; the feed
// knows only what was begun.
package approved

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"warp/internal/core/criteria"
)

// Line is the warp command line whose output Parse reads.
var Line = []string{"issue", "list", "--label", "approved", "--limit", "50", "--json"}

// Issue is an approved issue that waits.
type Issue struct {
	Number, Title string
	Why           string // why it cannot begin now, or ""
}

// Parse parses the command's output, in the order of work.
func Parse(out []byte) (list []Issue, err error) {
	var rows []struct {
		Number   json.Number `json:"number"`
		Title    string      `json:"title"`
		Body     string      `json:"body"`
		Approved string      `json:"approved_by"`
		Waits    []int       `json:"waits_for"`
	}
	if err := json.Unmarshal(out, &rows); err != nil {
		return nil, fmt.Errorf("reading the list of approved issues: %w", err)
	}
	for _, r := range rows {
		one := Issue{Number: r.Number.String(), Title: r.Title}
		var waits []string
		for _, n := range r.Waits {
			waits = append(waits, "#"+strconv.Itoa(n))
		}
		switch {
		case len(waits) > 0:
			one.Why = "waits for " + strings.Join(waits, ", ")
		case r.Approved == "":
			one.Why = "its approval does not count: warp issue show " + one.Number + " says why"
		default:
			one.Why = whyPassed(r.Body)
		}
		list = append(list, one)
	}
	return list, nil
}

// whyPassed returns why a drive passes an issue over because of its criteria, or "".
func whyPassed(body string) string {
	switch list, err := criteria.Parse(body); {
	case err != nil:
		return err.Error()
	case len(list) == 0:
		return "it has no acceptance criteria"
	case !slices.ContainsFunc(list, func(c criteria.Criterion) bool { return !c.Done }):
		return "every criterion is checked off already"
	}
	return ""
}
