package dev.msgrelay.loadgen.bound;

import java.util.List;
import java.util.Optional;

/**
 * What TCP of one network namespace has sent, all its connections together.
 *
 * @param sent segments with data
 * @param resent of these, again
 */
public record TcpSegments(long sent, long resent) {
    static final TcpSegments NONE = new TcpSegments(0, 0);

    private static final String TCP = "Tcp:";

    /** From /proc/net/snmp; empty where it is no such text. */
    static Optional<TcpSegments> parse(String snmp) {
        List<String> lines = snmp.lines().filter(line -> line.startsWith(TCP)).toList();
        if (lines.size() < 2) {
            return Optional.empty();
        }
        List<String> names = List.of(lines.get(0).split(" "));
        String[] values = lines.get(1).split(" ");
        int sent = names.indexOf("OutSegs");
        int resent = names.indexOf("RetransSegs");
        if (sent < 0 || resent < 0 || values.length != names.size()) {
            return Optional.empty();
        }
        try {
            return Optional.of(new TcpSegments(Long.parseLong(values[sent]), Long.parseLong(values[resent])));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    TcpSegments plus(TcpSegments other) {
        return new TcpSegments(sent + other.sent, resent + other.resent);
    }

    TcpSegments minus(TcpSegments before) {
        return new TcpSegments(sent - before.sent, resent - before.resent);
    }
}
