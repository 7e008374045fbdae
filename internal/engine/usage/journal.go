package usage

import (
	"fmt"
	"hash/maphash"

	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/tokens"
	"warp/internal/durable"
	"warp/internal/turnstile"
)

// journal is what was read of a work tree's journal so far. A drive asks after every chunk: each
// row is read once, so that the last chunk costs as much as the first.
//
// A row that was read counts, whatever happens to its line: its signature was checked then, and
// what was spent stays spent. If the journal was replaced since, it is read again.
type journal struct {
	tail *durable.Tail
	line tokens.Timeline
	runs []evidence.Entry[evidence.Run]
	keys []uint64 // of the rows of runs
}

// sameRow seeds keys of rows, so that no agent can predict them.
var sameRow = maphash.MakeSeed()

// journal returns a work tree's journal, up to date.
func (l *Ledger) journal(root string, env turnstile.Env) (*journal, error) {
	store := turnstile.Open(root, env).Store()
	j := l.journals[root]
	var again bool
	var err error
	if j != nil {
		again, err = j.tail.Rewound()
	}
	if j == nil || again {
		j = &journal{}
		j.tail = store.Tail(j.take)
	}
	if err == nil {
		_, err = j.tail.Read()
	}
	if err != nil {
		delete(l.journals, root) // it may have stopped between rows
		return nil, fmt.Errorf("reading the journal in %q: %w", store.Dir(), err)
	}
	if l.journals == nil {
		l.journals = map[string]*journal{}
	}
	l.journals[root] = j
	return j, nil
}

func (j *journal) take(r event.Row) {
	j.line.Take(r)
	if r.Kind != event.Run {
		return
	}
	var book evidence.Book
	book.Take(r)
	for _, e := range append(book.Runs, book.Others...) {
		j.runs, j.keys = append(j.runs, e), append(j.keys, maphash.Bytes(sameRow, r.Line()))
	}
}
