package dev.msgrelay.server.admin;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import java.util.List;

/**
 * The path and the host of a request, in all forms of RFC 9112, section 3.2.
 *
 * <pre>
 *   GET /metrics HTTP/1.1               path /metrics, the host is that of the header Host
 *   GET http://relay:7402/metrics ...   path /metrics, host relay:7402, whatever the header says
 *   GET /metrics HTTP/1.0               may have no header Host: then there is no host
 * </pre>
 *
 * @param path the path, without a query
 * @param host the host, with its port if there is one; null: an HTTP/1.0 request without a host
 * @param hosts number of headers Host
 */
record Target(String path, String host, int hosts) {
    private static final String[] SCHEMES = {"http://", "https://"};

    static Target of(HttpRequest request) {
        List<String> hosts = request.headers().getAll(HttpHeaderNames.HOST);
        String uri = request.uri();
        for (String scheme : SCHEMES) {
            if (uri.regionMatches(true, 0, scheme, 0, scheme.length())) {
                int end = scheme.length();
                while (end < uri.length() && "/?#".indexOf(uri.charAt(end)) < 0) {
                    end++;
                }
                String rest = path(uri.substring(end));
                return new Target(rest.isEmpty() ? "/" : rest, uri.substring(scheme.length(), end), hosts.size());
            }
        }
        return new Target(path(uri), hosts.isEmpty() ? null : hosts.get(0), hosts.size());
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
