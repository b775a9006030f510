package dev.msgrelay.loadgen.lab.batching;

/** The four ways of the experiment. */
enum Way {
    SERIAL("lock, one write a message"),
    QUEUE("queue and batching thread"),
    DISRUPTOR("Disruptor and NetworkBatchHandler"),
    RELAY("relay");

    private final String text;

    Way(String text) {
        this.text = text;
    }

    String text() {
        return text;
    }

    /**
     * Opens this way to a device in this process. The relay has none: its device is a subscriber.
     */
    Sender open(NetworkFacade device, BatchingOptions options) {
        return switch (this) {
            case SERIAL -> new SerialSender(device);
            case QUEUE -> new QueueSender(device, options.packet(), options.waiting());
            case DISRUPTOR -> new DisruptorSender(device, options.packet(), options.frameLength(), options.waiting());
            case RELAY -> throw new IllegalArgumentException("the relay writes to sockets only");
        };
    }
}
