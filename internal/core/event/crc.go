package event

import "warp/internal/core/lazy"

// The table is built on first use. The standard library builds its own at every start, which a hook
// would pay on every tool call; rows and documents are small, so its faster sums would not make up
// for it.
var crcTable = lazy.Value[*[4][256]uint32]{Make: func() *[4][256]uint32 {
	var t [4][256]uint32
	c := uint32(1)
	for bit := 128; bit > 0; bit >>= 1 { // the entry of a sum of bits is the sum of theirs
		c = c>>1 ^ 0xedb88320*(c&1)
		for i := 0; i < 256; i += 2 * bit {
			t[0][i+bit] = t[0][i] ^ c
		}
	}
	for k := range t[1:] {
		for i, before := range &t[k] {
			t[k+1][i] = t[0][byte(before)] ^ before>>8
		}
	}
	return &t
}}

// crc is the CRC-32 of IEEE 802.3, four bytes at a time.
func crc[T string | []byte](data T) uint32 {
	t := crcTable.Get()
	c := ^uint32(0)
	i := 0
	for ; i+4 <= len(data); i += 4 {
		c ^= uint32(data[i]) | uint32(data[i+1])<<8 | uint32(data[i+2])<<16 | uint32(data[i+3])<<24
		c = t[3][byte(c)] ^ t[2][byte(c>>8)] ^ t[1][byte(c>>16)] ^ t[0][c>>24]
	}
	for ; i < len(data); i++ {
		c = t[0][byte(c)^data[i]] ^ c>>8
	}
	return ^c
}
