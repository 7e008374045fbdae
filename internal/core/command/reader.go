package command

import (
	"errors"
	"io"
	"path"
	"runtime"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"warp/internal/core/text"
)

// reader walks one command line and all texts that it leads to.
type reader struct {
	env    Env
	parser *syntax.Parser
	acts   []Act
	state

	funcs      map[string]*function
	order      []string            // names of funcs, in the order of their definition
	aliases    map[string]string   // of the shell
	files      map[string]file     // what the command wrote
	gitAliases map[string]string   // of git, for one call
	links      map[string]string   // programs under another name: path to name
	remotes    map[string][]string // of repositories that the command made or changed: folder to URLs
	running    map[string]bool     // scripts being read

	src       string // the text being walked
	words     string // the command being walked, for messages
	sawGit    bool   // any text so far mentioned git
	quiet     int    // above 0: a value is wanted, acts were noted before
	disk      bool   // the value is about to be run
	pinned    int    // above 0: words stay, an alias is expanded
	plainOnly int    // above 0: a script from the disk is read
	nesting   int
	depth     int
	work      int
	read      int
	unroll    int // how often the loops around the current command are walked
	substs    int // process substitutions so far
}

// errBound is thrown where a bound is passed.
var errBound = errors.New("too much to read")

func (r *reader) spend() {
	if r.work++; r.work > maxWork {
		panic(errBound)
	}
}

// enter bounds how deep nodes nest; the caller leaves with r.depth--.
func (r *reader) enter() {
	if r.depth++; r.depth > maxDepth {
		panic(errBound)
	}
}

func (r *reader) emit(a Act) {
	if r.quiet > 0 {
		return
	}
	if a.Words == "" {
		a.Words = r.words
	}
	if a.Dir == "" {
		a.Dir = r.dir
	}
	if len(r.acts) >= maxActs {
		panic(errBound)
	}
	r.acts = append(r.acts, a)
}

func (r *reader) unknown(why string) {
	if r.plainOnly == 0 {
		r.emit(Act{Kind: Unknown, Why: why})
	}
}

// nested reads a text within the current state. A text that does not parse is
// Unknown when suspect says so.
func (r *reader) nested(text string, suspect func(string) bool) {
	r.nesting++
	defer func() { r.nesting-- }()
	git := mentionsGit(text)
	r.sawGit = r.sawGit || git
	r.read += len(text)
	if len(text) > maxText || r.read > maxRead || r.nesting > maxNesting {
		if git {
			r.unknown("the text is too long or too deeply nested to be read")
		}
		return
	}
	f, err := r.parse(text)
	if errors.Is(err, errBound) {
		panic(errBound)
	}
	src, words := r.src, r.words
	r.src = text
	// Bash runs a script line by line: what stands before an error is run.
	r.stmts(f.Stmts)
	r.src, r.words = src, words
	if err != nil && suspect(text) {
		r.unknown("the text is no shell that can be read")
	}
}

// subshell reads a text in a shell of its own.
func (r *reader) subshell(text string, params []arg) {
	saved := r.state.clone()
	r.params, r.told = params, true
	r.nested(text, nearGit)
	r.state = saved
}

func (r *reader) parse(text string) (*syntax.File, error) {
	if r.parser == nil {
		r.parser = syntax.NewParser()
	}
	return r.parser.Parse(&feed{text: text}, "")
}

// feed hands the text to the parser. The parser calls itself for what nests, and
// Go cannot recover from a stack that is full; so feed looks how deep the stack
// is that it is called on, once for each buffer that the parser fills.
type feed struct{ text string }

func (f *feed) Read(p []byte) (int, error) {
	const maxFrames = 20000
	if f.text == "" {
		return 0, io.EOF
	}
	var pc [1]uintptr
	if runtime.Callers(maxFrames, pc[:]) > 0 {
		return 0, errBound
	}
	n := copy(p, f.text)
	f.text = f.text[n:]
	return n, nil
}

func absolute(dir string) string {
	if !path.IsAbs(dir) {
		return ""
	}
	return path.Clean(dir)
}

func shorten(s string) string { return text.Prefix(strings.TrimSpace(s), maxWords) }
