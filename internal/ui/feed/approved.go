package feed

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"warp/internal/core/criteria"
)

// ApprovedLine is the warp command line whose output ParseApproved reads.
var ApprovedLine = []string{"issue", "list", "--label", "approved", "--limit", "50", "--json"}

// ApprovedIssue is an approved issue that waits.
type ApprovedIssue struct {
	Number, Title string
	Why           string // why it cannot begin now, or ""
}

// ParseApproved parses the command's output, in the order of work.
func ParseApproved(out []byte) (list []ApprovedIssue, err error) {
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
		one := ApprovedIssue{Number: r.Number.String(), Title: r.Title}
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
