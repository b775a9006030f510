package dev.msgrelay.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.testing.OddFiles;
import dev.msgrelay.testing.ThisMachine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a configuration may include, and how long and deep it may be: all else is one line with its place. */
@Timeout(120)
class HoconLimitsTest {
    @TempDir
    private Path folder;

    private Path file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    private static String read(Path file) {
        return HoconFile.read(file, root -> root.unwrapped().toString());
    }

    private static String refusal(Path file) {
        try {
            return "taken: " + read(file);
        } catch (IllegalArgumentException e) {
            return e.getMessage();
        }
    }

    private static String each(int n, IntFunction<String> line) {
        return IntStream.range(0, n).mapToObj(line).collect(Collectors.joining("\n", "", "\n"));
    }

    // ---- includes ----------------------------------------------------------------------------------------------

    /** The library takes what it cannot read for empty, and the access block in it does not hold. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "url(\"http://127.0.0.1:1/access.conf\")",
                "url(\"file:///none/access.conf\")",
                "classpath(\"access.conf\")",
                "\"http://127.0.0.1:1/access.conf\"",
                "\"file:///none/access.conf\"",
                "required(classpath(\"access.conf\"))"
            })
    void onlyFilesAreIncluded(String what) throws IOException {
        Path file = file("relay.conf", "log-size = 64m\nx { include " + what + " }");
        assertThat(refusal(file))
                .startsWith(file + ":2: include ")
                .endsWith("access.conf: only a file can be included: include \"other.conf\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"include \"%s\"", "include file(\"%s\")", "x { include required(\"%s\") }"})
    void whatIsIncludedIsThereAndARegularFile(String form) throws Exception {
        Path pipe = OddFiles.pipe(folder.resolve("pipe"));
        String[][] wrong = {
            {folder.resolve("none").toString(), "there is no such file"},
            {pipe.toString(), "it cannot be read: it is a pipe: give a file"},
            {"/dev/zero", "it cannot be read: it is a device: give a file"},
            {folder.toString(), "it cannot be read: it is a folder: give a file"}
        };
        for (String[] one : wrong) {
            Path file = file("relay.conf", "\n" + String.format(Locale.ROOT, form, one[0]));
            assertThat(refusal(file)).isEqualTo(file + ":2: include " + one[0] + ": " + one[1]);
        }
    }

    @Test
    void anIncludedFileIsPartOfTheOther() throws IOException {
        Path there = Files.createDirectory(folder.resolve("there"));
        Files.writeString(there.resolve("b.conf"), "b = ${PATH}\nd = 2\ninclude \"c.conf\"");
        Files.writeString(there.resolve("c.conf"), "c = 3");
        Path file = file("relay.conf", "x { include file(\"" + there + "/b.conf\") }\na = 1");
        assertThat(read(file)).isEqualTo("{a=1, x={b=" + ThisMachine.path() + ", c=3, d=2}}");
        Files.writeString(there.resolve("c.conf"), "c = 3\ne = }");
        assertThat(refusal(file)).startsWith(there.resolve("c.conf") + ":2: ");
        Files.writeString(there.resolve("c.conf"), "# it is\ntoken = s3cret }");
        assertThat(refusal(file)).startsWith(there.resolve("c.conf") + ":2: ").doesNotContain("s3cret");
    }

    @Test
    void filesThatIncludeThemselves() throws IOException {
        Path file = file("relay.conf", "a = 1\ninclude \"relay.conf\"");
        assertThat(refusal(file)).startsWith(file + ":2: include " + file + ": more than 20 files include one another");
        // Each of them the next one twice: a million.
        for (int i = 0; i < 19; i++) {
            String text = ("include \"" + (i + 1) + "\"\n").repeat(2) + "# " + "x".repeat(1 << 10);
            file(i == 0 ? "relay.conf" : "" + i, text);
        }
        file("19", "");
        assertThat(refusal(file)).contains(" bytes are over the limit of ").doesNotContain("\n");
    }

    // ---- how deep and how long -----------------------------------------------------------------------------------

    @ParameterizedTest
    @CsvSource({
        "a list,             600000, 'skip, ', 2",
        "a sum,              500000, 'a ', 2",
        "quoted,             500000, '\"\" ', 2",
        "quoted and not,     400000, 'a\"\"', 2",
        "empty lists,        400000, '[],', 2",
        "lines,              600000, '\n', 300000"
    })
    void tooLong(String what, int times, String text, int line) throws IOException {
        Path file = file("relay.conf", "\na = [" + text.translateEscapes().repeat(times) + "]");
        assertThat(refusal(file)).as(what).isEqualTo(file + ":" + line + ": over the limit of 300000 words and lines");
    }

    @ParameterizedTest
    @CsvSource({"'', a {", "a = , [", "'', a."})
    void tooDeep(String before, String text) throws IOException {
        Path file = file("relay.conf", before + text.repeat(60_000));
        assertThat(refusal(file)).startsWith(file + ": too many sections").doesNotContain("\n");
    }

    /** Forty lines of the first kind would be a terabyte. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "a1 = ${a0}${a0}",
                "a1 = [${a0}, ${?a0}]",
                "a1 { x = ${a0} }",
                "a1 = ${a0} { z = 1 }",
                "a0 = ${a0} more",
                "a0 += ${a0}",
                "a1 = ${a1}",
                "include \"b.conf\"",
                "x { include \"b.conf\" }",
                "x { include \"c.conf\", a0 = 1 }",
                "x = ${?NONE_SUCH}, x { b = 1 }",
                "a1 = ${x.a0}",
                "a1 = ${\"a0\"}",
                "a1 = ${ a0 }",
                "a1 = ${a0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"
                        + "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"
                        + "0123456789012345678901234567890123456789012345678901234567890123456789}",
                "a1 = ${a0"
            })
    void valuesDoNotReferToValues(String line) throws IOException {
        Path other = file("b.conf", "a0 = 2\nb = ${a0}");
        file("c.conf", "b = ${a0}");
        Path file = file("relay.conf", line + "\na0 = 1\n");
        assertThat(refusal(file))
                .matches(text -> text.startsWith(file + ":") || text.startsWith(other + ":"))
                .endsWith("; values do not refer to other values")
                .doesNotContain("\n");
    }

    /** The library ends a text where a comment begins, and says nothing. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "journal = /data//journal",
                "journal = /data#1",
                "journal : /data//journal",
                "journal = /data/#",
                "journal = ${HOME}//journal",
                "journal = ${?NONE_SUCH}#1",
                "journal = ${HOME}/a//b",
                "journal = \"/a\"/b//c",
                "journal = a b//c",
                "tls { cert = /a//b.pem }",
                "allow-policies = [skip, disconnect#, replay",
                "access { a { from = 10.0.0.1//8, subscribe = all } }",
                "access { a { user = anna#2 } }",
                "access { a#1 { user = anna } }",
                "cluster { directory = /data//cluster }",
                "journal#2 = /data",
                "include file(other.conf//)",
                "x += y//z"
            })
    void aCommentDirectlyBehindATextIsRefused(String line) throws IOException {
        Path file = file("relay.conf", "# first\n" + line + "\n");
        String refusal = ":2: a comment begins directly behind a text, whose rest it would be: quote it all, or put a"
                + " blank before a comment";
        assertThat(refusal(file)).isEqualTo(file + refusal);
        Path outer = file("outer.conf", "x { include \"relay.conf\" }");
        assertThat(refusal(outer)).isEqualTo(file + refusal);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "a = \"/data//journal#1\" | {a=/data//journal#1}",
                "a = \"\"\"/b//c#1\"\"\" | {a=/b//c#1}",
                "a = \"b\"# c | {a=b}",
                "a = /b // c | {a=/b}",
                "a = /b\\u00A0# c | {a=/b}",
                "a = /b/ /c | {a=/b/ /c}",
                "a = 1,# c | {a=1}",
                "a {# c\\nb = 1 }// d | {a={b=1}}",
                "a = [# c\\n1 // d\\n]# e | {a=[1]}",
                "a =# c\\n b | {a=b}",
                "#a = b//c | {}",
                "//a#b | {}"
            })
    void otherCommentsAreTaken(String text, String is) throws IOException {
        assertThat(read(file("relay.conf", text.replace("\\n", "\n").replace("\\u00A0", "\u00A0"))))
                .isEqualTo(is);
    }

    @Test
    void whatPeopleWrite() throws IOException {
        Path file = file(
                "relay.conf",
                String.join(
                        "\n",
                        List.of(
                                "# {{{ [[[ a.b.c ".repeat(100),
                                "a = \"" + "{[.\\\"".repeat(200) + "\" // " + "{".repeat(200),
                                "b = \"\"\"" + "{\n\"".repeat(200) + "\"\"\"",
                                "list = [1], list += 2, list += 3",
                                "level = 1, level = ${?NONE_SUCH}, path = 1, path = ${?PATH}",
                                "one { n = 1 }, one { m = 2 }",
                                "c = ${?NONE_SUCH}, d = ${PATH}\"/x\"",
                                each(50, i -> "k" + i + " = ${PATH}"))));
        String path = ThisMachine.path();
        assertThat(read(file))
                .contains(
                        "level=1",
                        "path=" + path,
                        "list=[1, 2, 3]",
                        "one={m=2, n=1}",
                        "d=" + path + "/x",
                        "k49=" + path)
                .doesNotContain("c=");
    }

    @Test
    void oneFileMayBeAsLongAsAllTogether() throws IOException {
        Path rest = file("rest.conf", "#" + "x".repeat(HoconFile.MOST_BYTES - 1));
        assertThat(read(rest)).isEqualTo("{}");
        Path file = file("relay.conf", "include \"rest.conf\"");
        assertThatThrownBy(() -> read(file))
                .hasMessageStartingWith(file + ":1: include " + rest + ": it cannot be read: ")
                .hasMessageContaining("over the limit");
    }
}
