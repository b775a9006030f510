package dev.msgrelay.server.admin;

import dev.msgrelay.server.admin.Answers.Answer;
import dev.msgrelay.server.config.AdminConfig;
import dev.msgrelay.server.ops.PeerText;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.util.NetUtil;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Who is not answered, and why: what a request has to be before anybody looks for its answer. */
final class Refusals {
    /** The one path that changes something. */
    static final String RELOAD = "/reload";

    private static final Pattern HOST = Pattern.compile("(\\[[0-9a-fA-F:.%]+]|[A-Za-z0-9._-]+)(:\\d{1,5})?");
    /** Longer ones are not hashed. */
    private static final int MOST_CREDENTIALS = 1024;

    private final AdminConfig config;

    Refusals(AdminConfig config) {
        this.config = config;
    }

    /** Why a request is refused; null: it is not. */
    Answer of(HttpRequest request) {
        HttpMethod wanted = method(request);
        if (!request.method().equals(wanted)) {
            return Answer.text(
                    HttpResponseStatus.METHOD_NOT_ALLOWED,
                    "only " + wanted + ", not "
                            + PeerText.printable(request.method().name()));
        }
        List<String> hosts = request.headers().getAll(HttpHeaderNames.HOST);
        if (hosts.size() != 1) {
            return Answer.text(HttpResponseStatus.BAD_REQUEST, hosts.size() + " Host headers instead of one");
        }
        if (!isOurs(hosts.get(0))) {
            return Answer.text(
                    HttpResponseStatus.MISDIRECTED_REQUEST,
                    "Host '" + PeerText.printable(hosts.get(0)) + "' is neither an address, nor localhost, nor '"
                            + config.host() + "'");
        }
        if (reloads(request)) {
            return ofReload(request.headers().get(HttpHeaderNames.AUTHORIZATION));
        }
        boolean open = config.token() == null || request.uri().startsWith("/health/");
        String credentials = request.headers().get(HttpHeaderNames.AUTHORIZATION);
        if (!open && !isToken(bearer(credentials)) && !isToken(password(credentials))) {
            return Answer.text(
                    HttpResponseStatus.UNAUTHORIZED,
                    "a token is needed: 'Authorization: Bearer TOKEN', or as the password of any user");
        }
        return null;
    }

    /** The one that a path is asked with. */
    static HttpMethod method(HttpRequest request) {
        return reloads(request) ? HttpMethod.POST : HttpMethod.GET;
    }

    static boolean reloads(HttpRequest request) {
        return RELOAD.equals(path(request));
    }

    /** What is asked for, without a query. */
    static String path(HttpRequest request) {
        String uri = request.uri();
        int query = uri.indexOf('?');
        return query < 0 ? uri : uri.substring(0, query);
    }

    /**
     * As above. A browser shows a password again by itself, to forms of somebody else's page as well, so no password will do;
     * Bearer it shows only where a page of ours says so.
     */
    private Answer ofReload(String credentials) {
        if (config.token() == null) {
            return Answer.text(
                    HttpResponseStatus.FORBIDDEN,
                    "a reload needs a token, and this port has none: start the relay with --admin-token;"
                            + " SIGHUP needs none");
        }
        return isToken(bearer(credentials))
                ? null
                : Answer.text(
                        HttpResponseStatus.UNAUTHORIZED,
                        "a token is needed: 'Authorization: Bearer TOKEN', no password");
    }

    /**
     * Whether a browser may ask us under this name. A page of somebody else's can have its own name point to our address
     * (DNS rebinding), and would then read us as if it were ours: so names are refused, but for those that we have. With a
     * token there is nothing for such a page to read.
     */
    private boolean isOurs(String host) {
        Matcher matcher = HOST.matcher(host);
        if (!matcher.matches()) {
            return false;
        }
        String name = matcher.group(1);
        return config.token() != null
                || name.equalsIgnoreCase("localhost")
                || name.equalsIgnoreCase(config.host())
                || NetUtil.isValidIpV4Address(name)
                || name.startsWith("[");
    }

    private boolean isToken(String shown) {
        byte[] wanted = HexFormat.of().parseHex(config.token().substring("sha256:".length()));
        return !shown.isEmpty() && MessageDigest.isEqual(wanted, sha256(shown));
    }

    /** Empty where there is none. */
    private static String bearer(String credentials) {
        return behind("Bearer ", credentials);
    }

    /** Empty where there is none. */
    private static String password(String credentials) {
        try {
            String pair = new String(Base64.getDecoder().decode(behind("Basic ", credentials)), StandardCharsets.UTF_8);
            return pair.substring(pair.indexOf(':') + 1);
        } catch (IllegalArgumentException e) {
            return "";
        }
    }

    /** What is shown in one of the ways; empty where it is another one. */
    private static String behind(String way, String credentials) {
        return credentials != null
                        && credentials.length() <= MOST_CREDENTIALS
                        && credentials.regionMatches(true, 0, way, 0, way.length())
                ? credentials.substring(way.length()).trim()
                : "";
    }

    private static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }
}
