//go:build !unix

package main

import "time"

var began = time.Now()

// cpu is the time that has passed, where a process's own cannot be told.
func cpu() time.Duration { return time.Since(began) }
