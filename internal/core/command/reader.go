package command

import (
	"cmp"
	"errors"
	"runtime"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"warp/internal/core/text"
)

// reader holds the state of reading one command line and every text that it leads to. A walker
// follows statements, a builder expands words, a call is one run of a program.
type reader struct {
	env      Env
	programs []program
	gitRules []gitRule
	parser   *syntax.Parser
	acts     []Act
	state
	out []byte // what commands print; nil if nothing reads it

	fresh   []string       // files that the command wrote, by their keys
	written string         // all that it wrote to them
	remotes []string       // addresses that the command gave to remotes
	running map[string]int // functions, aliases and scripts being read

	src       string // the text being walked
	words     string // the command being walked, for messages
	pinned    int    // above 0: an alias is being expanded, words stays
	plainOnly int    // above 0: a script from the disk is being read

	depth, nesting, work int // stop the reading of a text that is too large
}

// errBound is the panic for an exceeded bound.
var errBound = errors.New("too much to read")

func (r *reader) spend() {
	if r.work++; r.work > maxWork {
		panic(errBound)
	}
}

// enter bounds the nesting of nodes; the caller defers the returned function.
func (r *reader) enter() (leave func()) {
	r.spend()
	if r.depth++; r.depth > maxDepth {
		panic(errBound)
	}
	return func() { r.depth-- }
}

// checkSize bounds an assembled text: a value may double with each line.
func checkSize(n int) {
	if n > maxText {
		panic(errBound)
	}
}

// readAll is the only place that recovers a panic, from the parser or a bound.
func (r *reader) readAll(text string) {
	r.parser, r.programs, r.gitRules = syntax.NewParser(), listPrograms(), listGitRules()
	r.vars = map[string]variable{"IFS": {list: []string{defaultIFS}}, "_unknowngit": {list: []string{markGit}}, // for spellMarks
		"_unknownlist": {list: []string{mark + markList}}, "_unknowngitlist": {list: []string{markGit + markList}}}
	r.running = map[string]int{}
	defer func() {
		if p := recover(); p != nil && mentionsGuarded(text) {
			r.acts = append(r.acts, Act{Kind: Unknown, Words: shorten(text), Why: "the command is too large to be read", Dir: r.dir})
		}
	}()
	r.words = shorten(text)
	r.readText(text)
}

func (r *reader) emit(a Act) {
	a.Words, a.Dir = cmp.Or(a.Words, r.words), cmp.Or(a.Dir, r.dir)
	r.spend()
	r.acts = append(r.acts, a)
}

func (r *reader) noteUnknown(why string) {
	if r.plainOnly == 0 {
		r.emit(Act{Kind: Unknown, Why: why})
	}
}

// tryOut returns the acts of f without noting them.
func (r *reader) tryOut(f func()) []Act {
	n := len(r.acts)
	r.capture(f)
	got := slices.Clone(r.acts[n:])
	r.acts = r.acts[:n]
	return got
}

// inSubshell runs f in a subshell, so its assignments are lost.
func (r *reader) inSubshell(f func()) {
	saved := r.clone()
	f()
	r.state = saved
}

// readText walks a text in the current state. A text that does not parse is Unknown if it may be
// about git.
func (r *reader) readText(text string) {
	r.nesting++
	defer func() { r.nesting-- }()
	git := mentionsGit(text)
	r.work += len(text) / bytesPerWork
	if len(text) > maxText || r.nesting > maxNesting {
		if git {
			r.noteUnknown("the text is too long or too deeply nested to be read")
		}
		return
	}
	f, err := r.parser.Parse(feed{strings.NewReader(text)}, "")
	if errors.Is(err, errBound) {
		panic(errBound)
	}
	src, words := r.src, r.words
	r.src = text
	// Bash runs a script line by line, so everything before a syntax error runs.
	walker{r}.stmts(f.Stmts)
	r.src, r.words = src, words
	if err != nil && (nearGit(text) || git && r.nesting == 1) {
		r.noteUnknown("the text is not valid shell")
	}
}

// feed hands the text to the parser. The parser recurses, and Go cannot recover from a stack
// overflow, so feed checks the depth of the stack each time the parser fills its buffer.
type feed struct{ *strings.Reader }

func (f feed) Read(p []byte) (int, error) {
	const maxFrames = 20000
	if runtime.Callers(maxFrames, make([]uintptr, 1)) > 0 {
		return 0, errBound
	}
	return f.Reader.Read(p)
}

func shorten(s string) string { return text.Prefix(strings.TrimSpace(s), maxWords) }
