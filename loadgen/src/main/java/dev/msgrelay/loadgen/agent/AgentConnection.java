package dev.msgrelay.loadgen.agent;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import dev.msgrelay.loadgen.site.HostSite;
import dev.msgrelay.loadgen.site.JavaProgram;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The controller's end of the talk with one agent. A daemon thread reads, another one pings and watches that answers
 * come; when the agent is gone, every process that it had says so and has ended. Thread-safe.
 */
public final class AgentConnection implements AutoCloseable {
    private static final int CONNECT_MILLIS = 5_000;

    /** Longer than an agent's own limit: it may still have to end the processes of the controller before us. */
    private static final long GREETING_SECONDS = 8;

    private static final long FIGURE_MILLIS = 2_000;
    private static final long PONG_MILLIS = 2_000;
    private static final long GOODBYE_MILLIS = 6_000;
    private static final String CLOSED_HERE = "this controller has closed the connection";
    private static final long HEARTBEAT_MILLIS = 1_000;

    /** An agent that said nothing for so long is gone. */
    private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final String name;
    private final LineChannel channel;
    private final AgentFacts facts;
    private final Pings pings = new Pings(System::nanoTime);
    private final Map<Integer, RemoteProcess> processes = new ConcurrentHashMap<>();
    private final Map<Long, CompletableFuture<JsonObject>> figures = new ConcurrentHashMap<>();
    private final AtomicInteger ids = new AtomicInteger();
    private final AtomicLong requests = new AtomicLong();
    private volatile long lastHeard = System.nanoTime();
    private final CountDownLatch readerEnded = new CountDownLatch(1);
    private volatile boolean closing;
    private volatile String lost;

    /**
     * Connects, proves that it knows the token, and has the agent prove it.
     *
     * @param host name or address
     * @throws IOException in one line that names the agent: it cannot be reached, refuses, is of another version, serves
     *     somebody else, or does not know the token
     */
    public static AgentConnection open(String host, int port, Token token) throws IOException {
        return open(host, port, new ControllerGreeter(token, LoadgenVersion.here()));
    }

    static AgentConnection open(String host, int port, ControllerGreeter greeter) throws IOException {
        InetSocketAddress address = new InetSocketAddress(host, port);
        if (address.isUnresolved()) {
            throw new IOException("agent: unknown host '" + host + "'");
        }
        String name = "agent at " + Agent.text(address);
        Socket socket = new Socket();
        try {
            socket.connect(address, CONNECT_MILLIS);
            LineChannel channel = new LineChannel(socket);
            AgentFacts facts = greeter.greet(channel, System.nanoTime() + TimeUnit.SECONDS.toNanos(GREETING_SECONDS));
            return new AgentConnection(name, channel, facts);
        } catch (IOException e) {
            socket.close();
            throw new IOException(name + ": " + e.getMessage(), e);
        }
    }

    private AgentConnection(String name, LineChannel channel, AgentFacts facts) {
        this.name = name;
        this.channel = channel;
        this.facts = facts;
        daemon("agent-reader", this::read);
        daemon("agent-heartbeat", this::heartbeat);
    }

    private static void daemon(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    /** For people: "agent at 10.0.0.2:7410". */
    public String name() {
        return name;
    }

    /** What the agent said of its host. */
    public AgentFacts facts() {
        return facts;
    }

    /** This host's address on the way to the agent. */
    public InetAddress localAddress() {
        return channel.local().getAddress();
    }

    /** This host as the agent's processes reach it: what listens here then listens on that address. */
    public HostSite here() {
        return new HostSite("this host", List.of(), localAddress().getHostAddress());
    }

    /** Why the agent is gone, in one line that names it; null as long as it is not. */
    public String lost() {
        return lost;
    }

    /**
     * Has the agent start a program.
     *
     * @throws IOException the agent refuses, which says why, or is gone
     */
    RemoteProcess start(JavaProgram program) throws IOException {
        int id = ids.incrementAndGet();
        RemoteProcess process = new RemoteProcess(id, this);
        processes.put(id, process);
        JsonObject message = Messages.of(Messages.START, id);
        message.put("java", new JsonArray(program.javaOptions()));
        message.put("main", program.main());
        message.put("args", new JsonArray(program.args()));
        try {
            send(message);
            process.awaitStarted();
            return process;
        } catch (IOException e) {
            processes.remove(id);
            // Where the answer only was too late, nobody may be left behind.
            process.kill();
            throw e;
        }
    }

    void send(JsonObject message) throws IOException {
        if (lost != null) {
            throw new IOException(lost);
        }
        try {
            channel.send(message);
        } catch (IOException e) {
            lose(e.getMessage());
            throw new IOException(lost, e);
        }
    }

    /**
     * Asks the agent's clock several times, about a millisecond apart.
     *
     * @throws IOException the agent is gone or does not answer
     */
    ClockOffset measureClock(int count) throws IOException, InterruptedException {
        List<ClockOffset.Sample> samples = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Pings.Ping ping = ping();
            try {
                samples.add(ping.answer().get(PONG_MILLIS, TimeUnit.MILLISECONDS));
            } catch (ExecutionException | TimeoutException e) {
                pings.forget(ping);
                throw new IOException(
                        lost == null ? name + " did not tell its time within " + PONG_MILLIS + " ms" : lost, e);
            }
            TimeUnit.MILLISECONDS.sleep(1);
        }
        return ClockOffset.of(samples);
    }

    private Pings.Ping ping() throws IOException {
        Pings.Ping ping = pings.next();
        JsonObject message = Messages.of(Messages.PING);
        message.put("n", ping.number());
        send(message);
        return ping;
    }

    /** A figure of a process; -1 where the agent does not know it, or is gone. */
    long figure(int id, String field) {
        long request = requests.incrementAndGet();
        CompletableFuture<JsonObject> answer = new CompletableFuture<>();
        figures.put(request, answer);
        try {
            JsonObject message = Messages.of(Messages.FIGURES, id);
            message.put("request", request);
            send(message);
            return Messages.number(answer.get(FIGURE_MILLIS, TimeUnit.MILLISECONDS), field);
        } catch (IOException | ExecutionException | TimeoutException e) {
            return -1;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return -1;
        } finally {
            figures.remove(request);
        }
    }

    private void read() {
        try {
            JsonObject message;
            while ((message = channel.read()) != null) {
                lastHeard = System.nanoTime();
                on(message);
            }
            lose(closing ? CLOSED_HERE : "it closed the connection");
        } catch (IOException e) {
            lose(closing ? CLOSED_HERE : e.getMessage());
        } finally {
            readerEnded.countDown();
        }
    }

    private void on(JsonObject message) throws ProtocolException {
        switch (Messages.type(message)) {
            case Messages.PONG -> pings.answered(Messages.number(message, "n"), Messages.number(message, "nanos"));
            case Messages.FIGURES -> {
                CompletableFuture<JsonObject> answer = figures.get(Messages.number(message, "request"));
                if (answer != null) {
                    answer.complete(message);
                }
            }
            case Messages.REFUSED ->
                throw new ProtocolException("it refused: " + Messages.printable(Messages.text(message, "message")));
            default -> {
                RemoteProcess process = processes.get((int) Messages.number(message, "id"));
                if (process != null) {
                    on(message, process);
                }
            }
        }
    }

    private void on(JsonObject message, RemoteProcess process) throws ProtocolException {
        switch (Messages.type(message)) {
            case Messages.STARTED -> process.onStarted(Messages.number(message, "pid"));
            case Messages.FAILED -> process.onFailed(Messages.printable(Messages.text(message, "message")));
            case Messages.OUTPUT ->
                process.onOutput(
                        Messages.text(message, "stream"),
                        Messages.text(message, "text").getBytes(StandardCharsets.ISO_8859_1));
            case Messages.EXITED -> {
                process.onExited((int) Messages.number(message, "code"));
                processes.remove(process.id());
            }
            default ->
                throw new ProtocolException("unknown message '" + Messages.printable(Messages.type(message)) + "'");
        }
    }

    private void heartbeat() {
        long pause = Math.max(1, Math.min(HEARTBEAT_MILLIS, facts.silenceMillis() / 4));
        try {
            while (lost == null) {
                pings.forget(ping());
                TimeUnit.MILLISECONDS.sleep(pause);
                if (System.nanoTime() - lastHeard > SILENCE_NANOS) {
                    lose("nothing heard of it for " + TimeUnit.NANOSECONDS.toSeconds(SILENCE_NANOS) + " s");
                }
            }
        } catch (InterruptedException | IOException e) {
            // told by whoever noticed that the agent is gone
        }
    }

    private void lose(String reason) {
        synchronized (this) {
            if (lost != null) {
                return;
            }
            lost = name + " went away: " + reason;
        }
        channel.close();
        processes.values().forEach(process -> process.onLost(lost));
        processes.clear();
    }

    /**
     * Says goodbye and waits a moment for the agent to end what is still alive; not where the thread is interrupted, as
     * it then remains.
     */
    @Override
    public void close() {
        leave(true);
    }

    /** As {@link #close}, but waits for nobody: for a controller that has been asked to end, and an agent that may hang. */
    void closeAtOnce() {
        leave(false);
    }

    private void leave(boolean wait) {
        closing = true;
        try {
            send(Messages.of(Messages.BYE));
            if (wait) {
                readerEnded.await(GOODBYE_MILLIS, TimeUnit.MILLISECONDS);
            }
        } catch (IOException e) {
            // it is gone already
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        lose(CLOSED_HERE);
    }
}
