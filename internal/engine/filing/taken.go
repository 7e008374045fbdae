package filing

import (
	"context"
	"fmt"
	"strings"

	"warp/internal/core/criteria"
	"warp/internal/engine/forge"
)

// CommentTaken comments that the issue is being worked on, and which boxes were checked then:
// another machine may have to know which ones the drive checked itself.
func (d Desk) CommentTaken(ctx context.Context) error {
	list, err := criteria.Parse(d.Issue.Body)
	if err != nil {
		return err
	}
	var done []string
	for _, c := range list {
		if c.Done {
			done = append(done, c.ID)
		}
	}
	err = d.comment(ctx, "taken", fmt.Sprintf("Taken up by warp drive, as it was approved (%s).\n\n%s%s -->", forge.Seal(d.Issue), checkedMark(d), strings.Join(done, " ")))
	if err == nil {
		d.Passed("taken")
	}
	return err
}

// checkedMark starts the line of a comment that lists boxes.
func checkedMark(d Desk) string {
	return fmt.Sprintf("<!-- warp-drive checked #%d %d: ", d.Issue.Number, d.Epoch)
}

// CheckedBefore returns the boxes that were checked when the issue was taken up, from a comment of
// warp's own user: anyone could write one. known is false if there is none.
func CheckedBefore(ctx context.Context, d Desk) (ids []string, known bool, err error) {
	me, err := d.Tracker.User(ctx)
	if err != nil {
		return nil, false, err
	}
	for _, c := range d.Issue.Comments {
		if _, rest, found := strings.Cut(c.Body, checkedMark(d)); found && c.Author == me {
			line, _, _ := strings.Cut(rest, "-->")
			return strings.Fields(line), true, nil
		}
	}
	return nil, false, nil
}
