package dev.msgrelay.server.net;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Listens on every address of a host, as clients may take any of them. An address that is not this machine's, as where
 * the name stands for several machines, or where the system knows no IPv6, is left out, and reported.
 */
public final class AllAddresses {
    /** Listens on one address; returns the one that is bound. */
    @FunctionalInterface
    public interface Binding {
        InetSocketAddress bind(InetSocketAddress address) throws IOException;
    }

    private AllAddresses() {}

    /**
     * Returns the addresses of a host, each once, as its resolver has them.
     *
     * @throws IOException the host is not known
     */
    public static List<InetAddress> of(String host, int port) throws IOException {
        try {
            return Stream.of(InetAddress.getAllByName(host)).distinct().toList();
        } catch (UnknownHostException e) {
            throw new IOException("cannot listen on " + host + ":" + port + ": unknown host", e);
        }
    }

    /**
     * Listens on these addresses, on the same port of each.
     *
     * @param port 0: one that is free at the first of them
     * @param leftOut is told of each address that is left out
     * @throws IOException an address of this machine cannot be listened on, or there is none
     */
    public static void bind(List<InetAddress> addresses, int port, Binding binding, Consumer<String> leftOut)
            throws IOException {
        List<String> bound = new ArrayList<>();
        List<String> others = new ArrayList<>();
        IOException last = null;
        int same = port;
        for (InetAddress address : addresses) {
            try {
                same = binding.bind(new InetSocketAddress(address, same)).getPort();
                bound.add(address.getHostAddress());
            } catch (IOException e) {
                if (isHere(address)) {
                    throw e;
                }
                others.add(address.getHostAddress());
                last = e;
            }
        }
        if (bound.isEmpty()) {
            throw last;
        }
        for (String other : others) {
            leftOut.accept("left out: " + other + " is no address of this machine; port " + same + " is listened on at "
                    + String.join(", ", bound));
        }
    }

    /** Returns whether the address is this machine's, so that the port is at fault. */
    private static boolean isHere(InetAddress address) {
        try (ServerSocket probe = new ServerSocket(0, 1, address)) {
            return probe.isBound();
        } catch (IOException e) {
            return false;
        }
    }
}
