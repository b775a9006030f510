package dev.msgrelay.loadgen.worker;

import dev.msgrelay.client.AckListener;
import java.io.IOException;

/**
 * What a relay has acknowledged of one publisher: numbers and their sequences have to go up, from one acknowledgement to
 * the next, and never beyond what was published. Thread-safe.
 */
final class Acknowledged implements AckListener {
    private long number;
    private long sequence;
    private String fault;

    @Override
    public synchronized void onAck(long newNumber, long newSequence) {
        // Sequence 0: it was told when the connection was made again, and may be told twice.
        boolean again = newSequence == 0;
        if (fault == null && (again ? newNumber < number : newNumber <= number || newSequence <= sequence)) {
            fault = "acknowledged up to message " + newNumber + ", sequence " + newSequence + ", after message "
                    + number + ", sequence " + sequence;
        }
        number = newNumber;
        sequence = again ? sequence : newSequence;
    }

    /**
     * Whether that was all in order.
     *
     * @param last the number of the last message that was published
     * @throws IOException it was not; says what was acknowledged
     */
    synchronized void check(long last) throws IOException {
        if (fault != null) {
            throw new IOException(fault);
        }
        if (number != last) {
            throw new IOException("acknowledged up to message " + number + ", published up to " + last);
        }
    }
}
