package command

import (
	"cmp"
	"errors"
	"io"
	"runtime"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"warp/internal/core/text"
)

// reader holds what is known while one command line is read, with all texts that it
// leads to. A walker follows statements, a builder expands words, a call is what a
// program does.
type reader struct {
	env      Env
	programs []program
	gitRules []gitRule
	parser   *syntax.Parser
	acts     []Act
	state
	bounds
	output

	funcs   []*function
	files   map[string]string // what the command wrote, by path
	remotes []string          // addresses that the command gave to repositories
	running map[string]int    // functions, aliases and scripts being read

	src       string // the text being walked
	words     string // the command being walked, for messages
	sawGit    bool   // any text so far mentioned git
	sawDiff   bool   // git was asked how the work tree differs
	maybe     int    // above 0: what is read may not run
	pinned    int    // above 0: words stay, an alias is expanded
	plainOnly int    // above 0: a script from the disk is read
}

// bounds ends the reading of what is too large.
type bounds struct {
	depth, nesting, unroll int
	work, mostWork         int
}

// errBound is thrown where a bound is passed.
var errBound = errors.New("too much to read")

func (b *bounds) spend() {
	if b.work++; b.work > b.mostWork {
		panic(errBound)
	}
}

// enter bounds how deep nodes nest; the caller defers what it returns.
func (b *bounds) enter() (leave func()) {
	b.spend()
	if b.depth++; b.depth > maxDepth {
		panic(errBound)
	}
	return func() { b.depth-- }
}

// checkSize bounds a text that is put together: a value may double with each line.
func checkSize(n int) {
	if n > maxText {
		panic(errBound)
	}
}

// readAll is the one place that catches a panic: of the parser, or of a bound.
func (r *reader) readAll(text string) {
	r.parser, r.programs, r.gitRules = syntax.NewParser(), listPrograms(), listGitRules()
	r.vars = map[string]variable{"IFS": {list: []string{defaultIFS}}, "_unknowngit": {list: []string{markGit}}, // for spellMarks
		"_unknownlist": {list: []string{mark + markList}}, "_unknowngitlist": {list: []string{markGit + markList}}}
	r.files = map[string]string{}
	r.running = map[string]int{}
	r.mostWork = maxWork
	defer func() {
		if p := recover(); p != nil && (mentionsGuarded(text) || r.sawGit) {
			r.acts = append(r.acts, Act{Kind: Unknown, Words: shorten(text), Why: "the command is too large to be read", Dir: r.dir})
		}
	}()
	r.words = shorten(text)
	r.readText(text)
	r.runUncalled()
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

// tryOut returns the acts of f, and notes none of them.
func (r *reader) tryOut(f func()) (got []Act) {
	acts := r.acts
	defer func() { got, r.acts = r.acts, acts }()
	r.acts = nil
	r.capture(f)
	return nil
}

// apart runs f in a subshell: what it sets is lost.
func (r *reader) apart(f func()) {
	saved := r.clone()
	f()
	r.state = saved
}

// readText walks a text within the current state. One that does not parse is
// Unknown when it may be about git.
func (r *reader) readText(text string) {
	r.nesting++
	defer func() { r.nesting-- }()
	git := mentionsGit(text)
	r.sawGit = r.sawGit || git
	r.work += len(text) / bytesPerWork
	if len(text) > maxText || r.nesting > maxNesting {
		if git {
			r.noteUnknown("the text is too long or too deeply nested to be read")
		}
		return
	}
	f, err := r.parser.Parse(&feed{text: text}, "")
	if errors.Is(err, errBound) {
		panic(errBound)
	}
	src, words := r.src, r.words
	r.src = text
	// Bash runs a script line by line: what stands before an error is run.
	walker{r}.stmts(f.Stmts)
	r.src, r.words = src, words
	if err != nil && (nearGit(text) || git && r.nesting == 1) {
		r.noteUnknown("the text is not valid shell")
	}
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

func shorten(s string) string { return text.Prefix(strings.TrimSpace(s), maxWords) }
