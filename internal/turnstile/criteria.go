package turnstile

import (
	"fmt"

	"warp/internal/core/criteria"
	"warp/internal/core/drivestate"
	"warp/internal/core/event"
	"warp/internal/core/issuefile"
	"warp/internal/core/lossless"
)

// IssueFile returns the path of an issue's text, for projects that keep their issues as files.
func IssueFile(issue string) string { return stateFolder + "/issues/" + issue + ".md" }

// Criteria journals the progress of issues' acceptance criteria. It needs no drive: an issue has
// criteria before one starts.
type Criteria struct {
	project *Project
	doc     *document
}

// Record journals the acceptance criteria of an issue word for word, so that agents get them in
// these words.
func (c *Criteria) Record(issue, markdown string) ([]criteria.Criterion, error) {
	return c.RecordTitled(issue, "", markdown)
}

// RecordTitled is Record with the title of the issue.
func (c *Criteria) RecordTitled(issue, title, markdown string) ([]criteria.Criterion, error) {
	list, err := criteria.Parse(markdown)
	if err != nil {
		return nil, fmt.Errorf("the text of issue %s: %w", issue, err)
	}
	row := struct {
		Issue    string                 `json:"issue"`
		Title    string                 `json:"title,omitempty"`
		Epoch    int64                  `json:"epoch,omitempty"`
		Criteria []drivestate.Criterion `json:"criteria"`
	}{issue, title, c.epoch(), []drivestate.Criterion{}}
	for _, one := range list {
		row.Criteria = append(row.Criteria, drivestate.Criterion{ID: one.ID, Text: one.Text})
	}
	return list, c.project.store.Append(event.Criteria, row)
}

// epoch returns the session that new rows belong to, 0 if none is active.
func (c *Criteria) epoch() int64 {
	v, err := c.doc.file.Read()
	if err != nil || !v.Doc.Phase.Active() {
		return 0
	}
	return v.Doc.Session.StartedAtEpoch
}

// RecordFromFile records the criteria of an issue kept as a file. It does nothing without the file.
func (c *Criteria) RecordFromFile(issue string) ([]criteria.Criterion, error) {
	text, err := c.project.Home().ReadFile(IssueFile(issue))
	if err != nil || len(text) == 0 {
		return nil, err
	}
	parts, err := issuefile.Split(string(text))
	if err != nil {
		return nil, fmt.Errorf("the text of issue %s: %w", issue, err)
	}
	return c.RecordTitled(issue, parts.Title(), parts.Body)
}

// Confirm journals what an agent claims about criteria before an event.
func (c *Criteria) Confirm(on drivestate.Event, words []string) error {
	if len(words) == 0 || !c.project.store.Exists() {
		return nil
	}
	return c.project.store.Append(event.Confirmed, lossless.Record("event", on, "criteria", words))
}

// CheckOff journals that criteria of an issue were checked off or unchecked.
func (c *Criteria) CheckOff(issue string, ids []string, done bool) error {
	rows, epoch := make([]any, len(ids)), c.epoch()
	for i, id := range ids {
		rows[i] = struct {
			Issue   string `json:"issue"`
			Epoch   int64  `json:"epoch,omitempty"`
			ID      string `json:"id"`
			Checked bool   `json:"checked"`
		}{issue, epoch, id, done}
	}
	return c.project.store.Append(event.Criterion, rows...)
}
