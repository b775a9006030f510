package relay

import (
	"context"
	"net"
	"os"
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
