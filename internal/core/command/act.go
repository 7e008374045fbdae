package command

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

func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "?"
}

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

func (e *Env) findAlias(program, name string) (string, bool) {
	if e.Alias == nil || name == "" {
		return "", false
	}
	return e.Alias(program, name)
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
	r := &reader{env: env}
	r.dir = absolute(env.Dir)
	r.readAll(text)
	return r.acts
}
