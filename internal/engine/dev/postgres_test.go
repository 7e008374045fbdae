//go:build unix

package dev_test

import (
	"database/sql"
	"strings"
	"testing"

	"warp/internal/testkit/postgres"
)

func TestPostgreSQLIsMigratedSeededAndPeopled(t *testing.T) {
	address := postgres.Start(t)
	p := newProject(t, strings.Replace(shop, "%DB%", "${DATABASE_URL}", 1), shopFiles)
	p.Environ = append(p.Environ, "DATABASE_URL="+address)
	open := func() *sql.DB {
		db, err := sql.Open("pgx", address)
		if err != nil {
			t.Fatal(err)
		}
		return db
	}
	walkThrough(t, p, open)
	db := open()
	defer db.Close()
	for _, q := range []string{"DROP SCHEMA public CASCADE", "CREATE SCHEMA public"} {
		if _, err := db.Exec(q); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Check(t.Context()); err == nil {
		t.Error("an empty database counts as up")
	}
	p.up()
	if err := p.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestUnreachablePostgreSQLTellsNoPassword(t *testing.T) {
	p := newProject(t, `{"migrations": {"directory": "m", "database": "postgres://me:correct-horse@127.0.0.1:1/x"}}`, map[string]string{"m/1.sql": ""})
	said, err := p.tryUp()
	if err == nil || strings.Contains(said+err.Error(), "correct-horse") {
		t.Errorf("up: %v\n%s", err, said)
	}
}
