package dev.msgrelay.loadgen.render;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.plan.Json;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HtmlPageTest {
    /** A document cannot end its own script, nor be taken for a place that is to be filled. */
    @Test
    void theDocumentIsInThePageAndNothingOfItIsMarkup() {
        Map<String, String> document = Map.of("text", "</script><b> {{plot}} \u2028 &amp;");
        String page = HtmlPage.of("a < b", document);
        String json = page.substring(page.indexOf("application/json"));
        json = json.substring(json.indexOf('>') + 1, json.indexOf("</script>"));
        assertThat(json).doesNotContain("<", "&", "{{", "\u2028");
        assertThat(Json.parse(json)).isEqualTo(Json.tree(document));
        assertThat(page).contains("<title>a &lt; b").doesNotContain("{{", "http://", "src=");
    }
}
