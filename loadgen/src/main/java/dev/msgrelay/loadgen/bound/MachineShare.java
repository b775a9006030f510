package dev.msgrelay.loadgen.bound;

/**
 * How the cores of a machine spent the window; shares of all cores together, 0..1.
 *
 * @param idle waiting for input or output included
 * @param softirq mostly the kernel's network stack
 * @param steal taken by the host of a virtual machine
 * @param own of the run's processes, as far as they were seen
 */
public record MachineShare(int cores, double idle, double softirq, double steal, double own) {
    /** Neither idle nor of this run, network interrupts or host: what other programs used, about. */
    public double others() {
        return Math.max(0, 1 - idle - softirq - steal - own);
    }
}
