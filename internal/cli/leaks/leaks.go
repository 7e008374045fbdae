// Package leaks assembles the scanner that refuses commits with secrets: the rules, the secrets of
// the environment and the project's .env files, and what a person has allowed.
package leaks

import (
	"path/filepath"

	"warp/internal/adapter/secrets"
	"warp/internal/cli/app"
	"warp/internal/core/redact"
	"warp/internal/engine/leak"
	"warp/internal/turnstile"
)

// Redactor returns a redactor for secrets of the environment and the project's .env files, and
// for anything that looks like one.
func Redactor(a *app.App, d *turnstile.Drive) *redact.Redactor {
	r := redact.New(append(leak.ReadDotenv(root(d)), a.AllEnviron()...))
	r.Find = secrets.Find
	return r
}

// root returns the project's main folder, which all its work trees share.
func root(d *turnstile.Drive) string { return filepath.Dir(d.Project.Home().Dir()) }

// Scanner returns the scanner of a project, shared by its work trees.
func Scanner(a *app.App, d *turnstile.Drive) *leak.Scanner {
	return leak.New(leak.Options{
		Scan: secrets.Scan, Keys: secrets.Keys, Environ: a.AllEnviron(), Root: root(d),
		Allowed: leak.OpenLedger(a.Getenv, a.Env.Now, a.Env.PID),
	})
}
