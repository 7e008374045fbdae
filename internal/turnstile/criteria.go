package turnstile

import (
	"fmt"

	"warp/internal/core/criteria"
	"warp/internal/core/drive"
	"warp/internal/core/event"
	"warp/internal/core/issuefile"
)

// IssueFile is where the text of an issue stands, for projects that keep their
// issues as files.
func IssueFile(issue string) string { return stateFolder + "/issues/" + issue + ".md" }

// Record journals the acceptance criteria of an issue as its text has them, so
// that they can be put before an agent again in these words.
func (d *Drive) Record(issue, markdown string) ([]criteria.Criterion, error) {
	list, err := criteria.Parse(markdown)
	if err != nil {
		return nil, fmt.Errorf("the text of issue %s: %w", issue, err)
	}
	row := struct {
		Issue    string            `json:"issue"`
		Epoch    int64             `json:"epoch,omitempty"`
		Criteria []drive.Criterion `json:"criteria"`
	}{issue, d.epoch(), []drive.Criterion{}}
	for _, c := range list {
		row.Criteria = append(row.Criteria, drive.Criterion{ID: c.ID, Text: c.Text})
	}
	return list, d.store.Append(event.Criteria, row)
}

// epoch is the session that rows are of; 0 where none is under way.
func (d *Drive) epoch() int64 {
	v, err := d.doc.Read()
	if err != nil || !v.Doc.Phase.Active() {
		return 0
	}
	return v.Doc.Session.StartedAtEpoch
}

// RecordLocal records the criteria of an issue that is kept as a file; nothing
// when there is no such file.
func (d *Drive) RecordLocal(issue string) ([]criteria.Criterion, error) {
	text, err := d.home().ReadFile(IssueFile(issue))
	if err != nil || len(text) == 0 {
		return nil, err
	}
	parts, err := issuefile.Split(string(text))
	if err != nil {
		return nil, fmt.Errorf("the text of issue %s: %w", issue, err)
	}
	return d.Record(issue, parts.Body)
}

// Confirm journals what an agent says about criteria before an event.
func (d *Drive) Confirm(on drive.Event, words []string) error {
	if len(words) == 0 || !d.store.Exists() {
		return nil
	}
	return d.store.Append(event.Confirmed, struct {
		Event    drive.Event `json:"event"`
		Criteria []string    `json:"criteria"`
	}{on, words})
}
