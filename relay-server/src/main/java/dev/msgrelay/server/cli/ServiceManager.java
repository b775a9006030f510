package dev.msgrelay.server.cli;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDomainDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.netty.util.concurrent.PromiseNotifier;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the state of the relay to a service manager, as in sd_notify(3): datagrams to the Unix socket that {@code
 * NOTIFY_SOCKET} names, if it is set. The JDK cannot send datagrams to Unix sockets, so Netty's epoll transport does.
 * The transport's thread ends with the process. Any thread.
 */
final class ServiceManager {
    static final String READY = "READY=1";

    static final String STOPPING = "STOPPING=1";

    private static final String ALIVE = "WATCHDOG=1";

    private static final Logger LOG = LoggerFactory.getLogger("relay");
    private static final String SOCKET = "NOTIFY_SOCKET";
    private static final String PERIOD = "WATCHDOG_USEC";
    private static final String PROCESS = "WATCHDOG_PID";

    /** Time to send a datagram, which waits only if the service manager does not read its socket. */
    private static final long WAIT_MILLIS = 1_000;

    private final Map<String, String> environment;
    private final String socket;
    private final long pid;
    // Null without a service manager, or without epoll.
    private final EventLoopGroup loop;
    // Owned by the loop's thread.
    private boolean well = true;
    private Future<Void> lastSign;

    /** @param pid the id of this process; the variables may be meant for the process that started this one */
    ServiceManager(Map<String, String> environment, long pid) {
        this.environment = environment;
        this.pid = pid;
        socket = environment.getOrDefault(SOCKET, "");
        loop = socket.isEmpty() || !Epoll.isAvailable()
                ? null
                : new MultiThreadIoEventLoopGroup(
                        1, new DefaultThreadFactory("relay-notify", true), EpollIoHandler.newFactory());
        if (!socket.isEmpty() && loop == null) {
            LOG.warn("{}={}: nothing is told there: that needs Netty's epoll transport", SOCKET, socket);
        }
    }

    /** Sends a state, and logs a failure. */
    void sendState(String state) {
        if (loop == null) {
            return;
        }
        Future<Void> told = send(state);
        if (!told.awaitUninterruptibly(WAIT_MILLIS)) {
            warn(state, "not taken for " + WAIT_MILLIS + " ms");
        } else if (!told.isSuccess()) {
            warn(state, told.cause());
        }
    }

    private void warn(String state, Object why) {
        LOG.warn("{}={}: {} is not told: {}", SOCKET, socket, state, why.toString());
    }

    /**
     * Sends a sign of life twice in each period of {@code WATCHDOG_USEC}, if that is set for this process. The service
     * manager ends a process that sends no sign for a whole period.
     *
     * @param look whether the process works; called on the loop's thread, so it must not wait
     */
    void watch(BooleanSupplier look) {
        long halfMicros = watchdogMicros() / 2;
        if (loop != null && halfMicros > 0) {
            // The delay is fixed. A fixed rate would send all missed signs at once after the machine has slept.
            loop.scheduleWithFixedDelay(() -> sign(look), halfMicros, halfMicros, TimeUnit.MICROSECONDS);
        }
    }

    /** The watchdog's period in microseconds; 0 without a watchdog. */
    private long watchdogMicros() {
        String period = environment.getOrDefault(PERIOD, "");
        String process = environment.getOrDefault(PROCESS, "");
        if (period.isEmpty() || !process.isEmpty() && !process.equals(Long.toString(pid))) {
            return 0;
        }
        try {
            return Long.parseLong(period);
        } catch (NumberFormatException e) {
            LOG.warn("{}={} is no number of microseconds: no sign of life is sent", PERIOD, period);
            return 0;
        }
    }

    private void sign(BooleanSupplier look) {
        boolean before = well;
        well = look.getAsBoolean();
        if (!well) {
            if (before) {
                LOG.warn("the relay does not work: {} is not sent, and the service manager will end it", ALIVE);
            }
            return;
        }
        // No second sign is sent while the first one still waits for a full socket.
        if (lastSign != null && !lastSign.isDone()) {
            return;
        }
        boolean told = lastSign == null || lastSign.isSuccess();
        lastSign = send(ALIVE);
        lastSign.addListener(sent -> {
            if (!sent.isSuccess() && told) {
                warn(ALIVE, sent.cause());
            }
        });
    }

    private Future<Void> send(String state) {
        Promise<Void> told = loop.next().newPromise();
        // A leading @ marks an abstract name, whose first byte is zero. Each state connects anew, because a restarted
        // service manager has a new socket of the same name.
        new Bootstrap()
                .group(loop)
                .channel(EpollDomainDatagramChannel.class)
                .handler(new ChannelInboundHandlerAdapter())
                .connect(new DomainSocketAddress(socket.replaceFirst("^@", "\0")))
                .addListener((ChannelFutureListener) connected -> {
                    if (!connected.isSuccess()) {
                        told.setFailure(connected.cause());
                        return;
                    }
                    connected
                            .channel()
                            .writeAndFlush(Unpooled.copiedBuffer(state, StandardCharsets.UTF_8))
                            .addListener(new PromiseNotifier<>(told))
                            .addListener(ChannelFutureListener.CLOSE);
                });
        return told;
    }
}
