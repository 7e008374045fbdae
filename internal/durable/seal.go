package durable

import (
	"bytes"

	"warp/internal/core/event"
	"warp/internal/core/lossless"
)

// seals signs the documents of one kind and checks their signatures.
type seals struct {
	signer Signer // nil if nothing is signed
	name   string // the kind's name
}

// sealed encodes a snapshot, signed if there is a key.
func (s seals) sealed(tree *lossless.Value, rev, offset int64) (text []byte, seal string) {
	if s.signer == nil {
		return spell(tree, rev, offset, ""), ""
	}
	text = spell(tree, rev, offset, noSeal)
	seal = s.signer.Sign(snapshotPurpose+s.name, text)
	copy(text[bytes.LastIndex(text, []byte(noSeal)):], seal) // the store's member comes last
	return text, seal
}

// holdsSeal reports whether a snapshot is exactly the text that was signed.
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

// Seal signs a separate copy of the document, such as a checkpoint: put in the document's place, it
// counts as signed. Without a key the copy is unsigned.
func (s seals) Seal(tree *lossless.Value) []byte {
	spelled := func(tree *lossless.Value) []byte { return append(lossless.AppendIndent(nil, tree), '\n') }
	tree = tree.Without(positionMember)
	if s.signer == nil {
		return spelled(tree)
	}
	text := spelled(tree.With(positionMember, lossless.Record(sealMember, noSeal)))
	copy(text[bytes.LastIndex(text, []byte(noSeal)):], s.signer.Sign(snapshotPurpose+s.name, text))
	return text
}

// Sealed reports whether text is a copy signed by Seal, or the signed document itself.
func (s seals) Sealed(text []byte) bool {
	tree, err := lossless.Parse(text)
	return err == nil && s.holdsSeal(text, tree.Get(positionMember).Get(sealMember).Text())
}
