package dev.msgrelay.loadgen.doctor;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.msgrelay.loadgen.host.Cgroup;
import dev.msgrelay.loadgen.host.ClockFigures;
import dev.msgrelay.loadgen.host.LaneTools;
import dev.msgrelay.loadgen.host.Machine;
import dev.msgrelay.loadgen.host.NetInterfaces.NetInterface;
import dev.msgrelay.loadgen.host.Offloads;
import dev.msgrelay.loadgen.host.SystemTree;
import dev.msgrelay.loadgen.host.Tool;
import dev.msgrelay.server.net.Transport;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * Collects the facts and tells each finding as soon as it is known; in all about a second. The command's thread owns it.
 */
public final class Doctor {
    /** A host of containers has hundreds of interfaces; who means one of the others names it. */
    private static final int MAX_INTERFACES = 16;

    private static final int CONNECT_MILLIS = 2_000;

    private final SystemTree tree;
    private final Tool tool;
    private final Consumer<Finding> report;
    private final Machine machine = Machine.here();

    /** @param report gets every finding, in order */
    public Doctor(SystemTree tree, Tool tool, Consumer<Finding> report) {
        this.tree = tree;
        this.tool = tool;
        this.report = report;
    }

    /** @param interfaces whose links are looked at */
    public void examine(List<NetInterface> interfaces) throws InterruptedException {
        processor();
        kernel();
        resources();
        jvm();
        tcp();
        links(interfaces);
    }

    private void processor() throws InterruptedException {
        report.accept(ProcessorChecks.cores(machine.cores(), machine.cpu()));
        report.accept(ProcessorChecks.hop(machine.coreHopNanos()));
        report.accept(ProcessorChecks.virtual(tree));
        report.accept(ProcessorChecks.governor(tree));
        report.accept(ProcessorChecks.turbo(tree));
        report.accept(KernelChecks.load(tree, machine.cores()));
    }

    private void kernel() {
        report.accept(KernelChecks.kernel(System.getProperty("os.name"), System.getProperty("os.version")));
        report.accept(KernelChecks.clockSource(tree));
        report.accept(KernelChecks.nanoTime(ClockFigures.measure()));
        report.accept(KernelChecks.autogroup(tree));
        report.accept(KernelChecks.hugePages(tree));
    }

    private void resources() {
        report.accept(ResourceChecks.limits(Cgroup.read(tree), machine.cores(), tree.exists("proc/self/cgroup")));
        report.accept(ResourceChecks.memory(tree));
        report.accept(ResourceChecks.openFiles(tree, openFilesOfTheJvm()));
        report.accept(ResourceChecks.temporaryDirectory(Path.of(System.getProperty("java.io.tmpdir"))));
    }

    private static OptionalLong openFilesOfTheJvm() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
                ? OptionalLong.of(unix.getMaxFileDescriptorCount())
                : OptionalLong.empty();
    }

    private void jvm() {
        report.accept(JvmChecks.jdk(
                System.getProperty("java.vm.name"), Runtime.version().toString()));
        report.accept(JvmChecks.launcher(Path.of(System.getProperty("java.home"), "bin", "java")));
        report.accept(JvmChecks.flags(ManagementFactory.getRuntimeMXBean().getInputArguments(), System.getenv()));
        report.accept(JvmChecks.transports(transports()));
    }

    private static Map<String, String> transports() {
        Map<String, String> reasons = new LinkedHashMap<>();
        for (Transport transport : List.of(Transport.EPOLL, Transport.NIO)) {
            String reason = "";
            try {
                transport.resolve();
            } catch (IllegalArgumentException e) {
                reason = e.getMessage();
            }
            reasons.put(transport.flag(), reason);
        }
        return reasons;
    }

    private void tcp() {
        report.accept(TcpChecks.loopback(loopbackFailure()));
        report.accept(TcpChecks.congestionControl(tree));
        report.accept(TcpChecks.buffers(tree, "tcp_rmem"));
        report.accept(TcpChecks.buffers(tree, "tcp_wmem"));
        report.accept(TcpChecks.socketLimits(tree));
        report.accept(TcpChecks.timestamps(tree));
        report.accept(TcpChecks.backlog(tree));
    }

    /** Connects to itself; null when that works. */
    private static String loopbackFailure() {
        try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(listening.getInetAddress(), listening.getLocalPort()), CONNECT_MILLIS);
            return null;
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private void links(List<NetInterface> interfaces) throws InterruptedException {
        for (NetInterface one : interfaces.subList(0, Math.min(MAX_INTERFACES, interfaces.size()))) {
            report.accept(LinkChecks.link(one));
            report.accept(LinkChecks.mtu(one));
            Optional<Offloads> offloads = Offloads.read(one.name(), tree, tool);
            // No device is behind loopback: that nobody tells is worth no line.
            if (offloads.isPresent() || !one.loopback()) {
                report.accept(LinkChecks.offloads(one.name(), offloads));
            }
        }
        if (interfaces.size() > MAX_INTERFACES) {
            report.accept(Finding.of(
                    Level.NOTE,
                    "more interfaces",
                    Integer.toString(interfaces.size() - MAX_INTERFACES),
                    "are up and not listed: name one with --interface"));
        }
        report.accept(LinkChecks.lanes(LaneTools.probe(tool)));
    }
}
