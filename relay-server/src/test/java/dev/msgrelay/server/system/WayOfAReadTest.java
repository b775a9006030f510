package dev.msgrelay.server.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jdi.Bootstrap;
import com.sun.jdi.Location;
import com.sun.jdi.Method;
import com.sun.jdi.ReferenceType;
import com.sun.jdi.StackFrame;
import com.sun.jdi.ThreadReference;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.LaunchingConnector;
import com.sun.jdi.event.BreakpointEvent;
import com.sun.jdi.event.ClassPrepareEvent;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.event.VMDisconnectEvent;
import com.sun.jdi.request.BreakpointRequest;
import com.sun.jdi.request.ClassPrepareRequest;
import com.sun.jdi.request.EventRequest;
import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.Sessions;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.engine.RelayEngine;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.PlainSubscriber;
import dev.msgrelay.testing.ThisMachine;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * ARCHITECTURE's list of the calls of a read, from socket to socket, is what the debugger's interface of the JVM records in a
 * relay of another process: every call that leads to a place where bytes are placed, walked, taken, shown or sent.
 */
class WayOfAReadTest {
    private static final String OURS = "dev.msgrelay.server.";

    /** Only a hang takes so long. */
    private static final long MOST_MILLIS = 60_000;

    /** The places; each of their callers, up to the cycle, is on the way. */
    private static final Set<String> PLACES = Set.of(
            "WindowGate.tryPass",
            "PacketLog.end",
            "FrameAssembler.putInFront",
            "RunScan.scan",
            "PacketIndex.add",
            "PacketLog.append",
            "FrameAssembler.keep",
            "StreamHead.set",
            "PacketLog.acquire",
            "SocketWriter.addLog",
            "SocketWriter.end",
            "LogReader.advance",
            "Allowance.reached");

    @Test
    void itsCallsAreThoseThatArchitectureLists() throws Exception {
        List<String> listed = listed();
        assertThat(recorded()).containsExactlyElementsOf(listed);
        assertThat(listed).hasSizeLessThanOrEqualTo(45);
        Set<String> classes = listed.stream()
                .map(call -> call.substring(0, call.indexOf('.')))
                .collect(Collectors.toSet());
        assertThat(classes).hasSizeLessThanOrEqualTo(24);
    }

    private static List<String> listed() throws Exception {
        Matcher section = Pattern.compile("## The way of a read\n.*?```\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(Path.of("../ARCHITECTURE.md")));
        assertThat(section.find()).isTrue();
        return Pattern.compile("(?m)^ *(\\w+\\.\\w+)")
                .matcher(section.group(1))
                .results()
                .map(call -> call.group(1))
                .toList();
    }

    /** Returns the calls of one read in the order in which they come first. */
    private static Set<String> recorded() throws Exception {
        LaunchingConnector launcher = Bootstrap.virtualMachineManager().defaultConnector();
        Map<String, Connector.Argument> arguments = launcher.defaultArguments();
        arguments.get("options").setValue("-cp \"" + ThisMachine.classPath() + '"');
        arguments.get("main").setValue(OneRead.class.getName());
        VirtualMachine vm = launcher.launch(arguments);
        try {
            return record(vm);
        } finally {
            vm.process().destroyForcibly();
        }
    }

    private static Set<String> record(VirtualMachine vm) throws Exception {
        ClassPrepareRequest main = vm.eventRequestManager().createClassPrepareRequest();
        main.addClassFilter(OneRead.class.getName());
        main.enable();
        vm.resume();
        Set<String> calls = new LinkedHashSet<>();
        boolean ended = false;
        while (!ended) {
            EventSet events = vm.eventQueue().remove(MOST_MILLIS);
            assertThat(events).as("what the relay does next").isNotNull();
            for (Event event : events) {
                assertThat(event).isNotInstanceOf(VMDisconnectEvent.class);
                if (event instanceof ClassPrepareEvent prepared) {
                    stopAt(prepared.referenceType(), "begins");
                    stopAt(prepared.referenceType(), "ends");
                } else if (event instanceof BreakpointEvent at) {
                    String method = at.location().method().name();
                    ended = method.equals("ends");
                    if (method.equals("begins")) {
                        watch(vm);
                    } else if (at.thread().name().equals("relay-loop-0")) {
                        addWay(at.thread(), calls);
                    }
                }
            }
            events.resume();
        }
        return calls;
    }

    private static void watch(VirtualMachine vm) {
        for (ReferenceType type : vm.allClasses()) {
            if (type.name().startsWith(OURS)) {
                PLACES.stream()
                        .filter(place -> place.startsWith(name(type) + '.'))
                        .forEach(place -> stopAt(type, place.substring(place.indexOf('.') + 1)));
            }
        }
    }

    private static void stopAt(ReferenceType type, String name) {
        for (Method method : type.methodsByName(name)) {
            if (method.location() != null) {
                BreakpointRequest request =
                        type.virtualMachine().eventRequestManager().createBreakpointRequest(method.location());
                request.setSuspendPolicy(EventRequest.SUSPEND_EVENT_THREAD);
                request.enable();
            }
        }
    }

    /** Adds our methods on a thread's stack, from the cycle on. */
    private static void addWay(ThreadReference thread, Set<String> calls) throws Exception {
        List<StackFrame> frames = thread.frames();
        boolean inCycle = false;
        for (int i = frames.size() - 1; i >= 0; i--) {
            Location at = frames.get(i).location();
            String name = name(at);
            inCycle |= name.equals("EngineLoop.cycle");
            if (inCycle && at.declaringType().name().startsWith(OURS)) {
                calls.add(name);
            }
        }
    }

    private static String name(Location at) {
        return name(at.declaringType()) + '.' + at.method().name();
    }

    /** The name without its package; that of the outermost class for a nested one. */
    private static String name(ReferenceType type) {
        String name = type.name().replaceFirst("\\$.*", "");
        return name.substring(name.lastIndexOf('.') + 1);
    }

    /** A relay, one publisher and one subscriber in a process of their own. */
    static final class OneRead {
        private static final int FRAMES = 8;

        public static void main(String[] args) throws Exception {
            RelayConfig config = RelayConfig.builder()
                    .publishPort(0)
                    .subscribePort(0)
                    .eventLoops(1)
                    .build();
            try (RelayServer relay = RelayServer.start(config);
                    PlainSubscriber subscriber = PlainSubscriber.connect(relay.subscribeAddress());
                    PlainPublisher publisher = PlainPublisher.connect(relay.publishAddress())) {
                publisher.send(frames());
                subscriber.awaitMessages(FRAMES);
                awaitEndOfCycle(relay);
                begins();
                publisher.send(frames());
                subscriber.awaitMessages(2 * FRAMES);
                awaitEndOfCycle(relay);
                ends();
            }
        }

        /** The subscriber has the bytes before the cycle that sent them is over; a task runs in a later one. */
        private static void awaitEndOfCycle(RelayServer relay) throws InterruptedException {
            RelayEngine engine = Sessions.get(relay, "engine");
            engine.core().io().submit(() -> {}).sync();
        }

        /** A few packets, so short that one read takes all of them, and a socket that nobody writes to, too. */
        private static Frames frames() {
            Frames frames = new Frames();
            for (int i = 0; i < FRAMES; i++) {
                frames.frame(i, 1000);
            }
            return frames;
        }

        /** The core's calls are recorded from here on. */
        private static void begins() {}

        /** The read has come out at the subscriber, and the core is done with it. */
        private static void ends() {}
    }
}
