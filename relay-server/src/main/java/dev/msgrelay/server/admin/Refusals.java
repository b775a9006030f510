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
import java.util.Optional;
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
    // The hash of the port's token, if it has one.
    private final Optional<TokenHash> token;

    Refusals(AdminConfig config) {
        this.config = config;
        this.token = Optional.ofNullable(config.token()).map(TokenHash::parse);
    }

    /** The refusal of a request; empty: it is not refused. */
    Optional<Answer> of(HttpRequest request) {
        Target target = Target.of(request);
        String allowed = allowed(target);
        if (!List.of(allowed.split(", ")).contains(request.method().name())) {
            return refusal(
                    HttpResponseStatus.METHOD_NOT_ALLOWED,
                    "only " + allowed + ", not "
                            + Peer.printable(request.method().name()));
        }
        boolean none = target.hosts() == 0 && Target.mayLackHost(request);
        if (target.hosts() != 1 && !none) {
            return refusal(HttpResponseStatus.BAD_REQUEST, target.hosts() + " Host headers instead of one");
        }
        if (config.healthOnly()) {
            // No page can be read here, so a name tells nothing.
            return isHealth(target)
                    ? Optional.empty()
                    : refusal(HttpResponseStatus.NOT_FOUND, "only /health/live and /health/ready are here");
        }
        if (target.host().isPresent() && !isOurs(target.host().get())) {
            return refusal(
                    HttpResponseStatus.MISDIRECTED_REQUEST,
                    "Host '" + Peer.printable(target.host().get()) + "' is neither an address, nor localhost, nor '"
                            + config.host() + "'");
        }
        if (reloads(target)) {
            return ofReload(request);
        }
        return token.isEmpty() || isHealth(target) || isAdmins(shown(request))
                ? Optional.empty()
                : refusal(
                        HttpResponseStatus.UNAUTHORIZED,
                        "a token is needed: 'Authorization: Bearer TOKEN', or as the password of any user");
    }

    private static Optional<Answer> refusal(HttpResponseStatus status, String text) {
        return Optional.of(Answer.text(status, text));
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
     * The refusal of a reload. A browser sends a stored password by itself, also for a form on another site's page, so
     * a password does not count. A browser sends Bearer only if a page of the relay's own makes it.
     */
    private Optional<Answer> ofReload(HttpRequest request) {
        if (token.isEmpty()) {
            return refusal(
                    HttpResponseStatus.FORBIDDEN,
                    "a reload needs a token, and this port has none: start the relay with --admin-token;"
                            + " SIGHUP needs none");
        }
        return isAdmins(token(bearer(request)))
                ? Optional.empty()
                : refusal(
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
        return token.isPresent()
                || name.equalsIgnoreCase("localhost")
                || name.equalsIgnoreCase(config.host())
                || NetUtil.isValidIpV4Address(name)
                || name.startsWith("[");
    }

    private boolean isAdmins(Token shown) {
        return !shown.isNone() && token.filter(TokenHash.of(shown)::equals).isPresent();
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

    /** The credentials behind the name of their scheme; empty: their scheme is another one. */
    private static String behind(String scheme, HttpRequest request) {
        String credentials = request.headers().get(HttpHeaderNames.AUTHORIZATION, "");
        return credentials.length() <= MOST_CREDENTIALS
                        && credentials.regionMatches(true, 0, scheme, 0, scheme.length())
                ? credentials.substring(scheme.length()).trim()
                : "";
    }
}
