package sessions

import (
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
	"warp/internal/durable"
	"warp/internal/engine/trust"
	"warp/internal/sys/git"
	"warp/internal/turnstile"
)

// Definition is what a session was started with, kept in its folder so that it
// can be resumed.
type Definition struct {
	Task string `json:"task,omitempty"`
	// File is where a pipeline's file was; what it names is looked for beside it.
	File string `json:"file,omitempty"`
	// Settings are what flags said: all of a loop, or of a pipeline instead of its file.
	Settings []pipeline.Setting `json:"settings,omitempty"`
	Reset    bool               `json:"-"` // begin with an empty work queue
	PauseOn  string             `json:"pause_on,omitempty"`
	Limit    budget.Amount      `json:"limit,omitzero"` // totals, instead of those of the settings or the file
	Land     *bool              `json:"land,omitempty"` // what is committed lands; nil: as the settings say
	Text     []byte             `json:"-"`              // of the pipeline's file
	// Kept are the files that it names, and where in the session's folder the copy
	// of each is: a session continues with what it began with.
	Kept map[string]string `json:"kept,omitempty"`

	texts map[string][]byte // of the files, by their names
}

// LandFlag has a command take --land: whether what a session commits lands where it began.
func LandFlag(c *cobra.Command, to **bool) {
	land := c.Flags().Bool("land", true, "land the commits of a complete session on the branch it started from (default: unless level is 2 or auto_merge is false)")
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

// definitionFile is where a definition is, in the session's folder.
const definitionFile = "session.json"

// Problems are what is wrong with a definition.
type Problems []pipeline.Problem

func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, x := range p {
		lines[i] = x.Error()
	}
	return strings.Join(lines, "\n")
}

// untrustedFiles are problems of a definition, one of which is that a file is not trusted.
type untrustedFiles struct {
	Problems
	why error
}

func (u untrustedFiles) Unwrap() error { return u.why }

// Plan is what a definition comes to; the files that it names are kept. What came with
// the repository, and is not trusted, has none.
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

// Preview is Plan for a caller that only shows it.
func (d *Definition) Preview(a *app.App, name string) (*pipeline.Pipeline, error) {
	return d.plan(a, name, ReadForDisplay)
}

func (d *Definition) plan(a *app.App, name string, read func(string) ([]byte, error)) (*pipeline.Pipeline, error) {
	out := pipeline.Outside{Read: beside(a.Dir, d.reader(read)), Loop: d.builtIn, Agents: agentcmd.Names(),
		Missing: func(err error) bool {
			return errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNoFile) || errors.Is(err, errNotKept) || errors.Is(err, syscall.ENOTDIR)
		}}
	if dr, err := a.Project(); err == nil {
		out.Stages = []string{filepath.ToSlash(filepath.Join(dr.Root(), ".claude", "stages"))}
	}
	var p *pipeline.Pipeline
	var problems []pipeline.Problem
	if d.File != "" || d.Text != nil {
		p, problems = pipeline.Load(d.File, d.Text, out, d.Settings...)
	} else {
		p, problems = pipeline.LoadLoop(name, d.Settings, out)
	}
	if len(problems) > 0 {
		for i := range problems {
			if rel, err := filepath.Rel(a.Dir, problems[i].File); err == nil && filepath.IsLocal(rel) {
				problems[i].File = rel // as the user would write it
			}
		}
		return nil, &app.UsageError{Err: Problems(problems)}
	}
	return p, nil
}

// files are what is kept of a definition.
func (d *Definition) files() (map[string][]byte, error) {
	d.keep()
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

// load reads the definition of a session that was started.
// One that came with the repository is not run until it is trusted.
func load(a *app.App, d *turnstile.Drive, name string) (def Definition, err error) {
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

// beside reads files that a pipeline, or a flag, names from a folder.
func beside(dir string, read func(string) ([]byte, error)) func(string) ([]byte, error) {
	return func(path string) ([]byte, error) {
		full := filepath.FromSlash(path)
		if !filepath.IsAbs(full) {
			full = filepath.Join(dir, full)
		}
		return read(full)
	}
}

// Read reads a file with instructions for agents, or commands. What came with the
// repository is not run until it is trusted.
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

var errNoFile = errors.New("it is no file")

// ReadForDisplay reads such a file for a caller that runs nothing of it.
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

// isFromRepository tells whether a file came with the repository, because git tracks it. A folder
// of the project may be a link or a submodule, behind which git sees nothing from the
// root: within the project it is asked in the file's own folder, too. A link that git
// does not track may lead to a file that it does.
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
	return err == nil && tracked(repo, file)
}
