package dev.msgrelay.loadgen.lab.batching;

import java.io.IOException;
import java.nio.channels.SocketChannel;

/** A way with its device; the relay's is a subscriber. Closing it sends what is left, and ends all. */
final class DeviceLink implements AutoCloseable {
    private final Sender sender;
    private final Thread device;

    private DeviceLink(Sender sender, Thread device) {
        this.sender = sender;
        this.device = device;
    }

    static DeviceLink open(Way way, SlowDevice device, BatchingOptions options)
            throws IOException, InterruptedException {
        if (way != Way.RELAY) {
            return new DeviceLink(way.open(device, options), null);
        }
        RelaySender relay = new RelaySender();
        try {
            SocketChannel channel = relay.subscribe();
            Thread thread = new Thread(
                    () -> {
                        try (channel) {
                            new DeviceBehindSocket(channel, device, options.packet()).run();
                        } catch (IOException e) {
                            // nobody reads it any more
                        }
                    },
                    "device");
            thread.setDaemon(true);
            thread.start();
            return new DeviceLink(relay, thread);
        } catch (IOException | InterruptedException e) {
            relay.close();
            throw e;
        }
    }

    Sender sender() {
        return sender;
    }

    @Override
    public void close() throws IOException {
        sender.close();
        if (device != null) {
            Ending.join(device);
        }
    }
}
