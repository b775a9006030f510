package relay

import (
	"syscall"
	"time"
)

// TCP_USER_TIMEOUT of linux/tcp.h, which package syscall does not have.
const tcpUserTimeout = 18

// Ends the connection if data stays unacknowledged by the peer's system for so long; without the option, as before.
func limitUnacknowledged(socket syscall.RawConn, limit time.Duration) {
	_ = socket.Control(func(fd uintptr) {
		_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout, int(limit.Milliseconds()))
	})
}
