package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"warp/internal/sys/proc"
)

const (
	timeLimit = 60 * time.Second
	// maxOutput is more than the list of all paths of any real repository. A
	// longer answer is an error and not a list with its beginning missing.
	maxOutput = 256 << 20
)

// A call is one run of git.
type call struct {
	args  []string
	stdin []byte
	env   []string // on top of the usual
	max   int      // bytes of output; 0: maxOutput
}

// An answer is what git said, with its stderr trimmed.
type answer struct {
	exit   int
	stdout []byte
	stderr string
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
		said = "without a word"
	}
	return fmt.Sprintf("git %s in %s ended with %d: %s; run it there by hand to look into it", strings.Join(f.Args, " "), f.Dir, f.Exit, said)
}

// settings are given to every command.
var settings = []string{
	// These two would run programs that the repository names.
	"-c", "core.fsmonitor=false",
	"-c", "core.hooksPath=" + os.DevNull,
	// Git would refuse files over their line ends.
	"-c", "core.safecrlf=false",
	// A split index would leave its other half in git's folder.
	"-c", "core.splitIndex=false",
}

// ask runs git and returns its answer whatever its exit code is.
func (r Repo) ask(c call) (answer, error) {
	limit := maxOutput
	if c.max > 0 {
		limit = max(c.max, proc.DefaultKeep) // it bounds the messages, too
	}
	cmd := proc.Cmd{
		Argv:    slices.Concat([]string{"git"}, settings, c.args),
		Dir:     r.Dir,
		Env:     append(environ(os.Environ()), c.env...),
		Timeout: timeLimit,
		Keep:    limit,
	}
	if c.stdin != nil {
		cmd.Stdin = bytes.NewReader(c.stdin)
	}
	what := fmt.Sprintf("git %s in %s", strings.Join(c.args, " "), r.Dir)
	res, err := proc.Run(context.Background(), cmd)
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return answer{}, fmt.Errorf("%s: %w; install git", what, ErrNoGit)
	case err != nil:
		return answer{}, fmt.Errorf("%s: %w", what, err)
	case res.TimedOut:
		return answer{}, fmt.Errorf("%s was ended after %v; see whether the disk is slow or «git gc» helps", what, timeLimit)
	case res.StdoutSize > int64(len(res.Stdout)):
		return answer{}, fmt.Errorf("%s answered with %d bytes, %d are the limit", what, res.StdoutSize, limit)
	}
	return answer{res.Exit, res.Stdout, strings.TrimSpace(string(res.Stderr))}, nil
}

// must runs git and takes any exit code but 0 for an error.
func (r Repo) must(c call) ([]byte, error) {
	a, err := r.ask(c)
	if err != nil {
		return nil, err
	}
	if a.exit != 0 {
		return nil, r.failure(c, a)
	}
	return a.stdout, nil
}

func (r Repo) failure(c call, a answer) error {
	return &Failure{Args: c.args, Dir: r.Dir, Exit: a.exit, Stderr: a.stderr}
}

// maybe runs git where exit code 1 means «there is none». It returns one line.
func (r Repo) maybe(args ...string) (value string, found bool, err error) {
	c := call{args: args}
	a, err := r.ask(c)
	switch {
	case err != nil:
		return "", false, err
	case a.exit == 0:
		return strings.TrimSuffix(string(a.stdout), "\n"), true, nil
	case a.exit == 1:
		return "", false, nil
	}
	return "", false, r.failure(c, a)
}

// split takes the answer of a git command with -z apart.
func split(out []byte) []string {
	if len(out) == 0 {
		return nil
	}
	return strings.Split(string(bytes.TrimSuffix(out, []byte{0})), "\x00")
}

var errTorn = errors.New("git's answer ends in the middle")

// harmless are the variables of git that say how git itself is installed and
// where it may look for repositories. All others go, as they could lead to
// another repository, index or configuration, or change how paths are read.
var harmless = []string{"GIT_EXEC_PATH", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM"}

// environ returns the environment for git, made from that of the caller.
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
		"LC_ALL=C", // messages are looked into
		"GIT_OPTIONAL_LOCKS=0",
		"GIT_TERMINAL_PROMPT=0",
		// A replacement reference would show another content under the hash
		// of a snapshot.
		"GIT_NO_REPLACE_OBJECTS=1",
	)
}
