package dev.msgrelay.server.attack;

import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Hello;
import dev.msgrelay.server.harness.PlainPublisher;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/** A process of peers in a network namespace: it connects, says "ready", reads nothing, and waits for its input to end. */
final class VanishingPeers {
    private VanishingPeers() {}

    /** @param args host, publish port, subscribe port, connections of each kind */
    public static void main(String[] args) throws Exception {
        InetSocketAddress publish = new InetSocketAddress(args[0], Integer.parseInt(args[1]));
        InetSocketAddress subscribe = new InetSocketAddress(args[0], Integer.parseInt(args[2]));
        byte[] subscriber =
                HelloFrame.subscriber().name("vanishing").build().encode().array();
        List<SocketChannel> held = new ArrayList<>();
        for (int i = 0; i < Integer.parseInt(args[3]); i++) {
            int publisher = HealthyPair.FIRST_OTHER + 2 * i;
            held.add(connect(publish, frame(publisher)));
            held.add(connect(
                    publish,
                    new Frames()
                            .raw(Hello.acks("vanishing " + i, 0).bytes())
                            .raw(frame(publisher + 1))
                            .bytes()));
            held.add(connect(subscribe, new byte[0]));
            held.add(connect(subscribe, subscriber));
        }
        System.out.println("ready");
        System.exit(System.in.read() + held.size());
    }

    private static byte[] frame(int publisher) {
        return new Frames().frame(Frames.type(publisher, 0), 100).bytes();
    }

    private static SocketChannel connect(InetSocketAddress to, byte[] first) throws Exception {
        SocketChannel channel = PlainPublisher.open(to, 16 << 10);
        channel.write(ByteBuffer.wrap(first));
        return channel;
    }
}
