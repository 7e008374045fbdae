package command

import "strings"

// line is a command's arguments, told apart.
type line struct {
	opts []opt
	rest []arg // what is no option
	dash int   // how many of rest stand before "--"; -1 without one
	dyn  bool  // an option is made at run time
}

type opt struct {
	name string // with its dashes
	val  arg
}

// parseLine tells options from arguments. short holds the letters and long the
// names of the options that take the next argument for a value; the letters of
// short after a bar take a value only where it is attached.
func parseLine(args []arg, short, long string) line {
	l := line{dash: -1}
	for i := 0; i < len(args); i++ {
		s := args[i].s
		switch {
		case s == "--":
			l.dash = len(l.rest)
			l.rest = append(l.rest, args[i+1:]...)
			return l
		case strings.HasPrefix(s, "--"):
			name, val, cut := strings.Cut(s, "=")
			o := opt{name: name, val: arg{s: val}}
			l.dyn = l.dyn || untold(name)
			if !cut && takes(long, name[2:]) && i+1 < len(args) {
				i++
				o.val = args[i]
			}
			l.opts = append(l.opts, o)
		case len(s) > 1 && s[0] == '-':
			i = l.cluster(args, i, short)
		default:
			l.dyn = l.dyn || args[i].split
			l.rest = append(l.rest, args[i])
		}
	}
	return l
}

// cluster takes letters apart up to one that has a value.
func (l *line) cluster(args []arg, i int, short string) int {
	s := args[i].s
	for j := 1; j < len(s); j++ {
		o := opt{name: "-" + s[j:j+1]}
		l.dyn = l.dyn || s[j] <= 2
		at := strings.IndexByte(short, s[j])
		if at < 0 {
			l.opts = append(l.opts, o)
			continue
		}
		if bar := strings.IndexByte(short, '|'); bar >= 0 && at > bar {
			o.val = arg{s: s[j+1:]}
			l.opts = append(l.opts, o)
			break
		}
		if o.val = (arg{s: s[j+1:]}); o.val.s == "" && i+1 < len(args) {
			i++
			o.val = args[i]
		}
		l.opts = append(l.opts, o)
		break
	}
	return i
}

// takes tells a long option with a value, by its name or the start of it.
func takes(long, name string) bool {
	for w := range strings.FieldsSeq(long) {
		if w == name || len(name) > 3 && strings.HasPrefix(w, name) {
			return true
		}
	}
	return false
}

// has tells whether one of these options is given. Git takes the start of a long
// option for the whole; a start that is ambiguous only makes it stop.
func (l *line) has(names ...string) bool {
	_, ok := l.get(names...)
	return ok
}

func (l *line) get(names ...string) (arg, bool) {
	for _, o := range l.opts {
		for _, n := range names {
			if o.name == n || len(o.name) > 2 && o.name[1] == '-' && n[1] == '-' && strings.HasPrefix(n, o.name) {
				return o.val, true
			}
		}
	}
	return arg{}, false
}

// exact tells whether one of these options is given in full: for what makes a
// command harmless, a guess is not enough.
func (l *line) exact(names ...string) bool {
	for _, o := range l.opts {
		for _, n := range names {
			if o.name == n {
				return true
			}
		}
	}
	return false
}

func (l *line) first() arg {
	if len(l.rest) == 0 {
		return arg{}
	}
	return l.rest[0]
}
