package dev.msgrelay.server.admin;

import dev.msgrelay.protocol.Token;
import dev.msgrelay.server.access.Peer;
import dev.msgrelay.server.access.TokenHash;
import dev.msgrelay.server.admin.Answers.Answer;
import dev.msgrelay.server.config.AdminConfig;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.NetUtil;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Refuses requests by their method, Host or token, before an answer is made. */
final class Refusals {
    /** The only path that changes something. */
    static final String RELOAD = "/reload";

    // A request to a proxy names a whole URL, such as http://relay:7402/metrics.
    private static final Pattern URL = Pattern.compile("(?is)https?://([^/?#]*)(.*)");
    private static final Pattern HOST = Pattern.compile("(\\[[0-9a-fA-F:.%]+]|[A-Za-z0-9._-]+)(:\\d{1,5})?");
    /** A longer Authorization header is ignored, so that no long token has to be hashed. */
    private static final int MOST_CREDENTIALS = 1024;

    private final AdminConfig config;
    private final Optional<TokenHash> token;

    Refusals(AdminConfig config) {
        this.config = config;
        this.token = Optional.ofNullable(config.token()).map(TokenHash::parse);
    }

    /** The refusal of a request; empty if it is not refused. */
    Optional<Answer> of(HttpRequest request) {
        String path = path(request);
        String allowed = allowed(path);
        if (!List.of(allowed.split(", ")).contains(request.method().name())) {
            return refusal(
                    HttpResponseStatus.METHOD_NOT_ALLOWED,
                    "only " + allowed + ", not "
                            + Peer.printable(request.method().name()));
        }
        List<String> hosts = request.headers().getAll(HttpHeaderNames.HOST);
        // HTTP/1.0 does not know the header. The check protects browsers, and none of them speaks HTTP/1.0 any more.
        boolean mayLackHost = request.protocolVersion().compareTo(HttpVersion.HTTP_1_1) < 0;
        if (hosts.size() != 1 && !(hosts.isEmpty() && mayLackHost)) {
            return refusal(HttpResponseStatus.BAD_REQUEST, hosts.size() + " Host headers instead of one");
        }
        boolean health = path.startsWith("/health/");
        if (config.healthOnly()) {
            // Any Host may be used, since a page of another site learns no secret here.
            return health
                    ? Optional.empty()
                    : refusal(HttpResponseStatus.NOT_FOUND, "only /health/live and /health/ready are here");
        }
        Matcher url = URL.matcher(request.uri());
        Optional<String> host =
                url.matches() ? Optional.of(url.group(1)) : hosts.stream().findFirst();
        if (host.isPresent() && !isOurs(host.get())) {
            return refusal(
                    HttpResponseStatus.MISDIRECTED_REQUEST,
                    "Host '" + Peer.printable(host.get()) + "' is neither an address, nor localhost, nor '"
                            + config.host() + "'");
        }
        if (path.equals(RELOAD)) {
            return ofReload(request);
        }
        return token.isEmpty() || health || isAdmins(shown(request))
                ? Optional.empty()
                : refusal(
                        HttpResponseStatus.UNAUTHORIZED,
                        "a token is needed: 'Authorization: Bearer TOKEN', or as the password of any user");
    }

    private static Optional<Answer> refusal(HttpResponseStatus status, String text) {
        return Optional.of(Answer.text(status, text));
    }

    /** The path of a request without its query, also where the request names a whole URL. */
    static String path(HttpRequest request) {
        Matcher url = URL.matcher(request.uri());
        String path = (url.matches() ? url.group(2) : request.uri()).split("\\?", 2)[0];
        return path.isEmpty() && url.matches() ? "/" : path;
    }

    static String allowed(String path) {
        return path.equals(RELOAD) ? "POST" : "GET, HEAD";
    }

    /**
     * The refusal of a reload. The token is not accepted as a password, since a browser sends a stored password by
     * itself, even for a form on another site's page. Bearer is sent only for a script of the relay's own page.
     */
    private Optional<Answer> ofReload(HttpRequest request) {
        if (token.isEmpty()) {
            return refusal(
                    HttpResponseStatus.FORBIDDEN,
                    "a reload needs a token, and this port has none: start the relay with --admin-token;"
                            + " SIGHUP needs none");
        }
        return isAdmins(token(credentials("Bearer ", request)))
                ? Optional.empty()
                : refusal(
                        HttpResponseStatus.UNAUTHORIZED,
                        "a token is needed: 'Authorization: Bearer TOKEN', no password");
    }

    /**
     * Whether a browser may use this host name. Another site can make its own name point to this port's address (DNS
     * rebinding), and its page could then read the answers. So only IP addresses and the port's own names are accepted,
     * unless a token protects the answers. Browsers always send a name, so a request without a name is accepted.
     */
    private boolean isOurs(String host) {
        Matcher matcher = HOST.matcher(host);
        if (!matcher.matches()) {
            return false;
        }
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

    /** The token of a request, as Bearer or as a password; {@link Token#NONE} if the token is missing or malformed. */
    static Token shown(HttpRequest request) {
        String bearer = credentials("Bearer ", request);
        return token(bearer.isEmpty() ? password(request) : bearer);
    }

    private static Token token(String text) {
        try {
            return text.isEmpty() ? Token.NONE : Token.of(text);
        } catch (IllegalArgumentException noToken) {
            return Token.NONE;
        }
    }

    /** The password of Basic credentials; empty if there is none. */
    private static String password(HttpRequest request) {
        try {
            byte[] pair = Base64.getDecoder().decode(credentials("Basic ", request));
            return new String(pair, StandardCharsets.UTF_8).replaceFirst("^[^:]*:", "");
        } catch (IllegalArgumentException e) {
            return "";
        }
    }

    /** The credentials of a request; empty if the request has none of this scheme. */
    private static String credentials(String scheme, HttpRequest request) {
        String header = request.headers().get(HttpHeaderNames.AUTHORIZATION, "");
        return header.length() <= MOST_CREDENTIALS && header.regionMatches(true, 0, scheme, 0, scheme.length())
                ? header.substring(scheme.length()).trim()
                : "";
    }
}
