package dev.msgrelay.loadgen.lab.readers;

import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonWriter;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/**
 * One client of the ladder in a JVM of its own, as in the article. Arguments: the client ({@link Ladder}), the length of
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
        Ladder step = Ladder.valueOf(args[0]);
        int body = Integer.parseInt(args[1]);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String line;
        while ((line = in.readLine()) != null) {
            String[] words = line.split(" ");
            JsonObject answer;
            try {
                InetSocketAddress server = new InetSocketAddress(words[2], Integer.parseInt(words[3]));
                answer = words[0].equals("check")
                        ? check(step.newClient(), server, body)
                        : count(step.newClient(), server, body);
            } catch (IOException | RuntimeException e) {
                answer = new JsonObject();
                answer.put("failed", e.toString());
            }
            answer.put("event", "go" + words[1]);
            System.out.println(JsonWriter.string(answer));
            System.out.flush();
        }
    }

    private static JsonObject check(Client client, InetSocketAddress server, int body) throws IOException {
        CheckingSink sink = new CheckingSink(body);
        long start = System.nanoTime();
        long reads = client.receive(server, sink);
        return answer(sink.messages(), sink.wrong(), reads, System.nanoTime() - start);
    }

    private static JsonObject count(Client client, InetSocketAddress server, int body) throws IOException {
        CountingSink sink = new CountingSink(body);
        long start = System.nanoTime();
        long reads = client.receive(server, sink);
        return answer(sink.messages(), sink.wrong(), reads, System.nanoTime() - start);
    }

    private static JsonObject answer(long messages, long wrong, long reads, long nanos) {
        JsonObject json = new JsonObject();
        json.put("messages", messages);
        json.put("wrong", wrong);
        json.put("reads", reads);
        json.put("nanos", nanos);
        return json;
    }
}
