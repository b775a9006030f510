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

/** Who is not answered, and why: what a request has to be before anybody looks at its path. */
final class Refusals {
    private static final Pattern HOST = Pattern.compile("(\\[[0-9a-fA-F:.%]+]|[A-Za-z0-9._-]+)(:\\d{1,5})?");
    /** Longer ones are not hashed. */
    private static final int MOST_CREDENTIALS = 1024;

    private final AdminConfig config;

    Refusals(AdminConfig config) {
        this.config = config;
    }

    /** Why a request is refused; null: it is not. */
    Answer of(HttpRequest request) {
        if (!request.method().equals(HttpMethod.GET)) {
            return Answer.text(
                    HttpResponseStatus.METHOD_NOT_ALLOWED,
                    "only GET, not " + PeerText.printable(request.method().name()));
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
        boolean open = config.token() == null || request.uri().startsWith("/health/");
        if (!open && !holdsToken(request.headers().get(HttpHeaderNames.AUTHORIZATION))) {
            return Answer.text(
                    HttpResponseStatus.UNAUTHORIZED,
                    "a token is needed: 'Authorization: Bearer TOKEN', or as the password of any user");
        }
        return null;
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

    private boolean holdsToken(String credentials) {
        if (credentials == null || credentials.length() > MOST_CREDENTIALS) {
            return false;
        }
        String token = "";
        if (credentials.regionMatches(true, 0, "Bearer ", 0, 7)) {
            token = credentials.substring(7).trim();
        } else if (credentials.regionMatches(true, 0, "Basic ", 0, 6)) {
            token = password(credentials.substring(6).trim());
        }
        byte[] wanted = HexFormat.of().parseHex(config.token().substring("sha256:".length()));
        return MessageDigest.isEqual(wanted, sha256(token));
    }

    /** Empty where it is none. */
    private static String password(String basic) {
        try {
            String pair = new String(Base64.getDecoder().decode(basic), StandardCharsets.UTF_8);
            return pair.substring(pair.indexOf(':') + 1);
        } catch (IllegalArgumentException e) {
            return "";
        }
    }

    private static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }
}
