package relay

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A certificate with its key, in PEM.
type issued struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	pem, keyPem []byte
}

// A certificate for this name, signed by this authority; nil: an authority of its own.
func issue(t *testing.T, by *issued, name string, until time.Time) *issued {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: until.Add(-24 * time.Hour), NotAfter: until, BasicConstraintsValid: true, IsCA: by == nil,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	made := &issued{key: key, certificate: template}
	if by == nil {
		by = made
	}
	der, err := x509.CreateCertificate(rand.Reader, template, by.certificate, &key.PublicKey, by.key)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	made.certificate, _ = x509.ParseCertificate(der)
	made.pem = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	made.keyPem = pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded})
	return made
}

func (i *issued) config(t *testing.T, clients *issued) *tls.Config {
	t.Helper()
	pair, err := tls.X509KeyPair(i.pem, i.keyPem)
	if err != nil {
		t.Fatal(err)
	}
	config := &tls.Config{Certificates: []tls.Certificate{pair}}
	if clients != nil {
		config.ClientAuth, config.ClientCAs = tls.RequireAndVerifyClientCert, x509.NewCertPool()
		config.ClientCAs.AddCert(clients.certificate)
	}
	return config
}

func store(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// The events of a client, of which a test awaits some.
type seen chan Event

func await[E Event](t *testing.T, events seen) E {
	t.Helper()
	over := time.After(hang)
	for {
		select {
		case event := <-events:
			if wanted, ok := event.(E); ok {
				return wanted
			}
		case <-over:
			t.Fatal("no such event")
		}
	}
}

// Serves TLS on the next connections, until HELLO is answered with WELCOME.
func (r *fakeRelay) acceptTLS(config *tls.Config) net.Conn {
	r.t.Helper()
	for {
		raw, err := r.listener.Accept()
		if err != nil {
			r.t.Fatal(err)
		}
		conn := tls.Server(raw, config)
		conn.SetDeadline(time.Now().Add(hang))
		if conn.Handshake() != nil {
			raw.Close()
			continue
		}
		r.frame(conn)
		if _, err := conn.Write(welcomeFrame(1, 7, 0)); err != nil {
			r.t.Fatal(err)
		}
		return conn
	}
}

// Serves one handshake for each configuration.
func handshakes(relay *fakeRelay, configs <-chan *tls.Config) {
	for config := range configs {
		raw, err := relay.listener.Accept()
		if err != nil {
			return
		}
		tls.Server(raw, config).Handshake()
		raw.Close()
	}
}

func TestFilesAreReadForEachConnection(t *testing.T) {
	soon := time.Now().Add(time.Hour)
	old, renewed := issue(t, nil, "authority", soon), issue(t, nil, "another authority", soon)
	client := issue(t, old, "client", soon)
	directory := t.TempDir()
	ca, certificate, key := filepath.Join(directory, "ca"), filepath.Join(directory, "c"), filepath.Join(directory, "k")
	store(t, ca, old.pem)
	store(t, certificate, client.pem)
	store(t, key, client.keyPem)

	relay := newFakeRelay(t)
	events := make(seen, 1<<20)
	options := SubscriberOptions{Options: relay.options()}
	options.TLS = &TLS{CA: ca, Certificate: certificate, Key: key, ServerName: "relay"}
	options.OnEvent = func(event Event) { events <- event }
	newSubscriber(t, options)
	conn := relay.acceptTLS(issue(t, old, "relay", soon).config(t, old))
	await[Connected](t, events)
	// Cuts the connection; tries fail with these words, until the files are written that this relay wants.
	goesOn := func(server *tls.Config, words string, files map[string][]byte) {
		t.Helper()
		conn.Close()
		accepted := make(chan net.Conn)
		go func() { accepted <- relay.acceptTLS(server) }()
		for {
			lost := await[Lost](t, events)
			expect(t, lost.Err.Kind, Retry)
			if strings.Contains(lost.Err.Text, words) {
				break
			}
		}
		for path, content := range files {
			store(t, path, content)
		}
		conn = <-accepted
		await[Connected](t, events)
	}
	server, newServer := issue(t, old, "relay", soon), issue(t, renewed, "relay", soon)
	goesOn(newServer.config(t, old), "unknown authority", map[string][]byte{ca: renewed.pem})
	// The relay tells behind the handshake that it trusts this client no more.
	newClient := issue(t, renewed, "client", soon)
	goesOn(newServer.config(t, renewed), "remote error",
		map[string][]byte{certificate: newClient.pem, key: newClient.keyPem})
	store(t, certificate, newClient.pem[:len(newClient.pem)/2])
	goesOn(newServer.config(t, renewed), certificate, map[string][]byte{certificate: newClient.pem})
	store(t, certificate, client.pem)
	goesOn(newServer.config(t, renewed), "does not match", map[string][]byte{certificate: newClient.pem})
	if err := os.Remove(ca); err != nil {
		t.Fatal(err)
	}
	goesOn(server.config(t, renewed), "no such file", map[string][]byte{ca: old.pem})

	// An expired certificate may be renewed at the relay.
	conn.Close()
	expired := issue(t, old, "relay", time.Now().Add(-time.Hour)).config(t, renewed)
	goOn := make(chan *tls.Config, 1)
	go handshakes(relay, goOn)
	goOn <- expired
	for !strings.Contains(await[Lost](t, events).Err.Text, "expired") {
	}
	close(goOn)
	conn = relay.acceptTLS(server.config(t, renewed))
	await[Connected](t, events)

	// Another name stays wrong.
	conn.Close()
	goOn = make(chan *tls.Config, 1)
	go handshakes(relay, goOn)
	goOn <- issue(t, old, "stranger", soon).config(t, renewed)
	close(goOn)
	gaveUp := await[GaveUp](t, events)
	expect(t, gaveUp.Err.Kind, Fatal)
	if !strings.Contains(gaveUp.Err.Text, "stranger") {
		t.Error(gaveUp.Err)
	}
}

// The token in a HELLO without ranges.
func tokenOf(hello []byte) string {
	name := int(be.Uint16(hello[40:]))
	return string(hello[42+name+16+2:])
}

func TestTokenOfAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	store(t, path, []byte("one\r\n"))
	relay := newFakeRelay(t)
	events := make(seen, 1<<20)
	options := SubscriberOptions{Options: relay.options()}
	options.TokenFile = path
	options.OnEvent = func(event Event) { events <- event }
	newSubscriber(t, options)
	answer := func(token string, frames ...[]byte) {
		t.Helper()
		conn, err := relay.listener.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		_, hello := relay.frame(conn)
		expect(t, tokenOf(hello), token)
		conn.Write(join(frames...))
	}
	answer("one", welcomeFrame(1, 7, 0), encodeError(codeNotAuthenticated, "who are you"))
	lost := await[Lost](t, events)
	expect(t, []any{lost.Err.Kind, lost.Err.Code}, []any{Retry, codeNotAuthenticated})
	// The relay may know the new token a little later than this client does, and far more often than five times.
	for range 20 {
		answer("one", encodeError(codeNotAuthenticated, "who are you"))
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	for !strings.Contains(await[Lost](t, events).Err.Text, "no such file") {
	}
	store(t, path, []byte("two"))
	// A connection that was on its way still has the first one.
	for token := "one"; token != "two"; {
		conn, err := relay.listener.Accept()
		if err != nil {
			t.Fatal(err)
		}
		_, hello := relay.frame(conn)
		token = tokenOf(hello)
		conn.Close()
	}
	// Another refusal than this one is as final as before.
	answer("two", encodeError(29, "not you"))
	expect(t, await[GaveUp](t, events).Err.Code, 29)
}

func TestTokenOfAFunction(t *testing.T) {
	relay := newFakeRelay(t)
	events := make(seen, 1<<20)
	calls := 0
	options := SubscriberOptions{Options: relay.options()}
	options.TokenFunc = func(ctx context.Context) ([]byte, error) {
		if _, bounded := ctx.Deadline(); !bounded {
			t.Error("a token that may take for ever")
		}
		if calls++; calls == 2 {
			return nil, errors.New("no token today")
		}
		return []byte{'a' + byte(calls)}, nil
	}
	options.OnEvent = func(event Event) { events <- event }
	newSubscriber(t, options)
	accept := func(token string) net.Conn {
		t.Helper()
		conn, err := relay.listener.Accept()
		if err != nil {
			t.Fatal(err)
		}
		_, hello := relay.frame(conn)
		expect(t, tokenOf(hello), token)
		return conn
	}
	accept("b").Close()
	for !strings.Contains(await[Lost](t, events).Err.Text, "no token today") {
	}
	accept("d").Close()
}

// A relay that wants another token is a lasting failure if there is no other one.
func TestTokenThatStaysTheSame(t *testing.T) {
	relay := newFakeRelay(t)
	options := SubscriberOptions{Options: relay.options()}
	options.Token = []byte("one")
	s := newSubscriber(t, options)
	defer relay.accept(encodeError(codeNotAuthenticated, "who are you")).Close()
	var why *Error
	if err := s.Connected(context.Background()); !errors.As(err, &why) || why.Kind != Fatal {
		t.Error(err)
	}
}

func TestDaysOfACertificateAreToldAtItsSteps(t *testing.T) {
	ends := time.Date(2026, 12, 31, 12, 0, 0, 0, time.UTC)
	var e expiry
	var told []int
	look := func(ends, now time.Time) time.Duration {
		days, isNews, next := e.look(ends, now)
		if isNews {
			told = append(told, days)
		}
		return next
	}
	now := ends.Add(-40 * day)
	for next := look(ends, now); next > 0; next = look(ends, now) {
		expect(t, look(ends, now.Add(next-1)), time.Duration(1))
		now = now.Add(next)
	}
	expect(t, told, []int{30, 7, 1, 0})
	expect(t, now, ends)
	expect(t, look(ends, ends.Add(day)), time.Duration(0))
	expect(t, told, []int{30, 7, 1, 0})
	// A new one, and a client that is first there late.
	told = nil
	renewed := ends.Add(5*day + time.Minute)
	expect(t, look(renewed, ends), 4*day+time.Minute)
	expect(t, look(renewed, ends.Add(-day)), 5*day+time.Minute)
	e = expiry{}
	expect(t, look(ends, ends.Add(3*day/2)), time.Duration(0))
	expect(t, told, []int{6, -1})
}

func TestEndOfTheCertificateIsTold(t *testing.T) {
	relay := newFakeRelay(t)
	ca := issue(t, nil, "authority", time.Now().Add(time.Hour))
	client := issue(t, ca, "client", time.Now().Add(6*day+time.Hour))
	directory := t.TempDir()
	files := &TLS{CA: filepath.Join(directory, "ca"), Certificate: filepath.Join(directory, "c"),
		Key: filepath.Join(directory, "k"), ServerName: "authority"}
	store(t, files.CA, ca.pem)
	store(t, files.Certificate, client.pem)
	store(t, files.Key, client.keyPem)
	events := make(seen, 100)
	options := PublisherOptions{Options: relay.options()}
	options.TLS, options.OnEvent = files, func(event Event) { events <- event }
	p := newPublisher(t, options)
	conn := relay.acceptTLS(ca.config(t, nil))
	expect(t, <-events, Event(Certificate{7}))
	await[Connected](t, events)
	conn.Close()
	await[Lost](t, events)
	// Nothing is told again, until there is another one.
	store(t, files.Certificate, issuedLike(t, ca, client, time.Now().Add(-time.Minute)))
	relay.acceptTLS(ca.config(t, nil)).Close()
	expect(t, await[Certificate](t, events), Certificate{0})
	p.Close()
}

// Another certificate with the key of this one.
func issuedLike(t *testing.T, by, old *issued, until time.Time) []byte {
	t.Helper()
	template := *old.certificate
	template.NotBefore, template.NotAfter = until.Add(-day), until
	der, err := x509.CreateCertificate(rand.Reader, &template, by.certificate, &old.key.PublicKey, by.key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

// Ends the next TLS handshakes with this alert.
func (r *fakeRelay) refuse(alert byte, times int) {
	r.t.Helper()
	r.listener.(*net.TCPListener).SetDeadline(time.Now().Add(hang))
	for range times {
		conn, err := r.listener.Accept()
		if err != nil {
			r.t.Fatal(err)
		}
		conn.SetDeadline(time.Now().Add(hang))
		if _, err := conn.Read(make([]byte, 4096)); err != nil {
			r.t.Fatal(err)
		}
		conn.Write([]byte{21, 3, 3, 0, 2, 2, alert})
		conn.Close()
	}
}

// A certificate that is refused has more tries than any other alert.
func TestAlertsOfTheRelay(t *testing.T) {
	const unknownAuthority, internalError = 48, 80
	ca := issue(t, nil, "authority", time.Now().Add(time.Hour))
	directory := t.TempDir()
	files := &TLS{CA: filepath.Join(directory, "ca"), Certificate: filepath.Join(directory, "c"),
		Key: filepath.Join(directory, "k"), ServerName: "authority"}
	store(t, files.CA, ca.pem)
	store(t, files.Certificate, ca.pem)
	store(t, files.Key, ca.keyPem)
	subscriber := func() (*fakeRelay, *Subscriber) {
		relay := newFakeRelay(t)
		options := SubscriberOptions{Options: relay.options()}
		options.TLS, options.OnEvent = files, func(Event) {}
		return relay, newSubscriber(t, options)
	}
	relay, _ := subscriber()
	relay.refuse(unknownAuthority, 2*mostHopes)
	relay.acceptTLS(ca.config(t, ca)).Close()
	relay, s := subscriber()
	relay.refuse(internalError, mostHopes+1)
	for _, err := range s.Items(context.Background()) {
		var why *Error
		if !errors.As(err, &why) || why.Kind != Retry {
			t.Errorf("%v", err)
		}
	}
}
