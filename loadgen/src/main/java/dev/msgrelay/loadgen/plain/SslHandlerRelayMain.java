package dev.msgrelay.loadgen.plain;

import dev.msgrelay.loadgen.worker.Control;
import dev.msgrelay.loadgen.worker.Tls;
import dev.msgrelay.loadgen.worker.WorkerArgs;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.server.net.Transport;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The process of the simplest relay over TLS that Netty makes: one publisher, S subscribers, one thread, an {@code SslHandler}
 * of the same library in each pipeline. It hands every buffer to every subscriber without looking into it, and reads no further
 * while one of them has more waiting than its channel's water mark: so it is bounded as well.
 *
 * <pre>
 *  publisher -&gt; SslHandler -&gt; FanOut -&gt; retained duplicates, a flush a read -&gt; SslHandler -&gt; each subscriber
 *
 *  --subscribers S            connections that are awaited before anything is relayed (1)
 *  --tls-cert FILE            what it shows
 *  --tls-key FILE
 *  --publish-port N           where it listens; 0: any free one (0)
 *  --subscribe-port N
 * </pre>
 *
 * Beside these, what {@link WorkerArgs} names.
 */
public final class SslHandlerRelayMain {
    private final Transport transport = Transport.AUTO.resolve();
    private final WorkerArgs args;
    private final SslContext tls;
    private final int expected;
    private final List<Channel> subscribers = new ArrayList<>();
    private final CountDownLatch ended = new CountDownLatch(1);
    private Channel publisher;

    private SslHandlerRelayMain(WorkerArgs args) throws IOException {
        this.args = args;
        this.expected = args.number("subscribers", 1);
        this.tls = SslContextBuilder.forServer(
                        Path.of(args.text("tls-cert")).toFile(),
                        Path.of(args.text("tls-key")).toFile())
                .sslProvider(SslContext.defaultServerProvider())
                .protocols(Tls.PROTOCOL)
                .build();
    }

    public static void main(String[] args) {
        Control.main(args, (parsed, control) -> new SslHandlerRelayMain(parsed).run(control));
    }

    private void run(Control control) throws InterruptedException {
        EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, transport.ioHandler());
        try {
            Channel publish = listen(loop, "publish-port", new FanOut());
            Channel subscribe = listen(loop, "subscribe-port", new Subscriber());
            control.say(
                    "ready",
                    Map.of(
                            "publish", Endpoint.of(publish.localAddress()).toString(),
                            "subscribe", Endpoint.of(subscribe.localAddress()).toString()));
            ended.await();
            control.say("result", Map.of());
        } finally {
            loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).await();
        }
    }

    private Channel listen(EventLoopGroup loop, String port, ChannelInboundHandlerAdapter handler)
            throws InterruptedException {
        return new ServerBootstrap()
                .group(loop)
                .channelFactory((ChannelFactory<ServerChannel>) transport::tcpListener)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(tls.newHandler(channel.alloc()), handler);
                    }
                })
                .bind(args.flag("bind") ? args.text("bind") : "127.0.0.1", args.number(port, 0))
                .sync()
                .channel();
    }

    /** On the loop, as all that follows. */
    private void goOn() {
        if (publisher != null) {
            publisher
                    .config()
                    .setAutoRead(subscribers.size() == expected
                            && subscribers.stream().allMatch(Channel::isWritable));
        }
    }

    /** A connection that has shaken hands; one that cannot is told so by its own end. */
    private abstract static class Side extends ChannelInboundHandlerAdapter {
        abstract void opened(Channel channel);

        @Override
        public boolean isSharable() {
            return true;
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event instanceof SslHandshakeCompletionEvent handshake && handshake.isSuccess()) {
                opened(context.channel());
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }

    private final class Subscriber extends Side {
        @Override
        void opened(Channel channel) {
            subscribers.add(channel);
            goOn();
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object bytes) {
            ReferenceCountUtil.release(bytes);
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            goOn();
        }
    }

    private final class FanOut extends Side {
        @Override
        void opened(Channel channel) {
            publisher = channel;
            goOn();
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object read) {
            ByteBuf bytes = (ByteBuf) read;
            for (Channel subscriber : subscribers) {
                subscriber.write(bytes.retainedDuplicate(), subscriber.voidPromise());
            }
            bytes.release();
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            subscribers.forEach(Channel::flush);
            goOn();
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            ended.countDown();
        }
    }
}
