//go:build !linux

package relay

import (
	"syscall"
	"time"
)

// There is no such option here: retransmissions end as the system has it.
func limitUnacknowledged(syscall.RawConn, time.Duration) {}

// No congestion control is chosen here.
func setCongestion(syscall.RawConn, string) error { return nil }

func checkCongestion(string) *Error { return nil }
