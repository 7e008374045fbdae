package dev

import (
	"warp/internal/core/dev"
	"warp/internal/durable"
	"warp/internal/engine/dev/takedown"
)

// record is what is known of the environment of a work tree.
type record struct{ doc *durable.Doc[dev.Record] }

func openRecord(store *durable.Store) record { return record{takedown.Record(store)} }

// known is the record; an empty one where there is none.
func (r record) known() (dev.Record, error) {
	v, err := r.doc.Read()
	if durable.IsMissing(err) {
		return dev.Record{Version: dev.Version}, nil
	}
	if err != nil {
		return dev.Record{}, err
	}
	return *v.Doc, nil
}

// note changes the record.
func (r record) note(what string, fn func(*dev.Record) error) error {
	_, err := r.doc.Update(func(tx *durable.Tx[dev.Record]) error {
		if tx.Doc == nil {
			tx.Doc = &dev.Record{Version: dev.Version}
		}
		tx.Log(what, nil)
		return fn(tx.Doc)
	})
	return err
}
