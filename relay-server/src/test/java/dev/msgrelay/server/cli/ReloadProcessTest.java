package dev.msgrelay.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Token;
import dev.msgrelay.server.access.TokenHash;
import dev.msgrelay.server.admin.Http;
import dev.msgrelay.server.harness.Certificates;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Hello;
import dev.msgrelay.server.harness.TalkingPublisher;
import dev.msgrelay.server.harness.TlsBridge;
import dev.msgrelay.server.tls.TlsFiles;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** SIGHUP, as an operator sends it: all of the configuration is taken, or none of it. */
class ReloadProcessTest {
    private static final Pattern READY = Pattern.compile(".*\"publish\":\"127\\.0\\.0\\.1:(\\d+)\".*");
    private static final Token TOKEN = Token.of("s3cret-of-orders");
    private static final Token OTHER = Token.of("s3cret-of-another");

    @TempDir
    private Path folder;

    private Path file(String... lines) throws IOException {
        Path fresh = Files.write(folder.resolve("fresh"), List.of(lines));
        return Files.move(fresh, folder.resolve("relay.conf"), StandardCopyOption.REPLACE_EXISTING);
    }

    static String orders(Token token, String types) {
        return "access { orders { token = \"" + TokenHash.of(token).text() + "\", publish = \"" + types + "\" } }";
    }

    static TalkingPublisher publisher(InetSocketAddress address, Token token) throws IOException {
        return TalkingPublisher.connect(address)
                .send(HelloFrame.publisher().token(token).build().encode());
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void allOfItOrNothing() throws Exception {
        Path file = file("name-hold = 10s", orders(TOKEN, "1-9"));
        try (CommandProcess command = CommandProcess.logging("--json", "--quiet", "--config=" + file)) {
            Matcher ready = READY.matcher(command.line(l -> l.contains("\"ready\"")));
            assertThat(ready.matches()).isTrue();
            InetSocketAddress address = new InetSocketAddress("127.0.0.1", Integer.parseInt(ready.group(1)));
            try (TalkingPublisher stays = publisher(address, TOKEN)) {
                stays.await(Hello.WELCOME);
                for (String[] wrong : new String[][] {
                    {"name-hold = 10s", orders(TOKEN, "1-9"), "}"},
                    {"name-hold = 10s", orders(TOKEN, "9-1")},
                    {"name-hold = 10s", "nmae = 1", orders(OTHER, "1-9")},
                    {orders(OTHER, "1-9"), "name-hold = soon"},
                    {orders(OTHER, "1-9"), "mtu = 575"}
                }) {
                    file(wrong);
                    refused(command, file + ":");
                }
                Files.delete(file);
                refused(command, file + ": there is no such file");
                Files.createDirectory(file);
                refused(command, file + ": it cannot be read");
                Files.delete(file);
                // Whatever was wrong, the one from the start holds.
                stays.send(new Frames().frame(9, 1));
                try (TalkingPublisher again = publisher(address, TOKEN);
                        TalkingPublisher unknown = publisher(address, OTHER)) {
                    again.await(Hello.WELCOME);
                    assertThat(unknown.awaitError().code()).isEqualTo(CloseReason.NOT_AUTHENTICATED.code());
                }
                int before = command.log().size();
                file("name-hold = 20s", "journal-keep = 1d", "pin-size = 32m", "ring-size = 4m", orders(OTHER, "1-9"));
                command.hangUp();
                assertThat(stays.awaitError().code()).isEqualTo(CloseReason.REVOKED.code());
                command.logged(before, l -> l.contains("configuration read again: " + file + ": good; 4 options"));
                command.logged(before, l -> l.contains("journal-keep takes a restart: it is 10g and would be 1d"));
                command.logged(before, l -> l.contains("name-hold takes a restart: it is 10s and would be 20s"));
                command.logged(before, l -> l.contains("pin-size takes a restart: it is 16m and would be 32m"));
                assertThat(command.log()).noneMatch(l -> l.contains("ring-size takes"));
                try (TalkingPublisher now = publisher(address, OTHER)) {
                    now.await(Hello.WELCOME);
                }
            }
            assertThat(command.terminate()).isZero();
            assertThat(command.log())
                    .noneMatch(l -> l.contains("s3cret")
                            || l.contains(TokenHash.of(TOKEN).text()));
            assertThat(command.log()).anyMatch(l -> l.contains(" is orders by its token"));
            assertThat(command.lines()).noneMatch(l -> l.contains("s3cret"));
        }
    }

    /** Certificate and access block are one configuration: where one of them is wrong, none is taken. */
    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void certificatesGoWithTheRest() throws Exception {
        try (Certificates certificates = new Certificates()) {
            TlsFiles old = certificates.relayFiles(certificates.relay("CN=old"));
            TlsFiles fresh = certificates.relayFiles(certificates.relay("CN=fresh"));
            Path file = file(tls(old.certificate(), old.key()), orders(TOKEN, "1-9"));
            try (CommandProcess command =
                    CommandProcess.logging("--tls-size=2m", "--pin-size=8m", "--config=" + file)) {
                Matcher ports = Pattern.compile("TLS publishers 127\\.0\\.0\\.1:(\\d+)")
                        .matcher(command.line(l -> l.contains("TLS publishers")));
                assertThat(ports.find()).isTrue();
                InetSocketAddress address = new InetSocketAddress("127.0.0.1", Integer.parseInt(ports.group(1)));
                try (TlsBridge bridge = new TlsBridge(address, certificates.client());
                        TalkingPublisher stays = publisher((InetSocketAddress) bridge.address(), TOKEN)) {
                    stays.await(Hello.WELCOME);
                    file(tls(fresh.certificate(), old.key()), orders(OTHER, "1-9"));
                    refused(command, old.key() + " has another key than that of the certificate");
                    file(tls(fresh.certificate(), folder.resolve("none.pem")), orders(OTHER, "1-9"));
                    refused(command, "there is no file " + folder.resolve("none.pem"));
                    file(tls(fresh.certificate(), fresh.key()), orders(OTHER, "9-1"));
                    refused(command, file + ":2: orders.publish");
                    assertThat(shown(certificates, address)).isEqualTo("CN=old");
                    stays.send(new Frames().frame(9, 1));
                    int before = command.log().size();
                    file(tls(fresh.certificate(), fresh.key()), orders(OTHER, "1-9"));
                    command.hangUp();
                    assertThat(stays.awaitError().code()).isEqualTo(CloseReason.REVOKED.code());
                    command.logged(before, l -> l.contains("configuration read again: " + file + ": good"));
                    command.logged(before, l -> l.contains("certificate CN=fresh until"));
                    assertThat(shown(certificates, address)).isEqualTo("CN=fresh");
                    before = command.log().size();
                    file(orders(OTHER, "1-9"));
                    command.hangUp();
                    command.logged(before, l -> l.contains("tls-cert takes a restart: it is " + old.certificate()));
                }
                assertThat(command.terminate()).isZero();
                String secret = Files.readAllLines(fresh.key()).get(1);
                assertThat(command.log()).noneMatch(l -> l.contains(secret) || l.contains("s3cret"));
            }
        }
    }

    static String tls(Path certificate, Path key) {
        return "tls { cert = \"" + certificate + "\", key = \"" + key + "\", publish-port = 0, subscribe-port = 0 }";
    }

    private static String shown(Certificates certificates, InetSocketAddress address) throws Exception {
        try (SSLSocket socket = TlsBridge.connect(certificates.client(), address, 0)) {
            return ((X509Certificate) socket.getSession().getPeerCertificates()[0])
                    .getSubjectX500Principal()
                    .getName();
        }
    }

    static void refused(CommandProcess command, String why) throws Exception {
        int before = command.log().size();
        command.hangUp();
        assertThat(command.logged(before, l -> l.contains("configuration not taken, the one before holds: ")))
                .contains(why);
    }

    /**
     * By the admin port: the same, and who asks is told what came of it. Thorough, as a process of its own:
     * {@link ReloadWithoutAccessTest} reloads by the admin port, too.
     */
    @Tag("thorough")
    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void byTheAdminPort() throws Exception {
        String token = "Xq7r0A-zIyGdk3_cJ5Yw1pTn";
        String hash = TokenHash.of(Token.of(token)).text();
        Path file = file("name-hold = 10s", "admin-token = \"" + hash + "\"", orders(TOKEN, "1-9"));
        List<String> line = CommandProcess.command("--json", "--quiet", "--admin=127.0.0.1:0", "--config=" + file);
        line.add(1, "-Dorg.slf4j.simpleLogger.log.relay=info");
        line.remove("--admin=none");
        try (CommandProcess command = CommandProcess.started(line)) {
            String ready = command.line(l -> l.contains("\"ready\""));
            InetSocketAddress address = port(ready, "publish");
            InetSocketAddress admin = port(ready, "admin");
            try (TalkingPublisher stays = publisher(address, TOKEN)) {
                stays.await(Hello.WELCOME);
                file("name-hold = 10s", "nmae = 1", orders(OTHER, "1-9"));
                Http.Reply bad = reload(admin, token);
                assertThat(bad.status()).isEqualTo(409);
                assertThat(bad.body())
                        .startsWith("configuration not taken, the one before holds: " + file + ":2: ")
                        .contains("nmae");
                file("name-hold = 10s", orders(OTHER, "1-9"));
                assertThat(reload(admin, token + "x").status()).isEqualTo(401);
                stays.send(new Frames().frame(9, 1));
                String other = TokenHash.of(OTHER).text();
                file("name-hold = 20s", "admin-token = \"" + other + "\"", orders(OTHER, "1-9"));
                Http.Reply taken = reload(admin, token);
                assertThat(taken.status()).as(taken.body()).isEqualTo(200);
                assertThat(taken.body().lines())
                        .containsExactly(
                                "configuration read again: " + file
                                        + ": good; 2 options from file and environment, 1 identity",
                                "access changed",
                                "admin-token takes a restart: it has changed",
                                "name-hold takes a restart: it is 10s and would be 20s");
                assertThat(stays.awaitError().code()).isEqualTo(CloseReason.REVOKED.code());
                assertThat(reload(admin, token).body()).contains("access as before");
                command.logged(0, l -> l.contains("asks for a reload"));
                assertThat(command.terminate()).isZero();
                assertThat(command.log()).noneMatch(l -> l.contains(token) || l.contains(hash) || l.contains(other));
            }
        }
    }

    private static InetSocketAddress port(String ready, String which) {
        Matcher matcher =
                Pattern.compile("\"" + which + "\":\"127\\.0\\.0\\.1:(\\d+)\"").matcher(ready);
        assertThat(matcher.find()).as(ready).isTrue();
        return new InetSocketAddress("127.0.0.1", Integer.parseInt(matcher.group(1)));
    }

    private static Http.Reply reload(InetSocketAddress admin, String token) throws IOException {
        return Http.send(
                admin, "POST /reload HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token + "\r\n\r\n");
    }

    /** Thorough, as it is one more process. */
    @Tag("thorough")
    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void withoutAFileItIsNoEnd() throws Exception {
        try (CommandProcess command = CommandProcess.logging("--json", "--quiet")) {
            command.line(l -> l.contains("\"ready\""));
            command.hangUp();
            command.logged(0, l -> l.contains("configuration read again: no file is named"));
            assertThat(command.terminate()).isZero();
        }
    }

    /** Who says {@code --config relay.conf} has them in the same folder. Thorough, as it is two more processes. */
    @Tag("thorough")
    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void whatAFileIncludesLiesBesideIt() throws Exception {
        file("include \"access.conf\"");
        List<String> there = List.of("sh", "-c", "cd " + folder + " && exec \"$@\"", "sh");
        for (boolean missing : new boolean[] {true, false}) {
            if (!missing) {
                Files.writeString(folder.resolve("access.conf"), orders(TOKEN, "1-9"));
            }
            try (CommandProcess check = CommandProcess.startedBy(there, "--check-config", "--config=relay.conf")) {
                assertThat(check.awaitExit()).as("%s", check.errors()).isEqualTo(missing ? 2 : 0);
                assertThat(missing ? check.errors() : check.lines())
                        .anyMatch(l -> l.contains(missing ? "access.conf" : "1 identity"));
            }
        }
    }

    /** Thorough, as it is one more process. */
    @Tag("thorough")
    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void aSignalThatNohupKeepsAwayIsTold() throws Exception {
        Path file = file("name-hold = 10s");
        try (CommandProcess relay = CommandProcess.startedBy(List.of("nohup"), "--config=" + file)) {
            relay.line(l -> l.contains("publishers 127.0.0.1:"));
            relay.logged(0, l -> l.contains("SIGHUP is ignored (nohup does that)") && l.contains("" + file));
            assertThat(relay.terminate()).isZero();
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void checkAndBind() throws Exception {
        Path file = file("bind = 0.0.0.0");
        for (String flag : List.of("--check-config", "--quiet")) {
            CommandRun refused = CommandRun.of(flag, "--config=" + file);
            assertThat(refused.exitCode()).isEqualTo(2);
            assertThat(refused.errors().get(0))
                    .startsWith("relay-server: " + file + ":1: bind 0.0.0.0 is beyond this host");
        }
        assertThat(CommandRun.of("--check-config", "--insecure", "--config=" + file)
                        .exitCode())
                .isZero();
    }
}
