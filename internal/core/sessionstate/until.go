package sessionstate

import (
	"fmt"
	"strconv"
	"strings"
)

// Kind is the kind of a completion strategy.
type Kind string

const (
	Fixed   Kind = "fixed"
	Plateau Kind = "plateau"
	Judge   Kind = "judge"
	Queue   Kind = "queue"
	Gates   Kind = "gates"
)

// The sources of a queue. Without one, the caller chooses.
const (
	Beads  = "beads"  // ready beads
	Issues = "issues" // the tracker's, with a label
	Work   = "work"   // the work queue
)

// Strategies describes the syntax, for messages and help.
const Strategies = "fixed [N], plateau [K], judge, queue [beads | issues:LABEL | work], gates [N]"

// Until is a completion strategy: until when a loop iterates.
type Until struct {
	Kind   Kind
	N      int    // fixed: iterations; plateau, gates: how many in a row; 0: default
	Source string // of a queue
	Label  string // of issues
	Min    int    // plateau, judge: minimum of iterations; 0: default
}

// most is the largest number in a strategy.
const most = 1_000_000

// ParseUntil reads a strategy as people write it: "plateau", "plateau 3", "plateau:3", "fixed=5",
// "queue issues:bug". "beads" and "issues:bug" are queues.
func ParseUntil(text string) (Until, error) {
	word, arg := split(text)
	u := Until{Kind: Kind(strings.ToLower(word))}
	switch u.Kind {
	case Fixed, Plateau, Gates:
		if arg == "" {
			return u, nil
		}
		n, err := strconv.Atoi(arg)
		if err != nil || n < 1 || n > most {
			return Until{}, fmt.Errorf("%s takes a number from 1 to %d, not %q", u.Kind, most, arg)
		}
		u.N = n
		return u, nil
	case Judge:
		if arg != "" {
			return Until{}, fmt.Errorf("judge takes no argument, but got %q", arg)
		}
		return u, nil
	case Queue:
		return queueOf(arg)
	case Beads, Issues:
		return queueOf(text)
	}
	return Until{}, fmt.Errorf("%q is not a strategy; there are %s", strings.TrimSpace(text), Strategies)
}

func queueOf(text string) (Until, error) {
	source, label := split(text)
	u := Until{Kind: Queue, Source: strings.ToLower(source)}
	switch u.Source {
	case "", Beads, Work:
		if label != "" {
			return Until{}, fmt.Errorf("queue %s takes no further argument, but got %q", u.Source, label)
		}
		return u, nil
	case Issues:
		if label == "" {
			return Until{}, fmt.Errorf("name the label of the issues: queue issues:LABEL")
		}
		u.Label = label
		return u, nil
	}
	return Until{}, fmt.Errorf("%q is not a queue; there are beads, issues:LABEL, work", source)
}

// split separates the first word of a text.
func split(text string) (word, rest string) {
	text = strings.TrimSpace(text)
	at := strings.IndexAny(text, " \t:=")
	if at < 0 {
		return text, ""
	}
	rest = strings.TrimSpace(text[at:]) // "fixed : 5" means "fixed 5"
	if rest != "" && (rest[0] == ':' || rest[0] == '=') {
		rest = rest[1:]
	}
	return text[:at], strings.TrimSpace(rest)
}

// String writes a strategy as ParseUntil reads it.
func (u Until) String() string {
	s := string(u.Kind)
	if u.N > 0 {
		s += " " + strconv.Itoa(u.N)
	}
	if u.Source != "" {
		s += " " + u.Source
	}
	if u.Label != "" {
		s += ":" + u.Label
	}
	return s
}
