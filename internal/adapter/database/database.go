// Package database runs a project's SQL on SQLite and PostgreSQL. Each script and its record form
// one transaction, and the record is in the database itself: so a script runs once, and a
// recreated database gets everything again. The caller decides what to run and when.
package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"

	"warp/internal/core/devconfig"
)

// Databases opens the databases that a project's dev.json names.
type Databases struct {
	Root string // base of relative SQLite paths
}

// ledger creates the table that records what was run.
const ledger = `CREATE TABLE IF NOT EXISTS warp_dev_applied (
	kind TEXT NOT NULL, name TEXT NOT NULL, hash TEXT NOT NULL, at TEXT NOT NULL, PRIMARY KEY (kind, name))`

// opened is an open database and its prefix of numbered arguments.
type opened struct {
	*sql.DB
	placeholder string
}

// open opens a database. ok is false for a missing SQLite file, unless may allows to create it.
func (d Databases) open(address string, may bool) (db opened, ok bool, err error) {
	if name, is := strings.CutPrefix(address, "sqlite:"); is {
		return d.sqlite(strings.TrimPrefix(name, "//"), may)
	}
	if !strings.HasPrefix(address, "postgres://") && !strings.HasPrefix(address, "postgresql://") {
		return db, false, errors.New("the database is neither sqlite:path nor postgres://…")
	}
	pool, err := sql.Open("pgx", address)
	if err != nil {
		return db, false, fmt.Errorf("opening the PostgreSQL database: %w", err)
	}
	return opened{pool, "$"}, true, nil
}

func (d Databases) sqlite(name string, may bool) (opened, bool, error) {
	path := filepath.FromSlash(name)
	if !filepath.IsAbs(path) {
		path = filepath.Join(d.Root, path)
	}
	_, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist) && !may:
		return opened{}, false, nil
	case errors.Is(err, os.ErrNotExist):
		err = os.MkdirAll(filepath.Dir(path), 0o755)
	}
	if err != nil {
		return opened{}, false, fmt.Errorf("opening the SQLite database %s: %w", name, err)
	}
	at := url.URL{Scheme: "file", Path: filepath.ToSlash(path), RawQuery: "_pragma=busy_timeout(5000)&_txlock=immediate"}
	pool, err := sql.Open("sqlite", at.String())
	if err != nil {
		return opened{}, false, fmt.Errorf("opening the SQLite database %s: %w", name, err)
	}
	return opened{pool, "?"}, true, nil
}

// Applied returns the hashes of what was run, by name.
func (d Databases) Applied(ctx context.Context, address, kind string) (map[string]string, error) {
	done := map[string]string{}
	db, ok, err := d.open(address, false)
	if err != nil || !ok {
		return done, err
	}
	defer db.Close()
	there, err := db.hasLedger(ctx)
	if err != nil || !there {
		return done, err
	}
	rows, err := db.QueryContext(ctx, "SELECT name, hash FROM warp_dev_applied WHERE kind = "+db.placeholder+"1", kind)
	if err != nil {
		return nil, fmt.Errorf("reading from the database what was run: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var name, hash string
		if err := rows.Scan(&name, &hash); err != nil {
			return nil, fmt.Errorf("reading from the database what was run: %w", err)
		}
		done[name] = hash
	}
	return done, rows.Err()
}

// hasLedger reports whether the database has the ledger: reading must not create it.
func (db opened) hasLedger(ctx context.Context) (bool, error) {
	ask := "SELECT count(*) FROM sqlite_master WHERE name = 'warp_dev_applied'"
	if db.placeholder == "$" {
		ask = "SELECT count(*) FROM information_schema.tables WHERE table_name = 'warp_dev_applied' AND table_schema = current_schema()"
	}
	var n int
	if err := db.QueryRowContext(ctx, ask).Scan(&n); err != nil {
		return false, fmt.Errorf("asking the database: %w", err)
	}
	return n > 0, nil
}

// Apply runs a script once: it and its record are committed together.
func (d Databases) Apply(ctx context.Context, address, script string, note devconfig.Done) error {
	return d.runRecorded(ctx, address, note, func(tx *sql.Tx, _ string) error {
		_, err := tx.ExecContext(ctx, script)
		return err
	})
}

// Insert runs a statement for each user in one transaction, with the user's members for its :names.
func (d Databases) Insert(ctx context.Context, address, statement string, users []map[string]any, note devconfig.Done) error {
	return d.runRecorded(ctx, address, note, func(tx *sql.Tx, placeholder string) error {
		text, names := devconfig.Bind(statement, placeholder)
		for i, user := range users {
			values := make([]any, len(names))
			for j, n := range names {
				values[j] = user[n]
			}
			if _, err := tx.ExecContext(ctx, text, values...); err != nil {
				return fmt.Errorf("user %d: %w", i+1, err)
			}
		}
		return nil
	})
}

func (d Databases) runRecorded(ctx context.Context, address string, note devconfig.Done, do func(tx *sql.Tx, placeholder string) error) error {
	db, _, err := d.open(address, true)
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, ledger); err != nil {
		return fmt.Errorf("preparing the database: %w", err)
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("beginning a transaction: %w", err)
	}
	err = do(tx, db.placeholder)
	if err == nil {
		_, err = tx.ExecContext(ctx, upsert(db.placeholder), note.Kind, note.Name, note.Hash, note.At)
	}
	if err != nil {
		return errors.Join(err, describeRollback(tx.Rollback()))
	}
	return tx.Commit()
}

// upsert returns the statement that records a run.
func upsert(p string) string {
	return fmt.Sprintf(`INSERT INTO warp_dev_applied (kind, name, hash, at) VALUES (%[1]s1, %[1]s2, %[1]s3, %[1]s4)
	ON CONFLICT (kind, name) DO UPDATE SET hash = excluded.hash, at = excluded.at`, p)
}

// describeRollback returns why a rollback failed, unless the script had ended the transaction
// itself.
func describeRollback(err error) error {
	if err == nil || errors.Is(err, sql.ErrTxDone) {
		return nil
	}
	return fmt.Errorf("rolling the transaction back: %w", err)
}
