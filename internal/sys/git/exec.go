package git

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"warp/internal/sys/proc"
)

const (
	timeLimit = 60 * time.Second
	// maxOutput is more than the list of all paths of any real repository. A longer answer is an
	// error, rather than a list with its beginning missing.
	maxOutput = 256 << 20
)

// A Call is one run of git.
type Call struct {
	Args  []string
	Stdin []byte
	Env   []string      // added to the usual environment
	Max   int           // bytes of output; 0 means maxOutput
	Tail  bool          // keep only the end of a longer output
	Limit time.Duration // 0 means a minute
	Hooks bool          // run the repository's hooks
	// Pass selects which of the caller's GIT_… variables git gets. If nil, it gets only harmless
	// ones.
	Pass func(name string) bool
	Log  string       // as in proc.Cmd
	Line func([]byte) // as in proc.Cmd
}

// An Answer is git's output, with stderr trimmed.
type Answer struct {
	Exit   int
	Stdout []byte
	Stderr string
}

// Failure is the error of a git command that did not succeed.
type Failure struct {
	Args   []string // without the settings that every command gets
	Dir    string
	Exit   int
	Stderr string
}

func (f *Failure) Error() string {
	said := f.Stderr
	if said == "" {
		said = "without a message"
	}
	return fmt.Sprintf("git %s in %s ended with %d: %s; run it there by hand to see why", strings.Join(f.Args, " "), f.Dir, f.Exit, said)
}

// settings are given to every command.
var settings = []string{
	// It would run a program that the repository names.
	"-c", "core.fsmonitor=false",
	// Git would refuse files because of their line ends.
	"-c", "core.safecrlf=false",
	// Git would run itself in nested repositories with their settings, which an agent may have
	// written.
	"-c", "diff.ignoreSubmodules=dirty", "-c", "submodule.recurse=false", "-c", "fetch.recurseSubmodules=false",
	// Parents in the commit graph are not checked against the commits.
	"-c", "core.commitGraph=false",
	// A split index would leave its other half in git's folder.
	"-c", "core.splitIndex=false",
	// A changed file with its old time and size would look unchanged.
	"-c", "core.trustctime=true", "-c", "core.checkStat=default",
}

// noHooks keeps git from running programs that the repository names.
var noHooks = []string{"-c", "core.hooksPath=" + os.DevNull}

// How long another git is waited for: a person's, an agent's or another engine's. To add the files
// of a large repository takes it a while; to add a work tree is over in a moment, unless it was
// killed, and the record of the work tree stays incomplete.
const (
	lockWait     = 30 * time.Second
	worktreeWait = 3 * time.Second
	lockPause    = 50 * time.Millisecond
)

// Run runs git and returns its answer whatever the exit code. It retries while another git is in
// its way, because git has done nothing then. It never retries a call with hooks: they must not run
// twice, and the message may be theirs.
func (r Repo) Run(ctx context.Context, c Call) (a Answer, err error) {
	for began := time.Now(); ; {
		if a, err = runOnce(ctx, r.Dir, c); err != nil || a.Exit == 0 || c.Hooks || time.Since(began) >= waitFor(a.Stderr) {
			return a, err
		}
		select {
		case <-ctx.Done():
			return a, ctx.Err()
		case <-time.After(lockPause):
		}
	}
}

// waitFor returns how long to try, given why git failed: because another one here (a remote is not
// waited for) holds a lock, or is adding a work tree: until its record is complete, commands about
// any work tree fail.
func waitFor(said string) time.Duration {
	for line := range strings.Lines(said) {
		_, record, _ := strings.Cut(line, "failed to read ")
		switch {
		case strings.HasPrefix(line, "remote:"):
		case strings.Contains(line, ".lock': File exists"):
			return lockWait
		case strings.Contains(record, "worktrees/") && strings.Contains(record, "/commondir"):
			return worktreeWait
		}
	}
	return 0
}

func runOnce(ctx context.Context, dir string, c Call) (Answer, error) {
	keep := maxOutput
	if c.Max > 0 {
		keep = max(c.Max, proc.DefaultKeep) // it bounds the messages too
	}
	cmd := proc.Cmd{
		Argv:    slices.Concat([]string{"git"}, settings, noHooks, c.Args),
		Dir:     dir,
		Env:     c.Environ(os.Environ()),
		Timeout: cmp.Or(c.Limit, timeLimit),
		Keep:    keep,
		Log:     c.Log,
		Line:    c.Line,
	}
	if c.Hooks {
		cmd.Argv = slices.Concat([]string{"git"}, settings, c.Args)
	}
	if c.Stdin != nil {
		cmd.Stdin = bytes.NewReader(c.Stdin)
	}
	what := fmt.Sprintf("git %s in %s", strings.Join(c.Args, " "), dir)
	res, err := proc.Run(ctx, cmd)
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return Answer{}, fmt.Errorf("%s: %w; install git", what, ErrNoGit)
	case err != nil:
		return Answer{}, fmt.Errorf("%s: %w", what, err)
	case res.TimedOut:
		return Answer{}, fmt.Errorf("%s %w after %v; check whether the disk is slow, or run «git gc»", what, ErrSlow, cmd.Timeout)
	case res.StdoutSize > int64(len(res.Stdout)) && !c.Tail:
		return Answer{}, fmt.Errorf("%s answered with %d bytes, but the limit is %d", what, res.StdoutSize, keep)
	}
	return Answer{res.Exit, res.Stdout, strings.TrimSpace(string(res.Stderr))}, nil
}

// Must runs git and returns an error for any exit code but 0.
func (r Repo) Must(ctx context.Context, c Call) ([]byte, error) {
	a, err := r.Run(ctx, c)
	if err != nil {
		return nil, err
	}
	if a.Exit != 0 {
		return nil, r.failure(c, a)
	}
	return a.Stdout, nil
}

func (r Repo) must(c Call) ([]byte, error) { return r.Must(context.Background(), c) }

func (r Repo) failure(c Call, a Answer) error {
	return &Failure{Args: c.Args, Dir: r.Dir, Exit: a.Exit, Stderr: a.Stderr}
}

// maybe runs a command that exits with 1 if there is no result, and returns one line.
func (r Repo) maybe(args ...string) (value string, found bool, err error) {
	c := Call{Args: args}
	a, err := r.Run(context.Background(), c)
	switch {
	case err != nil:
		return "", false, err
	case a.Exit == 0:
		return strings.TrimSuffix(string(a.Stdout), "\n"), true, nil
	case a.Exit == 1:
		return "", false, nil
	}
	return "", false, r.failure(c, a)
}

// Split splits the output of a git command with -z.
func Split(out []byte) []string {
	if len(out) == 0 {
		return nil
	}
	return strings.Split(string(bytes.TrimSuffix(out, []byte{0})), "\x00")
}

var errTorn = errors.New("git's answer is incomplete")

// harmless are the GIT_… variables that describe how git is installed and where it may look for
// repositories. All others are removed: they could select another repository, index or
// configuration, or change how paths are read.
var harmless = []string{"GIT_EXEC_PATH", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM"}

// environ returns the environment for git, based on the caller's.
func environ(from []string) []string {
	var env []string
	for _, kv := range from {
		name, _, _ := strings.Cut(kv, "=")
		name = strings.ToUpper(name) // Windows does not tell them apart
		if name == "LC_ALL" || strings.HasPrefix(name, "GIT_") && !slices.Contains(harmless, name) {
			continue
		}
		env = append(env, kv)
	}
	return append(env,
		"LC_ALL=C", // we parse messages
		"GIT_OPTIONAL_LOCKS=0",
		"GIT_TERMINAL_PROMPT=0",
		// A replacement reference would show other content under the hash of a snapshot.
		"GIT_NO_REPLACE_OBJECTS=1",
		// Grafts would give commits other parents, and another session's agent can write them at
		// any time. This path never exists.
		"GIT_GRAFT_FILE="+filepath.Join(os.DevNull, "none"),
	)
}

// Environ returns the environment of one call, based on the caller's.
func (c Call) Environ(from []string) []string {
	env := environ(from)
	for _, kv := range from {
		name, _, _ := strings.Cut(kv, "=")
		if c.Pass != nil && strings.HasPrefix(name, "GIT_") && c.Pass(name) {
			env = append(env, kv)
		}
	}
	return append(env, c.Env...)
}
