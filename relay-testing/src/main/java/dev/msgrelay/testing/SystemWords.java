package dev.msgrelay.testing;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Path;

/**
 * The words that this system has for its errors, in the language of the tests' user: learnt from the error itself. For
 * tests of texts that pass them on.
 */
public final class SystemWords {
    private SystemWords() {}

    /** Of a connection to a port that nobody listens on: "Connection refused". */
    public static String refused() throws IOException {
        InetSocketAddress gone;
        try (ServerSocket listener = loopback(0)) {
            gone = new InetSocketAddress(listener.getInetAddress(), listener.getLocalPort());
        }
        try (Socket socket = new Socket()) {
            socket.connect(gone);
        } catch (ConnectException e) {
            return e.getMessage();
        }
        throw new AssertionError("somebody listens on a port that was free a moment ago: " + gone);
    }

    /** Of a port that is taken: "Address already in use". */
    public static String portTaken() throws IOException {
        try (ServerSocket first = loopback(0)) {
            try (ServerSocket second = loopback(first.getLocalPort())) {
                throw new AssertionError("two listen on " + second);
            } catch (java.net.BindException e) {
                return e.getMessage();
            }
        }
    }

    private static ServerSocket loopback(int port) throws IOException {
        return new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
    }

    /** Of a file below something that is no directory: "Not a directory". */
    public static String noDirectory() throws IOException {
        try (FileChannel channel = FileChannel.open(Path.of("/dev/null/file"))) {
            throw new AssertionError("a file below /dev/null: " + channel);
        } catch (FileSystemException e) {
            return e.getReason();
        }
    }
}
