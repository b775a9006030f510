package relay

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"
	"testing"
)

func addresses(texts ...string) (all []netip.Addr) {
	for _, text := range texts {
		all = append(all, netip.MustParseAddr(text))
	}
	return all
}

func TestFamiliesTakeTurns(t *testing.T) {
	expect(t, alternating(addresses("::1", "::2", "::3", "1.1.1.1", "2.2.2.2")),
		addresses("::1", "1.1.1.1", "::2", "2.2.2.2", "::3"))
	expect(t, alternating(addresses("1.1.1.1", "::1")), addresses("1.1.1.1", "::1"))
}

// A connection that says when it is closed.
type closing struct {
	net.Conn
	closed chan struct{}
}

func (c *closing) Close() error {
	close(c.closed)
	return nil
}

func TestDeadAddressesKeepNobodyWaiting(t *testing.T) {
	dead, late := addresses("10.0.0.1"), &closing{closed: make(chan struct{})}
	won := &closing{closed: make(chan struct{})}
	conn, err := race(context.Background(), append(dead, addresses("10.0.0.2", "10.0.0.3")...),
		func(ctx context.Context, address netip.Addr) (net.Conn, error) {
			switch address.String() {
			case "10.0.0.1":
				<-ctx.Done()
				return nil, ctx.Err()
			case "10.0.0.2":
				// Made just as the other one wins.
				<-ctx.Done()
				return late, nil
			}
			return won, nil
		})
	expect(t, []any{conn, err}, []any{won, nil})
	<-late.closed
	select {
	case <-won.closed:
		t.Error("the connection that won is closed")
	default:
	}
}

func TestEveryAddressFails(t *testing.T) {
	_, err := race(context.Background(), addresses("10.0.0.1", "10.0.0.2"),
		func(_ context.Context, address netip.Addr) (net.Conn, error) {
			return nil, errors.New(address.String() + " refuses")
		})
	expect(t, err.Error(), "10.0.0.1 refuses; 10.0.0.2 refuses")
}

func TestOneDeadlineForAllAddresses(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	_, err := race(ctx, addresses("10.0.0.1", "10.0.0.2"),
		func(ctx context.Context, address netip.Addr) (net.Conn, error) {
			if address.String() == "10.0.0.2" {
				cancel()
			}
			<-ctx.Done()
			return nil, ctx.Err()
		})
	if !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "\n") {
		t.Error(err)
	}
}

func TestWhatIsOnThisHost(t *testing.T) {
	for _, one := range []struct {
		own, peer string
		expected  bool
	}{
		{"127.0.0.1", "127.3.2.1", true}, {"::1", "::1", true}, {"::ffff:127.0.0.1", "::ffff:127.0.0.1", true},
		{"192.0.2.1", "192.0.2.1", true}, {"192.0.2.1", "192.0.2.2", false}, {"2001:db8::1", "2001:db8::1", true},
		{"2001:db8::1", "2001:db8::2", false}, {"::ffff:192.0.2.1", "::ffff:192.0.2.2", false},
	} {
		own, peer := &net.TCPAddr{IP: net.ParseIP(one.own)}, &net.TCPAddr{IP: net.ParseIP(one.peer)}
		if isToThisHost(own, peer) != one.expected {
			t.Error(one)
		}
	}
	if !leadsToThisHost("127.3.2.1:1") {
		t.Error("a loopback address")
	}
	if isToThisHost(&net.UnixAddr{}, &net.UnixAddr{}) {
		t.Error("a Unix socket")
	}
}
