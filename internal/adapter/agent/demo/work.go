package demo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// edits is how often the loop makes its edit.
const edits = 30

// work writes the files of criteria, and returns those that it says are done.
func (a *act) work(ctx context.Context, ids []string) ([]string, error) {
	switch {
	case a.does(liar):
		return said(ids), a.halfway(ctx)
	case a.does(loop):
		return said(ids), a.repeat(ctx)
	}
	stack := stackOf(a.world.Dir)
	done := []string{}
	for i, id := range ids {
		files := stack.files(id)
		if _, err := os.Stat(filepath.Join(a.world.Dir, files[0].name)); a.does(stumble) && err != nil {
			files = wrong(files, id)
		}
		err := a.criterion(ctx, files, i, len(ids))
		if err == nil {
			err = a.note(ctx, id)
		}
		if errors.Is(err, errDenied) {
			a.say("I may not change anything here.")
			return done, nil
		}
		if err != nil {
			return done, err
		}
		done = append(done, id)
	}
	return done, a.halfway(ctx) // where there was nothing to do
}

// criterion writes the files of one of n criteria. Halfway is counted in files,
// since a single criterion may be all there is.
func (a *act) criterion(ctx context.Context, files []file, i, n int) error {
	for j, f := range files {
		if i*len(files)+j >= n*len(files)/2 {
			if err := a.halfway(ctx); err != nil {
				return err
			}
		}
		if err := a.write(ctx, f.name, f.text); err != nil {
			return err
		}
	}
	return nil
}

// wrong are the files of a criterion with an error in the work: what it gives is
// not what its test wants.
func wrong(files []file, id string) []file {
	for i, f := range files {
		if !isTest(f.name) {
			files[i].text = strings.Replace(f.text, fmt.Sprintf("%q", id), fmt.Sprintf("%q", "not "+id), 1)
		}
	}
	return files
}

func said(ids []string) []string { return append([]string{}, ids...) }

func (a *act) write(ctx context.Context, name, text string) error {
	return a.tool(ctx, "write", name, func() error {
		path := a.path(name)
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
func (a *act) note(ctx context.Context, id string) error {
	path := filepath.Join(a.world.Dir, readme)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading %s: %w", readme, err)
	}
	line := fmt.Sprintf("- %s: done by the demo agent\n", id)
	if strings.Contains(string(text), line) {
		return nil
	}
	if n := len(text); n > 0 && text[n-1] != '\n' {
		line = "\n" + line
	}
	return a.tool(ctx, "edit", readme, func() error {
		return os.WriteFile(path, append(text, line...), 0o644)
	})
}

// repeat makes one edit again and again: much ado, and never a new diff.
func (a *act) repeat(ctx context.Context) error {
	for i := range edits {
		if i == edits/2 {
			if err := a.halfway(ctx); err != nil {
				return err
			}
		}
		a.say("That did not work yet. Let me try again.")
		if err := a.write(ctx, "demo_loop.txt", "the same words as before\n"); err != nil {
			return err
		}
	}
	return nil
}
