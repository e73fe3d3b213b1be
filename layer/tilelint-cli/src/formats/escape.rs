//! Text inside other languages.

/// Escapes text for XML and HTML, also inside a quoted attribute. Characters that XML 1.0 cannot
/// hold become `?`.
pub fn markup(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(character),
            '\u{fffe}' | '\u{ffff}' => out.push('?'),
            other if other.is_control() && other < '\u{7f}' => out.push('?'),
            other => out.push(other),
        }
    }
    out
}

/// Escapes the text of a GitHub annotation.
pub fn annotation(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes a property of a GitHub annotation.
pub fn annotation_property(text: &str) -> String {
    annotation(text).replace(':', "%3A").replace(',', "%2C")
}

/// Escapes text in a cell of a Markdown table; code stays code.
pub fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace(['\n', '\r'], " ").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_text() {
        assert_eq!(
            markup("<a b=\"c\" d='e'>&\u{1}\n"),
            "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;?\n"
        );
        assert_eq!(annotation("100 %\nof: it"), "100 %25%0Aof: it");
        assert_eq!(annotation_property("a:b,c"), "a%3Ab%2Cc");
        assert_eq!(cell("a|b\n<c>"), "a\\|b &lt;c>");
    }
}
