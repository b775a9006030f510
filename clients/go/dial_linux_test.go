package relay

import (
	"context"
	"errors"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestSystemNoticesThatTheOtherEndIsGone(t *testing.T) {
	relay := newFakeRelay(t)
	option := func(s *session, level, name int) (value int) {
		t.Helper()
		s.mu.Lock()
		defer s.mu.Unlock()
		socket, err := s.conn.(*net.TCPConn).SyscallConn()
		if err != nil {
			t.Fatal(err)
		}
		socket.Control(func(fd uintptr) { value, err = syscall.GetsockoptInt(int(fd), level, name) })
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
	probes := func(s *session) []int {
		return []int{
			option(s, syscall.SOL_SOCKET, syscall.SO_KEEPALIVE), option(s, syscall.IPPROTO_TCP, syscall.TCP_KEEPIDLE),
			option(s, syscall.IPPROTO_TCP, syscall.TCP_KEEPINTVL), option(s, syscall.IPPROTO_TCP, syscall.TCP_KEEPCNT),
			option(s, syscall.IPPROTO_TCP, tcpUserTimeout),
		}
	}
	accept := func() net.Conn {
		conn, err := relay.listener.Accept()
		if err != nil {
			t.Fatal(err)
		}
		return conn
	}
	plain := relay.options()
	plain.Plain = true
	subscriber := newSubscriber(t, SubscriberOptions{Options: plain})
	defer accept().Close()
	if err := subscriber.Connected(context.Background()); err != nil {
		t.Fatal(err)
	}
	expect(t, probes(subscriber.session), []int{1, 15, 5, 3, 0})
	publisher := newPublisher(t, PublisherOptions{Options: plain})
	defer accept().Close()
	if err := publisher.Connected(context.Background()); err != nil {
		t.Fatal(err)
	}
	expect(t, probes(publisher.session), []int{1, 15, 5, 3, 30_000})
	welcomed := newPublisher(t, PublisherOptions{Options: relay.options()})
	defer relay.accept(welcomeFrame(1, 7, 0)).Close()
	if err := welcomed.Connected(context.Background()); err != nil {
		t.Fatal(err)
	}
	expect(t, probes(welcomed.session), []int{1, 15, 5, 3, 0})
}

// ETIMEDOUT is a time-out too, but no silence that this client measured.
func TestCutLinkIsNotTakenForSilence(t *testing.T) {
	s := &session{ctx: context.Background()}
	open := &link{endpoint: "relay:7400", isOpen: true, idle: time.Second}
	cut := &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ETIMEDOUT)}
	expect(t, s.endOf(open, cut).Error(), "connection to relay:7400 lost: read tcp: read: connection timed out")
	late := &net.OpError{Op: "read", Net: "tcp", Err: os.ErrDeadlineExceeded}
	expect(t, s.endOf(open, late).Error(), "nothing was heard of the relay at relay:7400 for 1s")
}

func congestionOf(t *testing.T, conn net.Conn) (name string) {
	t.Helper()
	socket, err := conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	socket.Control(func(fd uintptr) {
		// Package syscall reads no names, but this, which begins with 16 bytes.
		var read *syscall.IPv6Mreq
		if read, err = syscall.GetsockoptIPv6Mreq(int(fd), syscall.IPPROTO_TCP, tcpCongestion); err == nil {
			name = strings.TrimRight(string(read.Multiaddr[:]), "\x00")
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return name
}

func TestCongestionOfConnectionsToThisHost(t *testing.T) {
	relay := newFakeRelay(t)
	// What a socket has that nobody has touched, and one that was asked for these names in turn.
	untouched, err := net.Dial("tcp", relay.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer untouched.Close()
	if conn, err := relay.listener.Accept(); err == nil {
		defer conn.Close()
	}
	system := congestionOf(t, untouched)
	socket, err := untouched.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if err := setCongestion(socket, "reno"); err != nil {
		t.Skip("the system lets nobody choose a congestion control: ", err)
	}
	_ = setCongestion(socket, "cubic")
	automatic := congestionOf(t, untouched)
	for choice, expected := range map[string]string{
		"reno": "reno", congestionSystem: system, congestionAuto: automatic, "": automatic,
	} {
		t.Run(choice, func(t *testing.T) {
			relay := newFakeRelay(t)
			options := PublisherOptions{Options: relay.options(), LocalCongestion: choice}
			options.Plain = true
			events := make(seen, 100)
			options.OnEvent = func(event Event) { events <- event }
			publisher := newPublisher(t, options)
			// The second one is there after a cut.
			for range 2 {
				conn, err := relay.listener.Accept()
				if err != nil {
					t.Fatal(err)
				}
				await[Connected](t, events)
				publisher.session.mu.Lock()
				expect(t, congestionOf(t, publisher.session.conn), expected)
				publisher.session.mu.Unlock()
				conn.Close()
			}
		})
	}
	for _, unknown := range []string{"nonesuch", "renorenorenorenoreno"} {
		_, err := NewPublisher(PublisherOptions{Options: relay.options(), LocalCongestion: unknown})
		var refused *Error
		if !errors.As(err, &refused) || refused.Kind != Yours || !strings.Contains(err.Error(), unknown) {
			t.Error(err)
		}
	}
}
