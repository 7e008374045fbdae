//go:build !nosqlite

package database

// The driver "sqlite" is C that was translated to Go, 8 MB of it. Linters build with the
// tag nosqlite: reading the driver took them most of their time.
import _ "modernc.org/sqlite"
