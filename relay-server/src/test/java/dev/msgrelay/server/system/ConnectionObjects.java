package dev.msgrelay.server.system;

import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.harness.Await;
import java.lang.management.ManagementFactory;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * Counts the relay's own objects of one plain connection, in a JVM in which nothing else goes on: the difference of two
 * class histograms over 50 connections. Prints a line a role: the role, then the objects.
 */
final class ConnectionObjects {
    private static final int MANY = 50;
    private static final Pattern LINE = Pattern.compile("(?m)^\\s*\\d+:\\s+(\\d+)\\s+\\d+\\s+(dev\\.msgrelay\\.\\S+)");

    private final RelayServer relay;
    private long sent;

    private ConnectionObjects(RelayServer relay) {
        this.relay = relay;
    }

    public static void main(String[] args) throws Exception {
        RelayConfig config = RelayConfig.builder(0, 0).build();
        try (RelayServer relay = RelayServer.start(config)) {
            new ConnectionObjects(relay).count();
        }
    }

    private void count() throws Exception {
        // Whatever is made once, with the first connection of its kind, is there before.
        for (SocketChannel first : publishers(1)) {
            first.close();
        }
        try (SocketChannel publisher = publishers(1).get(0);
                SocketChannel subscriber = subscribers(1).get(0)) {
            send(publisher);
            read(subscriber);
        }
        Await.until("both have gone", () -> connections() == 0);
        Map<String, Integer> none = histogram();
        List<SocketChannel> publishers = publishers(MANY);
        Map<String, Integer> withPublishers = histogram();
        List<SocketChannel> subscribers = subscribers(MANY);
        send(publishers.get(0));
        for (SocketChannel subscriber : subscribers) {
            read(subscriber);
        }
        Map<String, Integer> withAll = histogram();
        System.out.println("publisher" + each(none, withPublishers));
        System.out.println("subscriber" + each(withPublishers, withAll));
        for (SocketChannel publisher : publishers) {
            publisher.close();
        }
        for (SocketChannel subscriber : subscribers) {
            subscriber.close();
        }
    }

    private List<SocketChannel> publishers(int many) throws Exception {
        List<SocketChannel> made = connect(relay.publishAddress(), many);
        for (SocketChannel publisher : made) {
            send(publisher);
        }
        return made;
    }

    private List<SocketChannel> subscribers(int many) throws Exception {
        long before = connections();
        List<SocketChannel> made = connect(relay.subscribeAddress(), many);
        Await.until("all are connected", () -> connections() == before + many);
        return made;
    }

    private static List<SocketChannel> connect(SocketAddress to, int many) throws Exception {
        List<SocketChannel> made = new ArrayList<>();
        for (int i = 0; i < many; i++) {
            made.add(SocketChannel.open(to));
        }
        return made;
    }

    private void send(SocketChannel publisher) throws Exception {
        publisher.write(ByteBuffer.allocate(9).putInt(7).putInt(1).put((byte) 1).flip());
        sent++;
        Await.until("the message is in the stream", () -> counter(Counter.MESSAGES_IN) == sent);
    }

    private static void read(SocketChannel subscriber) throws Exception {
        ByteBuffer frame = ByteBuffer.allocate(9);
        while (frame.hasRemaining()) {
            subscriber.read(frame);
        }
    }

    private long connections() {
        return counter(Counter.PUBLISHERS) + counter(Counter.SUBSCRIBERS);
    }

    private long counter(Counter counter) {
        return relay.stats().get(counter);
    }

    private static Map<String, Integer> histogram() throws Exception {
        MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
        String text = (String) beans.invoke(
                new ObjectName("com.sun.management:type=DiagnosticCommand"),
                "gcClassHistogram",
                new Object[] {new String[0]},
                new String[] {String[].class.getName()});
        Map<String, Integer> found = new TreeMap<>();
        for (MatchResult line : LINE.matcher(text).results().toList()) {
            // A lambda's class has a number of its own; marks belong to their reader.
            String name = line.group(2).replaceFirst("^.*\\.(?=\\w)", "").replaceFirst("(\\$\\$Lambda).*", "$1");
            if (!name.endsWith("Mark")) {
                found.merge(name, Integer.parseInt(line.group(1)), Integer::sum);
            }
        }
        return found;
    }

    private static String each(Map<String, Integer> before, Map<String, Integer> after) {
        StringBuilder objects = new StringBuilder();
        after.forEach((name, count) -> {
            int each = Math.round((count - before.getOrDefault(name, 0)) / (float) MANY);
            objects.append((" " + name).repeat(Math.max(0, each)));
        });
        return objects.toString();
    }
}
