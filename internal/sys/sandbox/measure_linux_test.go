package sandbox

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// Shared memory is memory, too: a run that maps it has no way around its limit.
func TestSharedMemoryIsMeasured(t *testing.T) {
	const size = 64 << 20
	before := measure(os.Getpid()).memory
	shared, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_ANONYMOUS|unix.MAP_POPULATE)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(shared)
	if grown := measure(os.Getpid()).memory - before; grown < size/2 {
		t.Errorf("of %d bytes, %d were measured", size, grown)
	}
}
