package drive

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"warp/internal/core/text"
	"warp/internal/sys/git"
)

// index is what was staged when the index was looked at last. Git never changes
// the file: it makes another.
type index struct {
	info   fs.FileInfo
	tip    string // of the branch that is checked out
	staged map[string]string
}

// staged is what the index has and the commit that is checked out has not, by
// path, as lines that git takes back. What is in conflict is left out.
func (e *Engine) staged(ctx context.Context) (map[string]string, error) {
	place, ok := e.place()
	if !ok {
		return nil, git.ErrNotRepo
	}
	info, bad := os.Stat(filepath.Join(place.GitDir(), "index"))
	tip := ""
	if head, err := place.Checked(); err == nil && head != "" {
		tip, _ = place.Tip(head) // then nothing is taken for known
	}
	if was := e.index; bad == nil && tip != "" && was.info != nil && os.SameFile(info, was.info) && info.ModTime().Equal(was.info.ModTime()) && info.Size() == was.info.Size() && tip == was.tip {
		return was.staged, nil
	}
	lines, err := e.askStaged(ctx)
	if err == nil && bad == nil {
		e.index = index{info, tip, lines}
	}
	return lines, err
}

func (e *Engine) askStaged(ctx context.Context) (map[string]string, error) {
	a, err := e.repo().Run(ctx, git.Call{Args: []string{"diff-index", "--cached", "--raw", "-z", "--no-renames", "HEAD", "--"}})
	if err == nil && a.Exit != 0 {
		err = errors.New(a.Stderr)
	}
	if err != nil {
		return nil, err
	}
	lines := map[string]string{}
	list := git.Split(a.Stdout)
	for i := 0; i+1 < len(list); i += 2 {
		f, path := strings.Fields(list[i]), list[i+1] // :mode mode hash hash status
		if len(f) == 5 && f[4] != "U" {
			lines[path] = f[1] + " " + f[3] + " 0\t" + path
		}
	}
	return lines, nil
}

// restage stages again what was staged and is not any more. What was staged
// since stays.
func (g *guard) restage(ctx context.Context) error {
	if len(g.staged) == 0 {
		return nil
	}
	now, err := g.e.staged(ctx)
	if err != nil {
		return err
	}
	var lines strings.Builder
	var lost []string
	for path, line := range g.staged {
		if now[path] != line {
			lost = append(lost, path)
			lines.WriteString(line + "\x00")
		}
	}
	if len(lost) == 0 {
		return nil
	}
	a, err := g.e.repo().Run(ctx, git.Call{Args: []string{"update-index", "-z", "--index-info"}, Stdin: []byte(lines.String())})
	if err == nil && a.Exit != 0 {
		err = errors.New(a.Stderr)
	}
	if err == nil {
		g.e.intervene(g.s, "destroyed", "", "the agent changed what a person had staged; it is staged again: %s", text.Quote(lost, 5))
	}
	return err
}
