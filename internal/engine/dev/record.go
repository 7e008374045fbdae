package dev

import (
	"warp/internal/core/devconfig"
	"warp/internal/durable"
	"warp/internal/engine/dev/takedown"
)

// record is what is known of a work tree's environment.
type record struct {
	doc *durable.Doc[devconfig.Record]
}

func openRecord(store *durable.Store) record { return record{takedown.Record(store)} }

// known returns the record; an empty one if there is none.
func (r record) known() (devconfig.Record, error) {
	v, err := r.doc.Read()
	if durable.IsMissing(err) {
		return devconfig.Record{Version: devconfig.Version}, nil
	}
	if err != nil {
		return devconfig.Record{}, err
	}
	return *v.Doc, nil
}

// note changes the record.
func (r record) note(what string, fn func(*devconfig.Record) error) error {
	_, err := r.doc.Update(func(tx *durable.Tx[devconfig.Record]) error {
		if tx.Doc == nil {
			tx.Doc = &devconfig.Record{Version: devconfig.Version}
		}
		tx.Log(what, nil)
		return fn(tx.Doc)
	})
	return err
}
