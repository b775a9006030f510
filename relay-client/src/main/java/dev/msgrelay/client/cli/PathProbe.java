package dev.msgrelay.client.cli;

import dev.msgrelay.client.TlsOptions;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.FrameConsumer;
import dev.msgrelay.protocol.FrameReader;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.PingFrame;
import dev.msgrelay.protocol.PongFrame;
import dev.msgrelay.protocol.Role;
import dev.msgrelay.protocol.Token;
import dev.msgrelay.protocol.net.Endpoint;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;

/**
 * What stands between this client and a relay, over a connection of its own: {@code info --path}. The half-close is
 * asked for by a PING and the end of the output at once. A relay answers and then ends; a proxy that knows no
 * half-close cuts the answer off, or leaves the relay waiting. With TLS that end is a record, which no proxy
 * understands.
 */
final class PathProbe implements FrameConsumer {
    /** Id of the PING; any would do. */
    private static final long ID = 1;

    private static final Pattern CONTROL = Pattern.compile("([a-z][a-z0-9_]{1,14}) (?:wscale|rto):");
    private static final int MOST_WORDS = 16 << 10;

    private final Map<String, Object> facts;
    private boolean welcomed;
    private boolean answered;
    // A PING behind the answer: the relay goes on.
    private boolean pinged;

    private PathProbe(Map<String, Object> facts) {
        this.facts = facts;
    }

    /**
     * Adds what is found: {@code localMtu}, {@code congestion} of what this client sends, {@code tls}, {@code
     * cipherSuite}, {@code certificateDays}, {@code halfClose}. What this machine cannot tell is left out.
     *
     * @param timeout longest wait for each answer
     * @throws IOException there is no connection, or it ended too early
     */
    static void add(
            Map<String, Object> facts,
            Endpoint endpoint,
            Role role,
            Token token,
            Optional<TlsOptions> tls,
            Duration timeout,
            Instant now)
            throws IOException {
        if (endpoint.isUnix()) {
            return;
        }
        try (SocketChannel channel = endpoint.open(timeout)) {
            addLocal(facts, (InetSocketAddress) channel.getLocalAddress());
            Socket plain = channel.socket();
            plain.setSoTimeout((int) timeout.toMillis());
            if (tls.isEmpty()) {
                new PathProbe(facts).halfClose(plain, role, token);
                return;
            }
            try (SSLSocket secured = (SSLSocket) tls.get()
                    .context()
                    .getSocketFactory()
                    .createSocket(plain, tls.get().nameOn(endpoint.host()), endpoint.port(), false)) {
                SSLParameters parameters = secured.getSSLParameters();
                parameters.setEndpointIdentificationAlgorithm("HTTPS");
                secured.setSSLParameters(parameters);
                secured.startHandshake();
                addSession(facts, secured.getSession(), now);
            }
        }
    }

    private static void addLocal(Map<String, Object> facts, InetSocketAddress local) throws IOException {
        InetAddress address = local.getAddress();
        NetworkInterface device = NetworkInterface.getByInetAddress(address);
        if (device != null && device.getMTU() > 0) {
            facts.put("localMtu", device.getMTU());
        }
        socketTable(local.getPort()).flatMap(PathProbe::congestion).ifPresent(name -> facts.put("congestion", name));
    }

    /** What {@code ss} of iproute2 prints of the socket with this local port; empty: there is no such program. */
    private static Optional<String> socketTable(int port) {
        try {
            Process ss = new ProcessBuilder("ss", "-tinH", "sport = :" + port)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            ss.getOutputStream().close();
            try (InputStream out = ss.getInputStream()) {
                String text = new String(out.readNBytes(MOST_WORDS), StandardCharsets.US_ASCII);
                return ss.waitFor(1, TimeUnit.SECONDS) && ss.exitValue() == 0 ? Optional.of(text) : Optional.empty();
            } finally {
                ss.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        } catch (IOException e) {
            // No such program here.
            return Optional.empty();
        }
    }

    /** The congestion control in a line of ss, in front of {@code wscale} or {@code rto}. */
    static Optional<String> congestion(String table) {
        Matcher word = CONTROL.matcher(table);
        return word.find() ? Optional.of(word.group(1)) : Optional.empty();
    }

    private static void addSession(Map<String, Object> facts, SSLSession session, Instant now) throws IOException {
        facts.put("tls", session.getProtocol());
        facts.put("cipherSuite", session.getCipherSuite());
        if (session.getPeerCertificates()[0] instanceof X509Certificate certificate) {
            facts.put(
                    "certificateDays",
                    Duration.between(now, certificate.getNotAfter().toInstant()).toDays());
        }
    }

    private void halfClose(Socket socket, Role role, Token token) throws IOException {
        if (role != Role.PUBLISHER) {
            // A subscriber's end ends the connection: it leaves nothing to be answered.
            return;
        }
        HelloFrame.Builder hello = HelloFrame.publisher();
        if (!token.isNone()) {
            hello.token(token);
        }
        FrameReader reader = new FrameReader();
        OutputStream out = socket.getOutputStream();
        try (ReadableByteChannel in = Channels.newChannel(socket.getInputStream())) {
            send(out, hello.build().encode());
            while (!welcomed) {
                if (reader.read(in, this) < 0) {
                    throw new IOException("the connection ended before WELCOME");
                }
            }
            ByteBuffer ping = ByteBuffer.allocate(PingFrame.FRAME_LENGTH);
            PingFrame.put(ping, ID, 0, 0);
            send(out, ping.flip());
            socket.shutdownOutput();
            facts.put("halfClose", outcome(socket, reader, in));
        }
    }

    /** What comes behind the end. The time is that of all reads: heartbeats go on where the relay knows of no end. */
    private String outcome(Socket socket, FrameReader reader, ReadableByteChannel in) {
        try {
            long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(socket.getSoTimeout());
            do {
                long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
                if (left <= 0 || pinged) {
                    throw new SocketTimeoutException();
                }
                socket.setSoTimeout((int) left);
            } while (reader.read(in, this) >= 0);
            return answered ? "passed on" : "the answer is cut off";
        } catch (SocketTimeoutException e) {
            return answered ? "not passed on: the connection stays open" : "no answer behind it";
        } catch (IOException e) {
            return answered ? "reset behind the answer" : "reset: the answer is cut off";
        }
    }

    private static void send(OutputStream out, ByteBuffer frame) throws IOException {
        out.write(frame.array(), frame.arrayOffset() + frame.position(), frame.remaining());
        out.flush();
    }

    @Override
    public void onFrame(int type, ByteBuffer body) {
        welcomed |= type == ControlFrames.WELCOME;
        pinged |= type == ControlFrames.PING && answered;
        answered |= type == ControlFrames.PONG && PongFrame.id(body) == ID;
    }
}
