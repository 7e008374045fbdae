package git

import (
	"context"
	"fmt"
	"strings"
)

// Line is a line that one tree has and another lacks.
type Line struct {
	File   string // as git quotes it
	Number int
	Text   string
}

// Place returns the line's location as FILE:NUMBER.
func (l Line) Place() string { return fmt.Sprintf("%s:%d", l.File, l.Number) }

// Added returns the lines that were added between two trees. It runs no diff program of the user's.
// A patch above most bytes is an error.
func (t Trees) Added(ctx context.Context, fromTree, toTree string, most int) ([]Line, error) {
	out, err := t.repo.Must(ctx, Call{Max: most, Args: []string{"diff-tree", "-p", "-r", "-U0", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames",
		"--src-prefix=a/", "--dst-prefix=b/", fromTree, toTree}})
	return parseAdded(string(out)), err
}

// parseAdded parses a patch without context, in which every line of a file begins with a sign.
func parseAdded(patch string) (lines []Line) {
	file, n := "", 0
	for l := range strings.Lines(patch) {
		l = strings.TrimRight(l, "\r\n")
		switch {
		case strings.HasPrefix(l, "diff --git "):
			file, n = "", 0
		case strings.HasPrefix(l, "+++ ") && file == "":
			file = strings.TrimSuffix(strings.TrimPrefix(strings.Trim(l[4:], `"`), "b/"), "\t")
		case strings.HasPrefix(l, "@@ "): // "@@ -1,2 +3,4 @@"
			_, at, _ := strings.Cut(l, " +")
			_, _ = fmt.Sscanf(at, "%d", &n) // git writes a number there
		case strings.HasPrefix(l, "+"):
			lines = append(lines, Line{file, n, l[1:]})
			n++
		}
	}
	return lines
}
