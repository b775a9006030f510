#!/usr/bin/env bash
# Netty 4.2.18.Final, JDK 17.0.15: a channel over a Unix domain socket of the NIO transport does not know
# ALLOW_HALF_CLOSURE. The bootstrap takes the option, the channel reads it back as null, and at the peer's shutdownOutput
# the whole channel is closed: a server cannot answer a client that has ended its request by ending its output. Over TCP
# the same transport raises ChannelInputShutdownEvent and stays open.
#
# Seen:
#   tcp  | option true | event ChannelInputShutdownEvent | answer
#   unix | option null | closed | no answer
#
# Needs a JDK and Maven. Ends with 1 if the behaviour is another one.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
version=4.2.18.Final
for part in common buffer resolver transport; do
    mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.11.0:copy \
        -Dartifact="io.netty:netty-$part:$version" -DoutputDirectory="$folder" >/dev/null
done
cat >"$folder/HalfClosure.java" <<'JAVA'
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.*;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.net.*;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.*;
import java.util.concurrent.*;

public class HalfClosure {
    public static void main(String[] args) throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        Path socket = Files.createTempDirectory("half").resolve("s");
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        look("tcp ", group, NioServerSocketChannel.class, any);
        look("unix", group, NioServerDomainSocketChannel.class, UnixDomainSocketAddress.of(socket));
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
    }

    static void look(String name, EventLoopGroup group, Class<? extends ServerChannel> kind, SocketAddress at)
            throws Exception {
        BlockingQueue<String> seen = new LinkedBlockingQueue<>();
        Channel server = new ServerBootstrap().group(group).channel(kind)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childHandler(new ChannelInboundHandlerAdapter() {
                    @Override
                    public void userEventTriggered(ChannelHandlerContext c, Object event) {
                        if (event instanceof ChannelInputShutdownEvent) {
                            seen.add("event ChannelInputShutdownEvent");
                            c.writeAndFlush(Unpooled.wrappedBuffer(new byte[] {1})).addListener(ChannelFutureListener.CLOSE);
                        }
                    }

                    @Override
                    public void channelActive(ChannelHandlerContext c) {
                        seen.add("option " + c.channel().config().getOption(ChannelOption.ALLOW_HALF_CLOSURE));
                    }

                    @Override
                    public void channelInactive(ChannelHandlerContext c) {
                        seen.add("closed");
                    }
                })
                .bind(at).sync().channel();
        try (SocketChannel client = SocketChannel.open(server.localAddress())) {
            String option = seen.poll(60, TimeUnit.SECONDS);
            client.shutdownOutput();
            String then = seen.poll(60, TimeUnit.SECONDS);
            boolean answered = client.read(ByteBuffer.allocate(1)) == 1;
            System.out.println(name + " | " + option + " | " + then + " | " + (answered ? "answer" : "no answer"));
        }
        server.close().sync();
    }
}
JAVA
out=$(java -cp "$folder/*" "$folder/HalfClosure.java" 2>/dev/null)
echo "$out"
wanted='tcp  | option true | event ChannelInputShutdownEvent | answer
unix | option null | closed | no answer'
[ "$out" = "$wanted" ] || { echo "another behaviour than with Netty $version was written down" >&2; exit 1; }
