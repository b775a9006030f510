package dev.msgrelay.server.admin;

import dev.msgrelay.server.figures.ConnectionRow;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.stream.ChunkedInput;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.stream.Stream;

/** All connections as JSON, written in pieces of 16 KiB as fast as the client reads: there may be thousands. */
final class RowsInput implements ChunkedInput<ByteBuf> {
    private static final int CHUNK_BYTES = 16 << 10;

    private final Iterator<ConnectionRow> rows;
    private String next;
    private boolean first = true;
    private boolean ended;
    private long written;

    RowsInput(Look look) {
        rows = look.connections().iterator();
        JsonLine line = new JsonLine().text("time", look.time().toString());
        Look.cluster(line, look.cluster());
        String head = line.list("connections", Stream.empty(), Look::row).toLine();
        // The closing bracket and brace are cut off: the list is still open.
        next = head.substring(0, head.length() - 2);
    }

    @Override
    public ByteBuf readChunk(ByteBufAllocator allocator) {
        StringBuilder chunk = new StringBuilder(CHUNK_BYTES + 2048).append(next);
        next = "";
        while (rows.hasNext() && chunk.length() < CHUNK_BYTES) {
            JsonLine row = new JsonLine();
            Look.row(row, rows.next());
            chunk.append(first ? "\n" : ",\n").append(row.toLine());
            first = false;
        }
        if (!rows.hasNext()) {
            chunk.append("\n]}\n");
            ended = true;
        }
        written += chunk.length();
        return Unpooled.wrappedBuffer(chunk.toString().getBytes(StandardCharsets.US_ASCII));
    }

    @Override
    @Deprecated
    public ByteBuf readChunk(ChannelHandlerContext ctx) {
        return readChunk(ctx.alloc());
    }

    @Override
    public boolean isEndOfInput() {
        return ended;
    }

    @Override
    public void close() {
        // There is nothing to close.
    }

    @Override
    public long length() {
        return -1;
    }

    @Override
    public long progress() {
        return written;
    }
}
