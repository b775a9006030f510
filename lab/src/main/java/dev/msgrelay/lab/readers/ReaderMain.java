package dev.msgrelay.lab.readers;

import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonWriter;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/**
 * One client of the ladder in a JVM of its own, as in the article. Arguments: the client ({@link Client.Ladder}), the length of
 * bodies. Each line on stdin is a go, and is answered by a line on stdout:
 *
 * <pre>
 *  check N ADDRESS PORT    read a stream, compare every byte    {"event":"goN", "messages":..., "nanos":...,
 *  count N ADDRESS PORT    read a stream, count                   "reads":..., "wrong":...}
 *  (end of file)           leave                                 {"event":"goN", "failed":...}
 * </pre>
 */
public final class ReaderMain {
    private ReaderMain() {}

    public static void main(String[] args) throws IOException {
        Client.Ladder step = Client.Ladder.valueOf(args[0]);
        int body = Integer.parseInt(args[1]);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String line;
        while ((line = in.readLine()) != null) {
            String[] words = line.split(" ");
            JsonObject answer;
            try {
                InetSocketAddress server = new InetSocketAddress(words[2], Integer.parseInt(words[3]));
                Sink sink = words[0].equals("check") ? Sink.checking(body) : Sink.counting(body);
                answer = receive(step.newClient(), server, sink);
            } catch (IOException | RuntimeException e) {
                answer = new JsonObject();
                answer.put("failed", e.toString());
            }
            answer.put("event", "go" + words[1]);
            System.out.println(JsonWriter.string(answer));
            System.out.flush();
        }
    }

    private static JsonObject receive(Client client, InetSocketAddress server, Sink sink) throws IOException {
        long start = System.nanoTime();
        long reads = client.receive(server, sink);
        long nanos = System.nanoTime() - start;
        JsonObject json = new JsonObject();
        json.put("messages", sink.messages());
        json.put("wrong", sink.wrong());
        json.put("reads", reads);
        json.put("nanos", nanos);
        return json;
    }
}
