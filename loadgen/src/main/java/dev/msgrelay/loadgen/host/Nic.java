package dev.msgrelay.loadgen.host;

import dev.msgrelay.server.host.SystemTree;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.util.Locale;
import java.util.Optional;

/**
 * A network interface of this host, as /sys/class/net describes it. Speed and MTU are 0 if they are unknown.
 *
 * @param megabits speed in Mbit/s; unknown on most virtual machines
 */
public record Nic(String name, long megabits, int mtu, String driver) {
    private static final String ALL = "sys/class/net/";
    /** An arbitrary UDP port, since nothing is sent to it. */
    private static final int PORT = 9;

    /** Returns the interface by which this host reaches {@code host}; empty for this host itself. */
    public static Optional<Nic> towards(SystemTree tree, String host) {
        try (DatagramSocket socket = new DatagramSocket()) {
            InetAddress there = InetAddress.getByName(host);
            socket.connect(new InetSocketAddress(there, PORT));
            NetworkInterface leads = NetworkInterface.getByInetAddress(socket.getLocalAddress());
            boolean here = there.isLoopbackAddress() || NetworkInterface.getByInetAddress(there) != null;
            return leads == null || here ? Optional.empty() : Optional.of(of(tree, leads.getName()));
        } catch (IOException | UncheckedIOException e) {
            return Optional.empty();
        }
    }

    public static Nic of(SystemTree tree, String name) {
        String driver = tree.link(ALL + name + "/device/driver").orElse("");
        return new Nic(
                name,
                number(tree, name, "speed"),
                (int) number(tree, name, "mtu"),
                driver.substring(driver.lastIndexOf('/') + 1));
    }

    /** Returns the number in a file, or 0 for an unknown value, which some drivers report as -1 or 4,294,967,295. */
    private static long number(SystemTree tree, String name, String file) {
        String text = tree.text(ALL + name + "/" + file).orElse("");
        return text.matches("\\d{1,6}") ? Long.parseLong(text) : 0;
    }

    /** Formats the interface: "eth0 here has 1,000 Mbit/s, MTU 1500". */
    public String text() {
        String here = name + " here" + (driver.isEmpty() ? "" : " (" + driver + ")");
        String speed =
                megabits == 0 ? " does not tell its speed" : String.format(Locale.ROOT, " has %,d Mbit/s", megabits);
        return here + speed + (mtu == 0 ? "" : ", MTU " + mtu);
    }
}
