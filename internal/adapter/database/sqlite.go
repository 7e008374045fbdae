//go:build !nosqlite

package database

// The driver "sqlite" is C translated to Go, 8 MB of it. Linters build with the tag nosqlite: they
// spent most of their time reading the driver.
import _ "modernc.org/sqlite"
