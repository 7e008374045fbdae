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
	"warp/internal/sys/sandbox"
)

// Tests is the project's test suite. Its command is the base's: the work's changes to it are
// judged, not obeyed.
type Tests struct {
	Command Command
	Site    Site // its tree differs for each run
	Repo    git.Repo
	Prefix  string // the project's folder relative to the top of the work tree
	// Protected are patterns of further files that decide how the tests run.
	Protected []string
	// CacheDir caches the runs of trees where no agent can write; "": only this process remembers
	// them.
	CacheDir string

	mu          sync.Mutex
	runs        map[string]TestRun
	cachedFiles map[string][]byte // files of trees; nil: missing
	names       *listing          // of the last tree read
	// changes are those between the trees that comparedTrees names.
	comparedTrees string
	changes       []git.Change
}

// failureValidFor is how long a cached failure counts: what was missing then may be there now.
const failureValidFor = 10 * time.Minute

// CacheDirIn returns the folder for cached runs in the user's state folder, where no sandboxed
// agent can write.
func CacheDirIn(state string) string {
	if state == "" {
		return ""
	}
	return filepath.Join(state, "tests")
}

// TestRun is the result of one run of the tests.
type TestRun struct {
	Result CommandResult  `json:"said"`
	Named  testoutput.Run `json:"named,omitempty"` // nil: the runner does not name them
	// Rewritten are files of the tree that the run left with other content; known in rooms alone.
	Rewritten []string `json:"rewritten,omitempty"`
}

// Run runs the tests on a tree, once per tree.
func (t *Tests) Run(ctx context.Context, tree string) (TestRun, error) {
	if was, ok := t.loadRun(tree); ok {
		return was, nil
	}
	return t.RunAgain(ctx, tree, t.Command)
}

// Passed returns the cached run of a tree, if it passed.
func (t *Tests) Passed(tree string) (TestRun, bool) {
	was, ok := t.loadRun(tree)
	return was, ok && was.Result.Passed
}

// Known returns the cached run of a tree.
func (t *Tests) Known(tree string) (TestRun, bool) { return t.loadRun(tree) }

// RunAgain runs the tests on a tree even if a run is cached. The command may have another log or
// time limit.
func (t *Tests) RunAgain(ctx context.Context, tree string, c Command) (TestRun, error) {
	ran, err := t.run(ctx, tree, c)
	if err == nil {
		t.saveRun(tree, ran)
	}
	return ran, err
}

func (t *Tests) run(ctx context.Context, tree string, c Command) (ran TestRun, err error) {
	s := t.Site
	s.Tree = tree
	place, err := s.Enter(ctx)
	if err != nil {
		return ran, err
	}
	defer func() { err = errors.Join(err, place.Leave()) }()
	report := ""
	if place.room != nil {
		report = place.room.Report()
	}
	left := suite.ReportPatterns(t.readFiles(s.Base), c.Line)
	for _, file := range findReports(place, left) { // an earlier run's, or the work's: they would look like this run's
		if err := os.Remove(file); err != nil {
			return ran, err
		}
	}
	c.Line = suite.NamingCommand(c.Line)
	asked := suite.NamingVariables(t.readFiles(s.Base), c.Line)
	c.Environ = append(c.Environ, suite.ExpandVariables(asked, func(name string) string { return sandbox.Variable(c.Environ, name) }, report)...)
	reader := testoutput.NewReader(place.folder())
	c.names = reader
	if c.Log == "" { // so that all output is read, not only its end
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
	if ran.Result, err = place.Run(ctx, c); err != nil {
		return ran, err
	}
	ran.Result.Line = t.Command.Line
	if ran.Rewritten, err = t.listRewritten(ctx, place, tree); err != nil {
		return ran, err
	}
	if named, ok := reader.Run(); ok {
		ran.Named = named
	}
	if named := readReports(findReports(place, left)); named != nil {
		ran.Named = named
	}
	if text, err := durable.ReadPlain(report); report != "" && err == nil {
		if named, err := readJUnit(text); err == nil && len(named) > 0 {
			ran.Named = named
		}
	}
	return ran, nil
}

// listRewritten lists the tree's files that a run in a room changed.
func (t *Tests) listRewritten(ctx context.Context, place *Place, tree string) ([]string, error) {
	if place.room == nil {
		return nil, nil
	}
	left, err := place.room.Taken(ctx)
	if err != nil || left == tree {
		return nil, err
	}
	list, err := t.Repo.Trees().Changes(tree, left)
	return git.Paths(list), err
}

// maxFile bounds the size of a file that decides how tests run.
const maxFile = 1 << 20

// maxCachedFiles is how many files are kept in memory.
const maxCachedFiles = 500

// readFiles reads a tree's files, relative to the project's folder.
func (t *Tests) readFiles(tree string) suite.Files {
	t.mu.Lock()
	if t.names == nil || t.names.tree != tree {
		t.names = &listing{repo: t.Repo, tree: tree}
	}
	names := t.names
	t.mu.Unlock()
	return func(name string) ([]byte, bool) {
		if !names.mayHave(path.Join(t.Prefix, name)) {
			return nil, false
		}
		key := tree + ":" + name
		t.mu.Lock()
		was, known := t.cachedFiles[key]
		t.mu.Unlock()
		if known {
			return was, was != nil
		}
		text, err := t.Repo.Trees().Content(tree, path.Join(t.Prefix, name), maxFile)
		if err != nil {
			text = nil
		} else if text == nil {
			text = []byte{}
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		if len(t.cachedFiles) >= maxCachedFiles || t.cachedFiles == nil {
			t.cachedFiles = map[string][]byte{}
		}
		t.cachedFiles[key] = text
		return text, text != nil
	}
}

// cacheKey names a run: the same command may end differently in another folder.
func (t *Tests) cacheKey(tree string) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{tree, t.Prefix, t.Command.Line, t.Site.Base}, "\x00")))
	return hex.EncodeToString(sum[:])
}

func (t *Tests) loadRun(tree string) (ran TestRun, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := t.cacheKey(tree)
	if ran, ok = t.runs[key]; ok || t.CacheDir == "" {
		return ran, ok
	}
	file := filepath.Join(t.CacheDir, key+".json")
	text, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(text, &ran) != nil || ran.Result.Line == "" {
		return TestRun{}, false
	}
	if info, err := os.Stat(file); !ran.Result.Passed && (err != nil || ran.Result.TimedOut || time.Since(info.ModTime()) > failureValidFor) {
		return TestRun{}, false
	}
	return ran, true
}

// saveRun caches a run. A run that cannot be cached is repeated.
func (t *Tests) saveRun(tree string, ran TestRun) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.runs == nil {
		t.runs = map[string]TestRun{}
	}
	key := t.cacheKey(tree)
	t.runs[key] = ran
	if text, err := json.Marshal(ran); t.CacheDir != "" && err == nil && os.MkdirAll(t.CacheDir, 0o700) == nil {
		_ = durable.WriteNote(filepath.Join(t.CacheDir, key+".json"), text)
	}
}

// toPlainText turns the JSON of a test runner into its human-readable output.
func toPlainText(lines []byte) []byte {
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
