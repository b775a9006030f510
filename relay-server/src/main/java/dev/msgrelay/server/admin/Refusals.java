package dev.msgrelay.server.admin;

import dev.msgrelay.server.admin.Answers.Answer;
import dev.msgrelay.server.config.AdminConfig;
import dev.msgrelay.server.ops.PeerText;
import io.netty.handler.codec.http.HttpHeaderNames;
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
        Target target = Target.of(request);
        String allowed = allowed(target);
        if (!List.of(allowed.split(", ")).contains(request.method().name())) {
            return Answer.text(
                    HttpResponseStatus.METHOD_NOT_ALLOWED,
                    "only " + allowed + ", not "
                            + PeerText.printable(request.method().name()));
        }
        boolean none = target.hosts() == 0 && Target.mayLackHost(request);
        if (target.hosts() != 1 && !none) {
            return Answer.text(HttpResponseStatus.BAD_REQUEST, target.hosts() + " Host headers instead of one");
        }
        if (target.host() != null && !isOurs(target.host())) {
            return Answer.text(
                    HttpResponseStatus.MISDIRECTED_REQUEST,
                    "Host '" + PeerText.printable(target.host()) + "' is neither an address, nor localhost, nor '"
                            + config.host() + "'");
        }
        if (reloads(target)) {
            return ofReload(request.headers().get(HttpHeaderNames.AUTHORIZATION));
        }
        boolean open = config.token() == null || target.path().startsWith("/health/");
        String credentials = request.headers().get(HttpHeaderNames.AUTHORIZATION);
        if (!open && !isToken(bearer(credentials)) && !isToken(password(credentials))) {
            return Answer.text(
                    HttpResponseStatus.UNAUTHORIZED,
                    "a token is needed: 'Authorization: Bearer TOKEN', or as the password of any user");
        }
        return null;
    }

    /** The methods that a path is asked with. */
    static String allowed(Target target) {
        return reloads(target) ? "POST" : "GET, HEAD";
    }

    static boolean reloads(Target target) {
        return RELOAD.equals(target.path());
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
     * token there is nothing for such a page to read. A browser always says a name: what says none is no browser.
     */
    private boolean isOurs(String host) {
        Matcher matcher = HOST.matcher(host);
        if (!matcher.matches()) {
            return false;
        }
        // The dot at the end says that the name is a whole one.
        String name = matcher.group(1).replaceFirst("\\.$", "");
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
