package dev.msgrelay.lab.senders;

import dev.msgrelay.lab.senders.FileSet.SentFile;
import dev.msgrelay.lab.senders.SendAlgorithm.Download;
import dev.msgrelay.server.net.Transport;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.FixedLengthFrameDecoder;
import io.netty.handler.stream.ChunkedNioFile;
import io.netty.handler.stream.ChunkedWriteHandler;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;

/**
 * One thread for all clients, as in the relay: an event loop writes what a socket takes and turns to the next. The transport is
 * the relay's.
 */
final class EventLoopServer implements FileServer {
    private static final int BACKLOG = 1_024;
    private static final long END_SECONDS = 10;

    private final Threads threads = new Threads();
    private final EventLoopGroup loop;
    private final Channel listener;

    EventLoopServer(FileSet files, int socketBuffer) throws IOException {
        Transport transport = Transport.AUTO.resolve();
        loop = new MultiThreadIoEventLoopGroup(1, threads, transport.ioHandler());
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(loop)
                .channelFactory(transport::tcpListener)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline()
                                .addLast(new FixedLengthFrameDecoder(Integer.BYTES))
                                .addLast(new ChunkedWriteHandler())
                                .addLast(new Requests(files));
                    }
                });
        if (socketBuffer > 0) {
            bootstrap.childOption(ChannelOption.SO_SNDBUF, socketBuffer);
        }
        try {
            listener = bootstrap
                    .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .syncUninterruptibly()
                    .channel();
        } catch (RuntimeException e) {
            loop.shutdownGracefully(0, 0, TimeUnit.SECONDS);
            throw new IOException("cannot listen: " + e.getMessage(), e);
        }
    }

    /** Answers one client's requests. */
    private static final class Requests extends SimpleChannelInboundHandler<ByteBuf> {
        private final FileSet files;

        Requests(FileSet files) {
            this.files = files;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf request) throws IOException {
            SentFile file = files.files().get(request.readInt());
            // What is written closes its file itself, sent or not.
            FileChannel channel = FileChannel.open(file.path(), StandardOpenOption.READ);
            context.writeAndFlush(new ChunkedNioFile(channel, 0, file.size(), Download.BUFFER_SIZE))
                    .addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            // The client is gone, or sees by this that something went wrong.
            context.close();
        }
    }

    @Override
    public int port() {
        return ((InetSocketAddress) listener.localAddress()).getPort();
    }

    @Override
    public long cpuNanos() {
        return threads.cpuNanos();
    }

    @Override
    public void close() throws IOException {
        if (!loop.shutdownGracefully(0, END_SECONDS, TimeUnit.SECONDS)
                .awaitUninterruptibly(END_SECONDS, TimeUnit.SECONDS)) {
            throw new IOException("the event loop did not end within " + END_SECONDS + " s");
        }
    }
}
