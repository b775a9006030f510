package relay

import (
	"os"
	"strings"
	"syscall"
	"time"
)

// Options of linux/tcp.h that package syscall does not have: TCP_USER_TIMEOUT and TCP_CONGESTION, whose names Linux cuts.
const (
	tcpUserTimeout    = 18
	tcpCongestion     = 13
	longestCongestion = 15
)

// Ends the connection if data stays unacknowledged by the peer's system for so long; without the option, as before.
func limitUnacknowledged(socket syscall.RawConn, limit time.Duration) {
	_ = socket.Control(func(fd uintptr) {
		_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout, int(limit.Milliseconds()))
	})
}

func setCongestion(socket syscall.RawConn, name string) error {
	var refusal error
	err := socket.Control(func(fd uintptr) {
		refusal = syscall.SetsockoptString(int(fd), syscall.IPPROTO_TCP, tcpCongestion, name)
	})
	if err != nil {
		return err
	}
	return refusal
}

// Whether the system gives a congestion control of this name to this process: it is tried, since a list does not tell.
func checkCongestion(name string) *Error {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		fd, err = syscall.Socket(syscall.AF_INET6, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	}
	if err == nil {
		err = syscall.SetsockoptString(fd, syscall.IPPROTO_TCP, tcpCongestion, name)
		syscall.Close(fd)
		if err != nil || len(name) > longestCongestion {
			allowed, _ := os.ReadFile("/proc/sys/net/ipv4/tcp_allowed_congestion_control")
			return usage("local congestion %q is none that the system gives; it allows %s",
				name, strings.TrimSpace(string(allowed)))
		}
	}
	return nil
}
