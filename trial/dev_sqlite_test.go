//go:build linux && !nosqlite

package trial

import _ "modernc.org/sqlite" // the driver that looks into the shop's database
