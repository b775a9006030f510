#!/usr/bin/env bash
# Netty 4.2.18.Final, JDK 17.0.15: a port that takes HAProxy's PROXY protocol cannot answer a client that came without
# it. HAProxyMessageDecoder.detectProtocol knows nothing below 12 bytes, not even that a line which begins with GET is no
# header, or that PROXY is one of version 1; and what the decoder itself refuses, it closes the channel for before the
# exception reaches the next handler, twice, which can no longer write. A request that is shorter than 12 bytes waits in
# silence.
#
# Seen:
#   detect  | 11 bytes "PROXY TCP4 " | NEEDS_MORE_DATA
#   detect  | 12 bytes "PROXY TCP4 1" | DETECTED V1
#   detect  | 11 bytes "GET / HTTP/" | NEEDS_MORE_DATA
#   detect  | 12 bytes "GET / HTTP/1" | INVALID
#   decoder | "PING\r\n" | open, nothing
#   decoder | "GET / HTTP/1.0\r\n\r\n" | HAProxyProtocolException, open before: true, at the exception: false; and the same
#             once more
#
# Needs a JDK and Maven. Ends with 1 if the behaviour is another one.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
version=4.2.18.Final
for part in common buffer resolver transport codec-base codec-haproxy; do
    mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.11.0:copy \
        -Dartifact="io.netty:netty-$part:$version" -DoutputDirectory="$folder" >/dev/null
done
cat >"$folder/NoHeader.java" <<'JAVA'
import io.netty.buffer.Unpooled;
import io.netty.channel.*;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.ProtocolDetectionResult;
import io.netty.handler.codec.haproxy.*;
import java.nio.charset.StandardCharsets;

public class NoHeader {
    public static void main(String[] args) {
        for (String begun : new String[] {"PROXY TCP4 ", "PROXY TCP4 1", "GET / HTTP/", "GET / HTTP/1"}) {
            ProtocolDetectionResult<HAProxyProtocolVersion> found =
                    HAProxyMessageDecoder.detectProtocol(Unpooled.copiedBuffer(begun, StandardCharsets.US_ASCII));
            System.out.println("detect  | " + begun.length() + " bytes \"" + begun + "\" | " + found.state()
                    + (found.detectedProtocol() == null ? "" : " " + found.detectedProtocol()));
        }
        decode("PING\r\n");
        decode("GET / HTTP/1.0\r\n\r\n");
    }

    static void decode(String request) {
        StringBuilder seen = new StringBuilder();
        boolean[] before = new boolean[1];
        EmbeddedChannel channel = new EmbeddedChannel(
                new HAProxyMessageDecoder(),
                new ChannelInboundHandlerAdapter() {
                    @Override
                    public void exceptionCaught(ChannelHandlerContext c, Throwable cause) {
                        seen.append(seen.length() == 0 ? "" : "; ").append(cause.getClass().getSimpleName()).append(", open before: ").append(before[0])
                                .append(", at the exception: ").append(c.channel().isOpen());
                    }
                });
        before[0] = channel.isOpen();
        channel.writeInbound(Unpooled.copiedBuffer(request, StandardCharsets.US_ASCII));
        String shown = request.replace("\r", "\\r").replace("\n", "\\n");
        System.out.println("decoder | \"" + shown + "\" | "
                + (seen.length() == 0 ? (channel.isOpen() ? "open" : "closed") + ", nothing" : seen));
    }
}
JAVA
out=$(java -cp "$folder/*" "$folder/NoHeader.java" 2>/dev/null)
echo "$out"
wanted='detect  | 11 bytes "PROXY TCP4 " | NEEDS_MORE_DATA
detect  | 12 bytes "PROXY TCP4 1" | DETECTED V1
detect  | 11 bytes "GET / HTTP/" | NEEDS_MORE_DATA
detect  | 12 bytes "GET / HTTP/1" | INVALID
decoder | "PING\r\n" | open, nothing
decoder | "GET / HTTP/1.0\r\n\r\n" | HAProxyProtocolException, open before: true, at the exception: false; HAProxyProtocolException, open before: true, at the exception: false'
[ "$out" = "$wanted" ] || { echo "another behaviour than with Netty $version was written down" >&2; exit 1; }
