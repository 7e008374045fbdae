package command

import (
	"path"
	"strings"

	"warp/internal/core/text"
)

var (
	shells = text.WordSet{List: "sh bash dash zsh ksh mksh ash fish rbash yash posh"}
	// viewers look at files, or take any text, and neither change nor run what they are given.
	viewers = text.WordSet{List: `cat less more head tail ls ll jq yq grep egrep fgrep rg ag ack stat file wc diff cmp sort uniq cut tr od xxd
 hexdump strings md5sum sha1sum sha256sum shasum cksum readlink realpath basename dirname du tree bat nl tac rev column which type whereis whatis
 apropos apt apt-get brew dnf yum apk pacman pip pip3 make code open man locate tldr help say logger notify-send git-cliff claude sed gsed tee`}
)

// runCommand looks at one command as the shell does: aliases and functions come
// before programs. They are not relied on to hide one: an alias may not be
// expanded, and a function may not be defined after all.
func (r *reader) runCommand(args []arg) {
	for len(args) > 0 && args[0].s == "" {
		args = args[1:] // an empty variable
	}
	if len(args) == 0 {
		return
	}
	base := programName(args[0].s)
	f := r.funcs[args[0].s]
	if f != nil {
		r.invoke(f, args[1:])
	}
	if f == nil || base == "git" || base == "warp" || base == "eval" || shells.Has(base) || findWrap(base) != nil {
		r.exec(args)
	}
}

// programName is the name that a path ends in.
func programName(s string) string { return strings.TrimSuffix(strings.ToLower(path.Base(s)), ".exe") }

// exec looks at one command as a program does that runs others: there are no
// aliases and no functions.
func (r *reader) exec(args []arg) {
	r.spend()
	r.enter()
	defer r.leave()
	if len(args) == 0 {
		return
	}
	base := programName(args[0].s)
	if hasMark(base) || strings.ContainsAny(base, "*?[") && base != "[" {
		r.runUnknown(args)
		r.print(mark)
		return
	}
	r.program(base, args[0], args[1:])
}

// program tells the programs apart.
func (r *reader) program(base string, name arg, rest []arg) {
	_, written := r.files[r.key(name.s)]
	switch {
	case shells.Has(base):
		r.runShell(rest)
		return
	case r.builtin(base, rest), r.wrapper(base, rest):
		return
	case base == "git" || base == "hub":
		r.git(rest)
	case strings.HasPrefix(base, "git-") && len(base) > 4 && !viewers.Has(base):
		r.subcommand(arg{s: base[4:]}, rest)
	case base == "warp":
		r.emit(Act{Kind: Warp, Args: texts(rest), Set: r.changedVariable()})
	case base == "warp-hook":
		r.emit(Act{Kind: Warp, Args: append([]string{"hook"}, texts(rest)...)})
	case base == "gh" || base == "glab" || base == "tea":
		r.forge(base, rest)
	case r.touches(base, rest):
	case r.runsText(base, rest):
	case viewers.Has(base) && !(base == "yq" && strings.Contains(joinWords(rest), "-i")):
	case strings.Contains(name.s, "/") || written:
		r.runScript(name, rest, false)
		r.checkOwnFiles(rest)
	default:
		r.checkPassedOn(rest)
		r.checkOwnFiles(rest)
	}
	r.print(r.outputOf(base, rest))
}

// checkPassedOn looks for a git command among the arguments of a program that is
// not known: it may be one that runs others.
func (r *reader) checkPassedOn(args []arg) {
	for i, a := range args {
		if programName(a.s) == "git" && i+1 < len(args) {
			if r.changesGit(args[i+1:]) {
				r.noteUnknown("an unknown program is given a git command")
			}
			return
		}
	}
}

// changesGit tells whether a call of git with these arguments would do anything.
func (r *reader) changesGit(args []arg) bool {
	for _, a := range r.tryOut(func() { r.apart(func() { r.git(args) }) }) {
		if a.Kind != Touch && a.Kind != Warp && !strings.HasPrefix(a.Why, noSuchCommand) {
			return true
		}
	}
	return false
}

// runUnknown looks at a command whose name is made at run time: it is near git
// when the name is, or when its arguments are what one would give to git.
func (r *reader) runUnknown(args []arg) {
	name, rest := args[0], args[1:]
	suspicious := markOf(name.s) == markGit
	if !suspicious && name.split && strings.Trim(name.s, allMarks) == "" {
		n := len(r.acts)
		r.runCommand(rest) // the name may be nothing, or a program that runs others
		if len(r.acts) > n {
			return
		}
	}
	suspicious = suspicious || len(rest) > 0 && !hasMark(rest[0].s) && r.changesGit(rest)
	for _, a := range rest {
		suspicious = suspicious || nearGit(a.s) && strings.ContainsAny(a.s, " \t\n;")
	}
	if suspicious {
		r.noteUnknown("the command's name is made at run time")
	}
}
