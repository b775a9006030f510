package dev.msgrelay.protocol.net;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SocketChannel;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * The address of a relay: a TCP port or a Unix domain socket. Immutable.
 *
 * <pre>
 *  host:port          relay.example:7400
 *  :port, port        the same as 127.0.0.1:port
 *  [ipv6]:port        [::1]:7400
 *  unix:path          unix:/run/relay/subscribe.sock
 * </pre>
 */
public final class Endpoint {
    private static final String UNIX_PREFIX = "unix:";
    private static final String LOOPBACK = "127.0.0.1";
    private static final String FORMS = "expected host:port, :port, port, [ipv6]:port or unix:path";
    private static final Pattern BARE_PORT = Pattern.compile("\\d+");
    /** A name or an address; digits alone are a port. */
    private static final Pattern HOST_ALONE = Pattern.compile("(?!\\d+$)[A-Za-z0-9._-]+|\\[[^\\[\\]]*]");

    private static final int MAX_PORT = 65535;

    private final String host;
    private final int port;
    private final Path path;

    private Endpoint(String host, int port, Path path) {
        this.host = host;
        this.port = port;
        this.path = path;
    }

    /**
     * Parses one of the forms above.
     *
     * @throws IllegalArgumentException the text has none of the forms; the message has the text and the error
     */
    public static Endpoint parse(String text) {
        if (text.startsWith(UNIX_PREFIX)) {
            return parseUnix(text);
        }
        if (BARE_PORT.matcher(text).matches()) {
            return new Endpoint(LOOPBACK, parsePort(text, text), null);
        }
        int colon = text.lastIndexOf(':');
        if (colon < 0 || text.endsWith("]")) {
            throw wrong(text, "has no port; " + FORMS);
        }
        String host = text.substring(0, colon);
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
            if (host.indexOf(':') < 0) {
                throw wrong(text, "has no IPv6 address between its brackets; " + FORMS);
            }
        } else if (host.indexOf(':') >= 0) {
            throw wrong(text, "has more than one colon: an IPv6 address is written in brackets, [::1]:7400");
        } else if (host.indexOf('[') >= 0 || host.indexOf(']') >= 0) {
            throw wrong(text, "has brackets that do not match; " + FORMS);
        }
        return new Endpoint(host.isEmpty() ? LOOPBACK : host, parsePort(text, text.substring(colon + 1)), null);
    }

    /**
     * Parses as {@link #parse(String)}; a host without a port, such as {@code relay.example} or {@code [::1]}, has the
     * usual one.
     *
     * @throws IllegalArgumentException the text has none of the forms; the message has the text and the error
     */
    public static Endpoint parse(String text, int usualPort) {
        return parse(HOST_ALONE.matcher(text).matches() ? text + ":" + usualPort : text);
    }

    /**
     * An endpoint on a TCP port.
     *
     * @throws IllegalArgumentException the port is not within 1..65535
     */
    public static Endpoint tcp(String host, int port) {
        if (port < 1 || port > MAX_PORT) {
            throw new IllegalArgumentException("port " + port + " is not within 1.." + MAX_PORT);
        }
        return new Endpoint(Objects.requireNonNull(host, "host"), port, null);
    }

    /** The endpoint of a listening socket; a wildcard address becomes loopback. */
    public static Endpoint of(SocketAddress address) {
        if (address instanceof UnixDomainSocketAddress socket) {
            return unix(socket.getPath());
        }
        InetSocketAddress inet = (InetSocketAddress) address;
        boolean any = inet.getAddress().isAnyLocalAddress();
        return tcp(any ? LOOPBACK : inet.getAddress().getHostAddress(), inet.getPort());
    }

    /** An endpoint on a Unix domain socket. */
    public static Endpoint unix(Path path) {
        return new Endpoint(null, 0, Objects.requireNonNull(path, "path"));
    }

    /** Whether this is a Unix domain socket. */
    public boolean isUnix() {
        return path != null;
    }

    /** The host's name or address; null: a Unix domain socket. */
    public String host() {
        return host;
    }

    /** The TCP port; -1: a Unix domain socket. */
    public int port() {
        return isUnix() ? -1 : port;
    }

    /**
     * The same host with another port.
     *
     * @throws IllegalArgumentException this is a Unix domain socket, or the port is not within 1..65535
     */
    public Endpoint withPort(int other) {
        if (isUnix()) {
            throw new IllegalArgumentException(this + " has no port");
        }
        return tcp(host, other);
    }

    /**
     * Whether all addresses of the endpoint are within this host, so that no link is used; false for an unknown name.
     */
    public boolean isWithinHost() {
        try {
            return isUnix() || Arrays.stream(InetAddress.getAllByName(host)).allMatch(InetAddress::isLoopbackAddress);
        } catch (UnknownHostException e) {
            return false;
        }
    }

    /**
     * Connects; the channel is blocking, over TCP with TCP_NODELAY and keep-alive. If a host has several addresses, the
     * next one is tried when the one before has failed, or has not answered for 250 ms; {@code timeout} is for all
     * together.
     *
     * @throws IOException there is no connection; the message names the endpoint and the cause in one line
     */
    public SocketChannel open(Duration timeout) throws IOException {
        try {
            return isUnix() ? openUnix(timeout) : openTcp(timeout);
        } catch (ClosedByInterruptException e) {
            throw failed("interrupted", e);
        } catch (SocketTimeoutException | AsynchronousCloseException e) {
            throw failed("no connection within " + TimeUnit.MILLISECONDS.convert(timeout) + " ms", e);
        } catch (UnknownHostException e) {
            throw failed("unknown host", e);
        } catch (IOException e) {
            throw failed(e.getMessage(), e);
        }
    }

    /** The form that {@link #parse} reads. */
    @Override
    public String toString() {
        if (isUnix()) {
            return UNIX_PREFIX + path;
        }
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }

    private SocketChannel openTcp(Duration timeout) throws IOException {
        return AddressRace.connect(InetAddress.getAllByName(host), port, timeout);
    }

    /**
     * Closing the channel on another thread limits the time: a Unix connect blocks while the listener's backlog is
     * full, and has no time-out.
     */
    private SocketChannel openUnix(Duration timeout) throws IOException {
        SocketAddress address = UnixDomainSocketAddress.of(path);
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        CompletableFuture<Void> watchdog = CompletableFuture.runAsync(
                () -> closeQuietly(channel),
                // Run on the timer's own thread: the common pool may be busy with blocking tasks.
                CompletableFuture.delayedExecutor(
                        TimeUnit.NANOSECONDS.convert(timeout), TimeUnit.NANOSECONDS, Runnable::run));
        try {
            channel.connect(address);
        } catch (IOException e) {
            channel.close();
            throw e;
        } finally {
            watchdog.cancel(false);
        }
        return channel;
    }

    private ConnectException failed(String cause, IOException e) {
        ConnectException named = new ConnectException("cannot connect to " + this + ": " + cause);
        named.initCause(e);
        return named;
    }

    private static void closeQuietly(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            // The channel is of no further use.
        }
    }

    private static Endpoint parseUnix(String text) {
        String name = text.substring(UNIX_PREFIX.length());
        if (name.isEmpty()) {
            throw wrong(text, "has no path; expected unix:path");
        }
        try {
            return unix(Path.of(name));
        } catch (InvalidPathException e) {
            throw wrong(text, "is no path: " + e.getReason());
        }
    }

    private static int parsePort(String text, String digits) {
        int port;
        try {
            port = Integer.parseInt(digits);
        } catch (NumberFormatException e) {
            throw wrong(text, "has the port '" + digits + "', which is no number within 1.." + MAX_PORT);
        }
        if (port < 1 || port > MAX_PORT) {
            throw wrong(text, "has the port " + port + ", which is not within 1.." + MAX_PORT);
        }
        return port;
    }

    private static IllegalArgumentException wrong(String text, String what) {
        return new IllegalArgumentException("endpoint '" + text + "' " + what);
    }
}
