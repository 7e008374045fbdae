package event

import (
	"hash/crc32"
	"testing"
)

func FuzzCRC(f *testing.F) {
	f.Add([]byte("123456789"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if got, want := crc(data), crc32.ChecksumIEEE(data); got != want {
			t.Fatalf("%q: %08x, want %08x", data, got, want)
		}
	})
}
