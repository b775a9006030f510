package dev.msgrelay.loadgen.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PlainRelayTest {
    private static final int BYTES = 3_000_000;
    private static final int SUBSCRIBERS = 3;

    @Test
    void everySubscriberGetsTheVeryBytes() throws Exception {
        long seed = System.nanoTime();
        byte[] sent = new byte[BYTES];
        new Random(seed).nextBytes(sent);
        List<Loopback> subscribers = new ArrayList<>();
        try (Loopback publisher = Loopback.open()) {
            for (int i = 0; i < SUBSCRIBERS; i++) {
                subscribers.add(Loopback.open());
            }
            List<SocketChannel> near = subscribers.stream().map(Loopback::near).toList();
            List<CompletableFuture<byte[]>> received = new ArrayList<>();
            for (Loopback subscriber : subscribers) {
                received.add(CompletableFuture.supplyAsync(() -> readAll(subscriber.far())));
            }
            CompletableFuture<Void> relaying = CompletableFuture.runAsync(() -> run(publisher.far(), near));
            ByteBuffer data = ByteBuffer.wrap(sent);
            while (data.hasRemaining()) {
                publisher.near().write(data);
            }
            publisher.near().shutdownOutput();
            relaying.get(120, TimeUnit.SECONDS);
            for (Loopback subscriber : subscribers) {
                subscriber.near().shutdownOutput();
            }
            for (CompletableFuture<byte[]> one : received) {
                assertThat(one.get(120, TimeUnit.SECONDS)).as("seed %d", seed).isEqualTo(sent);
            }
        } finally {
            for (Loopback subscriber : subscribers) {
                subscriber.close();
            }
        }
    }

    private static void run(SocketChannel publisher, List<SocketChannel> subscribers) {
        try {
            PlainRelayMain.relay(publisher, subscribers, 65_483);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] readAll(SocketChannel channel) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        ByteBuffer buffer = ByteBuffer.allocate(50_000);
        try {
            while (channel.read(buffer.clear()) >= 0) {
                all.write(buffer.array(), 0, buffer.position());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return all.toByteArray();
    }
}
