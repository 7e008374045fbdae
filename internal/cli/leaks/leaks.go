// Package leaks puts together what refuses commits with secrets: the rules, the
// secrets of the environment, the project's .env files, and what a person allowed.
package leaks

import (
	"path/filepath"

	"warp/internal/adapter/secrets"
	"warp/internal/cli/app"
	"warp/internal/core/redact"
	"warp/internal/engine/leak"
	"warp/internal/turnstile"
)

// Redactor takes the secrets of an environment, of the project's .env files, and what
// looks like one, out of what is kept and shown.
func Redactor(a *app.App, d *turnstile.Drive) *redact.Redactor {
	r := redact.New(append(leak.ReadDotenv(root(d)), a.AllEnviron()...))
	r.Find = secrets.Find
	return r
}

// root is the project that all its work trees belong to.
func root(d *turnstile.Drive) string { return filepath.Dir(d.Project.Home().Dir()) }

// Scanner makes the scanner of a project, for all of its work trees.
func Scanner(a *app.App, d *turnstile.Drive) *leak.Scanner {
	return leak.New(leak.Options{
		Scan: secrets.Scan, Keys: secrets.Keys, Environ: a.AllEnviron(), Root: root(d),
		Allowed: leak.OpenLedger(a.Getenv, a.Env.Now, a.Env.PID),
	})
}
