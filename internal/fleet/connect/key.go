package connect

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"google.golang.org/protobuf/proto"

	"warp/internal/durable"
)

// Key encrypts a fleet's payloads with AES-256-GCM and a new nonce each. A history on the server
// shows who did what when, but no contents.
type Key struct {
	sealer cipher.AEAD
	id     string // identifies the key without revealing it
}

const (
	encoding = "binary/warp-fleet-2" // encoding of an encrypted payload
	first    = "binary/warp-fleet"   // encoding of the first version: not bound to anything, not compressed
	keyField = "key"                 // metadata field with the key's id
	keySize  = 32
)

// CreateKey creates a fleet's key file, readable by its owner only, and reports whether it did. It
// keeps an existing key: a new one could not decrypt what is on the server.
func CreateKey(path string) (made bool, err error) {
	_, err = durable.ReadPlain(path)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	key := make([]byte, keySize)
	_, _ = rand.Read(key) // never fails
	return true, durable.WriteFile(path, []byte(hex.EncodeToString(key)+"\n"), 0o600)
}

// ReadKey reads a key file. It refuses one that other users of the machine can read: they could
// give the fleet orders.
func ReadKey(path string) (*Key, error) {
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("other users of this machine can read or change the fleet's key (mode %04o), and with it give the fleet orders: chmod 600 %s", info.Mode().Perm(), path)
	}
	text, err := durable.ReadPlain(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the fleet has no key at %s: start it with warp-fleet up, or copy the file from the machine where warp-fleet up made it", path)
	}
	if err != nil {
		return nil, fmt.Errorf("read the fleet's key: %w", err)
	}
	raw, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(raw) != keySize {
		return nil, fmt.Errorf("%s is not a fleet's key: want %d hexadecimal digits", path, 2*keySize)
	}
	block, err := aes.NewCipher(raw)
	if err != nil {
		return nil, err
	}
	sealer, err := cipher.NewGCM(block)
	sum := sha256.Sum256(append([]byte("id of a fleet's key\n"), raw...))
	return &Key{sealer, hex.EncodeToString(sum[:8])}, err
}

// bound returns the additional data that authenticates a ciphertext: the format, so that one
// version's data is never read as another's, and the key's id, so that no one can change it. It
// lacks the workflow, because Temporal does not tell a codec which one a payload belongs to.
func (k *Key) bound() []byte { return []byte(encoding + "\n" + k.id) }

// Encode implements converter.PayloadCodec.
func (k *Key) Encode(list []*commonpb.Payload) ([]*commonpb.Payload, error) {
	out := make([]*commonpb.Payload, len(list))
	for i, p := range list {
		text, err := proto.Marshal(p)
		if err != nil {
			return nil, fmt.Errorf("encrypt a payload: %w", err)
		}
		if len(text) > longest { // no reader would accept it
			return nil, fmt.Errorf("a payload has more than %d MB", longest>>20)
		}
		nonce := make([]byte, k.sealer.NonceSize())
		_, _ = rand.Read(nonce) // never fails
		out[i] = &commonpb.Payload{Metadata: map[string][]byte{converter.MetadataEncoding: []byte(encoding), keyField: []byte(k.id)},
			Data: k.sealer.Seal(nonce, nonce, compress(text), k.bound())}
	}
	return out, nil
}

// Decode implements converter.PayloadCodec. It refuses payloads that are not encrypted: they are
// not from the fleet, and anyone who reaches the server could have written them.
func (k *Key) Decode(list []*commonpb.Payload) ([]*commonpb.Payload, error) {
	out := make([]*commonpb.Payload, len(list))
	for i, p := range list {
		text, err := k.open(p)
		if err != nil {
			return nil, err
		}
		out[i] = &commonpb.Payload{}
		if err := proto.Unmarshal(text, out[i]); err != nil {
			return nil, fmt.Errorf("decrypt a payload: %w", err)
		}
	}
	return out, nil
}

func (k *Key) open(p *commonpb.Payload) ([]byte, error) {
	size, data, format := k.sealer.NonceSize(), p.GetData(), string(p.GetMetadata()[converter.MetadataEncoding])
	switch {
	case format != encoding && format != first:
		return nil, errors.New("a payload is not encrypted: it does not come from this fleet")
	case format == encoding && string(p.GetMetadata()[keyField]) != k.id:
		return nil, fmt.Errorf("a payload was encrypted with key %q, and the fleet's key here is %q: copy the key from the machine where warp-fleet up made it", p.GetMetadata()[keyField], k.id)
	case len(data) < size:
		return nil, errors.New("an encrypted payload is cut off")
	}
	bound, plain := k.bound(), decompress
	if format == first { // data bound by the newer format fails to decrypt here
		bound, plain = nil, func(text []byte) ([]byte, error) { return text, nil }
	}
	text, err := k.sealer.Open(nil, data[:size], data[size:], bound)
	if err != nil {
		return nil, errors.New("a payload cannot be decrypted: it was changed, or the fleet's key here is not the one it was sent with")
	}
	return plain(text)
}

// newFailures encrypts the messages and stack traces of failures too.
func newFailures(c converter.DataConverter) converter.FailureConverter {
	return temporal.NewDefaultFailureConverter(temporal.DefaultFailureConverterOptions{DataConverter: c, EncodeCommonAttributes: true})
}
