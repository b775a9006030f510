package dev.msgrelay.server.admin;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The path and the host of a request, in all forms of RFC 9112, section 3.2.
 *
 * <pre>
 *   GET /metrics HTTP/1.1               path /metrics, the host is that of the header Host
 *   GET http://relay:7402/metrics ...   path /metrics, host relay:7402, whatever the header says
 *   GET /metrics HTTP/1.0               may have no header Host
 * </pre>
 *
 * @param path the path, without a query
 * @param host the host, with its port if there is one; an HTTP/1.0 request may lack it
 * @param hosts number of headers Host
 */
record Target(String path, Optional<String> host, int hosts) {
    private static final Pattern ABSOLUTE = Pattern.compile("(?is)https?://([^/?#]*)(.*)");

    static Target of(HttpRequest request) {
        List<String> hosts = request.headers().getAll(HttpHeaderNames.HOST);
        String uri = request.uri();
        Matcher absolute = ABSOLUTE.matcher(uri);
        if (absolute.matches()) {
            String rest = path(absolute.group(2));
            return new Target(rest.isEmpty() ? "/" : rest, Optional.of(absolute.group(1)), hosts.size());
        }
        return new Target(path(uri), hosts.stream().findFirst(), hosts.size());
    }

    private static String path(String target) {
        int query = target.indexOf('?');
        return query < 0 ? target : target.substring(0, query);
    }

    /** Whether the request is HTTP/1.0, which does not know the header Host; no browser uses it any more. */
    static boolean mayLackHost(HttpRequest request) {
        return request.protocolVersion().compareTo(HttpVersion.HTTP_1_1) < 0;
    }
}
