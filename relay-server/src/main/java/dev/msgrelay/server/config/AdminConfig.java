package dev.msgrelay.server.config;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.math.BigInteger;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Settings of the admin port, or of a port that has only the paths of health.
 *
 * @param port TCP port; 0 for any free one
 * @param tls whether the port speaks TLS, with the relay's certificate
 * @param token {@code sha256:} and the hash, in hex, of the token that requests must contain; null for no token
 * @param healthOnly whether the port has only {@code /health/live} and {@code /health/ready}, without TLS or token
 * @param metricsNames largest number of subscribers whose names are in the metrics; the largest lags are chosen
 * @param metricsOnly only names of subscribers that may be in the metrics; empty for any name
 */
public record AdminConfig(
        String host,
        int port,
        boolean tls,
        @AdminConfig.Secret String token,
        boolean healthOnly,
        int metricsNames,
        Set<String> metricsOnly) {
    /** Marks a setting whose value is never shown; only whether the setting has a value is shown. */
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.RECORD_COMPONENT)
    public @interface Secret {}

    public static final String DEFAULT_HOST = "127.0.0.1";
    public static final int DEFAULT_PORT = 7402;

    /** Limit of {@link #metricsNames}, since each name adds four series to the metrics. */
    public static final int MOST_METRICS_NAMES = 1_000;

    private static final Pattern PLACE =
            Pattern.compile("(https?://)?(?:(\\[[^\\]]*:[^\\]]*]|[^:/\\[\\]]*):)?(\\d{1,5})/?");
    private static final Pattern HASH = Pattern.compile("sha256:[0-9a-f]{64}");

    public AdminConfig {
        Range.check("metrics names", metricsNames, 0, MOST_METRICS_NAMES);
        Range.check(healthOnly ? "health port" : "admin port", port, 0, Range.MOST_PORT);
        if (token != null && !HASH.matcher(token).matches()) {
            // The message does not show the value, since that may be the token itself.
            throw new IllegalArgumentException(
                    "admin token is not sha256: and 64 hex digits in lower case: it is the token's hash, never the token");
        }
        if (!healthOnly && (token == null || !tls) && !isLoopback(host)) {
            String place = (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
            throw new IllegalArgumentException(
                    "admin " + place + " is beyond loopback: that needs TLS and a token: --admin https://" + place
                            + " and --admin-token");
        }
    }

    /**
     * Returns a copy of this configuration, with names of subscribers in the metrics.
     *
     * @param names a number of subscribers, chosen by the largest lag; or names of subscribers, with commas
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
     * Returns the settings of a port for health alone, at {@code host:port}, {@code :port} (on all addresses), {@code
     * port} (on this host alone) or {@code [ipv6]:port}.
     *
     * @throws IllegalArgumentException the message names the value and the right form
     */
    public static AdminConfig health(String place) {
        Matcher parts = PLACE.matcher(place);
        if (!parts.matches() || parts.group(1) != null) {
            throw new IllegalArgumentException(
                    "health '" + place + "' is neither host:port, nor :port, nor port, nor [ipv6]:port");
        }
        String host = host(parts, parts.group(2) == null ? DEFAULT_HOST : "0.0.0.0");
        return new AdminConfig(host, Integer.parseInt(parts.group(3)), false, null, true, 0, Set.of());
    }

    /**
     * Parses {@code host:port}, {@code :port}, {@code port} or {@code [ipv6]:port}; for TLS, {@code https://} comes
     * first.
     *
     * @param token as in the constructor
     * @throws IllegalArgumentException the message names the value and the right form
     */
    public static AdminConfig parse(String place, String token) {
        Matcher parts = PLACE.matcher(place);
        if (!parts.matches()) {
            throw new IllegalArgumentException("admin '" + place
                    + "' is neither none, nor host:port, :port, port or [ipv6]:port, nor https:// and that");
        }
        boolean tls = "https://".equals(parts.group(1));
        String host = host(parts, DEFAULT_HOST);
        return new AdminConfig(host, Integer.parseInt(parts.group(3)), tls, token, false, 0, Set.of());
    }

    private static String host(Matcher place, String otherwise) {
        String host = place.group(2) == null ? "" : place.group(2).replaceAll("[\\[\\]]", "");
        return host.isEmpty() ? otherwise : host;
    }

    private static boolean isLoopback(String host) {
        try {
            return ListenConfig.isLoopback(host);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("admin host '" + host + "' is unknown", e);
        }
    }
}
