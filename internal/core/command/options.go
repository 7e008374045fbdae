package command

import (
	"slices"
	"strings"
)

// options is a command's arguments, told apart.
type options struct {
	opts []option
	rest []string // what is no option
	dash int      // how many of rest stand before "--"; -1 without one
}

type option struct {
	name string // with its dashes
	val  string
	bare bool // the argument behind it may be its value after all
}

// parseOptions tells options from arguments. The first word of valued holds the
// letters, the other words the names of options that take the next argument for a
// value. Letters after a bar take one only where it is attached. After a plus, as
// with getopt, the first argument ends the options.
func parseOptions(args []string, valued string) options {
	valued, leading := strings.CutPrefix(valued, "+")
	short, long, _ := strings.Cut(valued, " ")
	l := options{dash: -1}
	for i := 0; i < len(args); i++ {
		s, wants := args[i], false
		switch {
		case s == "--":
			l.dash = len(l.rest)
			l.rest = append(l.rest, args[i+1:]...)
			return l
		case strings.HasPrefix(s, "--"):
			name, val, attached := strings.Cut(s, "=")
			wants = !attached && takesValue(long, name[2:])
			l.opts = append(l.opts, option{name, val, !attached})
		case len(s) > 1 && s[0] == '-':
			wants = l.addLetters(s[1:], short)
		case leading:
			l.rest = args[i:]
			return l
		default:
			l.rest = append(l.rest, s)
		}
		if wants && i+1 < len(args) {
			i++
			o := &l.opts[len(l.opts)-1]
			o.val, o.bare = args[i], false
		}
	}
	return l
}

// addLetters takes letters apart up to one that has a value; true when that value is the
// next argument.
func (l *options) addLetters(letters, short string) bool {
	for i := range len(letters) {
		o := option{"-" + letters[i:i+1], "", len(letters) == 1}
		at := strings.IndexByte(short, letters[i])
		if at >= 0 {
			o.val, o.bare = letters[i+1:], false
		}
		if l.opts = append(l.opts, o); at >= 0 {
			return o.val == "" && at < strings.IndexByte(short+"|", '|')
		}
	}
	return false
}

// takesValue tells a long option with a value, by its name or the start of it.
func takesValue(long, name string) bool {
	return hasWord(long, name) || len(name) > 3 && strings.Contains(" "+long, " "+name)
}

// matches tells an option by its name. Git takes the start of a long option for the
// whole; a start that is ambiguous only makes it stop.
func (o *option) matches(name string) bool {
	return o.name == name || len(o.name) > 2 && o.name[1] == '-' && name[1] == '-' && strings.HasPrefix(name, o.name)
}

// values are those of these options, in order.
func (l *options) values(names ...string) (list []string) {
	for _, o := range l.opts {
		if slices.ContainsFunc(names, o.matches) {
			list = append(list, o.val)
		}
	}
	return list
}

// get is the value of the first of these options, if one is given.
func (l *options) get(names ...string) (string, bool) {
	list := l.values(names...)
	return append(list, "")[0], len(list) > 0
}

func (l *options) has(names ...string) bool { return len(l.values(names...)) > 0 }

// hasExactly tells whether one of these options is given in full: for what makes a
// command harmless, a guess is not enough.
func (l *options) hasExactly(names ...string) bool {
	return slices.ContainsFunc(l.opts, func(o option) bool { return slices.Contains(names, o.name) }) && !l.has("--no-dry-run")
}

// unknownOption tells an option that is made at run time, rather than an argument.
func (l *options) unknownOption() bool {
	return slices.ContainsFunc(l.opts, func(o option) bool { return hasMark(o.name) })
}

// unknownArgument tells an argument that may become an option, or several, at run time.
func (l *options) unknownArgument() bool {
	return slices.ContainsFunc(l.rest[:min(uint(l.dash), uint(len(l.rest)))], maySplit)
}

// first is the first argument.
func (l *options) first() string {
	if len(l.rest) == 0 {
		return ""
	}
	return l.rest[0]
}
