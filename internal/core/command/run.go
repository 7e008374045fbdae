package command

import (
	"path"
	"strings"

	"warp/internal/core/lexicon"
)

// run looks at one command as the shell does: aliases and functions come before
// programs. They are not relied on to hide one: an alias may not be expanded, and
// a function may not be defined after all.
func (r *reader) run(args []arg) {
	for len(args) > 0 && args[0].s == "" {
		args = args[1:] // an empty variable
	}
	if len(args) == 0 {
		return
	}
	name, rest := args[0].s, args[1:]
	text, isAlias := r.aliases[name]
	f := r.funcs[name]
	switch {
	case isAlias:
		r.guard("alias "+name, func() { r.expanded(text, rest) })
	case f != nil:
		r.invoke(f, rest, !anySplit(rest))
	default:
		r.exec(args)
		return
	}
	if _, base := r.named(args[0]); runner(base) {
		r.exec(args)
	}
}

// runner tells the programs that an alias or function of the same name must not
// hide.
func runner(base string) bool {
	return base == "git" || base == "warp" || base == "eval" || shells.Has(base) || findWrap(base) != nil
}

// named is the program that a word names; ok is false for one made at run time.
func (r *reader) named(name arg) (ok bool, base string) {
	base = strings.TrimSuffix(programName(name.s), ".exe")
	if link, is := r.links[r.key(name.s)]; is {
		return true, link
	}
	pattern := strings.ContainsAny(base, "*?[") && base != "[" && base != "[["
	return !untold(base) && !pattern, base
}

// exec looks at one command as a program does that runs others: there are no
// aliases and no functions.
func (r *reader) exec(args []arg) {
	r.spend()
	r.enter()
	defer func() { r.depth-- }()
	for len(args) > 0 && args[0].s == "" {
		args = args[1:]
	}
	if len(args) == 0 {
		return
	}
	ok, base := r.named(args[0])
	if !ok {
		r.runDynamic(args)
		return
	}
	r.program(base, args[0], args[1:])
}

// with runs f with these positional parameters.
func (r *reader) with(params []arg, f func()) {
	before, told := r.params, r.told
	r.params, r.told = params, !anySplit(params)
	f()
	r.params, r.told = before, told
}

// expanded runs the text that an alias stands for. Messages keep the words that
// were written.
func (r *reader) expanded(text string, rest []arg) {
	r.pinned++
	r.with(rest, func() { r.nested(text+` "$@"`, nearGit) })
	r.pinned--
}

// guard runs f unless it is already being run for the same thing.
func (r *reader) guard(key string, f func()) {
	if r.running[key] {
		return
	}
	if r.running == nil {
		r.running = map[string]bool{}
	}
	r.running[key] = true
	f()
	delete(r.running, key)
}

func anySplit(args []arg) bool {
	for _, a := range args {
		if a.split {
			return true
		}
	}
	return false
}

var (
	shells = lexicon.Set{List: "sh bash dash zsh ksh mksh ash fish rbash yash posh"}
	// talkers take any text and run none of it.
	talkers = lexicon.Set{List: `echo printf grep egrep fgrep rg ag ack which type whereis whatis apropos test [ [[ apt apt-get
 brew dnf yum apk pacman pip pip3 make cat less more head tail ls read true false : wc sort
 uniq cut diff jq yq fd locate tldr help say logger notify-send git-cliff claude`}
)

// program tells the programs apart.
func (r *reader) program(base string, name arg, rest []arg) {
	before := len(r.acts)
	switch {
	case base == "git" || base == "hub":
		r.git(rest)
	case strings.HasPrefix(base, "git-") && len(base) > 4 && !talkers.Has(base):
		r.subcommand(arg{s: base[4:]}, rest)
	case base == "warp":
		r.emit(Act{Kind: Warp, Args: texts(rest), Set: r.steersWarp()})
	case base == "warp-hook":
		r.emit(Act{Kind: Warp, Args: append([]string{"hook"}, texts(rest)...)})
	case base == "gh" || base == "glab" || base == "tea":
		r.forge(base, rest)
	case shells.Has(base):
		r.shell(rest)
	case r.builtin(base, rest), r.wrapper(base, rest), r.toucher(base, rest):
	case r.foreign(base, rest):
		if len(r.acts) == before {
			r.ownWrites(base, rest)
		}
	case talkers.Has(base):
		r.ownWrites(base, rest)
	case strings.Contains(name.s, "/"):
		r.script(name, rest, false)
		r.ownWrites(base, rest)
	default:
		r.passedOn(rest)
		r.ownWrites(base, rest)
	}
}

// passedOn looks for a git command among the arguments of a program that is not
// known: it may be one that runs others.
func (r *reader) passedOn(args []arg) {
	for i, a := range args {
		if programName(a.s) == "git" && i+1 < len(args) {
			if r.trial(func() { r.git(args[i+1:]) }) {
				r.unknown("a program that is not known is given a git command")
			}
			return
		}
	}
}

// trial tells whether f would note an act of git.
func (r *reader) trial(f func()) bool {
	acts, quiet, tamper := r.acts, r.quiet, r.tamper
	r.acts, r.quiet, r.tamper = nil, 0, nil
	f()
	got := r.acts
	r.acts, r.quiet, r.tamper = acts, quiet, tamper
	for _, a := range got {
		if a.Kind != Touch && a.Kind != Warp && !strings.HasPrefix(a.Why, notGit) {
			return true
		}
	}
	return false
}

// runDynamic looks at a command whose name is made at run time: it is near git
// when the name is, or when its arguments are what one would give to git.
func (r *reader) runDynamic(args []arg) {
	const why = "the command's name is made at run time"
	name, rest := args[0], args[1:]
	if strings.Contains(name.s, dynGit) || mentionsGit(name.s) {
		r.unknown(why)
		return
	}
	if name.split && strings.Trim(name.s, dynAny) == "" && len(rest) > 0 {
		n := len(r.acts)
		r.run(rest) // the name may be nothing, or a program that runs others
		if len(r.acts) > n {
			return
		}
	}
	if len(rest) > 0 && !untold(rest[0].s) && r.trial(func() { r.git(rest) }) {
		r.unknown(why)
		return
	}
	for _, a := range rest {
		if nearGit(a.s) && strings.ContainsAny(a.s, " \t\n;") {
			r.unknown(why)
			return
		}
	}
}

// texts are arguments as Act gives them.
func texts(args []arg) []string {
	out := make([]string, 0, len(args))
	for _, a := range args {
		if untold(a.s) {
			out = append(out, Dynamic)
		} else {
			out = append(out, a.s)
		}
	}
	return out
}

// programName is the name that a path ends in.
func programName(s string) string { return strings.ToLower(path.Base(s)) }
