package dev.msgrelay.lab.readers;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/**
 * One client of the ladder in a JVM of its own, as in the article. Its argument is the client ({@link Client.Ladder}).
 * Each line on stdin is a go, and is answered by a line on stdout; it ends with the last line.
 *
 * <pre>
 *  check PORT    read a stream, compare every byte    MESSAGES WRONG READS NANOS
 *  count PORT    read a stream, count                 failed: WHY
 * </pre>
 */
public final class ReaderMain {
    private ReaderMain() {}

    public static void main(String[] args) throws IOException {
        Client.Ladder step = Client.Ladder.valueOf(args[0]);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            System.out.println(answer(step, line.split(" ")));
            System.out.flush();
        }
    }

    private static String answer(Client.Ladder step, String... command) {
        Sink sink = new Sink(StreamSender.BODY, command[0].equals("check"));
        Client client = step.newClient();
        try {
            int port = Integer.parseInt(command[1]);
            long start = System.nanoTime();
            long reads = client.receive(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), sink);
            long nanos = System.nanoTime() - start;
            return sink.messages() + " " + sink.wrong() + " " + reads + " " + nanos;
        } catch (IOException | RuntimeException e) {
            return "failed: " + e;
        }
    }
}
