package dev.msgrelay.loadgen.lab.eventlog;

/** Does nothing: what it shows is the cost of making the events. */
final class NullLogger implements EventLog {
    @Override
    public void recordEvent(Event event) {
        // the base line
    }

    @Override
    public void close() {
        // nothing to close
    }
}
