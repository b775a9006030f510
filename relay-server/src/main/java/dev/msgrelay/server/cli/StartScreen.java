package dev.msgrelay.server.cli;

import dev.msgrelay.protocol.text.ShortText;
import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The first lines that a relay prints for people: eight, or more if there are more ports.
 *
 * @param memory limit in bytes of all that the relay counts
 * @param tls certificate and library in words
 * @param page address of the admin port
 * @param health address of the health-only port
 * @param access who may connect, in words
 */
record StartScreen(
        String version,
        Instant time,
        long memory,
        Doors publish,
        Doors subscribe,
        Optional<String> tls,
        Optional<String> page,
        Optional<String> health,
        String journal,
        String access) {
    /** Ports that a client without an endpoint in its command line uses. */
    private static final int PUBLISH_PORT = 7401;

    private static final int SUBSCRIBE_PORT = 7400;

    /** The TCP port, Unix socket and port with TLS where clients of one role connect. */
    record Doors(Optional<InetSocketAddress> tcp, Optional<Path> unix, Optional<InetSocketAddress> tls) {
        /** The places without TLS, such as {@code 127.0.0.1:7401 and unix:/run/relay/publish}. */
        String plain() {
            return isPlain()
                    ? Stream.concat(tcp.map(NetUtil::toSocketAddressString).stream(), unix.map(Doors::unix).stream())
                            .collect(Collectors.joining(" and "))
                    : "none";
        }

        private static String unix(Path path) {
            return "unix:" + path;
        }

        String secured() {
            return tls.map(NetUtil::toSocketAddressString).orElse("none");
        }

        /** The arguments of a client for this relay, each after a blank; empty if the client's defaults are right. */
        private String endpoint(int usual) {
            if (tcp.isEmpty() && unix.isPresent()) {
                return " " + unix(unix.get());
            }
            InetSocketAddress address = tcp.or(() -> tls).orElseThrow();
            boolean here = address.getAddress().isAnyLocalAddress()
                    || address.getAddress().getHostAddress().equals("127.0.0.1");
            if (here && tcp.isPresent() && address.getPort() == usual) {
                return "";
            }
            String place = here ? "127.0.0.1:" + address.getPort() : NetUtil.toSocketAddressString(address);
            return (tcp.isEmpty() ? " --tls-ca CA.pem " : " ") + place;
        }

        private boolean isPlain() {
            return tcp.isPresent() || unix.isPresent();
        }

        private boolean open() {
            return isPlain() || tls.isPresent();
        }
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add("relay-server: publishers " + publish.plain() + ", subscribers " + subscribe.plain());
        lines.add("  " + version + ", " + time.truncatedTo(ChronoUnit.SECONDS) + ", memory at most "
                + ShortText.of(memory, "B") + " (--check-config lists it)");
        tls.ifPresent(words -> {
            lines.add("  TLS publishers " + publish.secured() + ", subscribers " + subscribe.secured());
            lines.add("  " + words);
        });
        if (subscribe.open()) {
            add(lines, "read", "relay-client subscribe" + subscribe.endpoint(SUBSCRIBE_PORT));
        }
        if (publish.open()) {
            add(lines, "write", "relay-client publish --message hello" + publish.endpoint(PUBLISH_PORT));
        }
        add(lines, "page", page.orElse("none"));
        health.ifPresent(place -> add(lines, "health", place));
        add(lines, "journal", journal);
        add(lines, "access", access);
        lines.add("  Ctrl-C ends it.");
        return lines;
    }

    private static void add(List<String> lines, String what, String text) {
        lines.add(String.format(Locale.ROOT, "  %-9s%s", what + ":", text));
    }
}
