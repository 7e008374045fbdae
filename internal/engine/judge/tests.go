package judge

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"warp/internal/core/suite"
	"warp/internal/core/testoutput"
	"warp/internal/durable"
	"warp/internal/sys/git"
)

// Tests is the project's test suite. Its command is that of the base: what work makes
// of it is judged, not obeyed.
type Tests struct {
	Command Command
	Site    Site // its tree is another for each run
	Repo    git.Repo
	Prefix  string // the project's folder from the top of the work tree
	// Protected are patterns of further files that decide how the tests are run.
	Protected []string
	// Known keeps which tests a tree has; "": for this process alone. It is where no
	// agent can write.
	Known string

	mu   sync.Mutex
	seen map[string]Ran
	read map[string][]byte // files of trees; nil: it has none
	// list are the changes between the trees that compares names.
	compares string
	list     []git.Change
}

// believed is how long a run that failed is: what was missing then may be there now.
const believed = 10 * time.Minute

// KnownIn is where it is kept which tests a tree has, in the user's state folder: no
// agent can write there in a sandbox.
func KnownIn(state string) string {
	if state == "" {
		return ""
	}
	return filepath.Join(state, "tests")
}

// Ran is what a run of the tests said, and of which tests.
type Ran struct {
	Said  Said           `json:"said"`
	Named testoutput.Run `json:"named,omitempty"` // nil: the runner does not name them
}

// Run runs the tests on a tree, once for each.
func (t *Tests) Run(ctx context.Context, tree string) (Ran, error) {
	if was, ok := t.recall(tree); ok {
		return was, nil
	}
	return t.Fresh(ctx, tree, t.Command)
}

// Fresh runs the tests on a tree, whatever is known of it. The command has another log
// or time limit, perhaps.
func (t *Tests) Fresh(ctx context.Context, tree string, c Command) (Ran, error) {
	ran, err := t.run(ctx, tree, c)
	if err == nil {
		t.remember(tree, ran)
	}
	return ran, err
}

// maxReport bounds a runner's own report of its tests.
const maxReport = 64 << 20

func (t *Tests) run(ctx context.Context, tree string, c Command) (ran Ran, err error) {
	s := t.Site
	s.Tree = tree
	place, err := s.Enter(ctx)
	if err != nil {
		return ran, err
	}
	defer func() { err = errors.Join(err, place.Leave()) }()
	report := place.report()
	left := suite.ReportPatterns(t.files(s.Base), c.Line)
	if err := removeReports(findReports(place, left)); err != nil {
		return ran, err
	}
	c.Line = suite.NamingCommand(c.Line)
	asked := suite.NamingVariables(t.files(s.Base), c.Line)
	c.Environ = append(c.Environ, suite.ExpandVariables(asked, func(name string) string { return valueOf(c.Environ, name) }, report)...)
	reader := testoutput.Reader{Root: place.folder()}
	c.names = &reader
	if c.Log == "" { // all that it says is read, not only its end
		log, err := os.CreateTemp("", "warp-tests-")
		if err != nil {
			return ran, err
		}
		defer os.Remove(log.Name())
		c.Log = log.Name()
		if err := log.Close(); err != nil {
			return ran, err
		}
	}
	if ran.Said, err = place.Run(ctx, c); err != nil {
		return ran, err
	}
	ran.Said.Line = t.Command.Line
	if named, ok := reader.Run(); ok {
		ran.Named = named
	}
	if named := readReports(findReports(place, left)); named != nil {
		ran.Named = named
	}
	if text, err := durable.ReadPlain(report); report != "" && err == nil && len(text) <= maxReport {
		if named, err := testoutput.ReadJUnit(text); err == nil && len(named) > 0 {
			ran.Named = named
		}
	}
	return ran, nil
}

// maxFile bounds what is read of a file that decides how tests are run.
const maxFile = 1 << 20

// mostRead bounds how many files are kept.
const mostRead = 500

// files reads a tree's files, from the project's folder.
func (t *Tests) files(tree string) suite.Files {
	return func(name string) ([]byte, bool) {
		key := tree + ":" + name
		t.mu.Lock()
		was, known := t.read[key]
		t.mu.Unlock()
		if known {
			return was, was != nil
		}
		text, err := t.Repo.Content(tree, path.Join(t.Prefix, name), maxFile)
		if err != nil {
			text = nil
		} else if text == nil {
			text = []byte{}
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		if len(t.read) >= mostRead || t.read == nil {
			t.read = map[string][]byte{}
		}
		t.read[key] = text
		return text, text != nil
	}
}

func valueOf(environ []string, name string) (value string) {
	for _, v := range environ {
		if text, ok := strings.CutPrefix(v, name+"="); ok {
			value = text
		}
	}
	return value
}

// key names what is known of a tree: the same command may say something else elsewhere.
func (t *Tests) key(tree string) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{tree, t.Prefix, t.Command.Line, t.Site.Base}, "\x00")))
	return hex.EncodeToString(sum[:])
}

func (t *Tests) recall(tree string) (ran Ran, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := t.key(tree)
	if ran, ok = t.seen[key]; ok || t.Known == "" {
		return ran, ok
	}
	file := filepath.Join(t.Known, key+".json")
	text, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(text, &ran) != nil || ran.Said.Line == "" {
		return Ran{}, false
	}
	if info, err := os.Stat(file); !ran.Said.Passed && (err != nil || ran.Said.TimedOut || time.Since(info.ModTime()) > believed) {
		return Ran{}, false
	}
	return ran, true
}

// remember keeps a run. What cannot be kept is found out again.
func (t *Tests) remember(tree string, ran Ran) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.seen == nil {
		t.seen = map[string]Ran{}
	}
	key := t.key(tree)
	t.seen[key] = ran
	if text, err := json.Marshal(ran); t.Known != "" && err == nil && os.MkdirAll(t.Known, 0o700) == nil {
		_ = durable.Jot(filepath.Join(t.Known, key+".json"), text)
	}
}

// plain is what a runner printed, in words for people.
func plain(lines []byte) []byte {
	if !bytes.Contains(lines, []byte(`{"`)) {
		return lines
	}
	var out []byte
	for line := range bytes.Lines(lines) {
		if text, ok := testoutput.GoEventText(line); ok {
			line = text
		}
		out = append(out, line...)
	}
	return out
}
