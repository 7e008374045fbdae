// Victim is the program that the tests of package ptrace hurt.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

func main() {
	var err error
	switch os.Args[1] {
	case "hello":
		fmt.Println("hello")
	case "save":
		err = saveAll(os.Args[2])
	case "raw":
		err = raw(os.Args[2])
	case "vector":
		err = vector(os.Args[2])
	case "exec":
		err = execFromThread(os.Args[2:])
	case "child":
		err = watchChild(os.Args[2:])
	case "hang":
		time.Sleep(time.Hour)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "victim:", err)
		os.Exit(1)
	}
}

// saveAll saves four files at once.
func saveAll(dir string) error {
	var wait sync.WaitGroup
	errs := make([]error, 4)
	for i := range errs {
		wait.Go(func() { errs[i] = save(filepath.Join(dir, strconv.Itoa(i))) })
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func save(name string) error {
	f, err := os.Create(name + ".tmp")
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.WriteString("0123456789"); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return os.Rename(name+".tmp", name)
}

// raw writes without the loop with which package os hides a short write.
func raw(name string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	n, err := syscall.Write(int(f.Fd()), []byte("0123456789"))
	fmt.Println(n)
	return err
}

// vector writes three pieces in one call, twice, so that a change to the
// vector that outlives the first call shows in the second.
func vector(name string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	a, b, c := []byte("0"), []byte("12345678"), []byte("9")
	pieces := []syscall.Iovec{{Base: &a[0], Len: 1}, {Base: &b[0], Len: 8}, {Base: &c[0], Len: 1}}
	for range 2 {
		n, _, errno := syscall.Syscall(syscall.SYS_WRITEV, f.Fd(), uintptr(unsafe.Pointer(&pieces[0])), 3)
		fmt.Println(n)
		if errno != 0 {
			return errno
		}
	}
	return nil
}

// execFromThread execs on a thread that is not the first of the process.
func execFromThread(argv []string) error {
	failed := make(chan error)
	runtime.LockOSThread()
	go func() {
		runtime.LockOSThread()
		failed <- syscall.Exec(argv[0], argv, os.Environ())
	}()
	return <-failed
}

// watchChild says what the first change in the state of a child is. A debugger
// that lets its own stop signals through shows here.
func watchChild(argv []string) error {
	pid, err := syscall.ForkExec(argv[0], argv, nil)
	if err != nil {
		return err
	}
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(pid, &status, syscall.WUNTRACED, nil); err != nil {
		return err
	}
	fmt.Println("stopped:", status.Stopped())
	return nil
}
