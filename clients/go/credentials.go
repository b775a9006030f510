package relay

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"reflect"
	"time"
)

// What one connection proves itself with, and trusts.
type credentials struct {
	// The token of HELLO; nil: none.
	token []byte
	// Of this connection alone; nil: no TLS.
	tls *tls.Config
	// The end of this client's certificate; zero: it has none.
	expires time.Time
}

// Reads files and token as they are now.
func (o *Options) credentials(ctx context.Context) (read credentials, err error) {
	switch {
	case o.TokenFile != "":
		read.token, err = firstLine(o.TokenFile)
	case o.TokenFunc != nil:
		read.token, err = o.TokenFunc(ctx)
	default:
		read.token = o.Token
	}
	if err != nil {
		return read, fmt.Errorf("token: %w", err)
	}
	if o.Token != nil || o.TokenFile != "" || o.TokenFunc != nil {
		if err := checkString("token", string(read.token), 1); err != nil {
			return read, err
		}
	}
	if o.TLS != nil {
		if read.tls, read.expires, err = o.TLS.load(); err != nil {
			return read, fmt.Errorf("TLS: %w", err)
		}
	}
	return read, nil
}

// The content of a file without the end of its line, up to a little more than a token may have.
func firstLine(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, 2*maxName))
	return bytes.TrimRight(content, "\r\n"), err
}

// Reads the files; with a certificate also when it ends.
func (t *TLS) load() (config *tls.Config, expires time.Time, err error) {
	config = &tls.Config{MinVersion: tls.VersionTLS13, ServerName: t.ServerName}
	if t.CA != "" {
		pem, err := os.ReadFile(t.CA)
		if err != nil {
			return nil, expires, err
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, expires, fmt.Errorf("no certificate in %s", t.CA)
		}
	}
	if t.Certificate != "" || t.Key != "" {
		pair, err := tls.LoadX509KeyPair(t.Certificate, t.Key)
		var own *x509.Certificate
		if err == nil {
			own, err = x509.ParseCertificate(pair.Certificate[0])
		}
		if err != nil {
			return nil, expires, fmt.Errorf("certificate %s with key %s: %w", t.Certificate, t.Key, err)
		}
		config.Certificates, expires = []tls.Certificate{pair}, own.NotAfter
	}
	return config, expires, nil
}

// What to do after this side has refused the relay's certificate. One of another name stays so; one that is expired, or
// of an authority that the file does not have, may be right a second later: file or relay are being renewed.
func (o *Options) distrusted(err error) advice {
	var name x509.HostnameError
	if o.TLS.CA == "" || errors.As(err, &name) {
		return stop
	}
	return again
}

// The alert by which the relay has ended TLS; 0: none. Its error is a number of a type that is crypto/tls's own:
// AlertError is for QUIC alone.
func alertOf(err error) uint8 {
	var remote *net.OpError
	if !errors.As(err, &remote) || remote.Op != "remote error" {
		return 0
	}
	if alert := reflect.ValueOf(remote.Err); alert.Kind() == reflect.Uint8 {
		return uint8(alert.Uint())
	}
	return 0
}

// What to do after TLS has ended with this alert, or 0. This client's certificate may have been renewed meanwhile.
func (o *Options) refused(alert uint8) advice {
	const badCertificate, certificateUnknown, unknownAuthority, accessDenied, certificateRequired = 42, 46, 48, 49, 116
	isAboutCertificate := alert >= badCertificate && alert <= certificateUnknown || alert == unknownAuthority ||
		alert == accessDenied || alert == certificateRequired
	if o.TLS != nil && o.TLS.Certificate != "" && isAboutCertificate {
		return again
	}
	return few
}

// The end of a connection, which is no last one if the relay did not know credentials that the next try reads anew.
func (o *Options) renewed(end *Error) *Error {
	isRead := o.TokenFile != "" || o.TokenFunc != nil || o.TLS != nil && o.TLS.Certificate != ""
	if end.Code != codeNotAuthenticated || end.broken || !isRead {
		return end
	}
	other := *end
	other.Kind, other.advice = Retry, again
	return &other
}

// What is told of the end of this client's certificate, over all of its connections.
type expiry struct {
	of time.Time
	// The last of the steps that was told.
	told int
}

// Days before the end at which it is told.
var expirySteps = [...]int{0, 1, 7, 30}

const day = 24 * time.Hour

// Looks at a certificate that ends then. Whether its days are news; and the time to the next look, 0: there is none.
func (e *expiry) look(ends, now time.Time) (days int, isNews bool, next time.Duration) {
	if !ends.Equal(e.of) {
		*e = expiry{ends, math.MaxInt}
	}
	left := ends.Sub(now)
	days = int(left / day)
	if left%day > 0 {
		days++
	}
	for _, step := range expirySteps {
		if days > step {
			next = left - time.Duration(step)*day
		} else if step < e.told {
			e.told, isNews = step, true
		}
	}
	return days, isNews, next
}
