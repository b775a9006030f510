package dev.msgrelay.loadgen.cli;

import static org.assertj.core.api.Assertions.assertThatCode;

import dev.msgrelay.testing.DocumentedCommands;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class DocumentedCommandsTest {
    @ParameterizedTest
    @MethodSource("commands")
    void isParsed(List<String> words) {
        assertThatCode(() -> LoadgenMain.commandLine(new LoadgenMain()).parseArgs(words.toArray(String[]::new)))
                .doesNotThrowAnyException();
    }

    static Stream<List<String>> commands() throws IOException {
        return DocumentedCommands.of("loadgen").stream()
                .filter(words -> !words.get(0).equals("lab"));
    }
}
