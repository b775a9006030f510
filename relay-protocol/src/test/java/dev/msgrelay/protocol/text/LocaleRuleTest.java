package dev.msgrelay.protocol.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Numbers and texts are the same wherever a program runs: no main code of any module formats by the default locale. */
class LocaleRuleTest {
    /** Each asks the default locale, or the default charset, which follows it in older JDKs. */
    private static final Pattern BY_LOCALE = Pattern.compile(String.join(
            "|",
            "\\bString\\s*\\.format\\(\\s*+(?!Locale\\.ROOT\\b)",
            "\\.\\s*printf\\(\\s*+(?!Locale\\.ROOT\\b)",
            "\\.\\s*formatted\\(",
            "\\.\\s*to(Upper|Lower)Case\\(\\s*\\)",
            "\\bnew (java\\.util\\.)?Formatter\\(",
            "\\bnew DecimalFormat\\(",
            "\\bNumberFormat\\.get",
            "\\bnew SimpleDateFormat\\(",
            "\\bDateTimeFormatter\\.ofPattern\\([^,()]*\\)",
            "\\bDateTimeFormatter\\.ofLocalized",
            "\\bCollator\\.getInstance\\(\\s*\\)",
            "\\bLocale\\.getDefault\\(",
            "\\.\\s*getBytes\\(\\s*\\)",
            "\\bnew File(Reader|Writer)\\([^,()]*\\)",
            "\\bnew InputStreamReader\\([^,]*?\\)\\)",
            "\\bnew PrintWriter\\(new FileOutputStream\\([^,()]*\\)\\)"));

    @Test
    void nothingIsFormattedByTheDefaultLocale() throws IOException {
        List<String> found = new ArrayList<>();
        int files = 0;
        for (Path source : sources()) {
            files++;
            String text = Files.readString(source);
            Matcher matcher = BY_LOCALE.matcher(text);
            while (matcher.find()) {
                long line = text.substring(0, matcher.start()).lines().count();
                found.add(source + ":" + line + ": " + matcher.group().strip());
            }
        }
        assertThat(files).isGreaterThan(100);
        assertThat(found).isEmpty();
    }

    @Test
    void theRuleFindsWhatItLooksFor() {
        for (String bad : new String[] {
            "String.format(\"%d\", 1)",
            "out.printf(\n    \"%d\", 1)",
            "\"%d\".formatted(1)",
            "s.toLowerCase()",
            "s.getBytes()"
        }) {
            assertThat(BY_LOCALE.matcher(bad).find()).as(bad).isTrue();
        }
        for (String good : new String[] {
            "String.format(\n   Locale.ROOT, \"%d\", 1)", "s.toUpperCase(Locale.ROOT)", "Character.toUpperCase(c)"
        }) {
            assertThat(BY_LOCALE.matcher(good).find()).as(good).isFalse();
        }
        assertThat("TITLE".toLowerCase(Locale.ROOT)).isEqualTo("title");
    }

    /** Of all modules, which lie side by side. */
    private static List<Path> sources() throws IOException {
        List<Path> sources = new ArrayList<>();
        try (Stream<Path> modules = Files.list(Path.of(".."))) {
            for (Path module : modules.toList()) {
                Path main = module.resolve("src/main/java");
                if (Files.isDirectory(main)) {
                    try (Stream<Path> files = Files.walk(main)) {
                        files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
                    }
                }
            }
        }
        return sources;
    }
}
