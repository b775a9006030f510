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
import dev.msgrelay.testing.ConcurrentTest;
import dev.msgrelay.testing.HiddenFiles;
import dev.msgrelay.testing.OddFiles;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** SIGHUP, as an operator sends it: all of the configuration is taken, or none of it. */
class ReloadProcessTest {
    private static final String ADMIN = "Xq7r0A-zIyGdk3_cJ5Yw1pTn";
    private static final Token TOKEN = Token.of("s3cret-of-orders");
    private static final Token OTHER = Token.of("s3cret-of-another");

    @TempDir
    private Path folder;

    private Path file(String... lines) throws IOException {
        Path fresh = Files.write(folder.resolve("fresh"), List.of(lines));
        return Files.move(fresh, folder.resolve("relay.conf"), StandardCopyOption.REPLACE_EXISTING);
    }

    private static String orders(Token token, String types) {
        return "access { orders { token = \"" + TokenHash.of(token).text() + "\", publish = \"" + types + "\" } }";
    }

    /** A relay that gives its clients hours: one of them answers no PING, and a handshake may be slow. */
    private static CommandProcess patient(List<String> before, String... args) throws IOException {
        List<String> all = new ArrayList<>(List.of("--idle-timeout=1h", "--handshake-timeout=1h"));
        all.addAll(List.of(args));
        return CommandProcess.startedBy(before, all.toArray(String[]::new));
    }

    private static TalkingPublisher publisher(InetSocketAddress address, Token token) throws IOException {
        return TalkingPublisher.connect(address)
                .send(HelloFrame.publisher().token(token).build().encode());
    }

    private static TalkingPublisher welcomed(InetSocketAddress address, Token token) throws IOException {
        TalkingPublisher publisher = publisher(address, token);
        publisher.await(Hello.WELCOME);
        return publisher;
    }

    @ConcurrentTest
    void allOfItOrNothing() throws Exception {
        Path file = file("name-hold = 10s", orders(TOKEN, "1-9"));
        try (CommandProcess command = patient(List.of(), "--json", "--quiet", "--config=" + file)) {
            InetSocketAddress address = command.publishers();
            try (TalkingPublisher stays = welcomed(address, TOKEN)) {
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
                welcomed(address, TOKEN).close();
                try (TalkingPublisher unknown = publisher(address, OTHER)) {
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
                welcomed(address, OTHER).close();
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
    @ConcurrentTest
    void certificatesGoWithTheRest() throws Exception {
        try (Certificates certificates = new Certificates()) {
            TlsFiles old = certificates.relayFiles(certificates.relay("CN=old"));
            TlsFiles fresh = certificates.relayFiles(certificates.relay("CN=fresh"));
            Path file = file(tls(old.certificate(), old.key()), orders(TOKEN, "1-9"));
            try (CommandProcess command = patient(List.of(), "--tls-size=2m", "--pin-size=8m", "--config=" + file)) {
                InetSocketAddress address = command.told("TLS publishers ");
                try (TlsBridge bridge = new TlsBridge(address, certificates.client());
                        TalkingPublisher stays = welcomed((InetSocketAddress) bridge.address(), TOKEN)) {
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

    private static String tls(Path certificate, Path key) {
        return "tls { cert = \"" + certificate + "\", key = \"" + key + "\", publish-port = 0, subscribe-port = 0 }";
    }

    private static String shown(Certificates certificates, InetSocketAddress address) throws Exception {
        try (SSLSocket socket = TlsBridge.connect(certificates.client(), address, 0)) {
            return ((X509Certificate) socket.getSession().getPeerCertificates()[0])
                    .getSubjectX500Principal()
                    .getName();
        }
    }

    private static void refused(CommandProcess command, String why) throws Exception {
        int before = command.log().size();
        command.hangUp();
        assertThat(command.logged(before, l -> l.contains("configuration not taken, the one before holds: ")))
                .contains(why);
    }

    private static String adminToken(Token token) {
        return "admin-token = \"" + TokenHash.of(token).text() + '"';
    }

    private static CommandProcess withAnAdminPort(Path file) throws IOException {
        return patient(List.of(), "--json", "--quiet", "--admin=127.0.0.1:0", "--config=" + file);
    }

    /** Asks the admin port for a reload; fails unless that is answered so. Returns all that is answered. */
    private static String reload(CommandProcess command, int status, String token, String... words) throws IOException {
        Http.Reply reply = Http.post(command.told("\"admin\":\""), "/reload", Http.bearer(token))
                .is(status);
        assertThat(words).allSatisfy(word -> assertThat(reply.body()).contains(word));
        return reply.body();
    }

    /** The same, and who asks is told what came of it. Thorough, as {@link #withoutAccess} asks the admin port, too. */
    @Tag("thorough")
    @ConcurrentTest
    void byTheAdminPort() throws Exception {
        Path file = file("name-hold = 10s", adminToken(Token.of(ADMIN)), orders(TOKEN, "1-9"));
        try (CommandProcess command = withAnAdminPort(file);
                TalkingPublisher stays = welcomed(command.publishers(), TOKEN)) {
            file("name-hold = 10s", "nmae = 1", orders(OTHER, "1-9"));
            assertThat(reload(command, 409, ADMIN, "nmae"))
                    .startsWith("configuration not taken, the one before holds: " + file + ":2: ");
            file("name-hold = 10s", orders(OTHER, "1-9"));
            reload(command, 401, ADMIN + "x");
            stays.send(new Frames().frame(9, 1));
            file("name-hold = 20s", adminToken(OTHER), orders(OTHER, "1-9"));
            assertThat(reload(command, 200, ADMIN).lines())
                    .containsExactly(
                            "configuration read again: " + file
                                    + ": good; 2 options from file and environment, 1 identity",
                            "access changed",
                            "admin-token takes a restart: it has changed",
                            "name-hold takes a restart: it is 10s and would be 20s");
            assertThat(stays.awaitError().code()).isEqualTo(CloseReason.REVOKED.code());
            reload(command, 200, ADMIN, "access as before");
            command.logged(0, l -> l.contains("asks for a reload"));
            assertThat(command.terminate()).isZero();
            for (Token secret : List.of(Token.of(ADMIN), OTHER)) {
                assertThat(command.log())
                        .noneMatch(l -> l.contains(TokenHash.of(secret).text()))
                        .noneMatch(l -> l.contains(ADMIN));
            }
        }
    }

    /** A reload that finds no access block any more does not open the door, unless it is said. */
    @Test
    void withoutAccess() throws Exception {
        String token = adminToken(Token.of(ADMIN));
        Path access = Files.writeString(folder.resolve("access.conf"), orders(TOKEN, "1-9"));
        try (CommandProcess relay = withAnAdminPort(file(token, "include \"access.conf\""));
                TalkingPublisher stays = welcomed(relay.publishers(), TOKEN)) {
            Files.writeString(access, "");
            reload(relay, 409, ADMIN, "the one before holds: there is no access block any more");
            file(token, "include classpath(\"access.conf\")");
            reload(relay, 409, ADMIN, "relay.conf:2: include access.conf: only a file can be included");
            Path pipe = OddFiles.pipe(folder.resolve("pipe"));
            file(token, "include \"pipe\"");
            reload(relay, 409, ADMIN, "relay.conf:2: include " + pipe + ": it cannot be read: it is a pipe");
            file(token, "x { ".repeat(60_000));
            reload(relay, 409, ADMIN, "relay.conf: too many sections");
            // The lock of the reload is free, and the old block holds.
            file(token, orders(TOKEN, "1-9"));
            reload(relay, 200, ADMIN, "access as before");
            file(token, "insecure = true");
            reload(relay, 200, ADMIN, "no access block\naccess changed");
            stays.send(new Frames().frame(77, 1));
            try (TalkingPublisher anybody = TalkingPublisher.connect(relay.publishers())
                    .send(HelloFrame.publisher().build().encode())) {
                anybody.await(Hello.WELCOME);
            }
            assertThat(relay.terminate()).isZero();
        }
    }

    @Tag("thorough")
    @ConcurrentTest
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
    @ConcurrentTest
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

    @Tag("thorough")
    @ConcurrentTest
    void aSignalThatNohupKeepsAwayIsTold() throws Exception {
        Path file = file("name-hold = 10s");
        try (CommandProcess relay = CommandProcess.startedBy(List.of("nohup"), "--config=" + file)) {
            relay.line(l -> l.contains("publishers 127.0.0.1:"));
            relay.logged(0, l -> l.contains("SIGHUP is ignored (nohup does that)") && l.contains("" + file));
            assertThat(relay.terminate()).isZero();
        }
    }

    @ConcurrentTest
    void checkAndBind() throws Exception {
        Path file = file("bind = 0.0.0.0");
        for (String flag : List.of("--check-config", "--quiet")) {
            CommandRun.of(flag, "--config=" + file).assertRefused(2, file + ":1: bind 0.0.0.0 is beyond this host");
        }
        CommandRun.of("--check-config", "--insecure", "--config=" + file).ended(0);
    }

    // ---- files that are there, and that the relay's user may not read: the line names the file, and why ----------

    @Tag("thorough")
    @ConcurrentTest
    void unreadableAtTheStart() throws Exception {
        List<String> before = HiddenFiles.prefix(folder);
        Path file = HiddenFiles.hide(file("name-hold = 10s"));
        unreadable(before, 2, file + ": it may not be read", "--config=" + file);
        unreadable(before, 2, file + ": it may not be read", "--check-config", "--config=" + file);
        Path token = HiddenFiles.hide(Files.writeString(folder.resolve("orders.token"), TOKEN.text()));
        unreadable(before, 2, token + " holds no token: it may not be read", "token", "--of=" + token);
        try (Certificates certificates = new Certificates()) {
            TlsFiles tls = certificates.relayFiles(certificates.relay("CN=relay"));
            Path authority = certificates.authorityFile();
            for (Path one : List.of(tls.certificate(), tls.key(), authority)) {
                HiddenFiles.hide(one);
                unreadable(
                        before,
                        1,
                        "may not read " + one,
                        "--tls-cert=" + tls.certificate(),
                        "--tls-key=" + tls.key(),
                        "--tls-clients=" + authority,
                        "--tls-size=2m",
                        "--pin-size=8m");
                HiddenFiles.show(one);
            }
        }
    }

    private static void unreadable(List<String> before, int exitCode, String line, String... args) throws Exception {
        try (CommandProcess relay = CommandProcess.startedBy(before, args)) {
            assertThat(relay.awaitExit()).as(line).isEqualTo(exitCode);
            assertThat(relay.errors()).contains("relay-server: " + line);
            assertThat(relay.lines()).noneMatch(l -> l.contains("listens"));
        }
    }

    @Tag("thorough")
    @ConcurrentTest
    void unreadableAtAReload() throws Exception {
        List<String> before = HiddenFiles.prefix(folder);
        try (Certificates certificates = new Certificates()) {
            TlsFiles old = certificates.relayFiles(certificates.relay("CN=old"));
            TlsFiles fresh = certificates.relayFiles(certificates.relay("CN=fresh"));
            Path file = file(tls(old.certificate(), old.key()), orders(TOKEN, "1-9"));
            try (CommandProcess relay =
                            patient(before, "--json", "--quiet", "--tls-size=2m", "--pin-size=8m", "--config=" + file);
                    TalkingPublisher stays = welcomed(relay.publishers(), TOKEN)) {
                file(tls(fresh.certificate(), fresh.key()), orders(TOKEN, "5"));
                for (Path one : List.of(file, fresh.certificate(), fresh.key())) {
                    HiddenFiles.hide(one);
                    refused(relay, one.equals(file) ? file + ": it may not be read" : "may not read " + one);
                    HiddenFiles.show(one);
                }
                // What it would not be allowed with the new one.
                stays.send(new Frames().frame(9, 1));
                int said = relay.log().size();
                relay.hangUp();
                relay.logged(said, l -> l.contains("configuration read again: " + file + ": good"));
                relay.logged(said, l -> l.contains("certificate CN=fresh until"));
                try (TalkingPublisher now = publisher(relay.publishers(), TOKEN)) {
                    now.send(new Frames().frame(5, 1).frame(9, 1));
                    assertThat(now.awaitError().text()).isEqualTo("type 9 may not be published: 5 may");
                }
                assertThat(relay.terminate()).isZero();
                assertThat(relay.lines()).last().asString().contains("\"messagesIn\":2");
            }
        }
    }
}
