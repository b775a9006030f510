package dev.msgrelay.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Token;
import dev.msgrelay.server.access.TokenHash;
import dev.msgrelay.server.admin.Http;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Hello;
import dev.msgrelay.server.harness.TalkingPublisher;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A reload that finds no access block any more does not open the door. */
class ReloadWithoutAccessTest {
    private static final String ADMIN = "Xq7r0A-zIyGdk3_cJ5Yw1pTn";
    private static final Token TOKEN = Token.of("s3cret-of-orders");

    @TempDir
    private Path folder;

    private InetSocketAddress admin;

    private void file(String... lines) throws IOException {
        Files.write(folder.resolve("relay.conf"), List.of(lines));
    }

    private static InetSocketAddress port(String ready, String which) {
        Matcher matcher =
                Pattern.compile("\"" + which + "\":\"127\\.0\\.0\\.1:(\\d+)\"").matcher(ready);
        assertThat(matcher.find()).as(ready).isTrue();
        return new InetSocketAddress("127.0.0.1", Integer.parseInt(matcher.group(1)));
    }

    private void reload(int status, String... words) throws IOException {
        Http.Reply reply = Http.send(
                admin, "POST /reload HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + ADMIN + "\r\n\r\n");
        assertThat(reply.body()).contains(words);
        assertThat(reply.status()).as(reply.body()).isEqualTo(status);
    }

    @Test
    void itIsRefusedUnlessSaid() throws Exception {
        String token = "admin-token = \"" + TokenHash.of(Token.of(ADMIN)).text() + "\"";
        Path access = folder.resolve("access.conf");
        Files.writeString(access, ReloadProcessTest.orders(TOKEN, "1-9"));
        file(token, "include \"access.conf\"");
        List<String> line = CommandProcess.command(
                "--json", "--quiet", "--admin=127.0.0.1:0", "--config=" + folder.resolve("relay.conf"));
        line.remove("--admin=none");
        try (CommandProcess relay = CommandProcess.started(line)) {
            String ready = relay.line(l -> l.contains("\"ready\""));
            admin = port(ready, "admin");
            try (TalkingPublisher stays = ReloadProcessTest.publisher(port(ready, "publish"), TOKEN)) {
                stays.await(Hello.WELCOME);
                Files.writeString(access, "");
                reload(409, "the one before holds: there is no access block any more");
                file(token, "include classpath(\"access.conf\")");
                reload(409, "relay.conf:2: include access.conf: only a file can be included");
                assertThat(new ProcessBuilder("mkfifo", folder.resolve("pipe").toString())
                                .start()
                                .waitFor())
                        .isZero();
                file(token, "include \"pipe\"");
                reload(409, "relay.conf:2: include " + folder.resolve("pipe") + ": it cannot be read: it is a pipe");
                file(token, "x { ".repeat(60_000));
                reload(409, "relay.conf:2: sections within one another");
                // The lock of the reload is free, and the old block holds.
                file(token, ReloadProcessTest.orders(TOKEN, "1-9"));
                reload(200, "access as before");
                file(token, "insecure = true");
                reload(200, "no access block\naccess changed");
                stays.send(new Frames().frame(77, 1));
                try (TalkingPublisher anybody = TalkingPublisher.connect(port(ready, "publish"))
                        .send(HelloFrame.publisher().build().encode())) {
                    anybody.await(Hello.WELCOME);
                }
            }
            assertThat(relay.terminate()).isZero();
        }
    }
}
