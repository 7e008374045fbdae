package local

import (
	"errors"

	"warp/internal/engine/forge"
)

// readIssue parses the text of a file.
func readIssue(number int, text string) (forge.Issue, error) {
	d, err := parse(text)
	if err != nil {
		return forge.Issue{}, err
	}
	i := forge.Issue{Number: number, Body: d.body, Open: true, Labels: []string{}, URL: file(issuesFolder, number)}
	for _, c := range d.comments {
		i.Comments = append(i.Comments, forge.Comment{Author: c.author, Body: c.body, At: c.at})
	}
	labels, err := d.head.list("labels")
	fields := []error{err}
	i.Labels = append(i.Labels, labels...)
	i.Assignees, err = d.head.list("assignees")
	fields = append(fields, err)
	i.Title, err = d.head.get("title")
	fields = append(fields, err)
	i.Author, err = d.head.get("author")
	fields = append(fields, err)
	i.Updated, err = d.head.getTime("updated")
	fields = append(fields, err)
	_, err = d.head.getTime("created")
	fields = append(fields, err)
	i.Open, err = readOpen(&d.head, "open", "closed")
	if err := errors.Join(append(fields, err)...); err != nil {
		return forge.Issue{}, err
	}
	if i.Title == "" {
		i.Title = titleOf(d.body, number)
	}
	return i, nil
}
