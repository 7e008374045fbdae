package sessions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"warp/internal/cli/agentcmd"
	"warp/internal/cli/app"
	"warp/internal/core/budget"
	"warp/internal/core/pipeline"
	"warp/internal/core/sessionstate"
	"warp/internal/core/trustledger"
	"warp/internal/core/yamltree"
	"warp/internal/durable"
	"warp/internal/engine/trust"
	"warp/internal/sys/git"
	"warp/internal/turnstile"
)

// Definition is what a session was started with. It is kept in the session's folder, so that the
// session can be resumed.
type Definition struct {
	Task string `json:"task,omitempty"`
	// File is the pipeline's file; the files it names are relative to it.
	File string `json:"file,omitempty"`
	// Settings come from flags: all of a loop's, or those that override a pipeline's file.
	Settings []pipeline.Setting `json:"settings,omitempty"`
	Reset    bool               `json:"-"` // start with an empty work queue
	PauseOn  string             `json:"pause_on,omitempty"`
	Limit    budget.Amount      `json:"limit,omitzero"` // totals that override those of the settings or the file
	Land     *bool              `json:"land,omitempty"` // land the commits; nil: as the settings say
	Text     []byte             `json:"-"`              // of the pipeline file
	// Kept maps each file the definition names to its copy in the session's folder: a resumed
	// session uses the versions it began with.
	Kept map[string]string `json:"kept,omitempty"`

	texts map[string][]byte // contents of those files, by name
}

// LandFlag adds --land: whether a session's commits land on the branch it started from.
func LandFlag(c *cobra.Command, to **bool) {
	land := c.Flags().Bool("land", true, "land the commits of a complete session on the branch it started from; at level 2 or with auto_merge false only if you give this flag")
	before := c.PreRunE
	c.PreRunE = func(c *cobra.Command, args []string) error {
		if c.Flags().Changed("land") {
			*to = land
		}
		if before == nil {
			return nil
		}
		return before(c, args)
	}
}

// definitionFile is the definition's name in the session's folder.
const definitionFile = "session.json"

// Problems are the errors in a definition.
type Problems []yamltree.Problem

func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, x := range p {
		lines[i] = x.Error()
	}
	return strings.Join(lines, "\n")
}

// untrustedFiles are problems of a definition, at least one of them an untrusted file.
type untrustedFiles struct {
	Problems
	why error
}

func (u untrustedFiles) Unwrap() error { return u.why }

// Plan builds the pipeline and keeps the files it names. It refuses untrusted files that came
// with the repository.
func (d *Definition) Plan(a *app.App, dr *turnstile.Drive, name string) (*pipeline.Pipeline, error) {
	var untrusted error
	p, err := d.plan(a, name, func(path string) ([]byte, error) {
		text, err := Read(a, dr, path)
		if app.IsA[*trustledger.Untrusted](err) {
			untrusted = err
		}
		return text, err
	})
	if problems, is := errors.AsType[Problems](err); is && untrusted != nil {
		err = untrustedFiles{problems, untrusted}
	}
	return p, err
}

// Preview is Plan for callers that only display it: it reads untrusted files too.
func (d *Definition) Preview(a *app.App, name string) (*pipeline.Pipeline, error) {
	return d.plan(a, name, ReadForDisplay)
}

func (d *Definition) plan(a *app.App, name string, read func(string) ([]byte, error)) (*pipeline.Pipeline, error) {
	out := pipeline.Outside{Read: resolveIn(a.Dir, d.reader(read)), Loop: d.builtIn, Agents: agentcmd.Names(),
		Missing: func(err error) bool {
			return errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNoFile) || errors.Is(err, errNotKept) || errors.Is(err, syscall.ENOTDIR)
		}}
	if dr, err := a.Project(); err == nil {
		out.Stages = []string{filepath.ToSlash(filepath.Join(dr.Root(), ".claude", "stages"))}
	}
	var p *pipeline.Pipeline
	var problems []yamltree.Problem
	if d.File != "" || d.Text != nil {
		p, problems = pipeline.Load(d.File, d.Text, out, d.Settings...)
	} else {
		p, problems = pipeline.LoadLoop(name, d.Settings, out)
	}
	if len(problems) > 0 {
		for i := range problems {
			if rel, err := filepath.Rel(a.Dir, problems[i].File); err == nil && filepath.IsLocal(rel) {
				problems[i].File = rel // as the user would type it
			}
		}
		return nil, &app.UsageError{Err: Problems(problems)}
	}
	return p, nil
}

// files returns the files that preserve a definition.
func (d *Definition) files() (map[string][]byte, error) {
	d.assignCopies()
	text, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{definitionFile: append(text, '\n')}
	for file, kept := range d.Kept {
		files[kept] = d.texts[file]
	}
	if d.Text != nil {
		files[filepath.Base(sessionstate.PipelineFile("x"))] = d.Text
	}
	return files, nil
}

// loadDefinition reads the definition of a started session. It refuses an untrusted one that
// came with the repository.
func loadDefinition(a *app.App, d *turnstile.Drive, name string) (def Definition, err error) {
	dir := folderOf(d, name)
	text, err := Read(a, d, filepath.Join(dir, definitionFile))
	if errors.Is(err, fs.ErrNotExist) {
		return def, fmt.Errorf("the session %s cannot be resumed: %s is missing", name, definitionFile)
	}
	if err == nil {
		err = json.Unmarshal(text, &def)
	}
	if err != nil {
		return def, fmt.Errorf("reading what the session %s was started with: %w", name, err)
	}
	read := func(full string) ([]byte, error) { return Read(a, d, full) }
	if def.Text, err = read(filepath.Join(dir, filepath.Base(sessionstate.PipelineFile(name)))); errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err == nil {
		err = def.loadKept(name, dir, read)
	}
	return def, err
}

// resolveIn returns a reader that resolves relative paths against dir.
func resolveIn(dir string, read func(string) ([]byte, error)) func(string) ([]byte, error) {
	return func(path string) ([]byte, error) {
		full := filepath.FromSlash(path)
		if !filepath.IsAbs(full) {
			full = filepath.Join(dir, full)
		}
		return read(full)
	}
}

// Read reads a file of commands or agent instructions. It refuses an untrusted file that came
// with the repository.
func Read(a *app.App, d *turnstile.Drive, full string) ([]byte, error) {
	text, err := ReadForDisplay(full)
	if err != nil {
		return nil, err
	}
	if isFromRepository(d.Root(), full) {
		if err := trust.Open(a.Getenv, a.Env.Now, a.Env.PID).Check(full, text); err != nil {
			return nil, err
		}
	}
	return text, nil
}

var errNoFile = errors.New("it is not a file")

// ReadForDisplay reads the file without a trust check, for callers that run nothing of it.
func ReadForDisplay(full string) ([]byte, error) {
	info, err := os.Stat(full)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errNoFile
	case info.Size() > 1<<20:
		return nil, errors.New("it is larger than 1 MB")
	}
	return durable.ReadPlain(full)
}

// isFromRepository reports whether git tracks a file. From the root, git sees nothing behind a link
// or in a submodule, so within the project it also asks in the file's own folder. An untracked link
// may point to a tracked file, so it checks the target too.
func isFromRepository(root, file string) bool {
	if isKnownToGit(root, file) {
		return true
	}
	top, err := filepath.EvalSymlinks(root)
	real, bad := filepath.EvalSymlinks(file)
	return err == nil && bad == nil && isKnownToGit(top, real)
}

func isKnownToGit(root, file string) bool {
	rel, err := filepath.Rel(root, file)
	return isTracked(root, file) || err == nil && filepath.IsLocal(rel) && isTracked(filepath.Dir(file), "./"+filepath.Base(file))
}

func isTracked(dir, file string) bool {
	repo, err := git.Open(dir)
	if err != nil {
		return false
	}
	a, err := repo.Run(context.Background(), git.Call{Args: []string{"ls-files", "--error-unmatch", "--", file}})
	return err != nil || a.Exit == 0 // if unsure, it is
}
