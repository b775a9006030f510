//go:build !linux

package relay

import (
	"syscall"
	"time"
)

// There is no such option here: retransmissions end as the system has it.
func limitUnacknowledged(syscall.RawConn, time.Duration) {}
