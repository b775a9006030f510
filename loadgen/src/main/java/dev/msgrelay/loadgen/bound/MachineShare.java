package dev.msgrelay.loadgen.bound;

/**
 * How the cores of a machine spent the window; shares of all cores together, 0..1.
 *
 * @param idle waiting for input or output included
 * @param softirq mostly the kernel's network stack
 * @param steal taken by the host of a virtual machine
 */
public record MachineShare(int cores, double idle, double softirq, double steal) {}
