package dev.msgrelay.server.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.protocol.RetryAfterFrame;
import dev.msgrelay.server.access.Refusal;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.PlainPublisher;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** RETRY_AFTER and ERROR are the last that comes, whole, also where the socket takes them only later. */
class ClosingTest {
    private static final int PIECE = 1 << 20;

    private final MultiThreadIoEventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final CompletableFuture<Integer> sent = new CompletableFuture<>();

    @AfterEach
    void close() throws Exception {
        assertThat(loop.shutdownGracefully(0, Await.LIMIT_SECONDS, TimeUnit.SECONDS)
                        .await(Await.LIMIT_SECONDS, TimeUnit.SECONDS))
                .isTrue();
    }

    private final class Talker extends ChannelInboundHandlerAdapter {
        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            int bytes = 0;
            while (ctx.channel().isWritable()) {
                ctx.writeAndFlush(Unpooled.wrappedBuffer(new byte[PIECE]));
                bytes += PIECE;
            }
            Refusal why = new Refusal(CloseReason.SLOW_SUBSCRIBER, "too slow", 300);
            Closing.say(ctx.channel(), why, Await.LIMIT_MILLIS);
            sent.complete(bytes);
        }
    }

    @Test
    void aFullSocketGetsItLater() throws Exception {
        Channel server = new ServerBootstrap()
                .group(loop)
                .channel(NioServerSocketChannel.class)
                .childHandler(new Talker())
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .sync()
                .channel();
        try (PlainPublisher client = PlainPublisher.connect(server.localAddress())) {
            int bytes = sent.get(Await.LIMIT_SECONDS, TimeUnit.SECONDS);
            ByteBuffer error = ErrorFrame.encode(CloseReason.SLOW_SUBSCRIBER, "too slow");
            ByteBuffer got = client.readToEnd();
            ByteBuffer retryAfter = ByteBuffer.allocate(RetryAfterFrame.FRAME_LENGTH);
            RetryAfterFrame.put(retryAfter, 300);
            retryAfter.flip();
            assertThat(got.remaining()).isEqualTo(bytes + retryAfter.remaining() + error.remaining());
            assertThat(got.slice(bytes, retryAfter.remaining())).isEqualTo(retryAfter);
            assertThat(got.position(bytes + retryAfter.remaining())).isEqualTo(error);
        }
        server.close().sync();
    }

    /** Netty only logs what a listener throws: the connection has to hear it, and ends. */
    @Test
    void anEndOfTheOutputThatThrowsEndsTheConnection() throws Exception {
        RuntimeException fault = new IllegalStateException("a fault, for a test");
        CompletableFuture<Throwable> heard = new CompletableFuture<>();
        Channel channel = new NioSocketChannel() {
            @Override
            public ChannelFuture shutdownOutput() {
                throw fault;
            }
        };
        channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
                heard.complete(cause);
            }
        });
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            loop.register(channel).sync();
            channel.connect(server.getLocalSocketAddress()).sync();
            channel.eventLoop().execute(() -> Closing.say(channel, new Refusal(CloseReason.SHUTDOWN, "")));
            assertThat(heard.get(Await.LIMIT_SECONDS, TimeUnit.SECONDS)).isSameAs(fault);
            assertThat(channel.closeFuture().await(Await.LIMIT_SECONDS, TimeUnit.SECONDS))
                    .isTrue();
        }
    }
}
