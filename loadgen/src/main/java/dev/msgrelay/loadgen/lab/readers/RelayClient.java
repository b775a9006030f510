package dev.msgrelay.loadgen.lab.readers;

import dev.msgrelay.client.Endpoint;
import dev.msgrelay.client.RelaySubscriber;
import dev.msgrelay.protocol.FrameConsumer;
import java.io.IOException;
import java.net.InetSocketAddress;

/** The relay's own client, with its default settings: compacts, checks lengths, and hands over its buffer. */
final class RelayClient implements Client {
    @Override
    public long receive(InetSocketAddress server, Sink sink) throws IOException {
        Endpoint endpoint = Endpoint.tcp(server.getAddress().getHostAddress(), server.getPort());
        try (RelaySubscriber subscriber = RelaySubscriber.connect(endpoint)) {
            // A poll is one read.
            long reads = 1;
            FrameConsumer consumer = sink::message;
            while (subscriber.poll(consumer) >= 0) {
                reads++;
            }
            return reads;
        }
    }
}
