package database

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/core/devconfig"
)

func note(name, hash string) devconfig.Done {
	return devconfig.Done{Kind: devconfig.SeedData, Name: name, Hash: hash, At: "2026-01-01T00:00:00Z"}
}

func TestScriptAndNoteAreThereTogetherOrNotAtAll(t *testing.T) {
	d := Databases{Root: t.TempDir()}
	const db = "sqlite:a folder/x?#%.db"
	if done, err := d.Applied(t.Context(), db, devconfig.SeedData); err != nil || len(done) > 0 {
		t.Errorf("before there is a database: %v, %v", done, err)
	}
	if left, _ := os.ReadDir(d.Root); len(left) > 0 {
		t.Error("a look made the database")
	}
	if err := d.Apply(t.Context(), db, "CREATE TABLE t (x INTEGER); INSERT INTO t VALUES (1);", note("a", "1")); err != nil {
		t.Fatal(err)
	}
	if err := d.Apply(t.Context(), db, "INSERT INTO t VALUES (2); INSERT INTO nowhere VALUES (3);", note("b", "1")); err == nil {
		t.Error("a script that fails is no error")
	}
	if err := d.Apply(t.Context(), db, "", note("empty", "1")); err != nil {
		t.Error(err)
	}
	if err := d.Apply(t.Context(), db, "INSERT INTO t VALUES (4)", note("a", "2")); err != nil {
		t.Error(err)
	}
	done, err := d.Applied(t.Context(), db, devconfig.SeedData)
	if err != nil || len(done) != 2 || done["a"] != "2" || done["empty"] != "1" {
		t.Errorf("%v, %v", done, err)
	}
	if done, err := d.Applied(t.Context(), db, devconfig.Migration); err != nil || len(done) > 0 {
		t.Errorf("of another kind: %v, %v", done, err)
	}
	pool, err := sql.Open("sqlite", filepath.Join(d.Root, "a folder", "x?#%.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	if _, err := os.Stat(filepath.Join(d.Root, "a folder", "x?#%.db")); err != nil {
		t.Error(err)
	}
}

func TestValuesOfUsersAreNoSQL(t *testing.T) {
	d := Databases{Root: t.TempDir()}
	const db = "sqlite:x.db"
	if err := d.Apply(t.Context(), db, "CREATE TABLE u (email TEXT, age INTEGER)", note("t", "1")); err != nil {
		t.Fatal(err)
	}
	users := []map[string]any{{"email": "'); DROP TABLE u; --", "age": int64(3)}, {"email": "b"}}
	if err := d.Insert(t.Context(), db, "INSERT INTO u VALUES (:email, :age)", users, note("u", "1")); err != nil {
		t.Fatal(err)
	}
	pool, err := sql.Open("sqlite", filepath.Join(d.Root, "x.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	var n, ages int
	if err := pool.QueryRow("SELECT count(*), count(age) FROM u").Scan(&n, &ages); err != nil || n != 2 || ages != 1 {
		t.Errorf("%d users, %d ages, %v", n, ages, err)
	}
	err = d.Insert(t.Context(), db, "INSERT INTO u VALUES (:email)", users, note("u", "2"))
	if err == nil || !strings.Contains(err.Error(), "user 1: ") {
		t.Errorf("a wrong statement: %v", err)
	}
}

func TestAnotherDatabaseIsRefused(t *testing.T) {
	d := Databases{Root: t.TempDir()}
	for _, address := range []string{"", "mysql://x", "file:x.db"} {
		if err := d.Apply(t.Context(), address, "", note("a", "1")); err == nil || !strings.Contains(err.Error(), "neither sqlite:path nor postgres") {
			t.Errorf("%q: %v", address, err)
		}
	}
}
