package dev.msgrelay.loadgen.lab.batching;

/** The clock that a device lives by. */
interface DeviceTime {
    /** Real time; waiting gives way to other threads, as a thread that waits for a device would. */
    DeviceTime REAL = new DeviceTime() {
        @Override
        public long nanos() {
            return System.nanoTime();
        }

        @Override
        public void awaitMoment(long moment) {
            while (System.nanoTime() < moment) {
                Thread.yield();
            }
        }
    };

    long nanos();

    void awaitMoment(long moment);
}
