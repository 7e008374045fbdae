package durable

import (
	"bytes"

	"warp/internal/core/event"
	"warp/internal/core/lossless"
)

// seals signs the documents of one kind, and checks what was signed.
type seals struct {
	signer Signer // nil: nothing is signed
	name   string // of the kind
}

// sealed spells a snapshot with its signature, where there is a key.
func (s seals) sealed(tree *lossless.Value, rev, offset int64) (text []byte, seal string) {
	if s.signer == nil {
		return spell(tree, rev, offset, ""), ""
	}
	text = spell(tree, rev, offset, noSeal)
	seal = s.signer.Sign(snapshotPurpose+s.name, text)
	copy(text[bytes.LastIndex(text, []byte(noSeal)):], seal) // the store's member is the last
	return text, seal
}

// holdsSeal reports whether a snapshot is what was signed, to the byte.
func (s seals) holdsSeal(text []byte, seal string) bool {
	if s.signer == nil || len(seal) != event.MacLength {
		return false
	}
	at := bytes.LastIndex(text, []byte(seal))
	if at < 0 {
		return false
	}
	was := bytes.Clone(text)
	copy(was[at:], noSeal)
	return s.signer.Sign(snapshotPurpose+s.name, was) == seal
}

// Seal signs a copy of the document that stands by itself, such as a checkpoint:
// put in the document's place it is believed. Without a key it stays as it is.
func (s seals) Seal(tree *lossless.Value) []byte {
	spelled := func(tree *lossless.Value) []byte { return append(lossless.AppendIndent(nil, tree), '\n') }
	tree = tree.Without(positionMember)
	if s.signer == nil {
		return spelled(tree)
	}
	text := spelled(tree.With(positionMember, lossless.NewObject(lossless.Member{Key: sealMember, Value: lossless.NewString(noSeal)})))
	copy(text[bytes.LastIndex(text, []byte(noSeal)):], s.signer.Sign(snapshotPurpose+s.name, text))
	return text
}

// Sealed reports whether a text is a copy of the document that Seal signed, or the
// document itself.
func (s seals) Sealed(text []byte) bool {
	tree, err := lossless.Parse(text)
	return err == nil && s.holdsSeal(text, tree.Get(positionMember).Get(sealMember).Text())
}
