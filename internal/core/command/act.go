// Package command reports, before a shell command line runs, what it would do to git repositories
// and files. It states facts; the caller decides what to deny. It does no I/O: aliases, scripts and
// folders come in through Env.
//
// A Bash parser reads the text, so a quoted mention of a command does not count. A small interpreter
// follows plain variables, functions, substitutions, pipes, eval, sh -c, scripts and programs that
// run others. One table describes programs (listPrograms), another git's commands (listGitRules).
// The arguments of a program in neither are searched for a command. The parser's package expand is
// not used: it has no unknown values and makes the hook 8% larger.
//
// Guarantees:
//
//   - Read ends, whatever the text: nesting and total work are bounded. Exceeding a bound yields one
//     Unknown act if the text mentions anything guarded.
//   - The same text gives the same acts.
//   - What cannot be determined and may be git is an Unknown act.
//   - A shell script that existed before counts only for what it plainly does. Code in other
//     languages is searched for a few words on the command line and not read from files.
//
// Every branch of a condition counts as taken; what depends on which branch ran is unknown. A cd is
// assumed to succeed. Every file that the command writes counts as having all that it writes.
//
// Git's own hooks and the comparison of refs catch the rest: what make, a test runner or another
// program does once it runs; git commands without a rule; and names assembled without a trace of git.
package command

import (
	"strings"

	"warp/internal/core/text"
)

// Kind classifies an act.
type Kind uint8

const (
	Commit  Kind = iota + 1 // makes commits on a branch
	Merge                   // merge, pull, rebase
	Push                    // sends refs to a remote; see Force, Delete, DryRun, All and Refs
	Ref                     // moves, deletes or writes refs other than by committing
	Discard                 // loses work, committed or not
	Tamper                  // goes around git's hooks or configuration
	Touch                   // writes or removes a file or changes its permissions; see Path
	Warp                    // runs the program warp; see Args
	Unknown                 // may be git, but cannot be determined
)

var kindNames = [...]string{"", "commit", "merge", "push", "ref", "discard", "tamper", "touch", "warp", "unknown"}

func (k Kind) String() string { return kindNames[k] }

// dynamic replaces a word made at run time, in Args and Refs.
const dynamic = "\x00"

// Act is one thing that a command would do.
type Act struct {
	Kind  Kind
	Words string // the command as written, at most 200 bytes
	Why   string // for Unknown, Tamper and Discard: a short reason
	Dir   string // folder that the command runs in; "" if unknown
	Path  string // Touch: absolute; a glob stays as written

	Args []string // Warp: the arguments, dynamic where unknown
	Set  string   // Warp: a variable of its environment that the same text sets or unsets

	Force, Delete, DryRun, All bool // Push

	FastForward bool // Merge: it only fast-forwards
	Global      bool // Tamper: it matters in any folder

	// Refs are a Push's destinations: branches without refs/heads/, other refs in full, HEAD for
	// the checked-out branch, dynamic where unknown. None means git's default.
	Refs []string
	// Remote is the Push's remote, as written; URLs are the addresses that the same text gave to
	// remotes.
	Remote string
	URLs   []string
}

// Env describes the surroundings of a command.
type Env struct {
	Dir    string                                    // absolute start folder
	Alias  func(program, name string) (string, bool) // configured aliases of git, gh or glab
	Script func(path string) (string, bool)          // text of a script that a shell runs or sources
	Folder func(path string) bool                    // reports whether the folder exists
	Branch func(dir, name string) bool               // reports whether the repository around dir has the branch
}

const (
	maxText      = 1 << 20 // bytes of one text
	maxWork      = 20000   // words, commands and acts visited, and texts by their size
	bytesPerWork = 256
	maxScript    = 16 << 10 // bytes of a script on the disk
	maxNesting   = 8        // texts inside texts: sh -c, eval, scripts, aliases
	maxDepth     = 1000     // nodes inside nodes
	maxWords     = 200      // bytes of Act.Words
	maxUnroll    = 64       // words of a for
	defaultIFS   = " \t\n"
)

// Read lists what a command line would do, in order. It returns no error: a text that cannot be
// read gives one Unknown act if it mentions git, otherwise nothing.
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

// plainPrograms change nothing that a guard checks, whatever their arguments. No parser sees what
// they run themselves.
const plainPrograms = " ls cat head tail wc grep rg echo printf pwd true false test cut tr diff cmp jq stat file du df date which basename dirname realpath" +
	" go gofmt cargo rustc make npm yarn pnpm tsc eslint prettier jest vitest pytest ruff mypy mvn gradle gcc clang cmake ctest "

// ordinary reports whether a command line consists of plain programs with plain words: no
// expansion, no quotes, no redirection, nothing about git. Most do, and skip the parser.
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

// isSpecial reports whether a shell may interpret the character.
func isSpecial(c rune) bool {
	return c >= 0x80 || !text.IsLetter(byte(c)) && !text.IsDigit(byte(c)) && !strings.ContainsRune("_-./:,@%+ \t\n;|&", c)
}
