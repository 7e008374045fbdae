package demo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"warp/internal/core/text"
)

// edits is how often Repeat makes its edit.
const edits = 30

// Work writes the files of criteria and returns the criteria that it claims are done.
func (a *Run) Work(ctx context.Context, ids []string) ([]string, error) {
	for _, id := range ids {
		if !text.ValidName(id) { // it becomes a file name
			return nil, fmt.Errorf("WARP_CRITERIA has %q: it must be %s", id, text.NameRule)
		}
	}
	switch {
	case a.Does(liar):
		return ids, a.Halfway(ctx)
	case a.Does(loop):
		return ids, a.Repeat(ctx)
	}
	stack := a.stack()
	done := []string{}
	for i, id := range ids {
		files := stack.files(id)
		if _, err := os.Stat(filepath.Join(a.World.Dir, files[0].name)); a.Does(stumble) && err != nil {
			files = breakFiles(files, id)
		}
		err := a.criterion(ctx, files, i, len(ids))
		if err == nil && len(stack.task) == 0 { // a task changes only its files
			err = a.note(ctx, id)
		}
		if errors.Is(err, ErrDenied) {
			a.Say("I may not change anything here.")
			return done, nil
		}
		if err != nil {
			return done, err
		}
		done = append(done, id)
	}
	return done, a.Halfway(ctx) // if there was nothing to do
}

// criterion writes the files of one of n criteria. It counts halfway in files, since there may be
// only one criterion.
func (a *Run) criterion(ctx context.Context, files []file, i, n int) error {
	for j, f := range files {
		if i*len(files)+j >= n*len(files)/2 {
			if err := a.Halfway(ctx); err != nil {
				return err
			}
		}
		if err := a.Write(ctx, f.name, f.text); err != nil {
			return err
		}
	}
	return nil
}

// breakFiles puts an error into a criterion's files, so that its test fails.
func breakFiles(files []file, id string) []file {
	for i, f := range files {
		if !isTest(f.name) {
			files[i].text = strings.Replace(f.text, fmt.Sprintf("%q", id), fmt.Sprintf("%q", "not "+id), 1)
		}
	}
	return files
}

func (a *Run) Write(ctx context.Context, file, text string) error {
	return a.Tool(ctx, "write", file, func() error {
		path := a.Path(file)
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = os.WriteFile(path, []byte(text), 0o644)
		}
		if err != nil {
			return fmt.Errorf("writing a file: %w", err)
		}
		return nil
	})
}

const readme = "README.md"

// note adds a line for a criterion to the README, once.
func (a *Run) note(ctx context.Context, id string) error {
	path := filepath.Join(a.World.Dir, readme)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading %s: %w", readme, err)
	}
	now := AddLine(string(text), "- "+id+doneByDemo)
	if now == string(text) {
		return nil
	}
	return a.Tool(ctx, "edit", readme, func() error { return os.WriteFile(path, []byte(now), 0o644) })
}

// doneByDemo follows a criterion's id in what the agent writes.
const doneByDemo = ": done by the demo agent\n"

// AddLine adds a line to a text, once.
func AddLine(text, line string) string {
	switch {
	case strings.Contains(text, line):
		return text
	case text != "" && !strings.HasSuffix(text, "\n"):
		text += "\n"
	}
	return text + line
}

// Repeat makes one edit again and again: much output, never a new diff.
func (a *Run) Repeat(ctx context.Context) error {
	for i := range edits {
		if i == edits/2 {
			if err := a.Halfway(ctx); err != nil {
				return err
			}
		}
		a.Say("That did not work yet. Let me try again.")
		if err := a.Write(ctx, "demo_loop.txt", "the same words as before\n"); err != nil {
			return err
		}
	}
	return nil
}
