package dev.msgrelay.server.admin;

import dev.msgrelay.protocol.Token;
import dev.msgrelay.server.access.Peer;
import dev.msgrelay.server.access.TokenHash;
import dev.msgrelay.server.admin.Answers.Answer;
import dev.msgrelay.server.config.AdminConfig;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.util.NetUtil;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The rules that a request must keep before its answer is made: method, Host and token. */
final class Refusals {
    /** The one path that changes something. */
    static final String RELOAD = "/reload";

    private static final Pattern HOST = Pattern.compile("(\\[[0-9a-fA-F:.%]+]|[A-Za-z0-9._-]+)(:\\d{1,5})?");
    /** Limit of a header with credentials: longer ones are not hashed. */
    private static final int MOST_CREDENTIALS = 1024;

    private final AdminConfig config;
    // Null: the port has no token.
    private final TokenHash token;

    Refusals(AdminConfig config) {
        this.config = config;
        this.token = config.token() == null ? null : TokenHash.parse(config.token());
    }

    /** The refusal of a request; null: it is not refused. */
    Answer of(HttpRequest request) {
        Target target = Target.of(request);
        String allowed = allowed(target);
        if (!List.of(allowed.split(", ")).contains(request.method().name())) {
            return Answer.text(
                    HttpResponseStatus.METHOD_NOT_ALLOWED,
                    "only " + allowed + ", not "
                            + Peer.printable(request.method().name()));
        }
        boolean none = target.hosts() == 0 && Target.mayLackHost(request);
        if (target.hosts() != 1 && !none) {
            return Answer.text(HttpResponseStatus.BAD_REQUEST, target.hosts() + " Host headers instead of one");
        }
        if (config.healthOnly()) {
            // No page can be read here, so a name tells nothing.
            return isHealth(target)
                    ? null
                    : Answer.text(HttpResponseStatus.NOT_FOUND, "only /health/live and /health/ready are here");
        }
        if (target.host() != null && !isOurs(target.host())) {
            return Answer.text(
                    HttpResponseStatus.MISDIRECTED_REQUEST,
                    "Host '" + Peer.printable(target.host()) + "' is neither an address, nor localhost, nor '"
                            + config.host() + "'");
        }
        if (reloads(target)) {
            return ofReload(request);
        }
        boolean open = token == null || isHealth(target);
        if (!open && !isAdmins(shown(request))) {
            return Answer.text(
                    HttpResponseStatus.UNAUTHORIZED,
                    "a token is needed: 'Authorization: Bearer TOKEN', or as the password of any user");
        }
        return null;
    }

    /** The methods that a path allows. */
    static String allowed(Target target) {
        return reloads(target) ? "POST" : "GET, HEAD";
    }

    private static boolean isHealth(Target target) {
        return target.path().startsWith("/health/");
    }

    static boolean reloads(Target target) {
        return RELOAD.equals(target.path());
    }

    /**
     * The refusal of a reload; null: it is not refused. A browser sends a stored password by itself, also for a form on
     * another site's page, so no password will do. A browser sends Bearer only if a page of the relay's own makes it.
     */
    private Answer ofReload(HttpRequest request) {
        if (token == null) {
            return Answer.text(
                    HttpResponseStatus.FORBIDDEN,
                    "a reload needs a token, and this port has none: start the relay with --admin-token;"
                            + " SIGHUP needs none");
        }
        return isAdmins(token(bearer(request)))
                ? null
                : Answer.text(
                        HttpResponseStatus.UNAUTHORIZED,
                        "a token is needed: 'Authorization: Bearer TOKEN', no password");
    }

    /**
     * Whether a browser may use this name of the host. Another site's page can make its own name point to this port's
     * address (DNS rebinding), and could then read the answers. So names other than the port's own are refused. With a
     * token such a page can read nothing. A browser always sends a name: a client without one is no browser.
     */
    private boolean isOurs(String host) {
        Matcher matcher = HOST.matcher(host);
        if (!matcher.matches()) {
            return false;
        }
        // A dot at the end marks a complete name.
        String name = matcher.group(1).replaceFirst("\\.$", "");
        return token != null
                || name.equalsIgnoreCase("localhost")
                || name.equalsIgnoreCase(config.host())
                || NetUtil.isValidIpV4Address(name)
                || name.startsWith("[");
    }

    private boolean isAdmins(Token shown) {
        return !shown.isNone() && TokenHash.of(shown).equals(token);
    }

    /** The token that a request shows, as Bearer or as a password; none: it shows nothing that can be one. */
    static Token shown(HttpRequest request) {
        return token(bearer(request).isEmpty() ? password(request) : bearer(request));
    }

    private static Token token(String text) {
        try {
            return text.isEmpty() ? Token.NONE : Token.of(text);
        } catch (IllegalArgumentException noToken) {
            return Token.NONE;
        }
    }

    /** The token after Bearer; empty: there is none. */
    private static String bearer(HttpRequest request) {
        return behind("Bearer ", request);
    }

    /** The password after Basic; empty: there is none. */
    private static String password(HttpRequest request) {
        try {
            String pair = new String(Base64.getDecoder().decode(behind("Basic ", request)), StandardCharsets.UTF_8);
            return pair.substring(pair.indexOf(':') + 1);
        } catch (IllegalArgumentException e) {
            return "";
        }
    }

    /** The part of the credentials behind {@code way}; empty: they begin in another way. */
    private static String behind(String way, HttpRequest request) {
        String credentials = request.headers().get(HttpHeaderNames.AUTHORIZATION);
        return credentials != null
                        && credentials.length() <= MOST_CREDENTIALS
                        && credentials.regionMatches(true, 0, way, 0, way.length())
                ? credentials.substring(way.length()).trim()
                : "";
    }
}
