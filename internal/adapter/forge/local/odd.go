package local

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"warp/internal/engine/forge"
)

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
