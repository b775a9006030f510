package dev.msgrelay.server.config;

import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The admin port: its address, TLS and token; or a port for health alone.
 *
 * @param host address to listen on
 * @param port TCP port; 0: any free one
 * @param tls whether the port speaks TLS, with the relay's certificate
 * @param token {@code sha256:} and the hash, in hex, of the token that requests have to show; null: none
 * @param healthOnly true: nothing but {@code /health/live} and {@code /health/ready}, to everybody, in the clear
 * @param metricsNames most subscribers that are told by name in the metrics: those that are furthest behind
 * @param metricsOnly names of the only subscribers that are told by name in the metrics; empty: any name
 */
public record AdminConfig(
        String host,
        int port,
        boolean tls,
        @Secret String token,
        boolean healthOnly,
        int metricsNames,
        Set<String> metricsOnly) {
    public static final String DEFAULT_HOST = "127.0.0.1";
    public static final int DEFAULT_PORT = 7402;

    /** Limit of {@link #metricsNames}: each is four series. */
    public static final int MOST_METRICS_NAMES = 1_000;

    private static final Pattern PLACE =
            Pattern.compile("(https?://)?(?:(\\[[^\\]]*:[^\\]]*]|[^:/\\[\\]]*):)?(\\d{1,5})/?");
    private static final Pattern HASH = Pattern.compile("sha256:[0-9a-f]{64}");

    public AdminConfig {
        Range.check("metrics names", metricsNames, 0, MOST_METRICS_NAMES);
        Range.check(healthOnly ? "health port" : "admin port", port, 0, Range.MOST_PORT);
        if (token != null && !HASH.matcher(token).matches()) {
            // The message does not show the value: it may be the token itself.
            throw new IllegalArgumentException(
                    "admin token is not sha256: and 64 hex digits in lower case: it is the token's hash, never the token");
        }
        if (!healthOnly && (token == null || !tls) && beyondLoopback(host)) {
            String place = (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
            throw new IllegalArgumentException(
                    "admin " + place + " is beyond loopback: that needs TLS and a token: --admin https://" + place
                            + " and --admin-token");
        }
    }

    public AdminConfig(String host, int port, boolean tls, String token) {
        this(host, port, tls, token, false, 0, Set.of());
    }

    /**
     * This port, with subscribers by name in its metrics.
     *
     * @param names how many at most: those that are furthest behind; or their names, separated by commas
     * @throws IllegalArgumentException the message names the value and the limit
     */
    public AdminConfig withMetricsNames(String names) {
        String text = names.strip();
        boolean number = text.matches("[+-]?\\d+");
        Set<String> only = number
                ? Set.of()
                : Arrays.stream(names.split(",", -1)).map(String::strip).collect(Collectors.toUnmodifiableSet());
        if (only.contains("")) {
            throw new IllegalArgumentException("metrics names '" + names + "' has an empty name");
        }
        long most = number
                ? new BigInteger(text).min(BigInteger.valueOf(Long.MAX_VALUE)).longValue()
                : only.size();
        Range.check("metrics names", most, 0, MOST_METRICS_NAMES);
        return new AdminConfig(host, port, tls, token, healthOnly, (int) most, only);
    }

    /**
     * A port for health alone, at {@code host:port}, {@code :port} (on all addresses), {@code port} (on this host
     * alone) or {@code [ipv6]:port}.
     *
     * @throws IllegalArgumentException the message names the value and the right form
     */
    public static AdminConfig health(String place) {
        Matcher matcher = PLACE.matcher(place);
        if (!matcher.matches() || matcher.group(1) != null) {
            throw new IllegalArgumentException(
                    "health '" + place + "' is neither host:port, nor :port, nor port, nor [ipv6]:port");
        }
        String otherwise = matcher.group(2) == null ? DEFAULT_HOST : "0.0.0.0";
        return new AdminConfig(
                host(matcher, otherwise), Integer.parseInt(matcher.group(3)), false, null, true, 0, Set.of());
    }

    /**
     * Parses {@code host:port}, {@code :port}, {@code port} or {@code [ipv6]:port}; with TLS, {@code https://} before
     * it.
     *
     * @param token as in the constructor
     * @throws IllegalArgumentException the message names the value and the right form
     */
    public static AdminConfig parse(String place, String token) {
        Matcher matcher = PLACE.matcher(place);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("admin '" + place
                    + "' is neither none, nor host:port, :port, port or [ipv6]:port, nor https:// and that");
        }
        boolean tls = "https://".equals(matcher.group(1));
        return new AdminConfig(host(matcher, DEFAULT_HOST), Integer.parseInt(matcher.group(3)), tls, token);
    }

    private static String host(Matcher place, String otherwise) {
        String host = place.group(2) == null ? "" : place.group(2).replaceAll("[\\[\\]]", "");
        return host.isEmpty() ? otherwise : host;
    }

    private static boolean beyondLoopback(String host) {
        try {
            return !Arrays.stream(InetAddress.getAllByName(host)).allMatch(InetAddress::isLoopbackAddress);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("admin host '" + host + "' is unknown", e);
        }
    }
}
