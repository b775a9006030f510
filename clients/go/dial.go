package relay

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"syscall"
	"time"
)

// Time after which the next address of a name is tried beside those before it: RFC 8305.
const nextAddress = 250 * time.Millisecond

// A connection to any address of the host; unix: to the path.
func (s *session) connect(ctx context.Context, target endpoint) (net.Conn, error) {
	// A plain client has no PING, so the system has to notice that the other end is gone.
	dialer := net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 5 * time.Second, Count: 3},
	}
	dialer.Control = func(network, address string, socket syscall.RawConn) error {
		if s.options.Plain && s.write != nil && network != "unix" {
			// The system sends no probes while data is not acknowledged.
			limitUnacknowledged(socket, 30*time.Second)
		}
		// The choice comes before the connect, in which bbr would turn pacing on: that stays on when bbr goes.
		if s.chooses() && network != "unix" && leadsToThisHost(address) {
			chooseCongestion(socket, s.congestion)
		}
		return nil
	}
	if target.network == "unix" {
		return dialer.DialContext(ctx, target.network, target.address)
	}
	host, port, err := net.SplitHostPort(target.address)
	if err != nil {
		return nil, err
	}
	addresses, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil, err
	}
	conn, err := race(ctx, alternating(addresses), func(ctx context.Context, address netip.Addr) (net.Conn, error) {
		return dialer.DialContext(ctx, target.network, net.JoinHostPort(address.Unmap().String(), port))
	})
	// A route may have put a choice of its own in the place of ours.
	if made, ok := conn.(*net.TCPConn); ok && isToThisHost(made.LocalAddr(), made.RemoteAddr()) {
		if socket, err := made.SyscallConn(); err == nil {
			chooseCongestion(socket, s.congestion)
		}
	}
	return conn, err
}

func (s *session) chooses() bool { return s.congestion != "" && s.congestion != congestionSystem }

// Whether a connection to this address would be one to this host: UDP, which sends nothing, knows where it would come
// from.
func leadsToThisHost(address string) bool {
	asked, err := net.Dial("udp", address)
	if err != nil {
		return false
	}
	defer asked.Close()
	from, to := asked.LocalAddr().(*net.UDPAddr), asked.RemoteAddr().(*net.UDPAddr)
	return isToThisHost(&net.TCPAddr{IP: from.IP}, &net.TCPAddr{IP: to.IP})
}

func isToThisHost(own, peer net.Addr) bool {
	from, isTCP := own.(*net.TCPAddr)
	to, isTCPToo := peer.(*net.TCPAddr)
	return isTCP && isTCPToo && (to.IP.IsLoopback() || to.IP.Equal(from.IP))
}

// Gives a connection to this host what LocalCongestion says, as far as the system does: a name was tried at the start.
func chooseCongestion(socket syscall.RawConn, choice string) {
	switch choice {
	case congestionAuto:
		if setCongestion(socket, "cubic") != nil {
			_ = setCongestion(socket, "reno")
		}
	case congestionSystem, "":
	default:
		_ = setCongestion(socket, choice)
	}
}

// The addresses in their order, but of both families in turn.
func alternating(addresses []netip.Addr) []netip.Addr {
	var first, second []netip.Addr
	for _, address := range addresses {
		if address.Unmap().Is4() == addresses[0].Unmap().Is4() {
			first = append(first, address)
		} else {
			second = append(second, address)
		}
	}
	turns := make([]netip.Addr, 0, len(addresses))
	for i := range addresses {
		if i < len(first) {
			turns = append(turns, first[i])
		}
		if i < len(second) {
			turns = append(turns, second[i])
		}
	}
	return turns
}

// The first connection that is made. The next address's turn comes when one before it has failed, or after a while. The
// other connections are closed.
func race(
	ctx context.Context, addresses []netip.Addr, dial func(context.Context, netip.Addr) (net.Conn, error),
) (net.Conn, error) {
	type result struct {
		conn net.Conn
		err  error
	}
	results := make(chan result)
	var running sync.WaitGroup
	ctx, cancel := context.WithCancel(ctx)
	defer running.Wait()
	defer cancel()
	var failures []error
	tried := 0
	turn := time.NewTimer(0)
	defer turn.Stop()
	for len(failures) < len(addresses) {
		select {
		case <-turn.C:
			if tried == len(addresses) {
				continue
			}
			address := addresses[tried]
			tried++
			turn.Reset(nextAddress)
			running.Add(1)
			go func() {
				defer running.Done()
				conn, err := dial(ctx, address)
				select {
				case results <- result{conn, err}:
				case <-ctx.Done():
					if conn != nil {
						conn.Close()
					}
				}
			}()
		case one := <-results:
			if one.err == nil {
				return one.conn, nil
			}
			failures = append(failures, one.err)
			turn.Reset(0)
		case <-ctx.Done():
			return nil, inOneLine(append(failures, context.Cause(ctx)))
		}
	}
	return nil, inOneLine(failures)
}

func inOneLine(all []error) (joined error) {
	for _, one := range all {
		if joined == nil {
			joined = one
		} else {
			joined = fmt.Errorf("%w; %w", joined, one)
		}
	}
	return joined
}
