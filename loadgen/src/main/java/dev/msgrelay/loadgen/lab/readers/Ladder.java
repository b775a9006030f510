package dev.msgrelay.loadgen.lab.readers;

import java.util.function.Supplier;

/** The clients, in the article's order. */
enum Ladder {
    BYTE_WISE("integers byte by byte", ByteWiseClient::new),
    FOUR_BYTES("four bytes at a time", FourByteClient::new),
    BUFFERED("BufferedInputStream", BufferedClient::new),
    BOTH("BufferedInputStream, four bytes", BufferedFourByteClient::new),
    REUSING("the same, nothing allocated", ReusingClient::new),
    LOCAL("the same, arrays in local variables", LocalArraysClient::new),
    APPENDING("channel and buffer, appending", AppendingClient::new),
    COMPACTING("channel and buffer, compacting", CompactingClient::new),
    HANDING("channel, buffer handed over", BufferHandingClient::new),
    RELAY("relay's client", RelayClient::new);

    private final String text;
    private final Supplier<Client> maker;

    Ladder(String text, Supplier<Client> maker) {
        this.text = text;
        this.maker = maker;
    }

    String text() {
        return text;
    }

    Client newClient() {
        return maker.get();
    }
}
