package dev.msgrelay.loadgen.doctor;

import dev.msgrelay.loadgen.host.SystemTree;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

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
        return Finding.of(coresLevel(cores), "cores", cores + " (" + model + ")", coresMeaning(cores))
                .with("cores", cores)
                .with("model", model);
    }

    private static Level coresLevel(int cores) {
        if (cores < 2) {
            return Level.WARNING;
        }
        return cores < CORES_WANTED ? Level.NOTE : Level.FINE;
    }

    private static String coresMeaning(int cores) {
        if (cores < 2) {
            return "publisher, relay and subscriber take turns: latencies are those of the scheduler";
        }
        return cores < CORES_WANTED
                ? "publisher, relay, subscriber and the system share them: what is measured is less than the relay's own"
                : "publisher, relay, subscriber and the system can have one each";
    }

    /** @param nanos of one hop, or NaN when there is nothing to hop to */
    static Finding hop(double nanos) {
        String name = "core-to-core hop";
        if (Double.isNaN(nanos)) {
            return Finding.unknown(name, "there is one core only");
        }
        String value = nanos < LOST_CORE_NANOS ? Texts.format("%.0f ns", nanos) : Texts.format("%.1f us", nanos / 1e3);
        Finding finding;
        if (nanos < NEAR_NANOS) {
            finding = Finding.fine(name, value, "the cores share a cache; compare with runs of about this hop only");
        } else if (nanos < FAR_NANOS) {
            finding = Finding.note(name, value, "the cores are not near; compare with runs of about this hop only");
        } else if (nanos < LOST_CORE_NANOS) {
            finding = Finding.warning(
                    name, value, "the cores are far apart: the same runs were 1.5 to 5 times faster at about 50 ns");
        } else {
            finding = Finding.warning(
                    name, value, "no hop takes that long: one of the two cores was busy with something else");
        }
        return finding.with("nanos", Math.round(nanos * 10) / 10.0);
    }

    static Finding virtual(SystemTree tree) {
        String name = "virtual machine";
        String meaning = "the host moves the cores and lends them to others: set runs against each other only when"
                + " they were taken in turn, with about the same hop";
        String product = tree.text("sys/class/dmi/id/product_name").orElse("");
        String vendor = tree.text("sys/class/dmi/id/sys_vendor").orElse("");
        String lower = (vendor + " " + product).toLowerCase(java.util.Locale.ROOT);
        Optional<String> hypervisor = tree.text("sys/hypervisor/type");
        if (hypervisor.isPresent()) {
            return Finding.note(name, "yes (" + hypervisor.get() + ")", meaning).with("virtual", true);
        }
        if (VIRTUAL_PRODUCTS.stream().anyMatch(lower::contains)) {
            return Finding.note(name, "yes (" + (vendor + " " + product).strip() + ")", meaning)
                    .with("virtual", true);
        }
        Optional<String> flags = tree.field("proc/cpuinfo", "flags");
        if (flags.isEmpty()) {
            return Finding.unknown(name, "if it is one: " + meaning);
        }
        if (List.of(flags.get().split(" ")).contains("hypervisor")) {
            return Finding.note(name, "yes (the CPU's flags say so)", meaning).with("virtual", true);
        }
        return Finding.fine(name, "no", "the cores are this system's own").with("virtual", false);
    }

    static Finding governor(SystemTree tree) {
        String name = "CPU governor";
        Optional<String> told = tree.text(CPUFREQ + "scaling_governor");
        if (told.isEmpty()) {
            return Finding.unknown(name, "who sets the cores' clock cannot be seen here, as usual in virtual machines");
        }
        Finding finding = told.get().equals("performance")
                ? Finding.fine(name, told.get(), "the cores' clock is up all the time")
                : Finding.warning(
                        name,
                        told.get(),
                        "the cores' clock rises only under load: low rates get worse latencies; 'performance' does not");
        return finding.with("governor", told.get());
    }

    static Finding turbo(SystemTree tree) {
        String name = "turbo";
        OptionalLong off = tree.number("sys/devices/system/cpu/intel_pstate/no_turbo");
        OptionalLong boost = tree.number("sys/devices/system/cpu/cpufreq/boost");
        if (off.isEmpty() && boost.isEmpty()) {
            return Finding.unknown(
                    name, "if it is on, a run's speed depends on the heat and on what the other cores do");
        }
        boolean on = off.isPresent() ? off.getAsLong() == 0 : boost.getAsLong() != 0;
        Finding finding = on
                ? Finding.note(name, "on", "speed depends on the heat and on the other cores: take runs in turn")
                : Finding.fine(name, "off", "the cores' clock does not depend on the heat");
        return finding.with("turbo", on);
    }
}
