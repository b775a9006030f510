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
 * Listens on every address of a host, since clients may take any. An address that is not this machine's (the name stands
 * for several machines, or the system has no IPv6) is left out and reported.
 */
public final class AllAddresses {
    /** Listens on one address, and returns the bound address. */
    @FunctionalInterface
    public interface Binding {
        InetSocketAddress bind(InetSocketAddress address) throws IOException;
    }

    private AllAddresses() {}

    /**
     * The addresses of a host, each once, in the resolver's order.
     *
     * @throws IOException the host is unknown
     */
    public static List<InetAddress> of(String host, int port) throws IOException {
        try {
            return Stream.of(InetAddress.getAllByName(host)).distinct().toList();
        } catch (UnknownHostException e) {
            throw new IOException("cannot listen on " + host + ":" + port + ": unknown host", e);
        }
    }

    /**
     * Listens on {@code addresses}, on the same port of each.
     *
     * @param port 0: a port that is free on the first address
     * @param leftOut gets a line for each address that is left out
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

    /** Whether the address is this machine's: then the port, and not the address, is at fault. */
    private static boolean isHere(InetAddress address) {
        try (ServerSocket probe = new ServerSocket(0, 1, address)) {
            return probe.isBound();
        } catch (IOException e) {
            return false;
        }
    }
}
