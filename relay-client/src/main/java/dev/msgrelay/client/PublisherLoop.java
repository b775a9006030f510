package dev.msgrelay.client;

import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.FrameConsumer;
import dev.msgrelay.protocol.FrameReader;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The I/O thread of a {@link RelayPublisher}. Smart batching: one write at a time, and what has gathered during it goes
 * out in the next; with nothing left it sleeps until a producer wakes it. No timer, no spinning.
 *
 * <p>It also listens: a relay says nothing on the publish port unless something is wrong, and then it says what.
 */
final class PublisherLoop implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(PublisherLoop.class);

    /** All that ever comes is one ERROR frame; its text is at most 512 bytes. */
    private static final int INPUT_BUFFER = 1 << 10;

    private static final int MAX_INPUT_BODY = 64 << 10;

    /** How long to listen for the relay's last word after ours, at most. */
    private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final int UNBOUNDED = 0;

    private final Endpoint endpoint;
    private final SocketChannel channel;
    private final Selector selector;
    private final SelectionKey key;
    private final SendQueue queue;
    private final int mostPerWrite;
    private final FrameReader reader = new FrameReader(INPUT_BUFFER, MAX_INPUT_BODY);
    private final FrameConsumer onInput = this::onInput;
    private final Consumer<SelectionKey> noteReady = ready -> this.readable = ready.isReadable();

    private boolean readable;
    private RelayErrorException error;

    PublisherLoop(Endpoint endpoint, SocketChannel channel, Selector selector, SendQueue queue) throws IOException {
        this.endpoint = endpoint;
        this.channel = channel;
        this.selector = selector;
        this.queue = queue;
        this.mostPerWrite = WriteSize.of(channel);
        channel.configureBlocking(false);
        this.key = channel.register(selector, SelectionKey.OP_READ);
    }

    @Override
    public void run() {
        try {
            sendUntilClosed();
            channel.shutdownOutput();
            listenForTheLastWord();
        } catch (ClosedChannelException | CancelledKeyException e) {
            // Only RelayPublisher.close closes the channel under us, and it says what was lost by that.
            LOG.debug("connection to {} closed before the relay did", endpoint);
        } catch (IOException e) {
            // A relay that has ended the connection said why before: that is still there to be read.
            hearOut();
            fail(error != null ? error : new IOException("connection to " + endpoint + " lost: " + e.getMessage(), e));
        } catch (RuntimeException | Error e) {
            fail(new IOException("fault of the publisher: " + e, e));
            throw e;
        } finally {
            release();
        }
    }

    private void sendUntilClosed() throws IOException {
        int prepared = queue.advance(0, mostPerWrite);
        while (prepared >= 0) {
            int written = 0;
            if (prepared > 0) {
                written = queue.writePrepared(channel);
            }
            if (written < prepared) {
                await(SelectionKey.OP_READ | SelectionKey.OP_WRITE, UNBOUNDED);
            } else if (prepared == 0) {
                await(SelectionKey.OP_READ, UNBOUNDED);
            }
            prepared = queue.advance(written, mostPerWrite);
        }
    }

    /** Waits until the socket is ready for one of {@code ops} or somebody wakes us up. */
    private void await(int ops, long timeoutMs) throws IOException {
        readable = false;
        key.interestOps(ops);
        selector.select(noteReady, timeoutMs);
        if (readable && read() < 0) {
            throw new EOFException("closed by the relay");
        }
    }

    private void listenForTheLastWord() throws IOException {
        long deadline = Math.min(queue.closeDeadline() - System.nanoTime(), LINGER_NANOS) + System.nanoTime();
        key.interestOps(SelectionKey.OP_READ);
        long leftMs;
        while ((leftMs = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())) > 0) {
            readable = false;
            selector.select(noteReady, leftMs);
            if (readable && read() < 0) {
                return;
            }
        }
        LOG.debug("{} did not close its side in time", endpoint);
    }

    private int read() throws IOException {
        int n = reader.read(channel, onInput);
        if (error != null) {
            throw error;
        }
        return n;
    }

    private void hearOut() {
        try {
            while (error == null && reader.read(channel, onInput) > 0) {
                // Until the ERROR frame is whole.
            }
        } catch (IOException e) {
            LOG.debug("no last word from {}", endpoint, e);
        }
    }

    private void onInput(int type, ByteBuffer body) {
        if (type == ControlFrames.ERROR && error == null) {
            error = RelayErrorException.of(body);
        }
    }

    private void release() {
        try {
            channel.close();
            selector.close();
        } catch (IOException e) {
            LOG.debug("closing the connection to {}", endpoint, e);
        }
    }

    private void fail(IOException cause) {
        if (queue.fail(cause)) {
            LOG.warn("publisher to {}: {}", endpoint, cause.getMessage());
        }
    }
}
