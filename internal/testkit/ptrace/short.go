//go:build linux && (amd64 || arm64)

package ptrace

import (
	"encoding/binary"
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// cut is how a call is made to write half. Everything that is changed is put
// back when the call returns: programs rely on the argument registers and on
// their own memory surviving a system call.
type cut struct {
	arg       int
	was, less uint64
	// For calls with a vector, the element in which the middle lies is
	// shortened in the program's memory.
	element           uint64 // address of its length; 0: no vector
	elementWas, piece uint64
}

const (
	vectorElement = 16   // bytes of a struct iovec
	vectorMax     = 1024 // the kernel's limit on elements
)

// planCut says how to halve the call, and whether that is possible: it must
// write, and two bytes or more.
func planCut(tid int, c Call) (cut, bool, error) {
	s, known := shapes[c.Nr]
	switch {
	case !known || s.length == none:
		return cut{}, false, nil
	case !s.vector:
		n := c.Args[s.length]
		return cut{arg: s.length, was: n, less: n / 2}, n >= 2, nil
	}
	count := c.Args[s.length]
	if count == 0 || count > vectorMax {
		return cut{}, false, nil
	}
	base := c.Args[s.length-1]
	vector := make([]byte, count*vectorElement)
	if err := readMemory(tid, base, vector); errors.Is(err, unix.EFAULT) {
		return cut{}, false, nil // the kernel will say so to the program
	} else if err != nil {
		return cut{}, false, err
	}
	length := func(i uint64) uint64 {
		return binary.NativeEndian.Uint64(vector[i*vectorElement+8:])
	}
	var total uint64
	for i := range count {
		total += length(i)
	}
	if total < 2 {
		return cut{}, false, nil
	}
	i, piece := uint64(0), total/2
	for ; piece > length(i); i++ {
		piece -= length(i)
	}
	return cut{
		arg: s.length, was: count, less: i + 1,
		element: base + i*vectorElement + 8, elementWas: length(i), piece: piece,
	}, true, nil
}

func (c cut) apply(tid int) error {
	return c.set(tid, c.less, c.piece)
}

func (c cut) undo(tid int) error {
	return c.set(tid, c.was, c.elementWas)
}

func (c cut) set(tid int, arg, element uint64) error {
	if c.element != 0 {
		word := binary.NativeEndian.AppendUint64(nil, element)
		if _, err := unix.PtracePokeData(tid, uintptr(c.element), word); err != nil {
			return fmt.Errorf("changing a vector length of thread %d: %w", tid, err)
		}
	}
	return setArg(tid, c.arg, arg)
}
