package dev.msgrelay.server.admin;

import dev.msgrelay.server.figures.ConnectionRow;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Enumeration;
import java.util.Iterator;
import java.util.stream.Stream;

/** All connections as JSON, in pieces that are made while the client reads, since the list may be very long. */
final class RowsInput implements Enumeration<InputStream> {
    /** Least bytes of a piece, except for the last one. */
    static final int PIECE_BYTES = 16 << 10;

    private final Iterator<ConnectionRow> rows;
    private String next;
    private String separator = "\n";
    private boolean ended;

    RowsInput(Look look) {
        rows = look.connections().iterator();
        JsonLine line = new JsonLine().text("time", look.time().toString());
        look.cluster().ifPresent(status -> Look.cluster(line, status));
        String head = line.list("connections", Stream.empty(), Look::row).toLine();
        // Without the closing bracket and brace, since the rows follow.
        next = head.substring(0, head.length() - 2);
    }

    @Override
    public boolean hasMoreElements() {
        return !ended;
    }

    @Override
    public InputStream nextElement() {
        StringBuilder piece = new StringBuilder(PIECE_BYTES + 2048).append(next);
        next = "";
        while (rows.hasNext() && piece.length() < PIECE_BYTES) {
            JsonLine row = new JsonLine();
            Look.row(row, rows.next());
            piece.append(separator).append(row.toLine());
            separator = ",\n";
        }
        if (!rows.hasNext()) {
            piece.append("\n]}\n");
            ended = true;
        }
        return new ByteArrayInputStream(piece.toString().getBytes(StandardCharsets.US_ASCII));
    }
}
