package dev.msgrelay.loadgen.lab.readers;

import dev.msgrelay.client.MessageHandler;
import dev.msgrelay.client.RelaySubscriber;
import dev.msgrelay.protocol.net.Endpoint;
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
            MessageHandler handler = (sequence, type, body) -> sink.message(type, body);
            while (subscriber.poll(handler) >= 0) {
                reads++;
            }
            return reads;
        }
    }
}
