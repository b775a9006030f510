package dev.msgrelay.server.cli;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
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
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells a service manager the state of the relay, as in sd_notify(3): a datagram to the Unix socket that {@code
 * NOTIFY_SOCKET} names, if it is set. The JDK has no such sockets; Netty's epoll transport has. Its one thread ends
 * with the process: the service manager hears of the relay until then. Any thread.
 */
final class ServiceManager {
    static final String READY = "READY=1";

    static final String STOPPING = "STOPPING=1";

    private static final String ALIVE = "WATCHDOG=1";

    private static final Logger LOG = LoggerFactory.getLogger("relay");
    private static final String SOCKET = "NOTIFY_SOCKET";
    private static final String PERIOD = "WATCHDOG_USEC";
    private static final String PROCESS = "WATCHDOG_PID";

    /**
     * Time for the datagram: a service manager empties its socket at once, and a relay waits no longer for another one.
     */
    private static final long WAIT_MILLIS = 1_000;

    private final Map<String, String> environment;
    private final String socket;
    private final long pid;
    // Null: there is no service manager, or no way to it.
    private final EventLoopGroup loop;
    // Of the loop's thread.
    private boolean well = true;
    private Future<Void> lastSign;

    /**
     * The service manager that the environment names, if any.
     *
     * @param pid of this process: the environment may be meant for the one that has started it
     */
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

    /** Sends a state. A failure is logged, and does not stop the relay. */
    void sendState(String state) {
        if (loop == null) {
            return;
        }
        Future<Void> told = send(state);
        if (!told.awaitUninterruptibly(WAIT_MILLIS)) {
            LOG.warn("{}={}: {} is not told: not taken for {} ms", SOCKET, socket, state, WAIT_MILLIS);
        } else if (!told.isSuccess()) {
            LOG.warn(
                    "{}={}: {} is not told: {}",
                    SOCKET,
                    socket,
                    state,
                    told.cause().toString());
        }
    }

    /**
     * Sends a sign of life in each half of the period that {@code WATCHDOG_USEC} names, if it is set for this process.
     * A service manager that hears none for the period ends the process.
     *
     * @param look whether the process works; asked on a thread of its own, and must not wait
     */
    void watch(BooleanSupplier look) {
        long halfMicros = watchdogMicros() / 2;
        if (loop != null && halfMicros > 0) {
            // Each pause anew: after the machine has slept, signs that were not sent are not sent at once.
            loop.scheduleWithFixedDelay(() -> sign(look), halfMicros, halfMicros, TimeUnit.MICROSECONDS);
        }
    }

    /** The watchdog's period; 0: nobody watches this process. */
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
        // A sign that waits at a full socket is heard later, and one is enough.
        if (lastSign != null && !lastSign.isDone()) {
            return;
        }
        boolean told = lastSign == null || lastSign.isSuccess();
        lastSign = send(ALIVE);
        lastSign.addListener(sent -> {
            if (!sent.isSuccess() && told) {
                LOG.warn(
                        "{}={}: {} is not told: {}",
                        SOCKET,
                        socket,
                        ALIVE,
                        sent.cause().toString());
            }
        });
    }

    private Future<Void> send(String state) {
        Promise<Void> told = loop.next().newPromise();
        // A leading @ marks an abstract name, whose first byte is zero. A socket for each state: a service manager that
        // was started anew has another one of the same name.
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
                    Channel channel = connected.channel();
                    ChannelFuture written = channel.writeAndFlush(Unpooled.copiedBuffer(state, StandardCharsets.UTF_8));
                    written.addListener(done -> {
                        channel.close();
                        if (done.isSuccess()) {
                            told.setSuccess(null);
                        } else {
                            told.setFailure(done.cause());
                        }
                    });
                });
        return told;
    }
}
