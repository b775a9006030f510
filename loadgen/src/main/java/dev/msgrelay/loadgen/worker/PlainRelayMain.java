package dev.msgrelay.loadgen.worker;

import dev.msgrelay.loadgen.plan.Congestion;
import dev.msgrelay.loadgen.plan.Job;
import dev.msgrelay.loadgen.plan.Job.Listening;
import dev.msgrelay.loadgen.plan.Sent;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/**
 * The plain relay, whose throughput is the second ceiling: one thread copies the bytes of one publisher to all
 * subscribers.
 */
public final class PlainRelayMain {
    private PlainRelayMain() {}

    public static void main(String[] args) {
        Control.main(Job.class, PlainRelayMain::run);
    }

    private static void run(Job job, Control control) throws IOException {
        String address = job.listen().address();
        try (ServerSocketChannel publish = Sockets.listen(address, job.listen().publish());
                ServerSocketChannel subscribe =
                        Sockets.listen(address, job.listen().subscribe())) {
            SocketCongestion.prepare(subscribe, job.load().localCongestion());
            control.say("ready", new Listening(Sockets.endpoint(publish), Sockets.endpoint(subscribe)));
            List<SocketChannel> subscribers = new ArrayList<>();
            Congestion congestion = Congestion.NONE;
            while (subscribers.size() < job.connections()) {
                SocketChannel subscriber = Sockets.accept(subscribe);
                congestion = congestion.and(
                        SocketCongestion.choose(subscriber, job.load().localCongestion()));
                subscribers.add(subscriber);
            }
            control.say(Control.SOCKETS, congestion);
            SocketChannel publisher = Sockets.accept(publish);
            try {
                relay(publisher, subscribers, job.bytes());
            } catch (IOException e) {
                // A subscriber that only counts closes with unread bytes, which resets its connection. Subscribers
                // themselves report connections that end too early.
            }
            control.say("result", Sent.NOTHING);
        }
    }

    /**
     * Reads a buffer, and writes it to each subscriber in turn. It does not parse frames, and waits for slow
     * subscribers.
     */
    static void relay(SocketChannel publisher, List<SocketChannel> subscribers, int bufferSize) throws IOException {
        final ByteBuffer data = ByteBuffer.allocateDirect(bufferSize);
        while (true) {
            data.clear();
            int n = publisher.read(data);
            if (n < 0) {
                return;
            }
            for (SocketChannel subscriber : subscribers) {
                data.position(0).limit(n);
                while (data.hasRemaining()) {
                    subscriber.write(data);
                }
            }
        }
    }
}
