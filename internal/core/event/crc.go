package event

import "sync"

// The table is made when it is first wanted. The standard library's package
// makes its own at every start, which a hook pays on every tool call; rows and
// documents are small, so that it would be faster afterwards does not help.
var crcTable = sync.OnceValue(func() *[4][256]uint32 {
	var t [4][256]uint32
	for i := range t[0] {
		c := uint32(i)
		for range 8 {
			if c&1 == 1 {
				c = c>>1 ^ 0xedb88320
			} else {
				c >>= 1
			}
		}
		t[0][i] = c
	}
	for i := range t[0] {
		for k := 1; k < len(t); k++ {
			t[k][i] = t[0][byte(t[k-1][i])] ^ t[k-1][i]>>8
		}
	}
	return &t
})

// crc is the CRC-32 of IEEE 802.3, four bytes at a time.
func crc(data []byte) uint32 {
	t := crcTable()
	c := ^uint32(0)
	for ; len(data) >= 4; data = data[4:] {
		c ^= uint32(data[0]) | uint32(data[1])<<8 | uint32(data[2])<<16 | uint32(data[3])<<24
		c = t[3][byte(c)] ^ t[2][byte(c>>8)] ^ t[1][byte(c>>16)] ^ t[0][c>>24]
	}
	for _, b := range data {
		c = t[0][byte(c)^b] ^ c>>8
	}
	return ^c
}
