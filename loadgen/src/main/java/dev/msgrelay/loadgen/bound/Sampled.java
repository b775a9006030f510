package dev.msgrelay.loadgen.bound;

import java.util.Comparator;
import java.util.List;

/**
 * What was sampled within a window.
 *
 * @param samples how often the queues were looked at
 * @param cpu the busiest thread of each process and role; empty where none was seen
 * @param waitsKnown false where the kernel does not tell how long a thread waited for a core
 * @param machine null where it was not seen
 * @param queues of sockets
 * @param segments of all network namespaces, those of other programs included
 */
public record Sampled(
        int samples,
        List<CpuShare> cpu,
        boolean waitsKnown,
        MachineShare machine,
        Queues queues,
        TcpSegments segments) {
    /** Nothing was seen. */
    public static final Sampled NOTHING = new Sampled(0, List.of(), true, null, Queues.UNSEEN, new TcpSegments(0, 0));

    /** Of a role's processes, the one whose thread wanted a core most; null where none was seen. */
    public CpuShare busiest(Role role) {
        return cpu.stream()
                .filter(share -> share.role() == role)
                .max(Comparator.comparingDouble(CpuShare::wanted))
                .orElse(null);
    }

    /** Of a role's processes, the one whose thread wanted a core least; null where none was seen. */
    public CpuShare leastBusy(Role role) {
        return cpu.stream()
                .filter(share -> share.role() == role)
                .min(Comparator.comparingDouble(CpuShare::wanted))
                .orElse(null);
    }
}
