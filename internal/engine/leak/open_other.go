//go:build !unix

package leak

const nonBlocking = 0
