package docscheck

import (
	"regexp"
	"sync"
)

// lazily is an expression that is compiled when it is first used: most runs of a program
// that could check documents do not, and compiling all of them is a sixth of its start.
func lazily(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
