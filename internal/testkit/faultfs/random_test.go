//go:build linux

package faultfs

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"warp/internal/durable"
)

// TestRandomConformance compares random histories with the real file system.
// Only on Linux: others choose other errnos where two would fit.
func TestRandomConformance(t *testing.T) {
	histories := 100
	if testing.Short() {
		histories = 10
	}
	for seed := range uint64(histories) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			compare(t, func(s *system) {
				w := &walker{system: s, dice: rand.New(rand.NewPCG(seed, 0))}
				w.links()
				for range 80 {
					w.step()
				}
				for _, o := range w.open {
					_ = o.Close() // some are closed already
				}
			})
		})
	}
}

// walker makes up operations on a few names, so that they meet.
type walker struct {
	*system
	dice *rand.Rand
	open []durable.File
}

func pick[T any](w *walker, from ...T) T { return from[w.dice.IntN(len(from))] }

func (w *walker) links() {
	for _, name := range []string{"a", "b", "c", "d"} {
		if w.dice.IntN(2) == 0 {
			w.link(pick(w, "a", "../z/a", "b/c", w.at("b"), "d", ".", "c"), name)
		}
	}
}

// name makes up a name; plain ones go without "..", "." and double slashes, in
// which package os itself adds to what the system does.
func (w *walker) name(plain bool) string {
	elements := []string{pick(w, "a", "b", "c", "d")}
	for range w.dice.IntN(3) {
		if !plain && w.dice.IntN(8) == 0 {
			elements = append(elements, pick(w, "..", ".", ""))
		}
		elements = append(elements, pick(w, "a", "b", "c", "d"))
	}
	return strings.Join(elements, "/")
}

func (w *walker) step() {
	if w.dice.IntN(2) == 0 && len(w.open) > 0 {
		w.use(pick(w, w.open...))
		return
	}
	switch name := w.name(false); w.dice.IntN(9) {
	default:
		flag := pick(w, os.O_RDONLY, os.O_WRONLY, os.O_RDWR)
		bits := []int{0, os.O_APPEND, os.O_CREATE, os.O_CREATE | os.O_EXCL}
		if flag != os.O_RDONLY {
			bits = append(bits, os.O_TRUNC, os.O_CREATE|os.O_TRUNC)
		}
		flag |= pick(w, bits...)
		flag |= pick(w, bits...)
		if o := w.system.open(name, flag); o != nil {
			w.open = append(w.open, o)
		}
	case 0:
		w.lstat(name)
	case 1:
		w.list(name)
	case 2, 3:
		name = w.name(true)
		w.say("mkdirall %s: %v", name, w.MkdirAll(w.at(name), 0o700))
	case 4:
		to := w.name(false)
		w.say("rename %s %s: %v", name, to, w.Rename(w.at(name), w.at(to)))
	case 5:
		w.say("remove %s: %v", name, w.Remove(w.at(name)))
	}
}

// use never asks for nothing: package os answers that without the system.
func (w *walker) use(o durable.File) {
	p := make([]byte, 1+w.dice.IntN(8))
	switch w.dice.IntN(6) {
	case 0:
		n, err := o.Read(p)
		w.say("read: %q %v", p[:max(0, n)], err)
	case 1:
		n, err := o.ReadAt(p, w.dice.Int64N(12))
		w.say("readat: %q %v", p[:max(0, n)], err)
	case 2:
		size := w.dice.Int64N(13) - 1
		w.say("truncate %d: %v", size, o.Truncate(size))
	case 3:
		w.say("close: %v", o.Close())
	default:
		for i := range p {
			p[i] = 'a' + byte(w.dice.IntN(26))
		}
		n, err := o.Write(p)
		w.say("write %q: %d %v", p, n, err)
	}
}
