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

/**
 * The first lines of a relay for people: eight, and more only where there are more ports.
 *
 * @param version of the relay
 * @param time of the start
 * @param memory limit in bytes of all that the relay counts
 * @param publish what there is for publishers
 * @param subscribe what there is for subscribers
 * @param tls certificate and library in words; null: no TLS
 * @param page address of the admin port; null: there is none
 * @param health address of the port for health alone; null: there is none
 * @param journal the journal in words
 * @param access who may connect, in words
 */
record StartScreen(
        String version,
        Instant time,
        long memory,
        Doors publish,
        Doors subscribe,
        String tls,
        String page,
        String health,
        String journal,
        String access) {
    /** Ports that a client without an endpoint in its command line uses. */
    private static final int PUBLISH_PORT = 7401;

    private static final int SUBSCRIBE_PORT = 7400;

    /**
     * The places where clients of one role connect; null: there is no such place.
     *
     * @param tcp address of the plain port
     * @param unix the socket
     * @param tls address of the port with TLS
     */
    record Doors(InetSocketAddress tcp, Path unix, InetSocketAddress tls) {
        /** The plain places, such as {@code 127.0.0.1:7401 and unix:/run/relay/publish}. */
        String plain() {
            List<String> all = new ArrayList<>();
            if (tcp != null) {
                all.add(NetUtil.toSocketAddressString(tcp));
            }
            if (unix != null) {
                all.add("unix:" + unix);
            }
            return all.isEmpty() ? "none" : String.join(" and ", all);
        }

        String secured() {
            return tls == null ? "none" : NetUtil.toSocketAddressString(tls);
        }

        /** The endpoint behind a client's command line, with a blank in front; empty: the client finds it itself. */
        private String endpoint(int usual) {
            if (tcp == null && unix != null) {
                return " unix:" + unix;
            }
            InetSocketAddress address = tcp == null ? tls : tcp;
            if (address == null) {
                return "";
            }
            boolean here = address.getAddress().isAnyLocalAddress()
                    || address.getAddress().getHostAddress().equals("127.0.0.1");
            if (here && tcp != null && address.getPort() == usual) {
                return "";
            }
            String place = here ? "127.0.0.1:" + address.getPort() : NetUtil.toSocketAddressString(address);
            return (tcp == null ? " --tls-ca CA.pem " : " ") + place;
        }

        private boolean open() {
            return tcp != null || unix != null || tls != null;
        }
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add("relay-server: publishers " + publish.plain() + ", subscribers " + subscribe.plain());
        lines.add("  " + version + ", " + time.truncatedTo(ChronoUnit.SECONDS) + ", memory at most "
                + ShortText.of(memory, "B") + " (--check-config lists it)");
        if (tls != null) {
            lines.add("  TLS publishers " + publish.secured() + ", subscribers " + subscribe.secured());
            lines.add("  " + tls);
        }
        if (subscribe.open()) {
            add(lines, "read", "relay-client subscribe" + subscribe.endpoint(SUBSCRIBE_PORT));
        }
        if (publish.open()) {
            add(lines, "write", "relay-client publish --message hello" + publish.endpoint(PUBLISH_PORT));
        }
        add(lines, "page", page == null ? "none" : page);
        if (health != null) {
            add(lines, "health", health);
        }
        add(lines, "journal", journal);
        add(lines, "access", access);
        lines.add("  Ctrl-C ends it.");
        return lines;
    }

    private static void add(List<String> lines, String what, String text) {
        lines.add(String.format(Locale.ROOT, "  %-9s%s", what + ":", text));
    }
}
