package dev.msgrelay.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.Token;
import dev.msgrelay.server.harness.Certificates;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Hello;
import dev.msgrelay.server.harness.TalkingPublisher;
import dev.msgrelay.server.tls.TlsFiles;
import dev.msgrelay.testing.HiddenFiles;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Files that are there, and that the relay's user may not read: the line names the file, and why. */
@Tag("thorough")
class UnreadableFilesTest {
    private static final Token TOKEN = Token.of("s3cret-of-orders");

    private static List<String> before;

    @TempDir
    private Path folder;

    @BeforeAll
    static void mayNotReadEverything(@TempDir Path other) throws Exception {
        before = HiddenFiles.prefix(other);
    }

    private static void refused(int exitCode, String line, String... args) throws Exception {
        try (CommandProcess relay = CommandProcess.startedBy(before, args)) {
            assertThat(relay.awaitExit()).as(line).isEqualTo(exitCode);
            assertThat(relay.errors()).contains("relay-server: " + line);
            assertThat(relay.lines()).noneMatch(l -> l.contains("listens"));
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void atTheStart() throws Exception {
        Path file = HiddenFiles.hide(Files.writeString(folder.resolve("relay.conf"), "name-hold = 10s"));
        refused(2, file + ": it may not be read", "--config=" + file);
        refused(2, file + ": it may not be read", "--check-config", "--config=" + file);
        Path token = HiddenFiles.hide(Files.writeString(folder.resolve("orders.token"), TOKEN.text()));
        refused(2, token + " holds no token: it may not be read", "token", "--of=" + token);
        try (Certificates certificates = new Certificates()) {
            TlsFiles tls = certificates.relayFiles(certificates.relay("CN=relay"));
            Path authority = certificates.authorityFile();
            for (Path one : List.of(tls.certificate(), tls.key(), authority)) {
                HiddenFiles.hide(one);
                String[] args = {
                    "--tls-cert=" + tls.certificate(),
                    "--tls-key=" + tls.key(),
                    "--tls-clients=" + authority,
                    "--tls-size=2m",
                    "--pin-size=8m"
                };
                refused(1, "may not read " + one, args);
                HiddenFiles.show(one);
            }
        }
    }

    /** Nothing of the new configuration is taken, whichever file it is; once it can be read, all of it is. */
    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void atAReload() throws Exception {
        try (Certificates certificates = new Certificates()) {
            TlsFiles old = certificates.relayFiles(certificates.relay("CN=old"));
            TlsFiles fresh = certificates.relayFiles(certificates.relay("CN=fresh"));
            Path file = folder.resolve("relay.conf");
            write(file, old, "1-9");
            try (CommandProcess relay = CommandProcess.startedBy(
                    before, "--json", "--quiet", "--tls-size=2m", "--pin-size=8m", "--config=" + file)) {
                Matcher ready = Pattern.compile(".*\"publish\":\"127\\.0\\.0\\.1:(\\d+)\".*")
                        .matcher(relay.line(l -> l.contains("\"ready\"")));
                assertThat(ready.matches()).isTrue();
                InetSocketAddress address = new InetSocketAddress("127.0.0.1", Integer.parseInt(ready.group(1)));
                try (TalkingPublisher stays = ReloadProcessTest.publisher(address, TOKEN)) {
                    stays.await(Hello.WELCOME);
                    write(file, fresh, "5");
                    for (Path one : List.of(file, fresh.certificate(), fresh.key())) {
                        HiddenFiles.hide(one);
                        ReloadProcessTest.refused(
                                relay, one.equals(file) ? file + ": it may not be read" : "may not read " + one);
                        HiddenFiles.show(one);
                    }
                    // What it would not be allowed with the new one.
                    stays.send(new Frames().frame(9, 1));
                    int said = relay.log().size();
                    relay.hangUp();
                    relay.logged(said, l -> l.contains("configuration read again: " + file + ": good"));
                    relay.logged(said, l -> l.contains("certificate CN=fresh until"));
                    try (TalkingPublisher now = ReloadProcessTest.publisher(address, TOKEN)) {
                        now.send(new Frames().frame(5, 1).frame(9, 1));
                        assertThat(now.awaitError().text()).isEqualTo("type 9 may not be published: 5 may");
                    }
                }
                assertThat(relay.terminate()).isZero();
                String stats = relay.lines().get(relay.lines().size() - 1);
                assertThat(stats).contains("\"messagesIn\":2");
            }
        }
    }

    private static void write(Path file, TlsFiles tls, String types) throws IOException {
        Files.write(
                file,
                List.of(ReloadProcessTest.tls(tls.certificate(), tls.key()), ReloadProcessTest.orders(TOKEN, types)));
    }
}
