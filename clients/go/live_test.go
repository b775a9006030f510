package relay

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// A real relay with a journal, if RELAY_SERVER_JAR names its jar.
func realRelay(t *testing.T) (publish, subscribe, socket string) {
	t.Helper()
	jar := os.Getenv("RELAY_SERVER_JAR")
	if jar == "" {
		t.Skip("RELAY_SERVER_JAR names no relay-server.jar")
	}
	directory := t.TempDir()
	socket = filepath.Join(directory, "s")
	server := exec.Command("java", "-jar", jar, "--publish-port=0", "--subscribe-port=0", "--admin=none",
		"--journal="+filepath.Join(directory, "journal"), "--subscribe-socket="+socket)
	stdout, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	server.Stderr = server.Stdout
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		server.Process.Kill()
		server.Wait()
	})
	ports := regexp.MustCompile(`publishers (127\.0\.0\.1:\d+).*subscribers (127\.0\.0\.1:\d+)`)
	said := ""
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		said += lines.Text() + "\n"
		if found := ports.FindStringSubmatch(said); found != nil {
			go func() {
				for lines.Scan() {
				}
			}()
			return found[1], found[2], socket
		}
	}
	t.Fatal("the relay has ended: ", said)
	return "", "", ""
}

func TestRealRelay(t *testing.T) {
	publish, subscribe, socket := realRelay(t)
	t.Run("round trip", func(t *testing.T) {
		publisher := newPublisher(t, PublisherOptions{
			Options: Options{Endpoints: []string{publish}, Name: "orders"}, Acks: true, Level: LevelWritten,
		})
		for i := range 1000 {
			if err := publisher.Publish(context.Background(), 70, fmt.Appendf(nil, "%d", i)); err != nil {
				t.Fatal(err)
			}
		}
		if err := publisher.Flush(context.Background()); err != nil {
			t.Fatal(err)
		}
		for _, endpoint := range []string{subscribe, "unix:" + socket} {
			s := newSubscriber(t, SubscriberOptions{
				Options: Options{Endpoints: []string{endpoint}}, Types: []Range{{70, 70}}, Start: FromEarliest(),
			})
			for i, item := range take(t, s, 1000) {
				expect(t, string(item.Body), fmt.Sprint(i))
			}
			if _, err := s.Types(context.Background(), Range{8, 8}); err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("README", func(t *testing.T) { tryReadme(t, publish, subscribe) })
}

// Runs the README's programs in an empty module that requires this one.
func tryReadme(t *testing.T, publish, subscribe string) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	here, _ := os.Getwd()
	programs := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(string(readme), -1)
	var built []string
	for i, program := range programs {
		directory := t.TempDir()
		code := strings.NewReplacer("127.0.0.1:7400", subscribe, "127.0.0.1:7401", publish).Replace(program[1])
		module := "module empty\n\ngo 1.23\n\nrequire msgrelay.dev/relay v0.1.0\n\n" +
			"replace msgrelay.dev/relay => " + here + "\n"
		for name, content := range map[string]string{"main.go": code, "go.mod": module} {
			if err := os.WriteFile(filepath.Join(directory, name), []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		build := exec.Command("go", "build", "-o", "program", ".")
		build.Dir = directory
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("program %d: %v\n%s", i, err, out)
		}
		built = append(built, filepath.Join(directory, "program"))
	}
	var said strings.Builder
	publisher := exec.Command(built[1])
	publisher.Stderr = &said
	if out, err := publisher.Output(); err != nil || string(out) != "10 acknowledged\n" {
		t.Fatalf("%v: %q, %s", err, out, said.String())
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	subscriber := exec.CommandContext(ctx, built[0])
	stdout, err := subscriber.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := subscriber.Start(); err != nil {
		t.Fatal(err)
	}
	defer subscriber.Wait()
	defer subscriber.Process.Kill()
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		if strings.HasSuffix(lines.Text(), " 7 message 9") {
			return
		}
	}
	t.Error("the subscriber has ended without message 9")
}
