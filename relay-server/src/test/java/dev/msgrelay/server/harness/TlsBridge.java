package dev.msgrelay.server.harness;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/**
 * Turns plain connections into TLS ones of a relay's port, so that every client of these tests can be one: blocking,
 * byte by byte as they come, a thread each way. It keeps little: who does not read is not read from.
 */
public final class TlsBridge implements AutoCloseable {
    private static final int BYTES = 16 << 10;

    private final ServerSocket listener;
    private final InetSocketAddress relay;
    private final SSLContext context;
    /** Each ends with a connection, which either side closes, or the test. */
    private final Workers workers = new Workers();

    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

    public TlsBridge(InetSocketAddress relay, SSLContext context) throws IOException {
        this.relay = relay;
        this.context = context;
        listener = new ServerSocket();
        listener.setReceiveBufferSize(BYTES);
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        workers.start("tls-bridge", this::accept);
    }

    public SocketAddress address() {
        return listener.getLocalSocketAddress();
    }

    /** One TLS connection, its handshake done. */
    public static SSLSocket connect(SSLContext context, InetSocketAddress relay, int receiveBuffer) throws IOException {
        Socket tcp = new Socket();
        if (receiveBuffer > 0) {
            tcp.setReceiveBufferSize(receiveBuffer);
        }
        tcp.setTcpNoDelay(true);
        tcp.connect(relay);
        SSLSocket tls =
                (SSLSocket) context.getSocketFactory().createSocket(tcp, relay.getHostString(), relay.getPort(), true);
        SSLParameters parameters = tls.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        tls.setSSLParameters(parameters);
        tls.startHandshake();
        return tls;
    }

    private void accept() throws IOException {
        while (true) {
            Socket plain = listener.accept();
            plain.setTcpNoDelay(true);
            plain.setSendBufferSize(BYTES);
            sockets.add(plain);
            Socket tls = connect(context, relay, 2 * BYTES);
            sockets.add(tls);
            workers.start("tls-bridge-out", () -> copy(plain, tls));
            workers.start("tls-bridge-in", () -> copy(tls, plain));
        }
    }

    private static void copy(Socket from, Socket to) throws IOException {
        byte[] bytes = new byte[BYTES];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int n = in.read(bytes); n >= 0; n = in.read(bytes)) {
                out.write(bytes, 0, n);
            }
            to.shutdownOutput();
        } catch (IOException e) {
            from.close();
            to.close();
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
