// Package command says, before a shell command line runs, what it would do to a
// git repository and to files. It states facts; the caller decides what to deny.
// It is pure: aliases, scripts and folders come in through Env.
//
// The text is read by a parser of Bash, so that a quoted mention of a command is no
// command and a disguised command is one. A small interpreter follows it through
// variables, functions, aliases, substitutions, pipes, eval, sh -c, scripts, files that
// the same text writes and runs, and programs that run others (env, xargs, find). What a
// program does is in one table (listPrograms), what a command of git does in another
// (listGitRules). A program that is in neither is searched for a command among its
// arguments.
//
// Words are expanded here, not by the parser's own package expand: that one knows no
// unknown values, does not bound {1..999999999}, and makes the hook 8% larger.
//
// It guarantees:
//
//   - Read ends, whatever the text: nesting, unrolling and total work are bounded,
//     and what goes over a bound is one Unknown act if the text mentions what is guarded.
//   - The same text gives the same acts.
//   - Where it cannot tell what runs, and git may be what runs, there is an Unknown
//     act rather than none.
//   - Of a shell script that was there before, only what it plainly does counts. Code of
//     other languages is searched for a few words on the command line, and not read in
//     files: `node check.js` was once refused for a comment.
//
// Every branch of a condition counts as taken, and every function as called. A
// variable or folder that depends on which branch ran counts as unknown, a file as all
// that it may hold. A cd is taken to succeed.
//
// Git's own hooks and the comparison of refs catch the rest: what make, npm, a test
// runner or a compiled program does once it runs; other hosts; what tar, patch or a
// formatter writes; and names that are put together without a trace of git.
package command

import (
	"strings"

	"warp/internal/core/text"
)

// Kind is what an act does.
type Kind uint8

// The kinds of act.
const (
	Commit  Kind = iota + 1 // makes commits on a branch
	Merge                   // merge, pull, rebase
	Push                    // sends refs to a remote; see Force, Delete, DryRun, All and Refs
	Ref                     // moves, deletes or writes refs other than by committing
	Discard                 // loses work, committed or not
	Tamper                  // goes around git's hooks or configuration
	Touch                   // writes, removes or changes permissions of a file; see Path
	Warp                    // runs the program warp; see Args
	Unknown                 // it cannot be told what runs, and it is near git
)

var kindNames = [...]string{"", "commit", "merge", "push", "ref", "discard", "tamper", "touch", "warp", "unknown"}

func (k Kind) String() string { return kindNames[k] }

// dynamic stands for a word that is made at run time, in Args and Refs.
const dynamic = "\x00"

// Act is one thing that a command would do.
type Act struct {
	Kind  Kind
	Words string // the command as written, at most 200 bytes
	Why   string // for Unknown, Tamper and Discard: a short reason
	Dir   string // folder that the command runs in; "" when it cannot be told
	Path  string // Touch: absolute; a glob stays as it is written

	Args []string // Warp: the arguments, Dynamic for what cannot be told
	Set  string   // Warp: a variable of its environment that the same text sets or takes away

	Force, Delete, DryRun, All bool // Push

	FastForward bool // Merge: it only moves on to what is there already
	Global      bool // Tamper: it matters whatever folder it runs in

	// Refs are a Push's destinations: branches without refs/heads/, other refs in
	// full, HEAD for the branch that is checked out, Dynamic for what cannot be
	// told. None means git's default.
	Refs []string
	// Remote is where a Push goes, as written; URLs are what the same text gave the
	// repository for remotes.
	Remote string
	URLs   []string
}

// Env is what surrounds a command.
type Env struct {
	Dir    string                                    // absolute folder that the command starts in
	Alias  func(program, name string) (string, bool) // aliases of git, gh or glab, as configured
	Script func(path string) (string, bool)          // text of a script that a shell runs or sources
	Folder func(path string) bool                    // whether there is such a folder
	Branch func(dir, name string) bool               // whether the repository around a folder has such a branch
}

const (
	maxText      = 1 << 20 // bytes of one text
	maxWork      = 20000   // words, commands and acts looked at, and texts by their size
	bytesPerWork = 256
	maxNesting   = 8    // texts inside texts: sh -c, eval, scripts, aliases
	maxDepth     = 1000 // nodes inside nodes
	maxWords     = 200  // bytes of Act.Words
)

// Read lists what a command line would do, in order. There is no error: a text
// that cannot be read is one Unknown act when it mentions git, else nothing.
func Read(text string, env Env) []Act {
	if ordinary(text) {
		return nil
	}
	if env.Alias == nil {
		env.Alias = func(string, string) (string, bool) { return "", false }
	}
	r := &reader{env: env}
	r.dir = r.abs(env.Dir)
	r.readAll(text)
	return r.acts
}

// plainPrograms are programs that change nothing that a guard looks at, whatever
// their arguments are; what they run themselves no parser sees.
const plainPrograms = " ls cat head tail wc grep rg echo printf pwd true false test cut tr diff cmp jq stat file du df date which basename dirname realpath" +
	" go gofmt cargo rustc make npm yarn pnpm tsc eslint prettier jest vitest pytest ruff mypy mvn gradle gcc clang cmake ctest "

// ordinary tells whether a command line is nothing but plain programs with plain
// words: no expansion, no quotes, no redirection, nothing about git. Most are,
// and the parser need not be asked.
func ordinary(text string) bool {
	if mentionsGuarded(text) || len(text) > 4096 || strings.ContainsFunc(text, isSpecial) {
		return false
	}
	for command := range strings.FieldsFuncSeq(text, func(c rune) bool { return strings.ContainsRune("\n;|&", c) }) {
		for i, word := range strings.Fields(command) {
			// Text for an interpreter, and options that name a program.
			runs := word == "-c" || word == "-e" || word[0] == '-' && strings.Contains(word, "exec")
			if i == 0 && !strings.Contains(plainPrograms, " "+word+" ") || runs {
				return false
			}
		}
	}
	return true
}

// isSpecial tells a character that a shell may take for more than itself.
func isSpecial(c rune) bool {
	return c >= 0x80 || !text.IsLetter(byte(c)) && !text.IsDigit(byte(c)) && !strings.ContainsRune("_-./:,@%+ \t\n;|&", c)
}
