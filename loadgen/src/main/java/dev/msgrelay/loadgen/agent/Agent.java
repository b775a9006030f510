package dev.msgrelay.loadgen.agent;

import dev.msgrelay.loadgen.site.HostSite;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Waits for a controller and does what it says, one controller at a time. A daemon thread accepts; each connection has
 * one of its own, and there are never more than a few that have not proved who they are.
 */
public final class Agent implements AutoCloseable {
    private static final int MAX_GREETINGS = 8;
    private static final int BACKLOG = 16;

    /** How long a new controller waits while the processes of the one before are being ended. */
    private static final long HAND_OVER_MILLIS = 1_000;

    private static final long CLOSE_MILLIS = 6_000;

    private final AgentSettings settings;
    private final Consumer<String> log;
    private final boolean once;
    private final AgentGreeter greeter;
    private final ServerSocket server;
    private final Semaphore greetings = new Semaphore(MAX_GREETINGS);
    private final Semaphore seat = new Semaphore(1);
    private final AtomicInteger wrongTokens = new AtomicInteger();
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile AgentSession session;
    private volatile InetSocketAddress controller;
    private volatile boolean closing;

    /**
     * Listens.
     *
     * @param once leaves after the first controller
     * @param log hears one line for everything that happens
     * @throws IOException the address or port cannot be had
     */
    public static Agent start(AgentSettings settings, Token token, boolean once, Consumer<String> log)
            throws IOException {
        return start(settings, new AgentGreeter(token, LoadgenVersion.here()), once, log);
    }

    static Agent start(AgentSettings settings, AgentGreeter greeter, boolean once, Consumer<String> log)
            throws IOException {
        Agent agent = new Agent(settings, greeter, once, log);
        Thread acceptor = new Thread(agent::accept, "agent-accept");
        acceptor.setDaemon(true);
        acceptor.start();
        return agent;
    }

    private Agent(AgentSettings settings, AgentGreeter greeter, boolean once, Consumer<String> log) throws IOException {
        if (settings.bind().isAnyLocalAddress() || settings.data().isAnyLocalAddress()) {
            throw new IOException("an agent listens on one named address, not on all (0.0.0.0 or ::)");
        }
        if (settings.data() instanceof Inet6Address data && data.isLinkLocalAddress()) {
            throw new IOException("the address " + data.getHostAddress()
                    + " means something on one link only: give the agent one that the other host can name");
        }
        checkOwn(settings.data());
        this.settings = settings;
        this.greeter = greeter;
        this.once = once;
        this.log = log;
        this.server = new ServerSocket();
        InetSocketAddress address = new InetSocketAddress(settings.bind(), settings.port());
        try {
            server.bind(address, BACKLOG);
        } catch (IOException e) {
            server.close();
            throw new IOException("cannot listen on " + text(address) + ": " + e.getMessage(), e);
        }
    }

    /** Whether processes can listen there: known now, not when the first of them fails. */
    private static void checkOwn(InetAddress data) throws IOException {
        try {
            new ServerSocket(0, 1, data).close();
        } catch (IOException e) {
            throw new IOException(
                    "processes cannot listen on the data address " + data.getHostAddress() + ": " + e.getMessage(), e);
        }
    }

    /** Where it listens: the port that a port of 0 became. */
    public InetSocketAddress address() {
        return (InetSocketAddress) server.getLocalSocketAddress();
    }

    /** Waits for the end: that of the first controller with {@code once}, or {@link #close}. */
    public void awaitEnd() throws InterruptedException {
        ended.await();
    }

    /** Stops to listen, ends all processes, and waits for that. A second call does nothing. */
    @Override
    public synchronized void close() {
        if (closing) {
            return;
        }
        closing = true;
        stopListening();
        AgentSession current = session;
        if (current != null) {
            current.abandon("the agent leaves");
        }
        try {
            // Whoever has the seat gives it back when its processes have ended.
            seat.tryAcquire(CLOSE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        ended.countDown();
    }

    private void stopListening() {
        try {
            server.close();
        } catch (IOException e) {
            // it listens no more in any case
        }
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket socket = server.accept();
                if (greetings.tryAcquire()) {
                    Thread thread = new Thread(() -> serve(socket), "connection");
                    thread.setDaemon(true);
                    thread.start();
                } else {
                    log.accept(text((InetSocketAddress) socket.getRemoteSocketAddress()) + " refused: more than "
                            + MAX_GREETINGS + " greetings at one time");
                    socket.close();
                }
            } catch (IOException e) {
                if (!server.isClosed()) {
                    log.accept("cannot accept: " + e.getMessage());
                    pause(limits().failurePause().toMillis());
                }
            }
        }
    }

    private AgentLimits limits() {
        return settings.limits();
    }

    private void serve(Socket socket) {
        String who = text((InetSocketAddress) socket.getRemoteSocketAddress());
        String proof = null;
        LineChannel channel = null;
        try {
            channel = new LineChannel(socket);
            proof = greeter.greet(
                    channel, System.nanoTime() + limits().greeting().toNanos());
        } catch (AgentGreeter.WrongToken e) {
            log.accept(who + " refused: wrong token, " + wrongTokens.incrementAndGet() + " so far");
            pause(limits().failurePause().toMillis());
            channel.refuse("wrong token");
        } catch (ProtocolException e) {
            log.accept(who + " refused: " + e.getMessage());
            channel.refuse(e.getMessage());
        } catch (IOException e) {
            log.accept(who + " left before it said who it is: " + e.getMessage());
            close(socket);
        } finally {
            greetings.release();
        }
        if (proof != null) {
            seat(channel, proof, who);
        }
    }

    /** One controller at a time. */
    private void seat(LineChannel channel, String proof, String who) {
        try {
            if (!seat.tryAcquire(HAND_OVER_MILLIS, TimeUnit.MILLISECONDS)) {
                String other = text(controller);
                log.accept(who + " refused: " + other + " is being served");
                channel.refuse("this agent serves another controller, " + other);
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            channel.close();
            return;
        }
        try {
            controller = channel.peer();
            session = new AgentSession(
                    channel,
                    new HostSite("agent", List.of(), settings.data().getHostAddress()),
                    programs(channel),
                    limits(),
                    log);
            if (closing) {
                channel.refuse("the agent leaves");
                return;
            }
            log.accept(who + " is the controller");
            channel.send(Welcome.of(proof, settings));
            log.accept("controller " + who + " gone: " + session.run());
        } catch (IOException e) {
            log.accept("controller " + who + " gone: " + e.getMessage());
        } finally {
            channel.close();
            session = null;
            seat.release();
            if (once) {
                stopListening();
                ended.countDown();
            }
        }
    }

    private Programs programs(LineChannel channel) {
        Set<InetAddress> own = Set.of(settings.data());
        Set<InetAddress> hosts = new HashSet<>(settings.others());
        hosts.add(settings.data());
        hosts.add(settings.bind());
        hosts.add(channel.peer().getAddress());
        return new Programs(own, hosts);
    }

    private static void pause(long millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // it is gone already
        }
    }

    /** "10.0.0.2:7410", "[fd00::2]:7410". */
    static String text(InetSocketAddress address) {
        String host = address.getAddress() == null
                ? address.getHostString()
                : address.getAddress().getHostAddress();
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + address.getPort();
    }
}
