package dev.msgrelay.loadgen.doctor;

import static dev.msgrelay.loadgen.render.Unit.format;

import dev.msgrelay.loadgen.host.SystemTree;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Cores: how many, how far apart, at which clock, and whether they are real. */
final class ProcessorChecks {
    /** A publisher, the relay, a subscriber, and the system. */
    private static final int CORES_WANTED = 4;

    /** Cores that share a cache were seen at 45 to 67 ns, cores that do not at 230. */
    private static final double NEAR_NANOS = 100;

    private static final double FAR_NANOS = 150;

    /** No two cores are that far apart: one of the two threads had to wait for its core. */
    private static final double LOST_CORE_NANOS = 1_000;

    /** What hypervisors call the machines that they make, in their tables for the firmware. */
    private static final List<String> VIRTUAL_PRODUCTS = List.of(
            "kvm",
            "qemu",
            "virtual",
            "vmware",
            "bochs",
            "xen",
            "openstack",
            "google compute engine",
            "parallels",
            "bhyve",
            "firecracker");

    private static final String CPUFREQ = "sys/devices/system/cpu/cpu0/cpufreq/";

    private ProcessorChecks() {}

    static Finding cores(int cores, String model) {
        return Finding.at("cores", cores + " (" + model + ")")
                .warning(cores < 2, "publisher, relay and subscriber take turns: latencies are those of the scheduler")
                .note(
                        cores < CORES_WANTED,
                        "publisher, relay, subscriber and the system share them: what is measured is less than the"
                                + " relay's own")
                .fine("publisher, relay, subscriber and the system can have one each")
                .with("cores", cores)
                .with("model", model);
    }

    /** @param nanos of one hop, or NaN when there is nothing to hop to */
    static Finding hop(double nanos) {
        String name = "core-to-core hop";
        if (Double.isNaN(nanos)) {
            return Finding.at(name, null).unknown("there is one core only");
        }
        boolean lost = nanos >= LOST_CORE_NANOS;
        return Finding.at(name, lost ? format("%.1f us", nanos / 1e3) : format("%.0f ns", nanos))
                .fine(nanos < NEAR_NANOS, "the cores share a cache")
                .note(nanos < FAR_NANOS, "the cores are not near: set only runs in turn against each other")
                .warning(lost, "no hop takes that long: one of the two cores was busy with something else")
                .warning("the cores are far apart: the same runs were 1.5 to 5 times faster at about 50 ns")
                .with("nanos", Math.round(nanos * 10) / 10.0);
    }

    static Finding virtual(SystemTree tree) {
        String meaning = "the host moves the cores and lends them to others: set runs against each other only when"
                + " they were taken in turn";
        Optional<String> flags = tree.field("proc/cpuinfo", "flags");
        String how = hypervisor(tree, flags.orElse(""));
        Boolean known = how != null ? Boolean.TRUE : flags.isPresent() ? Boolean.FALSE : null;
        return Finding.at("virtual machine", known == null ? null : known ? "yes (" + how + ")" : "no")
                .unknown("if it is one: " + meaning)
                .note(how != null, meaning)
                .fine("the cores are this system's own")
                .with("virtual", known);
    }

    /** What says that there is one; null where nothing does. */
    private static String hypervisor(SystemTree tree, String flags) {
        String product = tree.text("sys/class/dmi/id/product_name").orElse("");
        String maker = tree.text("sys/class/dmi/id/sys_vendor").orElse("") + " " + product;
        String lower = maker.toLowerCase(Locale.ROOT);
        boolean told = List.of(flags.split(" ")).contains("hypervisor");
        return tree.text("sys/hypervisor/type")
                .orElse(
                        VIRTUAL_PRODUCTS.stream().anyMatch(lower::contains)
                                ? maker.strip()
                                : told ? "the CPU's flags say so" : null);
    }

    static Finding governor(SystemTree tree) {
        String governor = tree.text(CPUFREQ + "scaling_governor").orElse(null);
        return Finding.at("CPU governor", governor)
                .unknown("who sets the cores' clock cannot be seen here, as usual in virtual machines")
                .fine("performance".equals(governor), "the cores' clock is up all the time")
                .warning(
                        "the cores' clock rises only under load: low rates get worse latencies; 'performance' does not")
                .with("governor", governor);
    }

    static Finding turbo(SystemTree tree) {
        Boolean off = tree.flag("sys/devices/system/cpu/intel_pstate/no_turbo");
        Boolean on = off != null ? Boolean.valueOf(!off) : tree.flag("sys/devices/system/cpu/cpufreq/boost");
        return Finding.at("turbo", on == null ? null : on ? "on" : "off")
                .unknown("if it is on, a run's speed depends on the heat and on what the other cores do")
                .note(Boolean.TRUE.equals(on), "speed depends on the heat and on the other cores: take runs in turn")
                .fine("the cores' clock does not depend on the heat")
                .with("turbo", on);
    }
}
