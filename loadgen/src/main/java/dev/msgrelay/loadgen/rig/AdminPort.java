package dev.msgrelay.loadgen.rig;

import dev.msgrelay.loadgen.evidence.Signals.RelayHolds;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * The admin port of a relay that is already running. The token in RELAY_TOKEN is sent only over https, or within this
 * host.
 *
 * @param timeout for a connection, and then for each part of the answer; above 0, at most {@link Integer#MAX_VALUE} ms
 */
public record AdminPort(URI uri, Duration timeout) {
    private static final int MOST_BYTES = 4 << 20;
    private static final String PREFIX = "relay_";
    private static final String CPU_SECONDS = "process_cpu_seconds_total";

    record Look(long nanos, Map<String, Double> figures) {
        static final Look NONE = new Look(0, Map.of());

        double of(String name) {
            return figures.getOrDefault(PREFIX + name, Double.NaN);
        }

        /** Returns how many cores the relay's process has used since an earlier reading; NaN: unknown. */
        double coresSince(Look before) {
            return (figures.getOrDefault(CPU_SECONDS, Double.NaN)
                            - before.figures.getOrDefault(CPU_SECONDS, Double.NaN))
                    * 1e9
                    / (nanos - before.nanos);
        }
    }

    /** Parses a URL: {@code http://relay-host:7402}. The default scheme is http, and the default TCP port 7402. */
    public static AdminPort parse(String text, Duration timeout) {
        try {
            URI uri = new URI(text.contains("://") ? text : "http://" + text);
            boolean web = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
            if (web && uri.getHost() != null) {
                int port = uri.getPort() < 0 ? 7402 : uri.getPort();
                return new AdminPort(new URI(uri.getScheme(), null, uri.getHost(), port, null, null, null), timeout);
            }
        } catch (URISyntaxException e) {
            // The exception below has a clearer message.
        }
        throw new IllegalArgumentException("'" + text + "' is no URL like http://relay-host:7402");
    }

    void check() throws RunException {
        try {
            if (Double.isNaN(look().of("messages_in_total"))) {
                throw new RunException("--admin " + uri + ": this is no relay's admin port");
            }
        } catch (IOException e) {
            throw new RunException("--admin " + uri + ": " + e.getMessage());
        }
    }

    /** Reads the figures; {@link Look#NONE} if the admin port does not answer. */
    Look lookIfPossible() {
        try {
            return look();
        } catch (IOException e) {
            return Look.NONE;
        }
    }

    private Look look() throws IOException {
        HttpURLConnection connection =
                (HttpURLConnection) uri.resolve("/metrics").toURL().openConnection();
        int millis = Math.toIntExact(timeout.toMillis());
        connection.setConnectTimeout(millis);
        connection.setReadTimeout(millis);
        connection.setInstanceFollowRedirects(false);
        String token = System.getenv("RELAY_TOKEN");
        boolean secret = "https".equals(uri.getScheme())
                || InetAddress.getByName(uri.getHost()).isLoopbackAddress();
        if (token != null && !token.isBlank() && secret) {
            connection.setRequestProperty("Authorization", "Bearer " + token.strip());
        }
        try {
            long now = System.nanoTime();
            int code = connection.getResponseCode();
            if (code == HttpURLConnection.HTTP_UNAUTHORIZED) {
                throw new IOException("it asks for a token: set RELAY_TOKEN"
                        + (secret ? "" : ", and use https, or the token would go in the clear"));
            }
            if (code != HttpURLConnection.HTTP_OK) {
                throw new IOException("this is no relay's admin port" + (code < 0 ? "" : ": it answers " + code));
            }
            try (InputStream in = connection.getInputStream()) {
                return new Look(now, figures(new String(in.readNBytes(MOST_BYTES), StandardCharsets.UTF_8)));
            }
        } finally {
            connection.disconnect();
        }
    }

    /** Parses those figures in Prometheus's text format that have no labels: the relay's own, and its CPU time. */
    static Map<String, Double> figures(String text) {
        Map<String, Double> figures = new HashMap<>();
        for (String line : text.split("\n")) {
            String[] words = line.trim().split(" ");
            boolean wanted = words[0].startsWith(PREFIX) || words[0].equals(CPU_SECONDS);
            if (words.length == 2 && wanted && words[0].indexOf('{') < 0) {
                try {
                    figures.put(words[0], Double.parseDouble(words[1]));
                } catch (NumberFormatException e) {
                    // The line has another format.
                }
            }
        }
        return figures;
    }

    static RelayHolds holds(Look first, Look last) {
        return RelayHolds.of(
                (last.nanos() - first.nanos()) / 1e9,
                last.of("held_back_seconds_total") - first.of("held_back_seconds_total"),
                last.of("backpressure_seconds_total") - first.of("backpressure_seconds_total"),
                last.of("ring_used_cells") / last.of("ring_cells"));
    }
}
