package connect

import (
	"bytes"
	"crypto/rand"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"google.golang.org/protobuf/proto"
)

func newKey(t *testing.T) *Key {
	t.Helper()
	path := filepath.Join(t.TempDir(), "key")
	if _, err := CreateKey(path); err != nil {
		t.Fatal(err)
	}
	k, err := ReadKey(path)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestPayloadsAreEncrypted(t *testing.T) {
	k := newKey(t)
	c := converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), k)
	const secret = "the agent's words"
	p, err := c.ToPayload(secret)
	if err != nil || bytes.Contains(p.GetData(), []byte("agent")) {
		t.Fatalf("%q, %v", p.GetData(), err)
	}
	var got string
	if err := c.FromPayload(p, &got); err != nil || got != secret {
		t.Fatalf("%q, %v", got, err)
	}
	again, _ := c.ToPayload(secret)
	if bytes.Equal(p.GetData(), again.GetData()) {
		t.Error("the same text is encrypted the same way twice")
	}
	f := newFailures(c).ErrorToFailure(temporal.NewApplicationError(secret, "kind"))
	if strings.Contains(f.String(), secret) {
		t.Errorf("a failure tells what it was about: %v", f)
	}
	if err := newFailures(c).FailureToError(f); !strings.Contains(err.Error(), secret) {
		t.Errorf("the failure reads %q", err)
	}
}

func TestPayloadsOfOthersAreRefused(t *testing.T) {
	k := newKey(t)
	plain, _ := converter.GetDefaultDataConverter().ToPayload("planted")
	foreign, _ := newKey(t).Encode([]*commonpb.Payload{plain})
	changed, _ := k.Encode([]*commonpb.Payload{plain})
	changed[0].Data[len(changed[0].Data)-1] ^= 1
	short, _ := k.Encode([]*commonpb.Payload{plain})
	short[0].Data = short[0].Data[:5]
	for name, list := range map[string][]*commonpb.Payload{"not encrypted": {plain}, "another key": foreign, "changed": changed, "cut off": short} {
		if got, err := k.Decode(list); err == nil {
			t.Errorf("%s: read as %v", name, got)
		}
	}
}

// What a key wrote is read as the format and the key that it says, or not at all.
func TestPayloadsAreBound(t *testing.T) {
	k := newKey(t)
	plain, _ := converter.GetDefaultDataConverter().ToPayload("a title")
	seal := func() *commonpb.Payload {
		list, err := k.Encode([]*commonpb.Payload{plain})
		if err != nil {
			t.Fatal(err)
		}
		return list[0]
	}
	relabelled, renamed := seal(), seal()
	relabelled.Metadata[converter.MetadataEncoding] = []byte(first)
	renamed.Metadata[keyField] = []byte("another")
	bare := seal()
	bare.Data = k.sealer.Seal(bare.Data[:12:12], bare.Data[:12], []byte{asIs}, nil)
	unknown := seal()
	unknown.Data = k.sealer.Seal(unknown.Data[:12:12], unknown.Data[:12], []byte{9}, k.bound())
	for name, p := range map[string]*commonpb.Payload{"as one of the first version": relabelled, "of another key": renamed, "bound to nothing": bare, "compressed in an unknown way": unknown} {
		if got, err := k.Decode([]*commonpb.Payload{p}); err == nil {
			t.Errorf("%s: read as %v", name, got)
		}
	}
	text, _ := proto.Marshal(plain)
	nonce := make([]byte, 12)
	old := &commonpb.Payload{Metadata: map[string][]byte{converter.MetadataEncoding: []byte(first)}, Data: k.sealer.Seal(nonce, nonce, text, nil)}
	if got, err := k.Decode([]*commonpb.Payload{old}); err != nil || !proto.Equal(got[0], plain) {
		t.Errorf("one of the first version: %v, %v", got, err)
	}
}

func TestPayloadsAreCompressed(t *testing.T) {
	k := newKey(t)
	random := make([]byte, 5000)
	_, _ = rand.Read(random)
	for name, c := range map[string]struct {
		data []byte
		most int
	}{
		"empty":          {nil, 100},
		"short":          {[]byte("short"), 100},
		"repeats itself": {bytes.Repeat([]byte(`{"State":"waits"}`), 10_000), 2000},
		"does not":       {random, 5100},
	} {
		p := &commonpb.Payload{Data: c.data}
		sent, err := k.Encode([]*commonpb.Payload{p})
		if err != nil || len(sent[0].Data) > c.most {
			t.Fatalf("%s: %d bytes, %v", name, len(sent[0].Data), err)
		}
		if got, err := k.Decode(sent); err != nil || !proto.Equal(got[0], p) {
			t.Errorf("%s: it does not come back: %v", name, err)
		}
	}
	huge := make([]byte, longest+1)
	if _, err := k.Encode([]*commonpb.Payload{{Data: huge}}); err == nil {
		t.Error("a payload is sent that no reader takes")
	}
	if _, err := decompress(compress(huge)); err == nil {
		t.Error("a payload without end is taken")
	}
}

func TestKeyFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "sub", "key")
	if made, err := CreateKey(path); err != nil || !made {
		t.Fatal(made, err)
	}
	before, _ := os.ReadFile(path)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if made, err := CreateKey(path); err != nil || made {
		t.Fatal(made, err)
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
		t.Error("a second call replaced the key")
	}
	if err := os.WriteFile(filepath.Join(dir, "bad"), []byte("12ab"), 0o600); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{"bad": "is not a fleet's key", "none": "copy the file"} {
		if _, err := ReadKey(filepath.Join(dir, file)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", file, err)
		}
	}
}

func TestAKeyThatOthersCanReadIsRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	path := filepath.Join(t.TempDir(), "key")
	if _, err := CreateKey(path); err != nil {
		t.Fatal(err)
	}
	for mode, refused := range map[os.FileMode]bool{0o600: false, 0o400: false, 0o640: true, 0o604: true, 0o622: true} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		_, err := ReadKey(path)
		if refused != (err != nil) || refused && !strings.Contains(err.Error(), "chmod 600 "+path) {
			t.Errorf("%o: %v", mode, err)
		}
	}
}

func TestOptionsAndTemporalsOwnVariables(t *testing.T) {
	t.Setenv("TEMPORAL_CONFIG_FILE", filepath.Join(t.TempDir(), "none.toml"))
	t.Setenv("TEMPORAL_ADDRESS", "far:7233")
	t.Setenv("TEMPORAL_NAMESPACE", "nights")
	c, err := Options{}.clientOptions()
	if err != nil || c.HostPort != "far:7233" || c.Namespace != "nights" || c.ConnectionOptions.TLS != nil {
		t.Errorf("%+v, %v", c, err)
	}
	c, err = Options{Address: "near:1", TLS: true, ServerName: "fleet.example"}.clientOptions()
	if err != nil || c.HostPort != "near:1" || c.Namespace != "nights" || c.ConnectionOptions.TLS == nil || c.ConnectionOptions.TLS.ServerName != "fleet.example" {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err = (Options{Cert: "no-such-file", Key: "no-such-file"}).clientOptions(); err == nil {
		t.Error("a certificate that is not there is taken")
	}
}
