package dev.msgrelay.client;

import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.FrameReader;
import dev.msgrelay.protocol.Protocol;
import dev.msgrelay.protocol.Token;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.protocol.text.PrintableText;
import dev.msgrelay.protocol.text.UndecodedText;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * The common options of publishers and subscribers: where to connect to, and how. Immutable.
 *
 * <pre>{@code
 * SubscriberOptions.builder("relay-1:7410", "relay-2:7410")          // tried in turn
 *         .tls(TlsOptions.system())
 *         .token(System.getenv("RELAY_TOKEN"))
 *         .onEvent(event -> System.err.println(event.text()))
 *         .build();
 * }</pre>
 */
public abstract sealed class ConnectionOptions permits PublisherOptions, SubscriberOptions {
    private final List<Endpoint> endpoints;
    private final boolean plain;
    private final TokenSource token;
    private final ReconnectPolicy reconnect;
    private final int bufferSize;
    private final int maxBody;
    private final Duration connectTimeout;
    private final Duration handshakeTimeout;
    private final TlsOptions tls;
    // Null: the program takes no events.
    private final Consumer<SessionEvent> onEvent;

    ConnectionOptions(Builder<?> builder, int bufferSize) {
        if (builder.endpoints.isEmpty()) {
            throw new IllegalArgumentException("no endpoint to connect to");
        }
        FrameLayout.checkMaxBody(builder.maxBody);
        if (builder.tls != null) {
            builder.endpoints.stream().filter(Endpoint::isUnix).findFirst().ifPresent(unix -> {
                throw new IllegalArgumentException("TLS is for TCP, and " + unix + " is a Unix socket");
            });
        }
        if (UndecodedText.in(builder.name)) {
            throw new IllegalArgumentException("name '" + PrintableText.line(builder.name)
                    + "' holds U+FFFD, which stands for a lost character: several names would become one");
        }
        Timeouts.check("connectTimeout", builder.connectTimeout);
        Timeouts.check("handshakeTimeout", builder.handshakeTimeout);
        this.endpoints = builder.endpoints;
        this.plain = builder.plain;
        this.token = builder.token;
        this.reconnect = builder.reconnect;
        this.bufferSize = bufferSize;
        this.maxBody = builder.maxBody;
        this.connectTimeout = builder.connectTimeout;
        this.handshakeTimeout = builder.handshakeTimeout;
        this.tls = builder.tls;
        this.onEvent = builder.onEvent;
    }

    /** @throws IllegalArgumentException a text is no endpoint */
    static List<Endpoint> parse(String first, String... more) {
        return Stream.concat(Stream.of(first), Stream.of(more))
                .map(Endpoint::parse)
                .toList();
    }

    List<Endpoint> endpoints() {
        return endpoints;
    }

    boolean plain() {
        return plain;
    }

    /**
     * Reads what each connection reads anew, before the first one: certificates, key, and token.
     *
     * @throws CredentialsException a file cannot be read or used, or the token's function has failed
     */
    void checkCredentials() throws CredentialsException {
        try {
            token.get();
            if (tls != null) {
                tls.check();
            }
        } catch (IOException e) {
            throw new CredentialsException(e);
        }
    }

    /**
     * The token for the next connection; its thread is the one that connects.
     *
     * @throws IOException there is none now: a lost try
     */
    Token token() throws IOException {
        return token.get();
    }

    /**
     * Makes a connection, with TLS if these options have it; nothing of the protocol is sent yet.
     *
     * @param token as {@link #token()} has given it for this connection
     * @param selector as for {@link RelayLink}
     * @param certificate is told which certificate is shown: before the handshake, which a relay may refuse for it
     */
    RelayLink connect(
            Endpoint endpoint,
            Token token,
            Selector selector,
            FrameReader reader,
            RelayLink.Handler handler,
            LongSupplier clock,
            OwnCertificate certificate)
            throws IOException {
        SocketChannel channel = endpoint.open(connectTimeout);
        try {
            TlsChannel secure = tls == null ? null : secure(endpoint, channel, certificate);
            checkSecrecy(endpoint, channel, token);
            RelayLink link = new RelayLink(endpoint, channel, secure, selector, reader, handler, clock);
            link.tokenMayChange(this.token.mayChange());
            return link;
        } catch (IOException | RuntimeException | Error e) {
            channel.close();
            throw e;
        }
    }

    private TlsChannel secure(Endpoint endpoint, SocketChannel channel, OwnCertificate certificate) throws IOException {
        TlsOptions.Loaded files = tls.load();
        certificate.shows(files.endMillis());
        certificate.look(endpoint);
        return TlsChannel.connect(endpoint, channel, tls, files.context(), connectTimeout);
    }

    /**
     * Checks that a token may go over this connection: without TLS only within the host.
     *
     * @throws RelayUnsuitableException the token would go over a link, for others to read
     */
    private void checkSecrecy(Endpoint endpoint, SocketChannel channel, Token token) throws IOException {
        boolean withinHost = !(channel.getRemoteAddress() instanceof InetSocketAddress inet)
                || inet.getAddress().isLoopbackAddress();
        if (!token.isNone() && tls == null && !withinHost) {
            throw new RelayUnsuitableException(
                    "the token is not sent to " + endpoint + " in the clear, where others could read it");
        }
    }

    ReconnectPolicy reconnect() {
        return reconnect;
    }

    int bufferSize() {
        return bufferSize;
    }

    int maxBody() {
        return maxBody;
    }

    Duration connectTimeout() {
        return connectTimeout;
    }

    Duration handshakeTimeout() {
        return handshakeTimeout;
    }

    /** The program's listener; where it takes no events, a new one, for one client. */
    Consumer<SessionEvent> listener() {
        return onEvent == null ? new UntakenEvents() : onEvent;
    }

    /** Collects options. */
    public abstract static sealed class Builder<B extends Builder<B>>
            permits PublisherOptions.Builder, SubscriberOptions.Builder {
        private static final Duration DEFAULT_HANDSHAKE = Duration.ofSeconds(5);

        final List<Endpoint> endpoints;
        boolean plain;
        TokenSource token = TokenSource.NONE;
        ReconnectPolicy reconnect = ReconnectPolicy.endless();
        String name = "";
        int heartbeatMillis;
        int maxBody = FrameLayout.DEFAULT_MAX_BODY;
        Duration connectTimeout = Timeouts.DEFAULT_CONNECT;
        Duration handshakeTimeout = DEFAULT_HANDSHAKE;
        TlsOptions tls;
        // Null: the program takes no events.
        Consumer<SessionEvent> onEvent;

        Builder(List<Endpoint> endpoints) {
            this.endpoints = endpoints;
        }

        abstract B self();

        /**
         * Sends no HELLO: works with every relay. The client does not notice the relay's silence; a publisher has no
         * acknowledgements, and a subscriber no numbers, so nothing is resumed.
         */
        public B plain() {
            plain = true;
            return self();
        }

        /**
         * The token that proves this client's identity to a relay with an access policy. Without TLS it is sent within
         * the host only.
         */
        public B token(Token secret) {
            token = secret.isNone() ? TokenSource.NONE : TokenSource.of(secret);
            return self();
        }

        /**
         * A token as {@link #token(Token)}, from its text.
         *
         * @throws IllegalArgumentException the text is empty, longer than 255 bytes of UTF-8, or has control characters
         */
        public B token(String secret) {
            return token(Token.of(secret));
        }

        /**
         * A token as {@link #token(Token)}, which a function of the program gives for each connection: so it may
         * change. The function is called as the client is opened, on that thread, and then on the thread that connects:
         * a publisher's own, or the one that polls a subscriber. It may wait, and holds up the connection meanwhile.
         * Its exception, and a text that is no token, is an {@link IOException} of the kind {@link ErrorKind#YOURS} as
         * the client is opened, and a lost try later. A token that the relay does not know ends no client: the next try
         * asks again.
         */
        public B token(Callable<String> function) {
            token = TokenSource.call(function);
            return self();
        }

        /**
         * A token as {@link #token(Callable)}, from a file that is read for each connection. Blanks and line ends
         * around it are left out.
         *
         * @param file UTF-8, at most 4 KiB
         */
        public B tokenFile(Path file) {
            token = TokenSource.file(file);
            return self();
        }

        /** The policy after a connection has failed or was lost; by default the client reconnects for ever. */
        public B reconnect(ReconnectPolicy how) {
            reconnect = Objects.requireNonNull(how, "how");
            return self();
        }

        /** The client's name in the relay's log; at most 255 bytes of UTF-8. */
        public B name(String clientName) {
            name = clientName;
            return self();
        }

        /** Interval of the relay's PINGs, 100 ms to an hour, in milliseconds. */
        public B heartbeat(Duration wanted) {
            heartbeatMillis = millis("heartbeat", wanted, Protocol.MIN_HEARTBEAT_MILLIS, Protocol.MAX_HEARTBEAT_MILLIS);
            return self();
        }

        /** A time in whole milliseconds, checked. */
        static int millis(String option, Duration wanted, int least, int most) {
            // Long.MAX_VALUE for a duration that is too long to count in milliseconds.
            long millis = TimeUnit.MILLISECONDS.convert(wanted);
            if (millis < least || millis > most) {
                throw new IllegalArgumentException(
                        option + " of " + millis + " ms is not within " + least + ".." + most);
            }
            return (int) millis;
        }

        /**
         * Longest body in bytes; 1 MiB by default. A publisher refuses longer bodies, and those over the relay's limit
         * once that is known; a longer one ends a subscriber's connection.
         */
        public B maxBody(int bytes) {
            maxBody = bytes;
            return self();
        }

        /** Options of TLS; the relay has other ports for it than for plain clients. */
        public B tls(TlsOptions options) {
            tls = options;
            return self();
        }

        /** Limit on the time to connect, with TLS on that of its handshake too; 5 s by default. */
        public B connectTimeout(Duration timeout) {
            connectTimeout = timeout;
            return self();
        }

        /** Limit on the time from HELLO to WELCOME; 5 s by default. */
        public B handshakeTimeout(Duration timeout) {
            handshakeTimeout = timeout;
            return self();
        }

        /**
         * A listener for events of the connection. Called on the thread that owns it: a publisher's own, or the one
         * that polls a subscriber. By default those that are a {@link SessionEvent#isLoss loss} are logged as warnings,
         * and so is the first success after a failure to connect; where slf4j has no provider, the first failure and
         * the first success after it are lines on stderr.
         */
        public B onEvent(Consumer<SessionEvent> listener) {
            onEvent = Objects.requireNonNull(listener, "listener");
            return self();
        }
    }
}
