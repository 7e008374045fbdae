// Package local is the issue tracker of a project without a server: Markdown files under
// .claude/issues and .claude/pulls, which people read and edit by hand. It guarantees that each
// number is given once, that others' changes are not overwritten, that the bytes of a body stay as
// they are, and that a file that cannot be parsed is reported and left alone. A user who can write
// the files has write access: a label needs no other proof.
package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"warp/internal/core/criteria"
	"warp/internal/durable"
	"warp/internal/engine/forge"
)

// The folders, relative to the project.
const (
	issuesFolder = ".claude/issues"
	pullsFolder  = ".claude/pulls"
)

// Config configures a tracker.
type Config struct {
	Store *durable.Store
	User  string // git's user.name
	Now   func() time.Time
	// Committed returns a file from the last commit, and whether it is there. What came with a clone
	// was approved by its author, not by the user. Nil means that nothing was committed.
	Committed func(path string) (text []byte, ok bool)
	// Merged reports whether a branch is merged into another: a person merges a pull request here with
	// git, which changes no file of it. Nil: never.
	Merged func(head, base string) bool
}

// Tracker manages the issues of one project.
type Tracker struct {
	store *durable.Store
	user  string
	now   func() time.Time

	committed func(path string) ([]byte, bool)
	read      readIssues
	merged    func(head, base string) bool
}

var _ forge.Tracker = (*Tracker)(nil)

// New returns a tracker. It reads nothing yet.
func New(c Config) *Tracker {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.User = strings.Join(strings.Fields(c.User), " "); c.User == "" {
		c.User = "local"
	}
	return &Tracker{store: c.Store, user: c.User, now: c.Now, committed: c.Committed, merged: c.Merged}
}

// Name returns "local".
func (t *Tracker) Name() string { return "local" }

// User returns git's user.
func (t *Tracker) User(context.Context) (string, error) { return t.user, nil }

// MayWrite is true for every user: those who can write the files have write access.
func (t *Tracker) MayWrite(context.Context, string) (bool, error) { return true, nil }

// MakeLabels does nothing: a label is a word in a file.
func (t *Tracker) MakeLabels(context.Context, []forge.Label) error { return nil }

// Get returns an issue with its comments.
func (t *Tracker) Get(ctx context.Context, number int) (forge.Issue, error) {
	if err := ctx.Err(); err != nil {
		return forge.Issue{}, fmt.Errorf("reading issue %d: %w", number, err)
	}
	text, err := t.store.ReadFile(file(issuesFolder, number))
	if err != nil {
		return forge.Issue{}, fmt.Errorf("reading issue %d: %w", number, err)
	}
	doing := "reading issue " + strconv.Itoa(number)
	if text == nil {
		return forge.Issue{}, missingFileError(doing, issuesFolder, number)
	}
	return t.issue(doing, number, string(text))
}

// List returns issues by number. A file that cannot be parsed is an error, or its issue would be
// lost silently.
func (t *Tracker) List(ctx context.Context, q forge.Query) ([]forge.Issue, error) {
	all, err := t.numbers(issuesFolder)
	if err != nil {
		return nil, err
	}
	list, bad := []forge.Issue{}, []error(nil)
	for _, n := range all {
		i, err := t.Get(ctx, n)
		if forge.Is(err, forge.NotFound) { // it was removed just now
			continue
		}
		if err != nil { // an unreadable issue does not hide the rest
			bad = append(bad, err)
			continue
		}
		wanted := (i.Open || q.Closed) && !slices.ContainsFunc(q.Labels, func(l string) bool { return !i.Has(l) })
		if wanted && (q.Limit <= 0 || len(list) < q.Limit) {
			i.Comments = nil
			list = append(list, i)
		}
	}
	return list, errors.Join(bad...)
}

// numbers lists the numbers of the files in a folder.
func (t *Tracker) numbers(folder string) ([]int, error) {
	names, err := t.store.List(folder)
	if err != nil {
		return nil, fmt.Errorf("listing %s: %w", folder, err)
	}
	var out []int
	for _, name := range names {
		if n, ok := numberOf(name); ok {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out, nil
}

// numberOf returns the number in a file's name.
func numberOf(name string) (n int, ok bool) {
	digits, ok := strings.CutSuffix(name, ".md")
	n, err := strconv.Atoi(digits)
	return n, ok && err == nil && n > 0 && strconv.Itoa(n) == digits
}

// issue parses a file, unless it is cached.
func (t *Tracker) issue(doing string, number int, text string) (forge.Issue, error) {
	i, known := t.read.find(number, text)
	if !known {
		var err error
		if i, err = readIssue(number, text); err != nil {
			return forge.Issue{}, invalidFileError(doing, issuesFolder, number, err)
		}
		t.read.keep(text, i)
	}
	if i.Has(forge.Approved) {
		i.ApprovedBy = t.approver(number)
	}
	return i, nil
}

// repository is the approver of issues that came with a clone.
const repository = "the repository itself"

// approver returns who approved an issue: the user, unless the label is committed.
func (t *Tracker) approver(number int) string {
	if t.committed == nil {
		return t.user
	}
	text, ok := t.committed(file(issuesFolder, number))
	if !ok {
		return t.user
	}
	d, err := parse(string(text))
	if err != nil {
		return t.user
	}
	if labels, err := d.head.list("labels"); err == nil && slices.ContainsFunc(labels, func(l string) bool { return strings.EqualFold(l, forge.Approved) }) {
		return repository
	}
	return t.user
}

// readOpen reports whether something is open.
func readOpen(h *header, words ...string) (open bool, err error) {
	v, err := h.get("state")
	if err != nil || v == "" {
		return true, err
	}
	if !slices.Contains(words, strings.ToLower(v)) {
		return false, fmt.Errorf("line %d: state is %q; it must be %s", h.fields["state"].from+1, v, strings.Join(words, " or "))
	}
	return strings.EqualFold(v, words[0]), nil
}

// titleOf returns a text's first heading, or else its first line.
func titleOf(body string, number int) string {
	first := ""
	for line := range criteria.Prose(body) {
		words := strings.TrimSpace(strings.TrimLeft(line, "#"))
		if words != "" && strings.HasPrefix(line, "#") {
			return words
		}
		if first == "" {
			first = words
		}
	}
	if first == "" {
		return fmt.Sprintf("Issue %d", number)
	}
	return first
}

func file(folder string, number int) string { return path.Join(folder, strconv.Itoa(number)+".md") }

func missingFileError(doing, folder string, number int) error {
	return &forge.Error{Doing: doing, Reason: forge.NotFound, Why: "there is no file " + file(folder, number), Advice: "see warp issue list"}
}

func invalidFileError(doing, folder string, number int, err error) error {
	why := strings.ReplaceAll(err.Error(), "\n", "; ")
	return &forge.Error{Doing: doing, Reason: forge.Invalid, Why: file(folder, number) + ": " + why, Advice: "correct the file; nothing was changed"}
}

// ListOdd returns the Markdown files among the issues that List skips, because their name is not a
// number or they are not regular files. Other trackers have none.
func ListOdd(t forge.Tracker) (odd []string, err error) {
	l, ok := t.(*Tracker)
	if !ok {
		return nil, nil
	}
	entries, err := os.ReadDir(filepath.Join(filepath.Dir(l.store.Dir()), filepath.FromSlash(issuesFolder)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("listing %s: %w", issuesFolder, err)
	}
	for _, e := range entries {
		if _, ok := numberOf(e.Name()); strings.HasSuffix(e.Name(), ".md") && !(ok && e.Type().IsRegular()) {
			odd = append(odd, e.Name())
		}
	}
	return odd, nil
}

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
