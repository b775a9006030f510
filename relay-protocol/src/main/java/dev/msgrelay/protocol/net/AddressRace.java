package dev.msgrelay.protocol.net;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketOption;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnsupportedAddressTypeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import jdk.net.ExtendedSocketOptions;

/**
 * Connects to a host that may have several addresses (a small form of RFC 8305): the next address is tried when the one
 * before has failed, or has not answered for 250 ms. The first connected one wins, and the others are closed.
 *
 * <pre>
 *   first address   SYN ------------------------------ (nobody answers) ---- closed
 *   second address         250 ms later: SYN -- connected: this one
 * </pre>
 *
 * One object for each connect; owned by one thread.
 */
final class AddressRace {
    /** Delay before the next address, as RFC 8305 recommends. */
    static final long DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    /**
     * The system's keep-alive: a link that is cut both ways is noticed after about 30 s, where nothing is sent.
     * SO_KEEPALIVE alone would begin after two hours on Linux, and give up after 11 minutes.
     */
    private static final Map<SocketOption<Integer>, Integer> KEEP_ALIVE = Map.of(
            ExtendedSocketOptions.TCP_KEEPIDLE, 15,
            ExtendedSocketOptions.TCP_KEEPINTERVAL, 5,
            ExtendedSocketOptions.TCP_KEEPCOUNT, 3);

    private final List<InetAddress> addresses;
    private final int port;
    private final List<SocketChannel> underWay = new ArrayList<>();
    private int next;
    private long nextAt;
    private SocketChannel winner;
    private IOException lastFailure;

    private AddressRace(List<InetAddress> addresses, int port) {
        this.addresses = addresses;
        this.port = port;
    }

    /**
     * Connects; returns a blocking channel with TCP_NODELAY, and with keep-alive after 15 s of silence.
     *
     * @param addresses at least one, in the order of the system's resolver
     * @throws SocketTimeoutException no address has answered within {@code timeout}
     * @throws ClosedByInterruptException the thread was interrupted, and still is
     * @throws IOException all addresses have failed; the message has the reason of the last failure
     */
    static SocketChannel connect(InetAddress[] addresses, int port, Duration timeout) throws IOException {
        AddressRace race = new AddressRace(mixed(addresses), port);
        SocketChannel connected;
        try (Selector selector = Selector.open()) {
            connected = race.run(selector, TimeUnit.NANOSECONDS.convert(timeout));
        } finally {
            race.closeLosers();
        }
        try {
            // Allowed only after the selector is closed.
            connected.configureBlocking(true);
        } catch (IOException e) {
            connected.close();
            throw e;
        }
        return connected;
    }

    /**
     * The addresses of both families in turn, beginning with the resolver's first: if one family is dead, the second
     * try is of the other.
     */
    static List<InetAddress> mixed(InetAddress[] addresses) {
        List<InetAddress> first = new ArrayList<>();
        List<InetAddress> other = new ArrayList<>();
        for (InetAddress address : addresses) {
            (address.getClass() == addresses[0].getClass() ? first : other).add(address);
        }
        List<InetAddress> mixed = new ArrayList<>();
        for (int i = 0; mixed.size() < addresses.length; i++) {
            if (i < first.size()) {
                mixed.add(first.get(i));
            }
            if (i < other.size()) {
                mixed.add(other.get(i));
            }
        }
        return mixed;
    }

    private SocketChannel run(Selector selector, long timeoutNanos) throws IOException {
        long began = System.nanoTime();
        nextAt = began;
        while (winner == null) {
            long now = System.nanoTime();
            if (next < addresses.size() && now - nextAt >= 0) {
                startConnect(selector, addresses.get(next++), now);
            } else if (next == addresses.size() && underWay.isEmpty()) {
                throw lastFailure;
            } else if (now - began >= timeoutNanos) {
                throw new SocketTimeoutException("no answer");
            } else {
                long wait = timeoutNanos - (now - began);
                await(selector, next < addresses.size() ? Math.min(wait, nextAt - now) : wait);
            }
        }
        return winner;
    }

    private void startConnect(Selector selector, InetAddress address, long now) throws IOException {
        nextAt = now + DELAY_NANOS;
        SocketChannel channel = SocketChannel.open();
        underWay.add(channel);
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        for (Map.Entry<SocketOption<Integer>, Integer> option : KEEP_ALIVE.entrySet()) {
            if (channel.supportedOptions().contains(option.getKey())) {
                channel.setOption(option.getKey(), option.getValue());
            }
        }
        try {
            if (channel.connect(new InetSocketAddress(address, port))) {
                winner = channel;
            } else {
                channel.register(selector, SelectionKey.OP_CONNECT);
            }
        } catch (UnsupportedAddressTypeException e) {
            failed(channel, new IOException("this system knows no addresses like " + address.getHostAddress(), e));
        } catch (IOException e) {
            failed(channel, e);
        }
    }

    private void await(Selector selector, long nanos) throws IOException {
        selector.select(TimeUnit.NANOSECONDS.toMillis(nanos) + 1);
        if (Thread.currentThread().isInterrupted()) {
            throw new ClosedByInterruptException();
        }
        for (SelectionKey key : selector.selectedKeys()) {
            SocketChannel channel = (SocketChannel) key.channel();
            try {
                if (winner == null && channel.finishConnect()) {
                    winner = channel;
                }
            } catch (IOException e) {
                failed(channel, e);
            }
        }
        selector.selectedKeys().clear();
    }

    /** Takes note of a failure: the next address's turn comes at once. */
    private void failed(SocketChannel channel, IOException why) throws IOException {
        lastFailure = why;
        nextAt = System.nanoTime();
        underWay.remove(channel);
        channel.close();
    }

    private void closeLosers() throws IOException {
        for (SocketChannel channel : underWay) {
            if (channel != winner) {
                channel.close();
            }
        }
    }
}
