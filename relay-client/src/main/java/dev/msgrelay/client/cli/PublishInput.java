package dev.msgrelay.client.cli;

import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.cli.CommandParser;
import dev.msgrelay.protocol.text.Sizes;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** The messages that {@code publish} reads: where from, and how the input is cut into them. */
final class PublishInput {
    /** The input is wrong: not the relay, and not the connection. */
    static final class BadInputException extends IOException {
        private static final long serialVersionUID = 1L;

        BadInputException(String message) {
            super(message);
        }
    }

    /** Takes one message: a part of an array that is valid until the method returns. */
    @FunctionalInterface
    interface Sink {
        void accept(int type, byte[] array, int offset, int length) throws IOException, InterruptedException;
    }

    @Spec(Spec.Target.MIXEE)
    private CommandSpec mixee;

    @Option(
            names = {"-m", "--message"},
            paramLabel = "TEXT",
            preprocessor = AnyText.class,
            description = "Publish this message instead of stdin; may be given several times. The text is published as"
                    + " it is.")
    private List<String> messages;

    @Option(
            names = "--repeat",
            paramLabel = "N",
            description = "Publish the messages of --message N times; with --rate at that rate.")
    private Integer repeat;

    @Option(
            names = "--delete",
            description =
                    "Publish a message without a body: a relay that keeps its state (--state) gives no older message"
                            + " of --type to those who start with the state.")
    private boolean delete;

    @Option(names = "--file", paramLabel = "F", description = "Read this file instead of stdin.")
    private Path file;

    @Option(
            names = "--json",
            description =
                    "Read one JSON object a line, as subscribe --json prints them: type (default: --type), and body or"
                            + " base64. Its gaps and events, which have no body, are passed over, and counted on stderr."
                            + " Any other object ends the command with a failure.")
    private boolean json;

    @Option(names = "--skip-bad", description = "With --json: pass over wrong lines too, and count them on stderr.")
    private boolean skipBad;

    @Option(
            names = "--frames",
            description =
                    "Read messages as they are on the wire, and as subscribe --frames prints them: type and length of 4"
                            + " bytes each, big-endian, and the body. A length over --max-body, a reserved type, or an end"
                            + " within a frame ends the command with a failure.")
    private boolean frames;

    @Option(
            names = "--raw",
            description =
                    "Publish bytes as they are: what stands between two of --delimiter, or else the whole input as"
                            + " one message.")
    private boolean raw;

    @Option(
            names = "--delimiter",
            paramLabel = "TEXT",
            preprocessor = AnyText.class,
            description = "With --raw: the text between two messages, with \\n \\t \\r \\0 \\\\ and \\xHH.")
    private String delimiter;

    @Option(
            names = "--chunk",
            paramLabel = "SIZE",
            converter = SizeConverter.class,
            description = "Cut the input into pieces of this size instead of lines; the last piece may be shorter.")
    private Integer chunk;

    @Option(
            names = "--type",
            paramLabel = "T",
            defaultValue = "1",
            converter = MessageType.class,
            description = "The messages' type, decimal or 0x...; those from 0x80000000 to 0x800000FF are reserved."
                    + " Default: ${DEFAULT-VALUE}.")
    private int type;

    @Option(
            names = "--max-body",
            paramLabel = "SIZE",
            defaultValue = "1m",
            converter = SizeConverter.class,
            description = "Longest message; a longer one ends the command with a failure. Default: ${DEFAULT-VALUE}.")
    private int maxBody;

    private byte[] between;
    private JsonBodies objects;

    /** Checks the options, before anything is read. */
    void check(EndpointOptions limits) {
        limits.check("--max-body", maxBody, 0, FrameLayout.MAX_MAX_BODY);
        if (chunk != null) {
            limits.check("--chunk", chunk, 1, maxBody);
        }
        if (ControlFrames.isControl(type)) {
            throw wrong("--type " + ControlFrames.typeName(type) + " is reserved");
        }
        List<String> ways = new ArrayList<>();
        OutputOptions.add(ways, messages != null, "--message");
        OutputOptions.add(ways, delete, "--delete");
        OutputOptions.add(ways, json, "--json");
        OutputOptions.add(ways, frames, "--frames");
        OutputOptions.add(ways, raw, "--raw");
        OutputOptions.add(ways, chunk != null, "--chunk");
        OutputOptions.add(ways, (messages != null || delete) && file != null, "--file");
        OutputOptions.checkOne(mixee, ways);
        limits.refuse(repeat != null && messages == null, "--repeat goes with --message");
        if (repeat != null) {
            limits.check("--repeat", repeat, 1, Integer.MAX_VALUE);
        }
        limits.refuse(
                delete && !mixee.commandLine().getParseResult().hasMatchedOption("--type"),
                "--delete goes with --type, whose newest message is to be empty");
        if (skipBad && !json) {
            throw wrong("--skip-bad goes with --json");
        }
        if (delimiter != null && !raw) {
            throw wrong("--delimiter goes with --raw");
        }
        try {
            between = Escapes.bytes(delimiter == null ? "" : delimiter);
        } catch (IllegalArgumentException e) {
            throw wrong(e.getMessage());
        }
    }

    int maxBody() {
        return maxBody;
    }

    /** The file; null: none is named. */
    Path file() {
        return file;
    }

    /**
     * What is read and how, in words, to recognise it in the next run; empty: it cannot be read a second time, like a
     * pipe.
     */
    String name() throws IOException {
        if (file == null || !Files.isRegularFile(file)) {
            return "";
        }
        String cut = json
                ? "objects"
                : frames
                        ? "frames"
                        : chunk != null
                                ? "pieces of " + chunk + " bytes"
                                : !raw ? "lines" : between.length == 0 ? "all" : "pieces between '" + delimiter + "'";
        return cut + " of " + file.toRealPath();
    }

    /** Opens the input; the messages of the command line are an empty one. */
    InputStream open(InputStream stdin) throws IOException {
        if (messages != null || delete) {
            return new ByteArrayInputStream(new byte[0]);
        }
        if (file == null) {
            InputStream named = named(stdin, "the standard input");
            named.available();
            return named;
        }
        if (Files.isDirectory(file)) {
            throw new IOException("cannot read " + file + ": it is a directory");
        }
        try {
            return named(Files.newInputStream(file), file.toString());
        } catch (NoSuchFileException e) {
            throw new IOException("cannot read " + file + ": no such file", e);
        } catch (AccessDeniedException e) {
            throw new IOException("cannot read " + file + ": permission denied", e);
        } catch (IOException e) {
            throw new IOException("cannot read " + file + ": " + e.getMessage(), e);
        }
    }

    /** The stream, whose failures name what is read. */
    private static InputStream named(InputStream in, String name) {
        return new FilterInputStream(in) {
            @Override
            public int read(byte[] array, int offset, int length) throws IOException {
                try {
                    return super.read(array, offset, length);
                } catch (IOException e) {
                    throw failure(e);
                }
            }

            @Override
            public int available() throws IOException {
                try {
                    return super.available();
                } catch (IOException e) {
                    throw failure(e);
                }
            }

            private IOException failure(IOException e) {
                return new IOException("cannot read " + name + ": " + e.getMessage(), e);
            }
        };
    }

    /**
     * Reads everything, and hands over each message.
     *
     * @throws IOException the input cannot be read, or one of its messages is wrong; those before it were handed over
     */
    void read(InputStream in, Sink sink) throws IOException, InterruptedException {
        BodyReader.Sink bodies = (array, offset, length) -> sink.accept(type, array, offset, length);
        if (delete) {
            sink.accept(type, new byte[0], 0, 0);
        } else if (messages != null) {
            for (int round = 0; round < (repeat == null ? 1 : repeat); round++) {
                readCommandLine(sink);
            }
        } else if (frames) {
            new BodyReader(in, maxBody).frames(sink);
        } else if (json) {
            objects = new JsonBodies(type, maxBody, skipBad, sink);
            objects.read(in);
        } else if (chunk != null) {
            new BodyReader(in, maxBody).chunks(chunk, bodies);
        } else if (!raw) {
            new BodyReader(in, maxBody).lines(bodies);
        } else if (between.length > 0) {
            new BodyReader(in, maxBody).pieces(between, bodies);
        } else {
            new BodyReader(in, maxBody).whole(bodies);
        }
    }

    private void readCommandLine(Sink sink) throws IOException, InterruptedException {
        for (String message : messages) {
            byte[] body = message.getBytes(StandardCharsets.UTF_8);
            if (body.length > maxBody) {
                throw new BadInputException("message of " + body.length + " bytes is over the limit of " + maxBody);
            }
            sink.accept(type, body, 0, body.length);
        }
    }

    /** What was passed over so far, a line each for people. */
    List<String> passedOver() {
        return objects == null ? List.of() : objects.passedOver();
    }

    private ParameterException wrong(String words) {
        return new ParameterException(mixee.commandLine(), words);
    }

    /** Converts a number of bytes, such as 64k. */
    static final class SizeConverter implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String value) throws Exception {
            return CommandParser.converter(Sizes::parse).convert(value);
        }
    }

    /** Converts a number of 32 bits, decimal or hexadecimal, signed or unsigned. */
    static final class MessageType implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String value) {
            try {
                return of(Long.decode(value));
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException("'" + value + "' is no number of 32 bits");
            }
        }

        /** @throws IllegalArgumentException the number has more than 32 bits */
        static int of(long number) {
            if (number < Integer.MIN_VALUE || number > 0xFFFFFFFFL) {
                throw new IllegalArgumentException(number + " has more than 32 bits");
            }
            return (int) number;
        }
    }
}
