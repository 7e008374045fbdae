package command

import (
	"slices"
	"strings"
)

// options are a command's parsed arguments.
type options struct {
	opts []option
	rest []string // arguments that are not options
	dash int      // how many of rest come before "--"; -1 without one
}

type option struct {
	name string // including its dashes
	val  string
}

// parseOptions separates options from arguments. The first word of valued holds the letters, the
// other words the names of options that take the next argument as a value. Letters after a bar take
// only an attached value. With a leading plus, as in getopt, the first argument ends the options.
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
			wants = !attached && hasWord(long, name[2:])
			l.opts = append(l.opts, option{name, val})
		case len(s) > 1 && (s[0] == '-' || leading && s[0] == '+'): // bash +e -c text
			wants = l.addLetters(s[1:], short)
		case leading:
			l.rest = args[i:]
			return l
		default:
			l.rest = append(l.rest, s)
		}
		if wants && i+1 < len(args) {
			i++
			l.opts[len(l.opts)-1].val = args[i]
		}
	}
	return l
}

// addLetters splits combined letters up to one with a value. It returns true if that value is the
// next argument.
func (l *options) addLetters(letters, short string) bool {
	for i := range len(letters) {
		o := option{"-" + letters[i:i+1], ""}
		at := strings.IndexByte(short, letters[i])
		if at >= 0 {
			o.val = letters[i+1:]
		}
		if l.opts = append(l.opts, o); at >= 0 {
			return o.val == "" && at < strings.IndexByte(short+"|", '|')
		}
	}
	return false
}

// matches reports whether the option has this name. Git accepts an abbreviated long option; an
// ambiguous one only makes git stop.
func (o *option) matches(name string) bool {
	return o.name == name || len(o.name) > 2 && o.name[1] == '-' && name[1] == '-' && strings.HasPrefix(name, o.name)
}

// values returns the values of these options, in order.
func (l *options) values(names ...string) (list []string) {
	for _, o := range l.opts {
		if slices.ContainsFunc(names, o.matches) {
			list = append(list, o.val)
		}
	}
	return list
}

// get returns the value of the first of these options that is present.
func (l *options) get(names ...string) (string, bool) {
	list := l.values(names...)
	return append(list, "")[0], len(list) > 0
}

func (l *options) has(names ...string) bool { return len(l.values(names...)) > 0 }

// hasExactly reports whether one of these options is present in full: an abbreviation is not enough
// to call a command harmless.
func (l *options) hasExactly(names ...string) bool {
	return slices.ContainsFunc(l.opts, func(o option) bool { return slices.Contains(names, o.name) }) && !l.has("--no-dry-run")
}

// unknownOption reports whether an option is known only at run time.
func (l *options) unknownOption() bool {
	return slices.ContainsFunc(l.opts, func(o option) bool { return hasMark(o.name) })
}

func (l *options) first() string { return joinWords(l.rest[:min(1, len(l.rest))]) }
